"""Pairs without a label, for the teacher to judge: what people said, beside what is nearest to it in meaning, of
everything and of what the same person said."""

import random
import re

import torch
import torch.nn.functional as F

from network import Reader, padded
from tokens import CLOSING, OPENING, Tokenizer

NEAREST_SAID, NEAREST_HELD, NEAREST_OF_VOICE, AT_RANDOM = 14, 5, 5, 25_000
LONGEST_TURN, MOST_TOKENS = 500, 120
TOLD = ("change", "withdrawal", "confirm", "report")


def pool(base, turns, pairs, device, most):
    """At most so many pairs of what these writers said."""
    rng = random.Random(5)
    held, said = memories(turns, pairs), sayings(turns, pairs, rng)
    texts, sayers = list(held), list(said)
    found = [(texts[one], *sayers[other]) for one, other in sorted(near(base, held, said, device))]
    found = [it for it in found if it[0].strip(" .") != it[1].strip(" .")]
    found += other_numbers(turns, pairs, rng)
    found += [(rng.choice(texts), *rng.choice(sayers)) for _ in range(AT_RANDOM)]
    rng.shuffle(found)
    return [{"id": "pool", "writer": "pool", "held": one, "said": other, "before": before} for one, other, before in found[:most]]


def memories(turns, pairs):
    """Everything that may be held, with whose it is."""
    held = {pair["held"]: pair["voice"] for pair in pairs}
    claims = {piece["claim"]: turn["voice"] for turn in turns for piece in turn["sentences"] if piece.get("claim")}
    return {**held, **claims}


def sayings(turns, pairs, rng):
    """Everything that was said and the message before it, with who said it."""
    said = {(pair["said"], pair.get("before")): pair["voice"] for pair in pairs}
    for turn in turns:
        voice = turn["voice"]
        if len(turn["turn"]) < LONGEST_TURN:
            said[turn["turn"], turn.get("before") if rng.random() < 0.5 else None] = voice
        for piece in turn["sentences"]:
            if (piece["lasting"] or piece["role"] in TOLD) and len(piece["text"].split()) > 2:
                said[piece["text"], None] = voice
            if piece.get("claim") and rng.random() < 0.5:
                said[piece["claim"], None] = voice
    return said


def near(base, held, said, device):
    """Places of what is nearest, from both sides; and of what is nearest of the same person."""
    reader, tokenizer = Reader(base).to(device).eval(), Tokenizer(base.vocabulary)
    one, other = (vectors(reader, tokenizer, texts, device) for texts in (list(held), [text for text, _ in said]))
    found = set()
    for at in range(0, len(held), 2048):
        rows = (one[at : at + 2048] @ other.T).topk(NEAREST_SAID, 1).indices.tolist()
        found.update((at + row, place) for row, places in enumerate(rows) for place in places)
    for at in range(0, len(said), 2048):
        rows = (other[at : at + 2048] @ one.T).topk(NEAREST_HELD, 1).indices.tolist()
        found.update((place, at + row) for row, places in enumerate(rows) for place in places)
    theirs, sayings_of = by_voice(held), by_voice(said)
    for voice in theirs.keys() & sayings_of.keys():
        memories, words = theirs[voice], sayings_of[voice]
        rows = (other[words] @ one[memories].T).topk(min(NEAREST_OF_VOICE, len(memories)), 1).indices.tolist()
        found.update((memories[place], words[row]) for row, places in enumerate(rows) for place in places)
    return found


def by_voice(texts):
    """Places of texts by whose they are."""
    places = {}
    for at, voice in enumerate(texts.values()):
        places.setdefault(voice, []).append(at)
    return places


@torch.no_grad()
def vectors(reader, tokenizer, texts, device):
    ids = [{"ids": [OPENING, *tokenizer(text)[0][:MOST_TOKENS], CLOSING]} for text in texts]
    order = sorted(range(len(texts)), key=lambda at: len(ids[at]["ids"]))
    out = torch.zeros(len(texts), reader.words.shape[1], device=device)
    for first in range(0, len(order), 512):
        chosen = order[first : first + 512]
        numbers, mask = padded([ids[at] for at in chosen], device)
        inside = mask.float()[..., None]
        means = (reader.states(numbers, mask) * inside).sum(1) / inside.sum(1)
        out[torch.tensor(chosen, device=device)] = F.normalize(means, dim=1)
    return out


def other_numbers(turns, pairs, rng):
    """Memories with other numbers in them, and some pairs the other way round."""
    for pair in pairs:
        if re.search(r"\d", pair["held"]):
            yield varied(pair["held"], rng), pair["said"], pair.get("before")
        elif rng.random() < 0.5:
            yield pair["said"], pair["held"], None
    for turn in turns:
        for piece in turn["sentences"]:
            if piece.get("claim") and re.search(r"\d", piece["claim"]):
                yield varied(piece["claim"], rng), piece["text"], None


def varied(text, rng):
    def another(match):
        number = match.group(0)
        if rng.random() < 0.3:
            return number
        return str(max(0, int(number) + rng.choice((-2, -1, 1, 2, 3, 5, 10, int(number))))) if len(number) < 5 else number[::-1]

    return re.sub(r"\d+", another, text)
