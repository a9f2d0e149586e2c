"""Packs a trained reader for the program.

    python tools/reader/export.py FOLDER [--to FILE]

Reads FOLDER/reader.pt, writes crates/throughline-reader/model/reader-int8.bin, or the file given, and
prints the SHA-256 of the weights, which stands in the crate. The layers are packed as in `convert-model`; then
come the heads as f32: cut, lasting, role, guard, relation, each its weights and its biases.
"""

import argparse
import hashlib
import pathlib
import struct

import numpy as np
import torch

from base import HEADS, HIDDEN, INNER, LAYERS, Base
from network import Reader

TARGET = pathlib.Path(__file__).parents[2] / "crates/throughline-reader/model/reader-int8.bin"
MAGIC, VERSION, VOCABULARY, POSITIONS, SLOTS, ALIGNMENT = b"TLREAD01", 1, 30522, 256, 65536, 64


def f32(numbers):
    return np.ascontiguousarray(numbers.astype("<f4")).tobytes()


def quantised(weights):
    """Each row as whole numbers from -127 to 127 and the scale that turns them back."""
    scales = (np.abs(weights.astype(np.float64)).max(axis=1) / 127.0).astype("<f4")
    whole = np.rint(weights.astype(np.float64) / scales.astype(np.float64)[:, None])
    return np.clip(whole, -127, 127).astype(np.int8), scales


def sections(reader):
    for layer in reader.layers:
        for linear in (layer.attention_in, layer.attention_out, layer.inner, layer.outer):
            whole, scales = quantised(linear.weight.detach().numpy())
            outputs, inputs = whole.shape
            packed = whole.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3)
            sums = whole.astype(np.int64).sum(axis=1).astype(np.float64) * scales.astype(np.float64)
            yield np.ascontiguousarray(packed).tobytes()
            yield scales.tobytes() + f32(sums) + f32(linear.bias.detach().numpy())
        norms = (layer.attention_norm, layer.norm)
        yield b"".join(f32(part.detach().numpy()) for norm in norms for part in (norm.weight, norm.bias))
    yield b"".join(f32(part.detach().numpy()) for head in reader.heads() for part in (head.weight, head.bias))


def packed(reader):
    parts = list(sections(reader))
    table, body = b"", b""
    body_at = aligned(ALIGNMENT + 16 * len(parts))
    for part in parts:
        body += bytes(aligned(len(body)) - len(body))
        table += struct.pack("<2Q", body_at + len(body), len(part))
        body += part
    shape = [VERSION, VOCABULARY, HIDDEN, INNER, LAYERS, HEADS, POSITIONS, SLOTS, 100, 101, 102, len(parts)]
    top = MAGIC + struct.pack("<12I", *shape) + bytes(8) + table
    return top + bytes(body_at - len(top)) + body


def aligned(length):
    return -(-length // ALIGNMENT) * ALIGNMENT


def main():
    options = argparse.ArgumentParser()
    options.add_argument("folder")
    options.add_argument("--to", default=TARGET)
    options = options.parse_args()
    reader = Reader(Base())
    reader.load_state_dict(torch.load(pathlib.Path(options.folder) / "reader.pt", map_location="cpu"))
    file = packed(reader.eval())
    pathlib.Path(options.to).write_bytes(file)
    print(f"{hashlib.sha256(file).hexdigest()}  {len(file)} bytes")


if __name__ == "__main__":
    main()
