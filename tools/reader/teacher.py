"""Trains teachers of the reader, and lets them judge pairs that nobody labelled.

    python tools/reader/teacher.py --model SmolLM2-135M-Instruct.Q4_1.gguf --out FOLDER [--leave-out w14,w24,w27,w28] [--pool 160000]

A teacher is a language model twelve times as large as the reader, which knows more of the world: one reads
from left to right, the other one both ways. Neither is shipped. FOLDER/judged.npz has the mean of their
shares for each pair that `train.py --teacher FOLDER` learns from, FOLDER/pool.jsonl the pairs without a
label. Needs torch, numpy, tokenizers and gguf; ten minutes on a GPU.
"""

import argparse
import json
import multiprocessing
import pathlib
import random
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import torch
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from base import Base
from examples import RELATIONS, load
from language_model import BEGINS, File, Judge
from network import padded
from pool import pool
from train import DATA, RELATION_WEIGHTS, SMOOTHING, batches, learnt_pairs, scores

HELD_TOKENS, SAID_TOKENS, BEFORE_TOKENS = 80, 170, 60
BATCH, EPOCHS, RATE = 64, 3, 1e-4
# Whether a teacher reads both ways, and its seed.
TEACHERS = ((False, 1), (True, 2))


def example(file, record):
    """A pair as a page: what is held, the message before, what was said, and what is held once more, so
    that one who reads from left to right meets the memory after the words."""
    held, said = file.ids(record["held"])[:HELD_TOKENS], file.ids(record["said"])[:SAID_TOKENS]
    before = file.ids(record.get("before") or "")[-BEFORE_TOKENS:]
    ids = [BEGINS, *file.ids("Memory: "), *held]
    ids += [*file.ids("\nBefore: "), *before] if before else []
    ids += file.ids("\nLater: ")
    said_at = (len(ids), len(ids) + len(said))
    ids += [*said, *file.ids("\nMemory again: ")]
    held_at = (len(ids), len(ids) + len(held))
    ids += [*held, *file.ids("\nRelation:")]
    return {"ids": ids, "held": held_at, "said": said_at}


def batch(examples, device):
    spans = [torch.tensor([it[name] for it in examples], device=device) for name in ("held", "said")]
    return (*padded(examples, device), *spans)


def fit(file, pairs, both_ways, seed, device):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    examples = [example(file, pair) for pair in pairs]
    relations = torch.tensor([RELATIONS.index(pair["relation"]) for pair in pairs], device=device)
    judge = Judge(file.weights, len(RELATIONS), both_ways).to(device)
    body = [it for name, it in judge.named_parameters() if it.requires_grad and not name.startswith("head")]
    optimiser = torch.optim.AdamW([{"params": body, "lr": RATE}, {"params": judge.head.parameters(), "lr": 1e-3}], weight_decay=0.01, fused=True)
    rates = [group["lr"] for group in optimiser.param_groups]
    weights = torch.tensor(RELATION_WEIGHTS, device=device)
    average = AveragedModel(judge, multi_avg_fn=get_ema_multi_avg_fn(0.995))
    steps, step = EPOCHS * -(-len(examples) // BATCH), 0
    judge.train()
    for _ in range(EPOCHS):
        for chosen in batches(examples, rng, BATCH):
            share = min(1.0, (step + 1) / (0.08 * steps)) * max(0.0, 1 - step / steps)
            for group, most in zip(optimiser.param_groups, rates):
                group["lr"] = most * share
            with torch.autocast(device, torch.bfloat16):
                logits = judge(*batch([examples[at] for at in chosen], device))
            loss = F.cross_entropy(logits.float(), relations[chosen], weight=weights, label_smoothing=SMOOTHING)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(body, 1.0)
            optimiser.step()
            step += 1
            if step > steps // 3:
                average.update_parameters(judge)
    return average.module.eval()


@torch.no_grad()
def shares(judge, file, pairs, device):
    examples = [example(file, pair) for pair in pairs]
    order = sorted(range(len(examples)), key=lambda at: len(examples[at]["ids"]))
    out = np.zeros((len(examples), len(RELATIONS)), np.float32)
    with torch.autocast(device, torch.bfloat16):
        for first in range(0, len(order), 384):
            chosen = order[first : first + 384]
            out[chosen] = judge(*batch([examples[at] for at in chosen], device)).float().softmax(-1).cpu().numpy()
    return out


def judged_by(path, labelled, parts, both_ways, seed, device):
    """What one teacher, trained on the labelled pairs, makes of the parts."""
    torch.set_float32_matmul_precision("high")
    file = File(path)
    judge = fit(file, labelled, both_ways, seed, device)
    return {name: shares(judge, file, some, device) for name, some in parts.items()}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--model", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--leave-out", default="w14,w24,w27,w28")
    options.add_argument("--pool", type=int, default=160_000)
    options = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    left_out = set(filter(None, options.leave_out.split(",")))
    rows = {name: list(load(DATA, name)) for name in ("turns", "pairs")}
    learnt = {name: [row for row in some if row["writer"] not in left_out] for name, some in rows.items()}
    labelled = learnt_pairs(learnt["turns"], learnt["pairs"])
    unlabelled = pool(Base(), learnt["turns"], learnt["pairs"], device, options.pool)
    examined = [row for row in rows["pairs"] if row["writer"] in left_out]
    parts = {"labelled": labelled, "pool": unlabelled, "examined": examined}
    with ProcessPoolExecutor(len(TEACHERS), multiprocessing.get_context("spawn")) as side_by_side:
        jobs = [side_by_side.submit(judged_by, options.model, labelled, parts, *one, device) for one in TEACHERS]
        each = [job.result() for job in jobs]
    judged = {name: sum(one[name] for one in each) / len(each) for name in parts}
    if examined:
        truth = np.array([row["relation"] in RELATIONS[:2] for row in examined])
        print("touches", scores(truth, judged["examined"][:, :2].sum(1) >= 0.5), flush=True)
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "judged.npz", **{name: some.astype(np.float16) for name, some in judged.items()})
    (out / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in unlabelled))


if __name__ == "__main__":
    main()
