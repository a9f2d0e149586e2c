"""Trains teachers of the reader, and lets them judge pairs that nobody labelled.

    python tools/reader/teacher.py --out FOLDER [--language-model FILE.gguf] [--encoder FOLDER] [--leave-out w14,w24,w27,w28] [--pool 200000]

A teacher is a model much larger than the reader, which knows more of the world: a language model (language_model.py),
and an encoder that reads both ways (all-mpnet-base-v2). Neither is shipped. FOLDER/judged.npz has the mean of their
shares for each pair that `train.py --teacher FOLDER` learns from, FOLDER/pool.jsonl the pairs without a
label. Needs torch, numpy, tokenizers, gguf, and for the encoder transformers; ten minutes on a GPU.
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
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from base import Base
from examples import RELATIONS, load
from network import padded
from pool import pool
from train import DATA, RELATION_WEIGHTS, SMOOTHING, batches, learnt_pairs, scores

HELD_TOKENS, SAID_TOKENS, BEFORE_TOKENS = 80, 170, 60
BATCH = 64
# What stands between the parts of a page that a language model reads.
PAGE = ("Memory: ", "\nBefore: ", "\nLater: ", "\nMemory again: ", "\nRelation:")


class LanguageModel:
    """Reads a pair as a page: what is held, the message before, what was said, and what is held once more, so
    that one who reads from left to right meets the memory after the words."""

    rate, epochs = 2e-5, 2

    def __init__(self, path, device):
        from language_model import File, Judge

        self.file = File(path, device)
        self.network = lambda: Judge(self.file, len(RELATIONS))

    def example(self, record):
        ids_of = self.file.ids
        held, said = ids_of(record["held"])[:HELD_TOKENS], ids_of(record["said"])[:SAID_TOKENS]
        before = ids_of(record.get("before") or "")[-BEFORE_TOKENS:]
        memory, earlier, later, again, relation = map(ids_of, PAGE)
        ids = [*memory, *held, *(earlier if before else []), *before, *later]
        said_at = (len(ids), len(ids) + len(said))
        ids += [*said, *again]
        held_at = (len(ids), len(ids) + len(held))
        return {"ids": [*ids, *held, *relation], "held": held_at, "said": said_at}


class Encoder:
    """Reads a pair both ways, as the reader does."""

    rate, epochs = 3e-5, 3
    OPENING, CLOSING = 0, 2

    def __init__(self, path, device):
        from tokenizers import Tokenizer

        self.path, self.known = path, {}
        self.tokenizer = Tokenizer.from_file(str(pathlib.Path(path) / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.network = lambda: EncoderJudge(path)

    def ids(self, text):
        if text not in self.known:
            self.known[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return self.known[text]

    def example(self, record):
        held, said = self.ids(record["held"])[:HELD_TOKENS], self.ids(record["said"])[:SAID_TOKENS]
        before = self.ids(record.get("before") or "")[-BEFORE_TOKENS:]
        ids = [self.OPENING, *held, self.CLOSING, self.CLOSING, *before, *(self.ids("|") if before else [])]
        said_at = (len(ids), len(ids) + len(said))
        return {"ids": [*ids, *said, self.CLOSING], "held": (1, 1 + len(held)), "said": said_at}


class EncoderJudge(nn.Module):
    def __init__(self, path):
        super().__init__()
        from transformers import MPNetModel

        self.body = MPNetModel.from_pretrained(path, add_pooling_layer=False).float()
        self.head = nn.Linear(3 * self.body.config.hidden_size, len(RELATIONS))
        nn.init.normal_(self.head.weight, std=0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids, mask, held, said):
        x = self.body(input_ids=ids, attention_mask=mask.long()).last_hidden_state.float()
        places = torch.arange(ids.shape[1], device=ids.device)

        def mean(span):
            inside = ((places[None] >= span[:, :1]) & (places[None] < span[:, 1:])).float()
            return (inside[:, None] @ x)[:, 0] / inside.sum(1, keepdim=True).clamp(min=1)

        return self.head(torch.cat([mean(held), mean(said), x[:, 0]], 1))


def batch(examples, device):
    spans = [torch.tensor([it[name] for it in examples], device=device) for name in ("held", "said")]
    return (*padded(examples, device), *spans)


def fit(teacher, pairs, seed, device):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    examples = [teacher.example(pair) for pair in pairs]
    relations = torch.tensor([RELATIONS.index(pair["relation"]) for pair in pairs], device=device)
    judge = teacher.network().to(device)
    body = [it for name, it in judge.named_parameters() if it.requires_grad and not name.startswith("head")]
    optimiser = torch.optim.AdamW([{"params": body, "lr": teacher.rate}, {"params": judge.head.parameters(), "lr": 1e-3}], weight_decay=0.01, fused=True)
    rates = [group["lr"] for group in optimiser.param_groups]
    weights = torch.tensor(RELATION_WEIGHTS, device=device)
    average = AveragedModel(judge, multi_avg_fn=get_ema_multi_avg_fn(0.995))
    steps, step, began = teacher.epochs * -(-len(examples) // BATCH), 0, time.time()
    judge.train()
    for _ in range(teacher.epochs):
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
            if step % 200 == 0:
                print(f"{type(teacher).__name__}: {step} of {steps}, {loss.item():.3f}, {time.time() - began:.0f} s", flush=True)
    return average.module.eval()


@torch.no_grad()
def shares(judge, teacher, pairs, device):
    examples = [teacher.example(pair) for pair in pairs]
    order = sorted(range(len(examples)), key=lambda at: len(examples[at]["ids"]))
    out = np.zeros((len(examples), len(RELATIONS)), np.float32)
    with torch.autocast(device, torch.bfloat16):
        for first in range(0, len(order), 384):
            chosen = order[first : first + 384]
            out[chosen] = judge(*batch([examples[at] for at in chosen], device)).float().softmax(-1).cpu().numpy()
    return out


def judged_by(kind, path, labelled, parts, seed, device):
    """What one teacher, trained on the labelled pairs, makes of the parts."""
    torch.set_float32_matmul_precision("high")
    teacher = kind(path, device)
    judge = fit(teacher, labelled, seed, device)
    return {name: shares(judge, teacher, some, device) for name, some in parts.items()}


def examine(name, judged, examined):
    """Prints how much of the changes one finds where the share of others taken for a change is held at 1, 2 and 4 %."""
    truth = np.array([row["relation"] in RELATIONS[:2] for row in examined])
    touches = judged[:, :2].sum(1)
    found = {at: round(float((touches[truth] > np.quantile(touches[~truth], 1 - at / 100)).mean()), 3) for at in (1, 2, 4)}
    print(name, scores(truth, touches >= 0.5), json.dumps(found), flush=True)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--language-model")
    options.add_argument("--encoder")
    options.add_argument("--out", required=True)
    options.add_argument("--leave-out", default="w14,w24,w27,w28")
    options.add_argument("--pool", type=int, default=200_000)
    options.add_argument("--few", type=int, help="so many labelled pairs only, to see whether it runs")
    options = options.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    left_out = set(filter(None, options.leave_out.split(",")))
    rows = {name: list(load(DATA, name)) for name in ("turns", "pairs")}
    learnt = {name: [row for row in some if row["writer"] not in left_out] for name, some in rows.items()}
    labelled = learnt_pairs(learnt["turns"], learnt["pairs"])
    examined = [row for row in rows["pairs"] if row["writer"] in left_out]
    if options.few:
        labelled, examined = labelled[: options.few], examined[: options.few]
        learnt = {name: some[: options.few] for name, some in learnt.items()}
    unlabelled = pool(Base(), learnt["turns"], learnt["pairs"], device, options.pool)
    print(f"{len(labelled)} pairs with a label, {len(unlabelled)} without, {len(examined)} left out", flush=True)
    parts = {"labelled": labelled, "pool": unlabelled, "examined": examined}
    teachers = [(LanguageModel, options.language_model), (Encoder, options.encoder)]
    teachers = [one for one in teachers if one[1]]
    with ProcessPoolExecutor(len(teachers), multiprocessing.get_context("spawn")) as side_by_side:
        jobs = [side_by_side.submit(judged_by, *one, labelled, parts, seed, device) for seed, one in enumerate(teachers)]
        each = [job.result() for job in jobs]
    judged = {name: sum(one[name] for one in each) / len(each) for name in parts}
    if examined:
        for (kind, _), one in zip(teachers, each):
            examine(kind.__name__, one["examined"], examined)
        examine("all", judged["examined"], examined)
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "judged.npz", **{name: some.astype(np.float16) for name, some in judged.items()})
    (out / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in unlabelled))


if __name__ == "__main__":
    main()
