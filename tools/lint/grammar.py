#!/usr/bin/python3
"""Checks the grammars in the comments of the parsers: each function that parses has a production above it, or
is named as the wrapper of one, and each name on a right-hand side is defined or is a token."""
import glob
import re
import sys

GRAMMARS = {
    "memmodel/cat": (r"(?:cat_)?parse_\w+", "name number string token letter digit character"),
    "litmus/parse": (r"(?:lt_)?(?:parse|take)_\w+", "name number mnemonic tag op"),
}
# Parse what another function has the production of.
WRAPPERS = {
    "memmodel/cat": {"cat_parse_let_head", "parse_named_source"},
    "litmus/parse": {"parse_stmt", "lt_parse_file", "lt_parse_unary"},
}
DEFINITION = r"^(?:\w+ )+\*{0,2}(NAME)\([^;]*?\)\s*\{"
COMMENT = re.compile(r"^/\*.*?\*/", re.M | re.S)
RULE = re.compile(r" *([a-z][a-z-]*) += (.*)")


def rules(comment):
    """The productions of a comment: name and right-hand side.  Continuation lines are indented; (remarks)
    follow four spaces."""
    found = []
    for line in re.sub(r"\n \* ?", "\n", " " + comment[2:-2].strip()).split("\n"):
        line = line.split("    (")[0]
        m = RULE.match(line)
        if m:
            found.append([m.group(1), m.group(2)])
        elif found and re.match(r" +\S", line):
            found[-1][1] += line
        elif found:
            break
    return [(name, re.sub(r"\"[^\"]*\"|'\"'", " ", right)) for name, right in found]


def check(folder, functions, tokens):
    defined, used, bad = set(tokens.split()), [], 0
    for path in sorted(glob.glob(folder + "/*.c")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for m in COMMENT.finditer(text):
            for name, right in rules(m.group(0)):
                defined.add(name)
                used += [(path, text.count("\n", 0, m.start()) + 1, x) for x in re.findall(r"[a-z][a-z-]*", right)]
        for m in re.finditer(DEFINITION.replace("NAME", functions), text, re.M):
            above = text[: m.start()].rstrip("\n")
            start = above.rfind("/*") if above.endswith("*/") else -1
            if m.group(1) not in WRAPPERS[folder] and (start < 0 or not rules(above[start:])):
                bad += 1
                print(f"{path}:{text.count(chr(10), 0, m.start()) + 1}: {m.group(1)}() has no production above it")
    for path, line, name in used:
        if name not in defined:
            bad += 1
            print(f"{path}:{line}: the grammar does not define '{name}'")
    return bad


if __name__ == "__main__":
    sys.exit(1 if sum([check(folder, *rest) for folder, rest in GRAMMARS.items()]) else 0)
