"""Regular expressions of Go and Rust: compiled here, and texts that they match."""
import random
import re
import re._constants as c
import re._parser as parser
import string

POSIX = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "digit": "0-9", "lower": "a-z", "upper": "A-Z",
    "xdigit": "0-9a-fA-F", "word": "a-zA-Z0-9_", "punct": r"!-/:-@\[-`{-~", "space": r"\s",
}
WORDS = string.ascii_letters + string.digits + "_"
PRINTABLE = string.ascii_letters + string.digits + " _-.,"


def compiled(source):
    """The expression, or None where Python has no counterpart."""
    source = re.sub(r"\[:(\w+):\]", lambda found: POSIX[found.group(1)], source)
    source = source.replace(r"\z", r"\Z").replace("(?<", "(?P<")
    source = source.replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    try:
        return re.compile(scoped(source))
    except (re.error, OverflowError, KeyError):
        return None


def scoped(source):
    """Flags in the middle hold to the end of their group; Python wants them to open a group."""
    flags = ""
    while found := re.match(r"\s*\(\?([a-zA-Z]+)\)", source):
        flags += found.group(1)
        source = source[found.end():]
    out, waiting, at, inside = [], [0], 0, False
    while at < len(source):
        sign = source[at]
        flag = re.match(r"\(\?([ixsmu-]+)\)", source[at:])
        if sign == "\\":
            out.append(source[at:at + 2])
            at += 2
            continue
        if inside:
            inside = sign != "]" or source[at - 1] == "[" or source[at - 2:at] == "[^"
        elif sign == "[":
            inside = True
        elif flag:
            out.append(f"(?{flag.group(1)}:")
            waiting[-1] += 1
            at += flag.end()
            continue
        elif sign == "(":
            waiting.append(0)
        elif sign == ")":
            out.append(")" * waiting.pop())
        out.append(sign)
        at += 1
    flags = "".join(flag for flag in dict.fromkeys(flags) if flag in "imsx")
    return (f"(?{flags})" if flags else "") + "".join(out) + ")" * sum(waiting)


def sample(expression):
    """A text that the expression matches, or None."""
    if not expression:
        return None
    tree = parser.parse(expression.pattern, expression.flags & ~re.UNICODE)
    for _ in range(20):
        text = "".join(_signs(tree, {}))
        if expression.search(text):
            return text
    return None


def _signs(tree, groups):
    for kind, value in tree:
        if kind is c.LITERAL:
            yield chr(value)
        elif kind is c.NOT_LITERAL:
            yield random.choice([s for s in PRINTABLE if ord(s) != value])
        elif kind is c.ANY:
            yield random.choice(PRINTABLE)
        elif kind is c.IN:
            yield random.choice(_members(value))
        elif kind in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
            low, high, inner = value
            high = low + (2 if kind is c.MIN_REPEAT or low == 0 else 8) if high is c.MAXREPEAT else high
            if low == 0 and high > 3:
                high = 3  # A gap, not a secret.
            for _ in range(random.randint(low, high)):
                yield from _signs(inner, groups)
        elif kind is c.SUBPATTERN:
            number, _, _, inner = value
            text = "".join(_signs(inner, groups))
            if number:
                groups[number] = text
            yield text
        elif kind is c.BRANCH:
            yield from _signs(random.choice(value[1]), groups)
        elif kind is c.GROUPREF:
            yield groups.get(value, "")


CATEGORIES = {
    c.CATEGORY_DIGIT: string.digits, c.CATEGORY_WORD: WORDS, c.CATEGORY_SPACE: " ",
    c.CATEGORY_NOT_SPACE: WORDS, c.CATEGORY_NOT_WORD: " ", c.CATEGORY_NOT_DIGIT: string.ascii_letters,
}


def _members(parts):
    signs, negated = "", False
    for kind, value in parts:
        if kind is c.NEGATE:
            negated = True
        elif kind is c.LITERAL:
            signs += chr(value)
        elif kind is c.RANGE:
            signs += "".join(map(chr, range(value[0], min(value[1], 126) + 1)))
        elif kind is c.CATEGORY:
            signs += CATEGORIES[value]
    if negated:
        return [sign for sign in PRINTABLE if sign not in signs] or ["x"]
    return signs or "x"


def literal_prefix(expression):
    """What every secret of the expression begins with: the first letters of its last group."""
    if not expression:
        return None
    tree = parser.parse(expression.pattern, expression.flags & ~re.UNICODE)
    groups = [group for group in _groups(tree) if group.getwidth()[0] >= 6]
    return _prefix(groups[-1] if groups else tree)


def _groups(tree):
    for kind, value in tree:
        if kind is c.SUBPATTERN:
            if value[0]:
                yield value[3]
            yield from _groups(value[3])
        elif kind is c.BRANCH:
            for branch in value[1]:
                yield from _groups(branch)
        elif kind in (c.MAX_REPEAT, c.MIN_REPEAT):
            yield from _groups(value[2])


def _prefix(tree):
    text = ""
    for kind, value in tree:
        if kind is c.LITERAL:
            text += chr(value)
        elif kind is c.SUBPATTERN:
            return text + _prefix(value[3])
        elif kind is c.BRANCH:
            return text + min(map(_prefix, value[1]), key=len, default="")
        elif kind not in (c.AT, c.ASSERT, c.ASSERT_NOT):
            break
    return text
