#!/usr/bin/env python3
"""new_findings.py BASELINE.sarif FOUND.sarif...

Prints the results of the FOUND files that BASELINE does not have, and exits with 1 if there are any.  A
result is known by its partial fingerprints, and those of the findings that refcl reports below it as of the
same cause; where it has none, by its rule, file and message without numbers, so that moved lines do not make
it new.  A BASELINE that does not exist is empty.  To accept all results: merge the FOUND files into BASELINE
with --accept."""
import json
import os
import re
import sys


def results(path):
    with open(path, encoding="utf-8") as file:
        for run in json.load(file).get("runs", []):
            yield from run.get("results", [])


def place(result):
    for location in result.get("locations", []):
        physical = location.get("physicalLocation", {})
        return physical.get("artifactLocation", {}).get("uri", ""), physical.get("region", {}).get("startLine", 0)
    return "", 0


def keys(result):
    """Of the result's findings."""
    prints = result.get("partialFingerprints")
    if prints:
        others = result.get("properties", {}).get("sameCause", [])
        return {json.dumps(prints, sort_keys=True)} | {json.dumps({name: other}) for name in prints for other in others}
    words = re.sub(r"\d+", "N", result.get("message", {}).get("text", ""))
    return {json.dumps([result.get("ruleId"), place(result)[0], words])}


def main(arguments):
    accept = "--accept" in arguments
    files = [a for a in arguments if a != "--accept"]
    if len(files) < 2:
        sys.exit(__doc__)
    baseline, found = files[0], files[1:]
    known = {key for r in results(baseline) for key in keys(r)} if os.path.exists(baseline) else set()
    new = {}
    for path in found:
        for r in results(path):
            if not keys(r) <= known:
                new.setdefault(frozenset(keys(r)), r)
    if accept:
        old = list(results(baseline)) if os.path.exists(baseline) else []
        with open(baseline, "w", encoding="utf-8") as out:
            json.dump({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "refcl"}}, "results": old + list(new.values())}]},
                      out, indent=1)
        return 0
    for r in new.values():
        uri, line = place(r)
        print(f"{uri}:{line}: {r.get('ruleId')}: {r.get('message', {}).get('text', '')}")
    print(f"{len(new)} new findings")
    return 1 if new else 0


sys.exit(main(sys.argv[1:]))
