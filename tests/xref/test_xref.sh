#!/bin/bash
# refcl xref on the real specification and on this repository.
. tests/lib/tap.sh
SPEC=${REFCL_SPEC:-../shared/spec}
api=$SPEC/002_61a836a5dc27f9ff.txt vulkan=$SPEC/004_89f3f270536dae0f.txt plain=$SPEC/opencl-2.2-7.txt

covers() { # covers FILE PERCENT CHAPTER...: enough normative sentences of the chapters have a clause
    "$REFCL" xref extract --json - "$1" | python3 -c '
import json, sys
data, least = json.load(sys.stdin), float(sys.argv[1])
chapters = {c["chapter"]: c for c in data["chapters"]}
normative = sum(chapters[c]["normative"] for c in sys.argv[2:])
mapped = sum(chapters[c]["mapped"] for c in sys.argv[2:])
print(mapped, "of", normative)
assert normative > 100 and mapped >= normative * least / 100
for s in data["sentences"]:
    if s["section"].split(".")[0] in sys.argv[2:]:
        assert "clause" in s or "reason" in s or "touches" in s, s
' "${@:2}"
}
states() { # states FILE DOCUMENT LEAST CHAPTER...: at least LEAST sentences have a clause or a reason, and each clause has its sentence
    "$REFCL" xref extract --json - "$1" | python3 -c '
import json, sys
data, document, least = json.load(sys.stdin), sys.argv[1], int(sys.argv[2])
chapters = [c for c in data["chapters"] if c["chapter"] in sys.argv[3:]]
found = sum(c["mapped"] + sum(c["listed"].values()) for c in chapters)
print(data["document"], found, "of", sum(c["normative"] for c in chapters), data["stale"])
assert data["document"] == document and len(chapters) == len(sys.argv) - 3 and found >= least and not data["stale"]
' "${@:2}"
}
touches() { # touches CLAUSE SED-SCRIPT: the change is reported by extract and by diff
    sed "$2" "$api" >"$tap_dir/changed.html"
    cmp -s "$api" "$tap_dir/changed.html" && echo "nothing changed" && return 1
    "$REFCL" xref extract "$tap_dir/changed.html" >"$tap_dir/extract"
    "$REFCL" xref diff "$api" "$tap_dir/changed.html" >"$tap_dir/diff"
    cat "$tap_dir/diff"
    grep -q "touches $1\$" "$tap_dir/extract" && grep -q "^changed.*touches $1\$" "$tap_dir/diff" &&
        grep -qx '0 added, 0 removed, 1 changed, 0 moved' "$tap_dir/diff"
}
if [ -r "$api" ]; then
    ok "98 % of chapters 3 to 5 have a clause" covers "$api" 98 3 4 5
    ok "98 % of the Vulkan appendix have a clause" covers "$vulkan" 98 VKMM
    ok "plain text maps, too" prints 1 'chapter 5 .*9[89]\.[0-9] %' "$REFCL" xref extract "$plain"
    ok "no clause is stale" prints 0 'chapter 5' "$REFCL" xref extract "$api"
    ok "a changed error condition is noticed" touches "CL 5.2.1 E3" 's/CL_INVALID_BUFFER_SIZE if <em>size<\/em> is 0<sup>4/CL_INVALID_BUFFER_SIZE if <em>size<\/em> is odd<sup>4/'
    ok "a changed memory rule is noticed" touches "CL 3.3.6 G7" 's/<strong>M<\/strong> and is the maximal contiguous sub-sequence of side effects in the/<strong>M<\/strong> and is the minimal contiguous sub-sequence of side effects in the/'
    latest=$SPEC/opencl-3.1
    if [ -r "$latest/OpenCL_C.txt" ]; then
        ok "OpenCL C: sentences with a clause, or a reason" states "$latest/OpenCL_C.txt" CLC 85 6
        ok "the SPIR-V environment: the same" states "$latest/OpenCL_Env.txt" "CL env" 85 2 3 4 5
    fi
    ok "the same file has no changes" prints 0 '0 added, 0 removed, 0 changed, 0 moved' "$REFCL" xref diff "$api" "$api"
    ok "HTML and plain text of one version differ little" prints 1 'changed' "$REFCL" xref diff "$api" "$plain"
else
    skip "specification" "no specification"
fi

# ---- this repository ----
ok "no broken link" exits 0 "$REFCL" xref check
ok "a clause as text" prints 0 'checked by' "$REFCL" xref CL 3.3.6 G7
ok "a range" prints 0 'CL 3.3.6 G10' "$REFCL" xref CL 3.3.6 G8-G10
ok "a section" prints 0 'CL 5.2.1 E3' "$REFCL" xref CL 5.2.1
ok "an unknown clause" prints 2 "no clause 'CL 3.3.6 G99'" "$REFCL" xref CL 3.3.6 G99
ok "nonsense" prints 2 'names no clause' "$REFCL" xref nonsense
ok "no such file" prints 2 'cannot open' "$REFCL" xref extract /nowhere
ok "not a specification" prints 2 'no numbered heading' "$REFCL" xref extract /dev/null
ok "every error condition has a test or a reason" prints 0 'error conditions: .* 0 untested' "$REFCL" xref errors
ok "ambiguities" prints 0 'D27' "$REFCL" xref ambiguities
ok "JSON fits its schema" bash -c '"$1" xref --json "$2/x.json" && python3 tools/validate.py tools/schema/xref.schema.json "$2/x.json"' _ "$REFCL" "$tap_dir"
ok "code of a whole section: each file once" python3 -c '
import json, sys
listed = [(c["id"], c["section_code"]) for c in json.load(open(sys.argv[1]))["clauses"] if "section_code" in c]
assert listed
for name, places in listed:
    assert len({p["file"] for p in places}) == len(places), name
