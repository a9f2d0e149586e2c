"""Text into word pieces with their places, as `throughline-embed` does it."""

import unicodedata

UNKNOWN, OPENING, CLOSING = 100, 101, 102


def kind(char):
    if char in " \t\n\r":
        return "space"
    if char.isascii():
        return "other" if char.isprintable() else "dropped"
    category = unicodedata.category(char)
    if category in ("Cc", "Cf", "Co", "Cs", "Cn") or char == "\ufffd":
        return "dropped"
    if char.isspace():
        return "space"
    code = ord(char)
    if 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F:
        return "ideograph"
    return "other"


def is_punctuation(char):
    if char.isascii():
        return not char.isalnum() and char.isprintable() and char != " "
    return unicodedata.category(char).startswith("P")


class Tokenizer:
    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def __call__(self, text):
        """Ids, and for each the characters of the text it stands for."""
        ids, ranges, word, places = [], [], "", []

        def end():
            nonlocal word, places
            if word:
                for number, first, last in self.split(word):
                    ids.append(number)
                    ranges.append((places[first], places[last - 1] + 1))
            word, places = "", []

        for at, char in enumerate(text):
            sort = kind(char)
            if sort == "dropped":
                continue
            if sort == "space":
                end()
                continue
            for part in unicodedata.normalize("NFD", char):
                if unicodedata.category(part) == "Mn":
                    continue
                alone = is_punctuation(part) or sort == "ideograph"
                if alone:
                    end()
                for low in part.lower():
                    word += low
                    places.append(at)
                if alone:
                    end()
        end()
        return ids, ranges

    def split(self, word):
        if len(word) > 100:
            return [(UNKNOWN, 0, len(word))]
        found, start = [], 0
        while start < len(word):
            for stop in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:stop]
                if piece in self.vocabulary:
                    break
            else:
                return [(UNKNOWN, 0, len(word))]
            found.append((self.vocabulary[piece], start, stop))
            start = stop
        return found
