#!/usr/bin/env python3
"""Turns public rule sets into a corpus for `throughline-eval secrets`.

    make.py OUT.jsonl [--gitleaks DIR] [--noseyparker DIR] [--kingfisher DIR]

Each DIR is a checkout of that project. Secrets are generated from the rules' own expressions, or are
the examples that the rules come with; nothing of it belongs into this repository. One line of the
output is one case: {"family", "kind", "text", "secret"}; a case without a secret must stay unchanged.
Needs PyYAML for Nosey Parker and Kingfisher.
"""
import argparse
import ast
import base64
import json
import pathlib
import random
import re
import sys
import tomllib

from expressions import compiled, literal_prefix, sample

SAMPLES = 5


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("out", type=pathlib.Path)
    for name in ("gitleaks", "noseyparker", "kingfisher"):
        arguments.add_argument(f"--{name}", type=pathlib.Path)
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    random.seed(chosen.seed)

    cases, rules = [], []
    if chosen.gitleaks:
        cases += list(gitleaks(chosen.gitleaks, rules))
    if chosen.noseyparker:
        folder = chosen.noseyparker / "crates/noseyparker/data/default/builtin/rules"
        cases += list(examples("noseyparker", folder, rules))
    if chosen.kingfisher:
        cases += list(examples("kingfisher", chosen.kingfisher / "data/rules", rules))
    cases += list(prefixes(rules))

    with chosen.out.open("w", encoding="utf-8") as out:
        for family, kind, text, secret in dict.fromkeys(cases):
            case = {"family": family, "kind": kind, "text": text, "secret": secret}
            out.write(json.dumps(case, ensure_ascii=False) + "\n")


# Gitleaks: expressions in a TOML file, samples and literals in the Go files that make it.

CLASSES = {
    "Numeric": "[0-9]{%s}",
    "Hex": "[a-f0-9]{%s}",
    "AlphaNumeric": "[a-z0-9]{%s}",
    "AlphaNumericExtendedShort": "[a-z0-9_-]{%s}",
    "AlphaNumericExtended": "[a-z0-9=_-]{%s}",
    "AlphaNumericExtendedLong": "[a-z0-9/=_+-]{%s}",
}


def gitleaks(folder, rules):
    known = {}
    for rule in tomllib.loads((folder / "config/gitleaks.toml").read_text())["rules"]:
        if "regex" in rule:
            known[rule["id"]] = compiled(rule["regex"])
            rules.append(("gitleaks." + rule["id"], known[rule["id"]]))
    templates = go_templates((folder / "cmd/generate/config/utils/generate.go").read_text())
    for file in sorted((folder / "cmd/generate/config/rules").glob("*.go")):
        for body in re.split(r"(?m)^func ", file.read_text())[1:]:
            name = re.search(r'RuleID:\s*"([^"]+)"', body)
            if name and known.get(name.group(1)):
                yield from gitleaks_rule(name.group(1), body, known[name.group(1)], templates)


def gitleaks_rule(kind, body, expression, templates):
    for call, arguments in go_calls(body, r"utils\.GenerateSampleSecrets?\("):
        try:
            identifier, secret = go_value(f"({arguments},)")
        except Exception as why:
            print(f"{kind}: skipped {arguments[:60]!r}: {why}", file=sys.stderr)
            continue
        forms = templates if call.endswith("Secrets(") else ['{i}_api_token = "{s}"']
        for form in forms:
            text = form.replace("{i}", identifier).replace("{I}", identifier.upper())
            yield "gitleaks-templates", kind, text.replace("{s}", secret), secret
    for list_name, family in (("tps", "gitleaks-literals"), ("fps", "gitleaks-negatives")):
        for text in go_literals(body, list_name):
            if family == "gitleaks-negatives":
                yield family, kind, text, ""
            elif found := secret_in(expression, text):
                yield family, kind, text, found


def go_templates(source):
    inside = source[source.index("samples := map"):source.index("replacer :=")]
    return [go_value(found) for found in re.findall(r'(?m)^\s*"[^"]+":\s+(["`].*["`]),$', inside)]


def go_calls(body, opening):
    """The arguments of each call, up to the bracket that closes it."""
    for found in re.finditer(opening, body):
        at, depth, quote = found.end(), 1, None
        while depth:
            sign = body[at]
            if quote:
                if sign == "\\" and quote == '"':
                    at += 1
                elif sign == quote:
                    quote = None
            elif sign in "\"`":
                quote = sign
            else:
                depth += {"(": 1, ")": -1}.get(sign, 0)
            at += 1
        yield found.group(0), body[found.end():at - 1]


