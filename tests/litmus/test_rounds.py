#!/usr/bin/env python3
"""Loops whose trip count is constant are unrolled completely, even above the bound; other loops keep the
bound."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tap
from built import REFCL

ADD = "n++;"
LOAD = "atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)"
# name: loop, final value of x; None: the bound is reached; {engine: value} if only one engine unrolls it
# completely
LOOPS = {
    "five iterations": (f"for (int i = 0; i < 5; i++) {{ {ADD} }}", 5),
    "a variable declared before": (f"int i; for (i = 0; i != 6; ++i) {{ {ADD} }}", 6),
    "downwards in twos": (f"for (int i = 7; i > 0; i -= 2) {{ {ADD} }}", 4),
    "powers of two": (f"for (int i = 1; i <= 64; i = i * 2) {{ {ADD} }}", 7),
    "unsigned, around": (f"for (uint i = 4294967290u; i != 0u; i++) {{ {ADD} }}", 6),
    "one in another": (f"for (int i = 0; i < 2; i++) {{ for (int j = 0; j < 3; j++) {{ {ADD} }} }}", 6),
    "trip count of the outer variable": (f"for (int i = 0; i < 4; i++) {{ for (int j = 0; j < i; j++) {{ {ADD} }} }}", {"search": 6}),
    "left early": (f"for (int i = 0; i < 6; i++) {{ if (n == 3) break; {ADD} }}", 3),
    "left out": (f"for (int i = 0; i < 6; i++) {{ if (i == 2) continue; {ADD} }}", 5),
    "not at all": (f"for (int i = 5; i < 5; i++) {{ {ADD} }}", 0),
    "sixty-four iterations": (f"for (int i = 0; i < 64; i++) {{ n += i; }}", 2016),
    "too many iterations": (f"for (int i = 0; i < 65; i++) {{ n += i; }}", {"search": 2080}),
    "changed in the iteration": (f"for (int i = 0; i < 5; i++) {{ {ADD} if (i == 3) i = 0; }}", None),
    "until memory has a value": (f"for (int i = 0; {LOAD} < 5; i++) {{ {ADD} }}", None),
}
TEST = """OPENCL trip-counts
{{ [x]=0; }}
P0@wg 0, dev 0 (global atomic_int* x) {{
  int n = 0;
  {loop}
  atomic_store_explicit(x, n, memory_order_relaxed, memory_scope_device);
}}
exists (x={value})
"""


def check(loop, value, engine):
    with tempfile.NamedTemporaryFile("w", suffix=".litmus") as file:
        file.write(TEST.format(loop=loop, value=0 if value is None else value))
        file.flush()
        run = subprocess.run([REFCL, "litmus", "check", "--engine", engine, "--json", "-", file.name], capture_output=True,
                             text=True, check=False)
    test = json.loads(run.stdout)["tests"][0] if run.stdout else {"error": run.stderr}
    if value is None:
        return test.get("race") == "unknown" and run.returncode == 3, test
    return test.get("condition") == "holds" and test["race"] == "none" and test["allowed_states"] == 1, test


def main():
    for name, (loop, value) in LOOPS.items():
        for engine in ("search", "z3"):
            stated = value.get(engine) if isinstance(value, dict) else value
            good, test = check(loop, stated, engine)
            tap.check(f"{name} {engine}", good, test)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
