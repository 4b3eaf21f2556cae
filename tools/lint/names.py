#!/usr/bin/python3
"""A static function's name says what the function does and is found by grep: it has two words or more, and at
most six files of the product define one of that name."""
import collections
import re
import subprocess
import sys

MOST_FILES = 6
CODE = re.compile(r"\.(c|h|cpp|hpp|inc)$")
DEFINITION = re.compile(r"^static\s[^;={}()\n]*?\b(\w+)\([^;{]*\)\s*\{", re.M)


def main():
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    files = collections.defaultdict(set)
    for name in listed:
        if CODE.search(name) and not name.startswith("tests/"):
            with open(name, encoding="utf-8") as file:
                for function in DEFINITION.findall(file.read()):
                    files[function].add(name)
    bad = False
    for function, places in sorted(files.items()):
        if "_" not in function or len(places) > MOST_FILES:
            why = f"in {len(places)} files" if "_" in function else "is one word"
            print(f"static function '{function}' {why}: {', '.join(sorted(places))}")
            bad = True
    return 1 if bad else 0


sys.exit(main())
