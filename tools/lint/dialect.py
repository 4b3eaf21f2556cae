#!/usr/bin/python3
"""One dialect of C: `sizeof x` for expressions and `sizeof(type)`; `p` and `!p` for pointers in conditions,
not comparisons with NULL; clauses of the specification in comments as `[CL 3.3.6 H4]`, not as `H4:` at the
start; comments have at most 110 columns, as code does."""
import re
import subprocess
import sys

CODE = re.compile(r"\.(c|h|cpp|hpp|inc)$")
TYPE = r"(?:struct|union|enum|const|void|bool|char|short|int|long|float|double|unsigned|type|\w+_t|cl_\w+)\b"
RULES = [
    (re.compile(rf"\bsizeof\((?!{TYPE})\*?[a-z_]\w*(?:(?:->|\.)\w+|\[\w+\])*\)"), "sizeof of an expression has no parentheses"),
    (re.compile(r"== NULL\b|\b(?:if|while) \([^;\"]*!= NULL\)?\)? ?(?:\{|$)|!= NULL(?= (?:&&|\|\|))|(?:&&|\|\|) [\w.>-]+ != NULL"),
     "a pointer in a condition is p or !p"),
    (re.compile(r"/\* (?!Z3)[A-Z]{1,2}\d+[.:] "), "a clause is cited as [CL 3.3.6 H4]"),
]
LONG_COMMENT = re.compile(r"^(?= *(?://|/?\*) ).{111}")
EXEMPT = re.compile(r"^\s*(?:#define|\*|MM_EDGE_|[A-Z_0-9]+,)|\\$")  # macros have parameters; enumerators' comments


def main():
    listed = subprocess.run(["git", "ls-files"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    bad = 0
    for name in listed:
        if not CODE.search(name) or name.startswith("tests/"):
            continue
        cxx = name.endswith("pp")  # names of types are like those of variables there
        with open(name, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if LONG_COMMENT.search(line):
                    bad += 1
                    print(f"{name}:{number}: a comment has at most 110 columns")
                for rule, why in RULES:
                    if rule.search(line) and not EXEMPT.search(line) and not (cxx and why.startswith("sizeof")):
                        bad += 1
                        print(f"{name}:{number}: {why}")
    return 1 if bad else 0


sys.exit(main())
