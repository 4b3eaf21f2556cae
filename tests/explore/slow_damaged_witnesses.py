#!/usr/bin/env python3
"""Damaged witnesses: each one replays, departs, or is refused with a message that names the file."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from test_kernels import find
from test_replay import REFCL, load, witnesses

KERNELS = ("store_buffering.cl", "divergent_barrier.spvasm", "out_of_bounds.spvasm", "spin_unfair.spvasm",
           "mp_wrong_scope.spvasm", "vectors_meet.cl")
EACH = 40
ODD = (0, 1, 7, 8, 9, 255, 4096, 4097, 2**31, 2**32 - 1, 2**32, 2**53, -1, 0.5, 1e300, "18446744073709551615",
       "99999999999999999999", "", "x", None, True, [], {})


def places(value):
    """All containers in a document, each with one of its keys."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in entries:
        yield value, key
        yield from places(inside)


def damage_document(document, rng):
    for _ in range(rng.choice((1, 1, 1, 3))):
        container, key = rng.choice(list(places(document)))
        way = rng.randrange(4)
        if way == 0:
            del container[key]
        elif way == 1 and isinstance(container, list):
            container.append(container[key])
        else:
            other, other_key = rng.choice(list(places(document)) or [(container, key)])
            container[key] = rng.choice(ODD) if way < 3 else json.loads(json.dumps(other[other_key]))
    return json.dumps(document).encode()


def damage_bytes(data, rng):
    data = bytearray(data)
    way, at = rng.randrange(3), rng.randrange(len(data))
    if way == 0:
        del data[at:]
    elif way == 1:
        del data[at:at + rng.randrange(1, 200)]
    else:
        for _ in range(rng.randrange(1, 9)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def problem_of(path):
    run = subprocess.run([REFCL, "kernel", "--replay", path], capture_output=True, check=False, timeout=3600)
    errors = run.stderr.decode(errors="replace")
    if run.returncode not in (0, 1, 2, 3):
        return f"exit code {run.returncode}: {errors}"
    if run.returncode == 2 and path not in errors:
        return f"the message does not name the file: {errors}"
    one = re.fullmatch(r"refcl: error: .*\n( *\d+ \| .*\n +\| *\^\n)?", errors)  # and the line of the file
    return "" if run.returncode != 2 or one else f"not one message: {errors}"


def check(name, rng):
    with tempfile.TemporaryDirectory() as folder:
        paths, path = witnesses(find(name), folder)[0], os.path.join(folder, "damaged")
        for number in range(EACH):
            whole = rng.choice(paths)
            with open(whole, "rb") as file:
                data = file.read()
            data = damage_document(load(whole), rng) if number % 2 else damage_bytes(data, rng)
            with open(path, "wb") as file:
                file.write(data)
            problem = problem_of(path)
            if problem:
                break
        tap.check(f"{name}: {EACH} damaged witnesses", not problem, f"number {number}: {problem}")


def main():
    rng = random.Random(20261121)
    for name in KERNELS:
        check(name, rng)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
