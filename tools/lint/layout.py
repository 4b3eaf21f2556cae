#!/usr/bin/python3
"""The top level holds only the entries of TOP; source files of the product have at most 600 lines, their
functions at most 80, their structures at most 30 members (a nested structure counts as one); no folder, tests
included, directly holds more than 35 source files; the include guard of FOLDER/FILE.h is FOLDER_FILE_H."""
import collections
import os
import re
import subprocess
import sys

TOP = """Makefile README.md LICENSE SECURITY.md .ci .clang-format .dockerignore .gitignore
ref-runtime interp memmodel checker litmus tests spec-xref tools""".split()
CODE = re.compile(r"\.(c|h|cpp|hpp|inc|def)$")
SOURCE = re.compile(r"\.(c|h|cpp|hpp|inc|def|cl|spvasm|py|sh)$")
# From the first line of a definition, whose body opens in the first column, to the brace that closes it.
FUNCTION = re.compile(r"^[A-Za-z_][^\n;]*\([^;{}]*\)[^;{}()]*\n\{\n.*?^\}", re.M | re.S)
GUARD = re.compile(r"^#ifndef (\w+)\n#define \1$", re.M)
STRUCT = re.compile(r"^struct (\w+) \{[^\n]*\n(.*?)^\}", re.M | re.S)
MOST_LINES, MOST_FUNCTION_LINES, MOST_MEMBERS, MOST_FILES = 600, 80, 30, 35


def members(body):
    body = re.sub(r"/\*.*?\*/|//[^\n]*", "", body, flags=re.S)
    while "{" in body:
        body = re.sub(r"\{[^{}]*\}", "", body, count=1)
    return sum(1 if "(" in part else 1 + part.count(",") for part in body.split(";") if part.strip())


def complaints(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    if text.count("\n") > MOST_LINES:
        yield f"{name}: {text.count(chr(10))} lines, more than {MOST_LINES}"
    for m in FUNCTION.finditer(text):
        lines = m.group(0).count("\n") + 1
        if lines > MOST_FUNCTION_LINES:
            yield f"{name}:{text.count(chr(10), 0, m.start()) + 1}: a function of {lines} lines, more than {MOST_FUNCTION_LINES}"
    for m in STRUCT.finditer(text):
        if members(m.group(2)) > MOST_MEMBERS:
            yield f"{name}: struct {m.group(1)} has {members(m.group(2))} members, more than {MOST_MEMBERS}"


def wrong_guard(name):
    expected = re.sub(r"\W", "_", name).upper()
    with open(name, encoding="utf-8") as file:
        guard = GUARD.search(file.read())
    return [] if guard and guard.group(1) == expected else [f"{name}: the include guard is {expected}"]


def main():
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    found = [f"{entry}: does not belong in the top level" for entry in sorted({n.split("/")[0] for n in listed} - set(TOP))]
    for name in listed:
        if CODE.search(name) and not name.startswith("tests/") and os.path.isfile(name):
            found += complaints(name)
        if re.search(r"\.h(pp)?$", name) and os.path.isfile(name):
            found += wrong_guard(name)
    folders = collections.Counter(os.path.dirname(name) for name in listed if SOURCE.search(name) and os.path.isfile(name))
    found += [f"{folder}: {count} source files, more than {MOST_FILES}" for folder, count in sorted(folders.items()) if count > MOST_FILES]
    for line in found:
        print(line)
    return 1 if found else 0


sys.exit(main())
