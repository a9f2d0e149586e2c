"""Writes the reference the Rust tests compare with: crates/throughline-embed/tests/golden/.

    python tools/convert-model/golden.py [the wheel, if it is already here]

Needs numpy and tokenizers. `texts.jsonl` holds each text with its word pieces (at most 2,032, what
the windows of a text hold) and the length of its first window; `vectors.bin` holds the vector of
that window, 384 little-endian f32 per text.
"""

import json
import pathlib
import sys

import reference
from source import Source
from texts import texts
from tokenizers import Tokenizer

TARGET = pathlib.Path(__file__).parents[2] / "crates/throughline-embed/tests/golden"
WINDOW_TOKENS, PIECES_MAX = 254, 2032


def first_window(words):
    """The longest run of whole words that fits."""
    if len(words) <= WINDOW_TOKENS:
        return len(words)
    end = WINDOW_TOKENS
    while words[end] == words[end - 1]:
        end -= 1
    return end


def main():
    source = Source(*sys.argv[1:2])
    tokenizer = Tokenizer.from_str(source.tokenizer_json)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # Marks of the model are plain text to us.
    TARGET.mkdir(parents=True, exist_ok=True)
    with open(TARGET / "texts.jsonl", "w") as lines, open(TARGET / "vectors.bin", "wb") as vectors:
        for text in texts():
            encoding = tokenizer.encode(text, add_special_tokens=False)
            window = first_window(encoding.word_ids)
            ids = encoding.ids[:PIECES_MAX]
            entry = {"text": text, "window": window, "pieces": ids}
            lines.write(json.dumps(entry, ensure_ascii=True, separators=(",", ":")) + "\n")
            vectors.write(reference.embed(source, [101, *ids[:window], 102]).tobytes())


if __name__ == "__main__":
    main()
