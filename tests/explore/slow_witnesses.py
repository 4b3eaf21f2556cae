#!/usr/bin/env python3
"""Witnesses of the kernels of the public corpus, replayed by the interpreter."""
import os
import sys

import rows
from test_witnesses import check, tap


def main():
    todo = rows.rows()
    if todo is None:
        print("1..0 # SKIP no corpus")
        return 0
    files = {row["file"]: row for row in todo}
    replayed = undefined = 0
    for file, row in files.items():
        test = check(os.path.join(rows.CORPUS, file),
                     ["--timeout", "2", "--bound", row["bound"], "--model",
                      os.path.join(rows.CORPUS, row["model"] + ".dat3m.cat")])
        replayed += sum(w["replayed"] for w in test.get("witnesses", []))
        undefined += sum(not w["replayed"] for w in test.get("witnesses", []))
    print(f"# {replayed} witnesses replayed, {undefined} need undefined values")
    tap.check("most are replayed", replayed > 50 * undefined)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
