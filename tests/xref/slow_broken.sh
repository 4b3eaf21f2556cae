#!/bin/bash
# Copies of this repository with one broken link each: refcl xref check reports it.
. tests/lib/tap.sh
copy=$tap_dir/copy
mkdir "$copy"
cp -R memmodel checker interp litmus ref-runtime tests tools spec-xref "$copy"
ok "the copy is whole" exits 0 "$REFCL" xref check --root "$copy"
breaks() { # breaks PATTERN FILE SED-SCRIPT: the check fails with PATTERN; the file is restored
    cp "$copy/$2" "$tap_dir/kept"
    sed -i "$3" "$copy/$2"
    cmp -s "$copy/$2" "$tap_dir/kept" && echo "nothing changed" && return 1
    prints 1 "$1" "$REFCL" xref check --root "$copy"
    result=$?
    cp "$tap_dir/kept" "$copy/$2"
    return $result
}
ok "an unknown clause in code" breaks 'checker/race/sync.c:[0-9]+: unknown-citation: CL 3.3.6 G77' checker/race/sync.c 's/CL 3.3.6 G7,/CL 3.3.6 G77,/'
ok "an unknown rule id" breaks 'race/report.c:[0-9]+: unknown-citation: CL 3.3.6 G71' checker/race/report.c 's/"CL 3.3.6 G17"/"CL 3.3.6 G71"/'
ok "an axiom that loses its clause" breaks 'axiom-without-clause: ghb-acyclic' memmodel/models/opencl-base.cat 's/^(\* CL 3.3.6 G11:.*/(* *)/'
ok "an unknown section" breaks 'unknown-citation: CL 5.99' ref-runtime/memory/svm.c '1s/CL 5.6/CL 5.99/'
ok "a clause that goes away" breaks 'unknown-citation: CL 3.3.6 H101' spec-xref/clauses/opencl-memory-model.json 's/CL 3.3.6 H101"/CL 3.3.6 H1010"/'
ok "a test of an ambiguity that goes away" breaks 'missing-test: litmus' spec-xref/clauses/ambiguities.json 's/sw-scope-apart.litmus/sw-scope-asunder.litmus/'
ok "the copy is whole again" exits 0 "$REFCL" xref check --root "$copy"
ok "a listed sentence of an unknown class" bash -c 'sed -i "s/\"advice\"/\"advise\"/" "$2/spec-xref/clauses/listed-opencl-3.1.1.json"; "$1" xref check --root "$2" 2>&1 | tee /dev/stderr | grep -q "known class: advise"' _ "$REFCL" "$copy"
cp spec-xref/clauses/listed-opencl-3.1.1.json "$copy/spec-xref/clauses"
for answer in "CL 5.10 E99" "CL 5.10 R1" "CL 5.9.1 E1"; do # no clause; no error condition; of another call
    ok "a rule of usage that $answer answers" bash -c 'sed -i "s/\"errors\": \[\"CL 5.10 E4\"\]/\"errors\": [\"$3\"]/" "$2/spec-xref/clauses/opencl-runtime.json"; "$1" xref check --root "$2" 2>&1 | tee /dev/stderr | grep -q "names .$3. as the answer to its violation"' _ "$REFCL" "$copy" "$answer"
    cp spec-xref/clauses/opencl-runtime.json "$copy/spec-xref/clauses"
done
ok "a broken database" bash -c 'echo "{" >"$2/spec-xref/clauses/x.json"; "$1" xref check --root "$2"; [ $? -eq 2 ] && rm "$2/spec-xref/clauses/x.json"' _ "$REFCL" "$copy"

done_testing
