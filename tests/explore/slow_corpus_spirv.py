#!/usr/bin/env python3
"""SPIR-V kernels of the public corpus against their known verdicts.

Search must never contradict a row, but for those that are held to be wrong, each with the verdict that is held to be
right; a row that it does not decide in time is reported as skipped, and more than one in ten such rows fails the run.
ENGINE=z3 runs the other engine."""
import os
import sys

import rows


def main():
    todo = rows.rows()
    if todo is None:
        print("1..0 # SKIP no corpus")
        return 0
    print(f"1..{len(todo) + 2}")
    failed = undecided = wrong = 0
    results = rows.run_all(todo, os.environ.get("ENGINE", "search"), 10, rows.JOBS)
    for number, result in enumerate(results, 1):
        name, outcome = rows.name_of(result.row), rows.outcome(result)
        undecided += outcome == "undecided"
        wrong += outcome == "held wrong"
        failed += outcome == "DIFFERS"
        if outcome == "DIFFERS":
            print(f"not ok {number} - {name}: expected {result.row['expected']}, got {result.got} {result.why}")
        else:
            print(f"ok {number} - {name}" + (f" # SKIP {outcome}: {result.why}" if outcome != "agrees" else ""))
    good = undecided * 10 <= len(todo)
    print(f"{'ok' if good else 'not ok'} {len(todo) + 1} - {undecided} of {len(todo)} rows undecided")
    all_met = wrong == len(rows.DIFFERS)
    print(f"{'ok' if all_met else 'not ok'} {len(todo) + 2} - {wrong} of {len(rows.DIFFERS)} rows held wrong met")
    return 1 if failed or not good or not all_met else 0


if __name__ == "__main__":
    sys.exit(main())
