#!/usr/bin/env python3
"""refcl explore --prove: kernels of proofs.cl are proved and have no findings in launches; those of
hazards.cl have a violation, and are not proved."""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../lib"))
import sample
import tap
from built import REFCL as refcl
from sweep import answer, disagreements, kernels_of, prove
from tap import check

COSTS = 3  # a kernel takes seconds


def test_proofs():
    for kernel in kernels_of(os.path.join(here, "proofs.cl")):
        if not sample.is_chosen(kernel.name, COSTS):
            continue
        result, code = prove(kernel.path, "-k", kernel.name)
        check("%s: proved" % kernel.name, code == 0 and answer(result, "race") == answer(result, "divergence") == "proved",
              result)
        found, made = disagreements(kernel, result, 3)
        check("%s: no finding in launches" % kernel.name, made == 3 and not found, found)


def test_hazards():
    path = os.path.join(here, "hazards.cl")
    with open(path) as f:
        hazards = re.findall(r"^// (\w+): .*\n(?:.*\n)??kernel (?:__attribute__\S* \d.*?\)\)\) )?void (\w+)", f.read(), re.M)
    names = {kernel.name for kernel in kernels_of(path)}
    check("each hazard has a property", {name for _, name in hazards} == names, names - {name for _, name in hazards})
    for hidden, name in hazards:
        if sample.is_chosen(name, COSTS):
            result, code = prove(path, "-k", name)
            check("%s: %s not proved" % (name, hidden),
                  answer(result, hidden) in ("refuted", "unknown") and code in (1, 3) and "error" not in result
                  and "contradicts_proof" not in result[hidden], result)


def main():
    if not os.path.exists(refcl):
        tap.skip_all("%s is not built" % refcl)
    test_proofs()
    test_hazards()
    sample.print_left_out()
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
