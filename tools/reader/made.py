"""Turns and pairs that follow from the labelled ones."""

import re

PASSING = ("request", "question", "chatter", "report")
CHANGING = ("change", "withdrawal")
CLAIMING = ("fact", "decision", "preference", "rule", "failure", "procedure", "commitment")
# Whose words follow a colon: somebody else's, or the speaker's own.
OTHERS = "Tom Priya Codex Gemini CI-output stdout Error Tool-result JIRA-{n} OPS-{n} PR-#{n} @dana 10:32-marek Bug-report Slide-{n} TODO The-wiki Ticket-{n} Subagent Release-notes".split()
# A change that names both values.
BOTH_VALUES = (
    "{now}, not {was}", "it's {now} again, not {was}", "{now} now, no longer {was}", "no more {was}, {now} instead", "{was} is out, {now} is in",
    "went from {was} to {now}", "we moved off {was}, it's {now}", "back to {now}, {was} was a mistake", "{now} again, {was} is gone", "{was} -> {now}",
)
OWN = "Note FYI btw Update Heads-up Rule Correction ok-so Reminder Convention one-thing PSA".split()


def made_turns(turns, rng):
    """Turns that follow from the labels: claims in tidy words, one or a few at a time, and behind a label."""
    by_voice = {}
    for turn in turns:
        for piece in turn["sentences"]:
            if piece["lasting"] and piece["guard"] == "none" and piece["role"] in CLAIMING:
                by_voice.setdefault(turn["voice"], []).append((turn["writer"], piece))
    for voice, said in by_voice.items():
        for writer, piece in said:
            some = [piece]
            if rng.random() < 0.3:
                some += [one for _, one in rng.sample(said, min(len(said), rng.choice((1, 1, 2)))) if one is not piece]
            if rng.random() < 0.45:
                yield made_turn(writer, voice, some, rng)
            if rng.random() < 0.08:
                yield labelled_turn(writer, voice, piece, rng)


def made_turn(writer, voice, pieces, rng):
    """Claims as a turn of their own, in tidy words."""
    mark, glue = rng.choice((".", ".", ".", "")), rng.choice((" ", " ", "\n"))
    bullet = rng.choice(("", "- ")) if glue == "\n" and len(pieces) > 1 else ""
    if len(pieces) > 1 and not mark and glue == " ":
        mark = "."
    lower = rng.random() < 0.25
    sentences = []
    for piece in pieces:
        text = (piece["text"] if len(piece["text"].split()) > 7 and rng.random() < 0.2 else piece["claim"]).rstrip(" .,;") + mark
        text = text[0].lower() + text[1:] if lower else text
        sentences.append({**piece, "text": bullet + text})
    turn = glue.join(piece["text"] for piece in sentences)
    return {"writer": writer, "id": "made", "voice": voice, "before": None, "turn": turn, "sentences": sentences}


def labelled_turn(writer, voice, piece, rng):
    """A claim behind a label that says whose words it is."""
    own, label = labelled_as(rng)
    text = f"{label}: {piece['claim']}"
    judged = piece if own else {**piece, "role": "paste", "guard": "quoted", "lasting": False}
    return {"writer": writer, "id": "made", "voice": voice, "before": None, "turn": text, "sentences": [{**judged, "text": text}]}


def labelled_as(rng):
    """Whether a label is of the speaker's own words, and the label."""
    own = rng.random() < 0.45
    return own, rng.choice(OWN if own else OTHERS).replace("-", " ").replace("{n}", str(rng.randrange(2, 4000)))


def made_pairs(turns, pairs, rng):
    """Pairs that follow from the labels: what is about something else, what says the same, and what was
    said with other words around it."""
    pairs = [*pairs, *given_up(turns, rng)]
    made = [*given_up(turns, rng), *both_values(turns, rng), *about_others(turns, rng, hard=True), *swapped(pairs, rng), *with_befores(turns, pairs, rng),
            *surrounded(turns, pairs, rng), *labelled(pairs, rng)]
    return [{"id": "made", **record} for record in made]


def as_held(pairs, rng):
    """Memories end with a full stop or without one."""
    for pair in pairs:
        held = pair["held"].rstrip()
        bare = held.endswith(".") and rng.random() < 0.25
        yield {**pair, "held": held[:-1] if bare else held}


def labelled(pairs, rng):
    """What was said, behind a label that says whose words it is."""
    for pair in pairs:
        if pair["relation"] in ("replaces", "withdraws") and len(pair["said"].split()) > 4 and rng.random() < 0.12:
            own, label = labelled_as(rng)
            yield {**pair, "said": f"{label}: {pair['said']}", "relation": pair["relation"] if own else "other"}


def given_up(turns, rng):
    """What a change put an end to: the same claim with the old value."""
    for turn in turns:
        for piece in turn["sentences"]:
            claim, old, new = (piece.get(name) or "" for name in ("claim", "old", "new"))
            if piece["role"] == "change" and old and new and new in claim and old not in claim:
                yield {"writer": turn["writer"], "voice": turn["voice"], "held": claim.replace(new, old), "said": piece["text"],
                       "before": turn.get("before"), "relation": "replaces"}
                if rng.random() < 0.5:
                    yield {"writer": turn["writer"], "voice": turn["voice"], "held": claim.replace(new, old), "said": claim, "relation": "replaces"}


