"""Writes a smaller file of the language model: its first layers, and of its table of words the rows that our data needs.

    python tools/reader/slim.py qwen2.5-coder-1.5b-instruct-q4_k_m.gguf SMALLER.gguf [--layers 18]

Half the size, for a machine that files must be sent to. What a teacher judges hardly needs the last layers: they
turn what was understood into the next word. Needs gguf, tokenizers, torch and numpy.
"""

import argparse

import gguf
import numpy as np

from examples import load
from language_model import KEPT_ROWS, tokenizer
from teacher import PAGE
from train import DATA

HEADER = ("embedding_length", "attention.head_count", "attention.head_count_kv", "rope.freq_base", "attention.layer_norm_rms_epsilon")


def used_rows(words, merges):
    """Rows of the words that anything in our data is written with."""
    made = tokenizer(words, merges)
    texts = [*PAGE, *"0123456789"]
    for row in load(DATA, "turns"):
        texts += [row["turn"], row.get("before") or ""]
        texts += [text for piece in row["sentences"] for text in (piece["text"], piece.get("claim") or "")]
    for row in load(DATA, "pairs"):
        texts += [row["held"], row["said"], row.get("before") or ""]
    # Single bytes are there for whatever is cut or put together otherwise.
    used = {at for at, word in enumerate(words) if len(word) == 1}
    for some in made.encode_batch(texts):
        used.update(some.ids)
    return sorted(used)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("whole")
    options.add_argument("smaller")
    options.add_argument("--layers", type=int, default=18)
    options = options.parse_args()
    read = gguf.GGUFReader(options.whole)
    words, merges = (read.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    rows = used_rows(words, merges)
    writer = gguf.GGUFWriter(options.smaller, "qwen2")
    writer.add_block_count(options.layers)
    for name in HEADER:
        field = read.fields[f"qwen2.{name}"]
        writer.add_key_value(f"qwen2.{name}", field.contents(), field.types[0])
    writer.add_array("tokenizer.ggml.tokens", words)
    writer.add_array("tokenizer.ggml.merges", merges)
    writer.add_array(KEPT_ROWS, rows)
    for tensor in read.tensors:
        layer = int(tensor.name.split(".")[1]) if tensor.name.startswith("blk.") else 0
        if tensor.name == "output.weight" or layer >= options.layers:
            continue
        data = np.ascontiguousarray(tensor.data[rows] if tensor.name == "token_embd.weight" else tensor.data)
        writer.add_tensor(tensor.name, data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{options.layers} layers, {len(rows)} of {len(words)} words")


if __name__ == "__main__":
    main()
