"""Labelled turns and pairs as what the network reads: numbers of word pieces, places, labels."""

import json
import pathlib
import re

from tokens import CLOSING, OPENING

ROLES = "request question chatter report paste fact decision preference rule failure procedure commitment change withdrawal confirm".split()
GUARDS = "none hypothetical quoted third_party other_env past sarcasm uncertain temporary".split()
RELATIONS = "replaces withdraws same refines other unclear".split()

BEFORE_TOKENS = 48
TURN_TOKENS = 200
OVERLAP_TOKENS = 40
HELD_TOKENS = 64
SAID_TOKENS = 128
FENCE_TOKENS, FENCE_HEAD, FENCE_TAIL = 40, 20, 10
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def load(folder, name):
    """The records of all writers, each with its writer."""
    for path in sorted(pathlib.Path(folder).glob(f"w*/{name}.jsonl")):
        for line in path.read_text().splitlines():
            yield {**json.loads(line), "writer": path.parent.name}


def turn_tokens(tokenizer, text):
    """Tokens of a turn; of a long fenced block only its beginning and its end."""
    ids, ranges = tokenizer(text)
    left_out = set()
    for fence in FENCE.finditer(text):
        inside = [at for at, (start, _) in enumerate(ranges) if fence.start() <= start < fence.end()]
        if len(inside) > FENCE_TOKENS:
            left_out.update(inside[FENCE_HEAD:-FENCE_TAIL])
    kept = [at for at in range(len(ids)) if at not in left_out]
    return [ids[at] for at in kept], [ranges[at] for at in kept]


def word_starts(text, ranges):
    """Which tokens open a word, as white space parts them."""
    gaps = [text[one[1] : other[0]] for one, other in zip(ranges, ranges[1:])]
    return [0] * bool(ranges) + [at for at, gap in enumerate(gaps, 1) if any(char.isspace() for char in gap)]


def windows(count, starts):
    """(first, last) of what is read at a time; a window ends before a word."""
    first, found = 0, []
    while True:
        last = count
        if count - first > TURN_TOKENS:
            ends = [at for at in starts if first < at <= first + TURN_TOKENS]
            last = ends[-1] if ends else first + TURN_TOKENS
        found.append((first, last))
        if last >= count or len(found) == 8:
            return found
        again = max(last - OVERLAP_TOKENS, first + 1)
        first = next((at for at in starts if at >= again), last)
        first = min(first, last)


def opening(tokenizer, speaker, before):
    ids = tokenizer(f"{speaker} :")[0]
    tail = tokenizer(before or "")[0][-BEFORE_TOKENS:]
    return [OPENING, *ids, *tail, CLOSING]


def turn_examples(tokenizer, record):
    """One example for each window of a turn."""
    text, speaker = record["turn"], record.get("speaker", "user")
    ids, ranges = turn_tokens(tokenizer, text)
    starts = word_starts(text, ranges)
    places, at = [], 0
    for piece in record["sentences"]:
        start = text.find(piece["text"], at)
        if start < 0:
            continue
        at = start + len(piece["text"])
        places.append((start, at, piece))
    begins = {start for start, _, _ in places}
    lead = opening(tokenizer, speaker, record.get("before"))
    for first, last in windows(len(ids), starts):
        spans, labels = [], []
        for start, end, piece in places:
            inside = [at for at in range(first, last) if start <= ranges[at][0] < end]
            whole = sum(start <= place[0] < end for place in ranges)
            if inside and len(inside) == whole and piece["role"] in ROLES and piece["guard"] in GUARDS:
                spans.append((inside[0] - first + len(lead), inside[-1] + 1 - first + len(lead)))
                labels.append((int(bool(piece["lasting"])), ROLES.index(piece["role"]), GUARDS.index(piece["guard"])))
        words = [at for at in starts if first < at < last]
        cuts = [(at - first + len(lead), int(any(ranges[at][0] <= begin < ranges[at][1] for begin in begins))) for at in words]
        if spans:
            yield {"writer": record["writer"], "id": record["id"], "ids": [*lead, *ids[first:last], CLOSING], "lead": len(lead),
                   "spans": spans, "labels": labels, "cuts": cuts}


def pair_ids(tokenizer, held, said, before=None):
    """Ids, and where held and said stand in them."""
    held = tokenizer(held)[0][:HELD_TOKENS]
    context = [*tokenizer(before)[0][-BEFORE_TOKENS:], *tokenizer("|")[0]] if before else []
    said = tokenizer(said)[0][:SAID_TOKENS]
    ids = [OPENING, *held, CLOSING, *context, *said, CLOSING]
    at = len(held) + 2 + len(context)
    return ids, (1, 1 + len(held)), (at, at + len(said))


def pair_example(tokenizer, record):
    ids, held, said = pair_ids(tokenizer, record["held"], record["said"], record.get("before"))
    return {"writer": record["writer"], "id": record["id"], "ids": ids, "held": held, "said": said, "relation": RELATIONS.index(record["relation"])}
