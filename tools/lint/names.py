#!/usr/bin/python3
"""A static function's name is found by grep: at most six files of the product define one of that name."""
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
    common = {name: places for name, places in files.items() if len(places) > MOST_FILES}
    for name, places in sorted(common.items()):
        print(f"static function '{name}' in {len(places)} files: {', '.join(sorted(places))}")
    return 1 if common else 0


sys.exit(main())
