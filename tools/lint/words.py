#!/usr/bin/python3
"""Checks the words of comments, strings and documents against words.txt; words_allowed.txt has exceptions
with reasons."""
import os
import re
import subprocess
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = re.compile(r"\.(c|h|cpp|hpp|inc|def|cl|mjs)$")
PROSE = re.compile(r"\.(md|1|html|cat|in|sh|litmus|spvasm|txt|json)$|^\.ci/run$")  # all of their text is checked
EXCLUDED = re.compile(r"^(tests/fuzz/corpus|litmus/(suite|results)|spec-xref/clauses)/|^tools/lint/words")
SPEECH = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)


def rows(name, parts):
    with open(os.path.join(HERE, name)) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield (re.split(r"\s{2,}", line.strip(), maxsplit=parts - 1) + [""] * parts)[:parts]


def python_spans(text):
    """Comments and strings of Python source."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(iter(lines + [""]).__next__):
        if tokenize.tok_name[token.type] in ("COMMENT", "STRING", "FSTRING_MIDDLE"):
            yield tuple(starts[row - 1] + column for row, column in (token.start, token.end))


def spans(name, text):
    """Where the text has comments and strings: pairs of start and end."""
    if name.endswith(".py"):
        return python_spans(text)
    if CODE.search(name):
        return (m.span() for m in SPEECH.finditer(text))
    return [(0, len(text))]


def main():
    phrases = [(re.compile(pattern, re.I), instead) for pattern, instead in rows("words.txt", 2)]
    allowed = [(re.compile(place), re.compile(phrase, re.I)) for place, phrase, _ in rows("words_allowed.txt", 3)]
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    bad = 0
    for name in listed:
        checked = name.endswith(".py") or CODE.search(name) or PROSE.search(name)
        if EXCLUDED.match(name) or not checked or not os.path.isfile(name):
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for start, end in spans(name, text):
            for pattern, instead in phrases:
                for m in pattern.finditer(text, start, end):
                    if m.group(0).isupper():  # a parameter
                        continue
                    line_start, line_end = text.rfind("\n", 0, m.start()) + 1, text.find("\n", m.end())
                    line = text[line_start:line_end].strip()
                    if any(place.search(name) and phrase.search(line) for place, phrase in allowed):
                        continue
                    bad += 1
                    print(f"{name}:{text.count(chr(10), 0, m.start()) + 1}: '{m.group(0)}': write {instead}")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