' "$tap_dir/x.json"
ok "a rule of valid usage names the error that answers its violation" prints 0 'violated: CL 5.10 E11 CL_INVALID_WORK_GROUP_SIZE .triggered' "$REFCL" xref CL 5.10 R3
ok "the named errors are tested; the other rules of calls are those whose violation no error answers" python3 -c '
import json, sys
clauses = {c["id"]: c for c in json.load(open(sys.argv[1]))["clauses"]}
rules = [c for c in clauses.values() if c["kind"] == "usage" and c["id"].startswith(("CL 4", "CL 5")) and "entry" in c]
named = {e for c in rules for e in c.get("errors", [])}
assert all(clauses[e]["evidence"] != "untested" for e in named)
silent = [c["id"] for c in rules if "errors" not in c]
assert len(rules) > 180 and len(silent) <= 34, silent
' "$tap_dir/x.json"
ok "JSON of one clause" bash -c '"$1" xref --json - CL 3.3.6 G7 | python3 -c "import json,sys; d=json.load(sys.stdin); assert [c[\"id\"] for c in d[\"clauses\"]]==[\"CL 3.3.6 G7\"]"' _ "$REFCL"

# ---- drivers ----
cat >"$tap_dir/judgement.json" <<'END'
{"format": "refcl-litmus-judgement", "version": 1, "device": {"name": "Some Driver"},
 "summary": {"allowed": 1, "forbidden": 1, "racy": 0, "unknown": 0, "not-run": 0},
 "tests": [{"name": "a", "file": "litmus/suite/release-sequence/rmw-continues.litmus", "status": "ok", "verdict": "forbidden"},
           {"name": "b", "file": "/elsewhere/litmus/suite/release-sequence/own-store-continues.litmus", "status": "ok", "verdict": "allowed"}]}
END
ok "a driver's verdicts" prints 0 'forbidden +litmus/suite/release-sequence/rmw-continues' "$REFCL" xref --judgement "$tap_dir/judgement.json" CL 3.3.6 G7
ok "a driver's column" bash -c '"$1" xref --judgement "$2/judgement.json" --json "$2/d.json" && python3 tools/validate.py tools/schema/xref.schema.json "$2/d.json" && grep -q "Some Driver" "$2/d.json"' _ "$REFCL" "$tap_dir"
ok "a driver's verdicts on a clause are counted" python3 -c '
import json, subprocess, sys
refcl, folder = sys.argv[1:]
tests = [("rmw-continues", "forbidden"), ("own-store-continues", "allowed"), ("own-store-then-rmw", "forbidden"), ("other-store-breaks", "forbidden")]
with open(folder + "/judgement.json") as f:
    judgement = json.load(f)
judgement["tests"] = [{"name": name, "file": "litmus/suite/release-sequence/" + name + ".litmus", "status": "ok", "verdict": verdict}
                      for name, verdict in tests]
with open(folder + "/counted.json", "w") as f:
    json.dump(judgement, f)
run = subprocess.run([refcl, "xref", "--judgement", folder + "/counted.json", "--json", "-", "CL", "3.3.6", "G7"], stdout=subprocess.PIPE)
drivers = json.loads(run.stdout)["clauses"][0]["drivers"]
print(drivers)
assert [d["verdicts"] for d in drivers] == [{"forbidden": 3, "allowed": 1}]
' "$REFCL" "$tap_dir"
ok "not a judgement" prints 2 'not a judgement' "$REFCL" xref --judgement tools/schema/xref.schema.json CL 3.3.6 G7

# ---- the switches that ambiguities name change verdicts ----
flips() {
    "$REFCL" xref ambiguities --json - | python3 -c '
import json, os, re, sys
columns, verdicts = [], {}
for line in open("tests/models/matrix.txt").read().split("opencl.cat\n")[1].splitlines():
    words = line.split()
    if re.match(r" +[0-9]+ [a-z]", line):
        columns.append(words[1])
    elif columns and len(words) == len(columns) + 2 and words[0] in ("stated", "search"):
        verdicts[words[1]] = words[2:]
    elif line.endswith(".cat"):
        break
for a in json.load(sys.stdin)["ambiguities"]:
    if "switch" not in a:
        continue
    others = [i for i, c in enumerate(columns) if c.startswith(a["switch"] + "=")]
    single = [t for t in a["tests"] if not t.startswith("tests/models/combined/")]
    rows = [verdicts[os.path.basename(t)[:-len(".litmus")]] for t in single]
    turned = [any(r[i] != r[0] for i in others) for r in rows]
    print(a["id"], a["switch"], sum(turned), "of", len(turned))
    assert len(turned) >= 2 and all(turned), a["id"]
'
}
ok "verdicts turn on the switches" flips

# ---- the page ----
ok "the page is written" exits 0 "$REFCL" xref site --output "$tap_dir/xref.html" --prefix "$PWD"
ok "it needs nothing from elsewhere" bash -c '! grep -qE "(src|href)=.?https?:|@import|url\(" "$1"' _ "$tap_dir/xref.html"
done_testing
