#!/usr/bin/python3
"""Checks includes against arrows.txt, and that no folder directly holds more than 35 source files."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = re.compile(r"\.(c|h|cpp|hpp|inc|def)$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
MOST_FILES = 35


def read_rules():
    tops, inner, public = {}, {}, {}
    with open(os.path.join(HERE, "arrows.txt")) as file:
        for line in file:
            line = line.split("#")[0].strip()
            if line:
                folder, _, allowed = line.partition(":")
                words = folder.split()
                rules = public if words[1:] == ["public"] else inner if "/" in folder else tops
                rules.setdefault(words[0], []).extend(allowed.split())
    return tops, inner, public


def second(path):
    """The folder below the top folder that PATH is in; "top" where there is none."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "top"


def complaint(name, target, tops, inner, public):
    top, other = name.split("/")[0], target.split("/")[0]
    if other != top and other not in tops[top]:
        return f"{top} must not include {other}/"
    if other != top:
        internal = other in public and target[len(other) + 1:] not in public[other]
        return f"{target} is internal to {other}" if internal else None
    below, reached = second(name), second(target)
    if below in (reached, "top") or top + "/" + below not in inner:
        return None
    return None if reached in inner[top + "/" + below] else f"{top}/{below} must not include {top}/{reached}/"


def main():
    tops, inner, public = read_rules()
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
    sources = [name for name in listed if CODE.search(name) and name.split("/")[0] in tops and os.path.exists(name)]
    bad, counts = 0, {}
    for name in sources:
        folder = os.path.dirname(name)
        counts[folder] = counts.get(folder, 0) + 1
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for m in INCLUDE.finditer(text):
            target = m.group(1) if "/" in m.group(1) else os.path.join(folder, m.group(1))
            why = complaint(name, target, tops, inner, public) if target.split("/")[0] in tops else None
            if why:
                bad += 1
                print(f"{name}:{text.count(chr(10), 0, m.start()) + 1}: {why}")
    for folder, count in sorted(counts.items()):
        if count > MOST_FILES:
            bad += 1
            print(f"{folder}: {count} source files, {MOST_FILES} at most")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
