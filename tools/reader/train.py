"""Trains the reader and says how well it reads writers it never saw.

    python tools/reader/train.py --out FOLDER [--teacher FOLDER] [--begin-with FILE] [--leave-out w14,w24,w27,w28] [--readers 4] [--epochs 5] [--seed 1]

Needs torch and numpy. With `--teacher` it learns from what `teacher.py` wrote as well: how a larger model
judged the labelled pairs and many that nobody labelled. With `--begin-with` it goes on from a packed reader
instead of the embedder's layers. Several readers are trained with different seeds
from the same beginning; the one that is written to FOLDER/reader.pt has the mean of their weights. Writers
that are left out are in no way part of that. Minutes on a GPU, hours on a CPU.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from base import Base
from examples import RELATIONS, load, pair_example, turn_examples
from golden import Packed
from made import about_others, as_held, made_pairs, made_turns
from network import Reader, pair_batch, turn_batch
from tokens import Tokenizer

DATA = pathlib.Path(__file__).parent / "data"
TURNS_AT_A_TIME, PAIRS_AT_A_TIME = 48, 128
SMOOTHING = 0.05
# There are many more pairs than turns, and the larger model teaches pairs alone: turns are shown twice as often.
TURNS_AN_EPOCH = 2
# How much a pair counts beside a turn.
PAIRS_COUNT = 1.5
# Most pairs that are made are about other things: what touches a memory counts for more.
RELATION_WEIGHTS = (1.6, 1.6, 1.0, 1.0, 1.0, 1.0)


def batches(examples, rng, size):
    """Batches of about the same length, in random order."""
    order = sorted(range(len(examples)), key=lambda at: len(examples[at]["ids"]) + rng.random() * 12)
    cut = [order[at : at + size] for at in range(0, len(order), size)]
    rng.shuffle(cut)
    return cut


def labels(examples, device):
    rows = [label for it in examples for label in it["labels"]]
    cuts = [cut for it in examples for _, cut in it["cuts"]] or [0]
    return torch.tensor(rows, device=device), torch.tensor(cuts, device=device, dtype=torch.float32)


def which(logits, label, weight=None, reduction="mean"):
    return F.cross_entropy(logits, label, weight=weight, label_smoothing=SMOOTHING, reduction=reduction)


def whether(logit, label):
    return F.binary_cross_entropy_with_logits(logit, label * (1 - SMOOTHING) + SMOOTHING / 2)


def beginning(base, packed):
    """The reader that all begin with, so that their weights can be averaged."""
    torch.manual_seed(0)
    reader = Reader(base)
    if packed:
        reader.unpack(Packed(base, packed))
    return reader


def fit(base, turns, pairs, device, seed, options):
    """A reader, with the running mean of its weights."""
    reader, epochs = beginning(base, options.begin_with).to(device), options.epochs
    torch.manual_seed(seed)
    rng = random.Random(seed)
    layers = list(reader.layers.parameters())
    heads = [it for head in reader.heads() for it in head.parameters()]
    optimiser = torch.optim.AdamW([{"params": layers, "lr": options.rate}, {"params": heads, "lr": 1e-3}], weight_decay=0.01)
    rates = [group["lr"] for group in optimiser.param_groups]
    jobs_of_an_epoch = lambda: [("turns", it) for _ in range(TURNS_AN_EPOCH) for it in batches(turns, rng, TURNS_AT_A_TIME)] + [("pairs", it) for it in batches(pairs, rng, PAIRS_AT_A_TIME)]
    steps = epochs * len(jobs_of_an_epoch())
    step = 0
    weights = torch.tensor(RELATION_WEIGHTS, device=device)
    average = AveragedModel(reader, multi_avg_fn=get_ema_multi_avg_fn(0.998))
    for _ in range(epochs):
        reader.train()
        jobs = jobs_of_an_epoch()
        rng.shuffle(jobs)
        for kind, chosen in jobs:
            share = min(1.0, (step + 1) / (0.08 * steps)) * max(0.0, 1 - step / steps)
            for group, most in zip(optimiser.param_groups, rates):
                group["lr"] = most * share
            if kind == "turns":
                loss = turn_loss(reader, [turns[at] for at in chosen], device)
            else:
                loss = pair_loss(reader, [pairs[at] for at in chosen], weights, device)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step += 1
            if step > steps // 3:
                average.update_parameters(reader)
    return {name: weights.cpu() for name, weights in average.module.state_dict().items()}


def fit_all(base, turns, pairs, device, options):
    """The weights of several readers, trained side by side: one alone does not fill a GPU."""
    side_by_side = options.readers if device == "cuda" else 1
    with ProcessPoolExecutor(side_by_side, multiprocessing.get_context("spawn")) as pool:
        seeds = [options.seed * 100 + number for number in range(options.readers)]
        jobs = [pool.submit(fit, base, turns, pairs, device, seed, options) for seed in seeds]
        return [job.result() for job in jobs]


def averaged(base, states):
    """One reader with the mean of the weights of several."""
    reader = Reader(base)
    reader.load_state_dict({name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]})
    return reader.eval()


def turn_loss(reader, some, device):
    cut, lasting, role, guard = reader.turns(*turn_batch(some, device))
    label, cuts = labels(some, device)
    return whether(lasting, label[:, 0].float()) + which(role, label[:, 1]) + which(guard, label[:, 2]) + 2 * whether(cut, cuts)


def pair_loss(reader, some, weights, device):
    """From the label, from what the teacher makes of the pair, or from both alike."""
    logits = reader.pairs(*pair_batch(some, device))
    has = lambda name: torch.tensor([float(it[name] is not None) for it in some], device=device)
    label = torch.tensor([it["relation"] or 0 for it in some], device=device)
    judged = torch.tensor(np.stack([np.zeros(len(RELATIONS), np.float32) if it["shares"] is None else it["shares"] for it in some]), device=device)
    from_label, from_teacher = has("relation"), has("shares")
    loss = from_label * which(logits, label, weights, "none") - from_teacher * (judged * logits.log_softmax(-1)).sum(1)
    return PAIRS_COUNT * (loss / (from_label + from_teacher)).mean()


@torch.no_grad()
def read_turns(reader, examples, device):
    """Shares for each example: cuts, lasting, roles, guards."""
    out = []
    for at in range(0, len(examples), 64):
        some = examples[at : at + 64]
        cut, lasting, role, guard = reader.turns(*turn_batch(some, device))
        rows = [cut.sigmoid(), lasting.sigmoid(), role.softmax(-1), guard.softmax(-1)]
        cut, lasting, role, guard = [it.float().cpu().numpy() for it in rows]
        first, place = 0, 0
        for it in some:
            pieces, words = len(it["spans"]), len(it["cuts"])
            inside = slice(first, first + pieces)
            out.append((cut[place : place + words], lasting[inside], role[inside], guard[inside]))
            first, place = first + pieces, place + words
    return out


@torch.no_grad()
def read_pairs(reader, examples, device):
    out = [reader.pairs(*pair_batch(examples[at : at + 64], device)).softmax(-1).float().cpu().numpy() for at in range(0, len(examples), 64)]
    return np.concatenate(out)


def scores(truth, said):
    """Precision, recall, F1."""
    hit = (truth & said).sum()
    precision, recall = hit / max(1, said.sum()), hit / max(1, truth.sum())
    return [round(float(it), 3) for it in (precision, recall, 2 * precision * recall / max(1e-9, precision + recall))]


def learnt_pairs(turns, pairs):
    """The labelled pairs with those that follow from the labels, in the order in which a teacher judges them."""
    rng = random.Random(1)
    return list(as_held(pairs + made_pairs(turns, pairs, rng), rng))


def judged_pairs(tokenizer, labelled, teacher):
    """Pairs with a label, and with the shares that a teacher gave them; then those without a label."""
    examples = [{**pair_example(tokenizer, row), "shares": None} for row in labelled]
    if not teacher:
        return examples
    judged = np.load(pathlib.Path(teacher) / "judged.npz")
    rows = [json.loads(line) for line in (pathlib.Path(teacher) / "pool.jsonl").read_text().splitlines()]
    assert len(judged["labelled"]) == len(labelled), "the teacher learnt from other data"
    unlabelled = [{**pair_example(tokenizer, {**row, "relation": RELATIONS[0]}), "relation": None} for row in rows]
    both = zip([*examples, *unlabelled], [*judged["labelled"], *judged["pool"]])
    return [{**one, "shares": shares} for one, shares in both]


def examine(reader, turns, pairs, device):
    """The figures for each writer, by name of the writer."""
    figures = {}
    for writer in sorted({it["writer"] for it in turns + pairs}):
        figures[writer] = one = {}
        some = [it for it in turns if it["writer"] == writer]
        if some:
            shares = read_turns(reader, some, device)
            lasting = np.concatenate([it[1] for it in shares])
            hard = np.array([label for it in some for label in it["labels"]])
            roles, guards = np.concatenate([it[2] for it in shares]), np.concatenate([it[3] for it in shares])
            truth = hard[:, 0] == 1
            one["pieces"] = len(truth)
            one["lasting"] = {at: scores(truth, lasting >= at) for at in (0.3, 0.5, 0.7, 0.85)}
            one["role"] = round(float((roles.argmax(1) == hard[:, 1]).mean()), 3)
            one["guarded"] = scores(hard[:, 2] > 0, guards[:, 0] < 0.5)
            cuts = np.concatenate([it[0] for it in shares])
            wanted = np.array([cut for it in some for _, cut in it["cuts"]])
            one["cut"] = scores(wanted == 1, cuts >= 0.5)
        some = [it for it in pairs if it["writer"] == writer]
        if some:
            shares = read_pairs(reader, some, device)
            relation = np.array([it["relation"] for it in some])
            touching, touches = relation < 2, shares[:, :2].sum(1)
            one["pairs"] = len(some)
            one["relation"] = round(float((shares.argmax(1) == relation).mean()), 3)
            one["touches"] = {at: [*scores(touching, touches >= at), round(float((touches >= at)[~touching].mean()), 3)] for at in (0.3, 0.5, 0.7, 0.9)}
            one["same"] = scores(relation == 2, shares.argmax(1) == 2)
    return figures


def found_at(reader, pairs, device):
    """The share of changes that is found where the share of other pairs taken for a change is held at 1, 2 and 4 %."""
    touching = np.array([it["relation"] < 2 for it in pairs])
    touches = read_pairs(reader, pairs, device)[:, :2].sum(1)
    from_ = {at: np.quantile(touches[~touching], 1 - at / 100) for at in (1, 2, 4)}
    return {at: [round(float((touches[touching] > one).mean()), 3), round(float(one), 3)] for at, one in from_.items()}


def examine_unrelated(reader, tokenizer, turns, device, hard):
    """How often two things that one person told, and that hold side by side, are taken for a change."""
    pairs = [{"id": "made", **record} for record in about_others(turns, random.Random(7), hard) if record["relation"] == "other"]
    shares = read_pairs(reader, [pair_example(tokenizer, pair) for pair in pairs], device)[:, :2].sum(1)
    return {"pairs": len(pairs), **{at: round(float((shares >= at).mean()), 4) for at in (0.3, 0.5, 0.7, 0.9)}}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--out", required=True)
    options.add_argument("--teacher")
    options.add_argument("--begin-with", type=pathlib.Path)
    options.add_argument("--leave-out", default="w14,w24,w27,w28")
    options.add_argument("--readers", type=int, default=4)
    options.add_argument("--epochs", type=int, default=5)
    options.add_argument("--rate", type=float, default=1e-4)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    base = Base()
    tokenizer = Tokenizer(base.vocabulary)
    left_out = set(filter(None, options.leave_out.split(",")))
    rng = random.Random(options.seed)
    rows = {name: list(load(DATA, name)) for name in ("turns", "pairs")}
    examples = {"turns": [it for row in rows["turns"] for it in turn_examples(tokenizer, row)],
                "pairs": [pair_example(tokenizer, row) for row in rows["pairs"]]}
    parts = {name: ([it for it in some if it["writer"] not in left_out], [it for it in some if it["writer"] in left_out])
             for name, some in examples.items()}
    learnt = {name: [row for row in some if row["writer"] not in left_out] for name, some in rows.items()}
    made = [it for row in made_turns(learnt["turns"], rng) for it in turn_examples(tokenizer, row)]
    turns = parts["turns"][0] + made
    pairs = judged_pairs(tokenizer, learnt_pairs(learnt["turns"], learnt["pairs"]), options.teacher)
    print(f"{len(turns)} windows of turns, {len(made)} of them made; {len(pairs)} pairs; left out: {sorted(left_out)}", flush=True)
    began = time.time()
    reader = averaged(base, fit_all(base, turns, pairs, device, options)).to(device)
    print(f"{options.readers} readers: {time.time() - began:.0f} s", flush=True)
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.save(reader.state_dict(), out / "reader.pt")
    if left_out:
        print("reader", json.dumps(examine(reader, parts["turns"][1], parts["pairs"][1], device)), flush=True)
        print("changes found, and from which likelihood on, at 1, 2 and 4 % false", json.dumps(found_at(reader, parts["pairs"][1], device)), flush=True)
        told = [row for row in rows["turns"] if row["writer"] in left_out]
        for name, hard in (("unrelated", False), ("unrelated, sharing a word", True)):
            print(name, json.dumps(examine_unrelated(reader, tokenizer, told, device, hard)), flush=True)


if __name__ == "__main__":
    main()
