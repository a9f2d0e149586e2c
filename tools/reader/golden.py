"""Writes what the tests of the reader compare with: the packed weights run in real numbers.

    python tools/reader/golden.py

Needs numpy. Reads crates/throughline-reader/model/reader-int8.bin, writes
crates/throughline-reader/tests/golden/readings.json.
"""

import json
import math
import pathlib
import re
import struct

import numpy as np

from base import HEADS, HIDDEN, LAYERS, Base, layer
from examples import GUARDS, RELATIONS, ROLES, load, opening, pair_ids, turn_tokens, windows, word_starts
from tokens import CLOSING, Tokenizer

CRATE = pathlib.Path(__file__).parents[2] / "crates/throughline-reader"
DATA = pathlib.Path(__file__).parent / "data"
LISTED = re.compile(r"(^|\n)\s*([-*•]|\d{1,2}[.)])\s")
WRITERS = {"w4", "w8", "w14", "w22", "w24"}
ENDED = re.compile(r'[.!?]["”)]*\s+$')
CUT_FROM, CUT_AT_SENTENCE_FROM = 0.5, 0.05
TURNS, PAIRS = 60, 60
ERF = np.vectorize(math.erf)


class Packed:
    """The reader as the file holds it."""

    def __init__(self, base, file):
        data = file.read_bytes()
        count = struct.unpack_from("<I", data, 8 + 4 * 11)[0]
        table = [struct.unpack_from("<2Q", data, 64 + 16 * at) for at in range(count)]
        sections = iter(data[start : start + length] for start, length in table)
        self.base = base
        self.layers = [layer(sections) for _ in range(LAYERS)]
        numbers = np.frombuffer(next(sections), "<f4")
        shapes = {"cut": (1, HIDDEN), "lasting": (1, HIDDEN), "role": (len(ROLES), HIDDEN), "guard": (len(GUARDS), HIDDEN), "relation": (len(RELATIONS), 3 * HIDDEN)}
        self.heads, at = {}, 0
        for name, (outputs, inputs) in shapes.items():
            weights = numbers[at : at + outputs * inputs].reshape(outputs, inputs)
            at += outputs * inputs
            self.heads[name] = (weights, numbers[at : at + outputs])
            at += outputs

    def states(self, ids):
        x = norm(self.base.words[ids] + self.base.positions[: len(ids)], *self.base.norm)
        for weights in self.layers:
            x = encode(weights, x)
        return x

    def head(self, name, state):
        weights, biases = self.heads[name]
        return weights @ state + biases


def encode(weights, x):
    tokens, width = len(x), HIDDEN // HEADS
    apply = lambda name, x: x @ weights[name][0].T + weights[name][1]
    query, key, value = apply("attention_in", x).reshape(tokens, 3, HEADS, width).transpose(1, 2, 0, 3)
    mixed = (softmax(query @ key.transpose(0, 2, 1)) @ value).transpose(1, 0, 2).reshape(tokens, HIDDEN)
    norms = weights["norms"]
    x = norm(x + apply("attention_out", mixed), norms[0], norms[1])
    inner = apply("inner", x)
    inner = inner * 0.5 * (1.0 + ERF(inner / math.sqrt(2.0)))
    return norm(x + apply("outer", inner.astype(np.float32)), norms[2], norms[3])


def norm(x, gain, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12) * gain + shift


def softmax(x):
    shares = np.exp(x - x.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)


def sigmoid(x):
    return float(1.0 / (1.0 + np.exp(-x)))


def rounded(numbers):
    return [round(float(it), 4) for it in numbers]


def turns(packed, tokenizer):
    rows = [row for row in load(DATA, "turns") if row["writer"] in WRITERS and row["turn"].isascii() and "```" not in row["turn"] and "\n\n" not in row["turn"]]
    for row in rows[:: len(rows) // TURNS]:
        text, speaker, before = row["turn"], row.get("speaker", "user"), row.get("before")
        ids, ranges = turn_tokens(tokenizer, text)
        starts = word_starts(text, ranges)
        if len(windows(len(ids), starts)) > 1:
            continue
        lead = opening(tokenizer, speaker, before)
        whole = [*lead, *ids, CLOSING]
        states = packed.states(whole)[len(lead) : -1]
        cuts = [sigmoid(packed.head("cut", states[at])[0]) for at in starts[1:]]
        # Where it is nearly even, whole numbers may fall on the other side.
        # Lists are taken apart by form, which is not done here.
        # Where a sentence begins, less is enough for a cut.
        places = [ranges[at][0] for at in starts[1:]]
        from_ = [CUT_AT_SENTENCE_FROM if ENDED.search(text[:at]) and text[at].isupper() else CUT_FROM for at in places]
        if LISTED.search(text) or any(abs(cut - one) < 0.2 * one for cut, one in zip(cuts, from_)):
            continue
        begins = [0, *(at for at, cut, one in zip(starts[1:], cuts, from_) if cut >= one), len(ids)]
        pieces = []
        for first, last in zip(begins, begins[1:]):
            mean = states[first:last].mean(axis=0)
            roles, guards = softmax(packed.head("role", mean)), softmax(packed.head("guard", mean))
            pieces.append({"start": ranges[first][0], "end": ranges[last - 1][1], "lasting": round(sigmoid(packed.head("lasting", mean)[0]), 4),
                           "roles": rounded(roles), "guards": rounded(guards)})
        yield {"speaker": speaker, "before": before, "turn": text, "ids": whole, "pieces": pieces}


def pairs(packed, tokenizer):
    rows = [row for row in load(DATA, "pairs") if row["writer"] in WRITERS and (row["held"] + row["said"] + (row.get("before") or "")).isascii()]
    chosen = rows[:: len(rows) // PAIRS] + [row for row in rows if row.get("before")][:5]
    for row in chosen:
        ids, held, said = pair_ids(tokenizer, row["held"], row["said"], row.get("before"))
        states = packed.states(ids)
        held, said = states[slice(*held)].mean(axis=0), states[slice(*said)].mean(axis=0)
        shares = softmax(packed.head("relation", np.concatenate([held, said, held * said])))
        yield {"held": row["held"], "before": row.get("before"), "said": row["said"], "ids": ids, "relations": rounded(shares)}


if __name__ == "__main__":
    base = Base()
    tokenizer = Tokenizer(base.vocabulary)
    packed = Packed(base, CRATE / "model/reader-int8.bin")
    found = [*turns(packed, tokenizer), *pairs(packed, tokenizer)]
    target = CRATE / "tests/golden/readings.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("[\n" + ",\n".join(json.dumps(it, separators=(",", ":")) for it in found) + "\n]\n")
    print(f"{len(found)} readings, {target.stat().st_size} bytes")
