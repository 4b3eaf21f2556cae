#!/usr/bin/python3
"""Checks the words of comments, strings and documents against words.txt; words_allowed.txt has exceptions with reasons."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = re.compile(r"\.(c|h|cpp|hpp|inc|def)$")
PROSE = re.compile(r"\.(md|1|html|cat|in)$")
EXCLUDED = re.compile(r"^(tests|litmus/(suite|results)|spec-xref/clauses|tools/lint)/")
SPEECH = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)


def rows(name, parts):
    with open(os.path.join(HERE, name)) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield (re.split(r"\s{2,}", line.strip(), maxsplit=parts - 1) + [""] * parts)[:parts]


def main():
    phrases = [(re.compile(pattern, re.I), instead) for pattern, instead in rows("words.txt", 2)]
    allowed = [(re.compile(place), re.compile(phrase, re.I)) for place, phrase, _ in rows("words_allowed.txt", 3)]
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    bad = 0
    for name in listed:
        if EXCLUDED.match(name) or not (CODE.search(name) or PROSE.search(name)) or not os.path.isfile(name):
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        spans = [(m.start(), m.end()) for m in SPEECH.finditer(text)] if CODE.search(name) else [(0, len(text))]
        for start, end in spans:
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
