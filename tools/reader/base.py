"""The embedder's model file: its vocabulary, its tables, and its layers as the start of training."""

import pathlib
import struct

import numpy as np

FILE = pathlib.Path(__file__).parents[2] / "crates/throughline-embed/model/minilm-l6-int8.bin"
HIDDEN, INNER, LAYERS, HEADS = 384, 1536, 6, 12
LINEARS = [("attention_in", HIDDEN, 3 * HIDDEN), ("attention_out", HIDDEN, HIDDEN), ("inner", HIDDEN, INNER), ("outer", INNER, HIDDEN)]


class Base:
    """What `tools/convert-model/convert.py` wrote, as real numbers again."""

    def __init__(self, file=FILE):
        data = pathlib.Path(file).read_bytes()
        count = struct.unpack_from("<I", data, 8 + 4 * 11)[0]
        table = [struct.unpack_from("<2Q", data, 64 + 16 * at) for at in range(count)]
        sections = iter(data[start : start + length] for start, length in table)
        next(sections)  # The hash table.
        starts = np.frombuffer(next(sections), "<u4")
        pieces = next(sections)
        words = [pieces[a:b].decode() for a, b in zip(starts, starts[1:])]
        self.vocabulary = {word: number for number, word in enumerate(words)}
        whole = np.frombuffer(next(sections), np.int8).reshape(-1, HIDDEN)
        self.words = whole.astype(np.float32) * np.frombuffer(next(sections), "<f4")[:, None]
        self.positions = np.frombuffer(next(sections), "<f4").reshape(-1, HIDDEN).copy()
        self.norm = np.frombuffer(next(sections), "<f4").reshape(2, HIDDEN).copy()
        self.layers = [layer(sections) for _ in range(LAYERS)]


def layer(sections):
    """The next layer of a file: four linears and the norms behind them."""
    found = {}
    for name, inputs, outputs in LINEARS:
        packed = np.frombuffer(next(sections), np.int8).reshape(outputs // 16, inputs // 4, 16, 4)
        whole = packed.transpose(0, 2, 1, 3).reshape(outputs, inputs).astype(np.float32)
        channels = np.frombuffer(next(sections), "<f4").reshape(3, outputs)
        found[name] = (whole * channels[0][:, None], channels[2].copy())
    found["norms"] = np.frombuffer(next(sections), "<f4").reshape(4, HIDDEN).copy()
    return found
