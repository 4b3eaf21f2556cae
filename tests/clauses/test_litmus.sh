#!/bin/bash
# Litmus tests of single clauses: their Expect and Race lines against search and Z3.
. tests/lib/tap.sh
for test in tests/clauses/*.litmus; do
    ok "$(basename "$test" .litmus)" exits 0 "$REFCL" litmus check --model memmodel/models/opencl.cat --engine both --verify "$test"
done
done_testing