def go_literals(body, name):
    """The plain strings that a list of cases is made of."""
    lists = re.finditer(rf"(?m)^\t{name} :?= (?:append\({name},|\[\]string\{{)", body)
    for start in lists:
        rest = body[start.end():]
        end = re.search(r"(?m)^\t[})]", rest)
        line_end = rest.find("\n")
        block = rest[:end.start()] if end and (rest[:line_end].strip() in ("", "{") or end.start() < line_end or "`" in rest[:line_end]) else rest[:line_end]
        yield from go_strings(block)


def go_strings(block):
    at, depth = 0, 0
    while at < len(block):
        sign = block[at]
        if block.startswith("//", at):
            at = block.find("\n", at) % (len(block) + 1)
            continue
        if sign in "\"`":
            end = at + 1
            while block[end] != sign:
                end += 2 if sign == '"' and block[end] == "\\" else 1
            before, after = block[:at].rstrip(), block[end + 1:].lstrip()
            if depth == 0 and not before.endswith("+") and not after.startswith("+"):
                literal = block[at:end + 1]
                yield literal[1:-1] if sign == "`" else ast.literal_eval(literal)
            at = end + 1
            continue
        depth += {"(": 1, ")": -1}.get(sign, 0)
        at += 1


def go_value(expression):
    """The value of a Go expression made of strings and the generators' own functions."""
    raw = lambda found: repr(found.group(1))
    python = re.sub(r"`([^`]*)`", raw, expression)
    python = re.sub(r"//.*", "", python) if "\n" in python else python
    python = python.replace("fmt.Sprintf", "formatted").replace("utils.Hex8_4_4_4_12", "uuid")
    python = re.sub(r"\b(?:secrets|utils|strings)\.", "", python)
    python = re.sub(r"b(?:ase)?64\.\w+\.EncodeToString\(\[\]byte\(", "encoded((", python)
    names = {name: lambda size, form=form: form % size for name, form in CLASSES.items()}
    names |= {
        "NewSecret": lambda form: sample(compiled(form)),
        "formatted": lambda form, *values: form % values,
        "encoded": lambda text: base64.b64encode(text.encode()).decode(),
        "uuid": lambda: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "ToUpper": str.upper,
        "ToLower": str.lower,
    }
    return eval(python, {"__builtins__": {}}, names)


# Nosey Parker and Kingfisher: the same YAML, with examples.

def examples(family, folder, rules):
    import yaml
    for file in sorted(folder.glob("*.yml")):
        for rule in yaml.safe_load(file.read_text())["rules"]:
            expression = compiled(rule["pattern"])
            if not expression or rule.get("visible") is False or is_no_secret(rule):
                continue
            kind = rule["id"].split(".", 1)[1]
            rules.append((f"{family}.{kind}", expression))
            for text in rule.get("examples") or []:
                if secret := secret_in(expression, str(text)):
                    yield family, kind, str(text), secret
            for text in rule.get("negative_examples") or []:
                yield family + "-negatives", kind, str(text), ""


def is_no_secret(rule):
    """Rules that find names of accounts, hashes and addresses, which are no secrets by themselves."""
    name = rule["name"].lower()
    categories = rule.get("categories") or []
    words = ("identifier", " id", "username", "endpoint", "bucket", "hash", "md5", "sha-", "bcrypt", "domain", " uri", "subdomain", "client_id", "account id")
    return (
        any(word in categories for word in ("identifier", "hashed", "username"))
        or any(name.endswith(word) or f"{word} " in name for word in words)
    )


def secret_in(expression, text):
    """What is secret in what the expression finds: of a login the password, else the last group."""
    found = expression and expression.search(text)
    if not found:
        return None
    numbers = [n for n, group in enumerate(found.groups(), 1) if group and len(group) >= 4]
    before_host = [n for n in numbers if text[found.end(n):found.end(n) + 1] == "@"]
    chosen = (before_host or [n for n in numbers if len(found.group(n)) >= 6] or [0])[-1]
    secret = found.group(chosen).strip()
    is_login = before_host or re.search(r"curl\b.*(?:-u|--user)\b", text[:found.start(chosen)], re.S)
    if is_login and ":" in secret:
        secret = secret.split("://")[-1].split(":", 1)[-1] or secret
    return secret.strip("\"'")


# What every rule set has of tokens that begin with something of their own.

def prefixes(rules):
    for kind, expression in rules:
        prefix = literal_prefix(expression)
        if not prefix or len(prefix) < 3 or "://" in prefix:
            continue
        for _ in range(SAMPLES):
            whole = sample(expression)
            secret = whole and secret_in(expression, whole)
            if secret and len(secret) >= 12 and secret.startswith(prefix):
                yield "vendor-prefix", kind, f"it answered {secret} and then nothing", secret


if __name__ == "__main__":
    main()