def both_values(turns, rng):
    """Changes that name both values, either way round: what holds now decides, not what is named."""
    for turn in turns:
        for piece in turn["sentences"]:
            claim, old, new = (piece.get(name) or "" for name in ("claim", "old", "new"))
            whole = re.compile(rf"(?<!\w){re.escape(new)}(?!\w)")
            long = max(len(old.split()), len(new.split())) > 4
            if piece["role"] != "change" or not old or not new or long or not whole.search(claim) or old.lower() in claim.lower():
                continue
            for now, was in ((new, old), (old, new)):
                held = {value: whole.sub(lambda _: value, claim) for value in (now, was)}
                said = rng.choice(BOTH_VALUES).format(now=now, was=was)
                if rng.random() < 0.4:
                    said = held[now].rstrip(" .") + rng.choice((f", not {was}", f" again, not {was}", f" now, no longer {was}"))
                pair = {"writer": turn["writer"], "voice": turn["voice"], "said": said}
                yield {**pair, "held": held[was], "relation": "replaces"}
                yield {**pair, "held": held[now], "relation": "same"}


def about_others(turns, rng, hard=False):
    """What a person said about one thing, held against what was said about others: where `hard`, mostly against
    what shares a telling word with it, which is where a reader errs."""
    by_voice, claims = {}, []
    for turn in turns:
        by_voice.setdefault(turn["voice"], []).append(turn)
        claims += [(turn, piece) for piece in turn["sentences"] if piece.get("claim")]
    common = common_words(piece["claim"] for _, piece in claims)

    def choose(held, options, said):
        """One of the options; where `hard`, rather one that shares a telling word with what is held."""
        held = telling_words(held) - common
        near = [one for one in options if held & telling_words(said(one))] if hard else []
        return rng.choice(near if near and rng.random() < 0.8 else options)

    for turn, piece in claims:
        # A memory is held in tidy words, or as it was said.
        held = piece["claim"] if rng.random() < 0.7 else piece["text"]
        here = [other for other in by_voice[turn["voice"]] if other is not turn]
        passing = [other for other in here if not any(one["lasting"] for one in other["sentences"])]
        telling = [(other, one) for other in here for one in other["sentences"] if one["lasting"] and one["role"] not in CHANGING]

        def pair(other, said, relation="other"):
            return {"writer": turn["writer"], "held": held, "said": said, "before": other.get("before"), "relation": relation}

        # What holds nothing lasting touches no memory, however near it is.
        if passing and rng.random() < 0.5:
            other = choose(held, passing, lambda one: one["turn"])
            yield pair(other, other["turn"])
        # Two things that one person tells hold side by side, unless the later one is a change.
        if telling and rng.random() < (0.75 if hard else 0.5):
            other, one = choose(held, telling, lambda it: it[1]["text"])
            yield pair(other, other["turn"] if rng.random() < 0.4 and not changes(other) else one["text"])
        other, one = rng.choice(claims)
        if other["voice"] != turn["voice"] and rng.random() < 0.3:
            yield pair(other, rng.choice([other["turn"], one["text"], one["claim"]]))
        if rng.random() < 0.12:
            yield pair(turn, turn["turn"], "same")


def telling_words(text):
    return set(re.findall(r"[a-z][a-z0-9_./-]{2,}", text.lower()))


def common_words(texts):
    """Words that stand in more than one text of two hundred."""
    counts, total = {}, 0
    for text in texts:
        total += 1
        for word in telling_words(text):
            counts[word] = counts.get(word, 0) + 1
    return {word for word, count in counts.items() if count * 200 > total}


def changes(turn):
    return any(piece["role"] in CHANGING for piece in turn["sentences"])


def swapped(pairs, rng):
    """A memory, and what was said about another one."""
    by_voice = {}
    for pair in pairs:
        by_voice.setdefault(pair["voice"], []).append(pair)
    for pair in pairs:
        for other, share in ((rng.choice(pairs), 0.25), (rng.choice(by_voice[pair["voice"]]), 0.3)):
            if rng.random() < share and alike(pair["held"], other["held"]) < 0.2:
                yield {**other, "writer": pair["writer"], "held": pair["held"], "relation": "other"}


def alike(one, other):
    """The share of words that two texts have in common."""
    one, other = (set(re.findall(r"\w{3,}", text.lower())) for text in (one, other))
    return len(one & other) / max(1, len(one | other))


def with_befores(turns, pairs, rng):
    """Mostly a message before says nothing about the pair, and what follows one need not be about it."""
    befores = [turn["before"] for turn in turns if turn.get("before")]
    for pair in pairs:
        if not pair.get("before") and rng.random() < 0.2:
            yield {**pair, "before": rng.choice(befores)}
        other = rng.choice(pairs)
        if pair.get("before") and other["voice"] != pair["voice"] and rng.random() < 0.5:
            yield {**pair, "said": other["said"], "relation": "other"}


def surrounded(turns, pairs, rng):
    """What was said, in the middle of a turn about other things."""
    passing = [piece["text"] for turn in turns for piece in turn["sentences"] if not piece["lasting"] and piece["role"] in PASSING]
    for pair in pairs:
        if rng.random() < 0.35:
            around = [rng.choice(passing) for _ in range(rng.choice((1, 1, 2, 3)))]
            at = rng.randrange(len(around) + 1)
            said = rng.choice(" \n").join([*around[:at], pair["said"], *around[at:]])
            yield {**pair, "said": said}
