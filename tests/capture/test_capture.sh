#!/bin/bash
# Launches captured from a program give the same results and the same findings again; damaged files say so.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/tap.sh
needs capture refcl refcl-kernel-host librefcl.so
refcl=$REFCL
tmp=$tap_dir
is() { # NAME GOT WANTED
    [ "$2" = "$3" ]
    check "$1" $?
    [ "$2" = "$3" ] || printf '# got    %s\n# wanted %s\n' "$2" "$3"
}
"${CC:-gcc}" -std=c11 -Wall -Wextra -o "$tmp/client" tests/capture/client.c -lOpenCL || exit 4
"$refcl" capture -o "$tmp/%n.cap" -- "$tmp/client" >"$tmp/out"
check "the program runs as ever" $?
is "four launches are four files" "$(cd "$tmp" && echo *.cap)" "001.cap 002.cap 003.cap 004.cap"
argument=(0 2 1 0)
names=(mix picture list race)
for i in 0 1 2; do
    got=$("$refcl" kernel -q --print ${argument[$i]} "$tmp/00$((i + 1)).cap")
    check "${names[$i]} has no findings" $?
    is "${names[$i]}: the same result" "${got#*:}" "$(sed -n $((i + 1))p "$tmp/out")"
done
"$refcl" run -q --json "$tmp/first.json" -- "$tmp/client" >"$tmp/out2"
[ $? -eq 1 ]
check "the program has a race" $?
"$refcl" kernel -q --json "$tmp/again.json" "$tmp/004.cap"
[ $? -eq 1 ]
check "its captured launch has it, too" $?
cat >"$tmp/places.py" <<'PY'
import json, sys
def places(name):
    report = json.load(open(name))
    return sorted((f["kind"], f["clause"], tuple((a["line"], a["column"], a["kind"]) for a in f["accesses"]))
                  for f in report["findings"])
first, again = places(sys.argv[1]), places(sys.argv[2])
print("#", first, again)
sys.exit(0 if first and first == again else 1)
PY
/usr/bin/python3 "$tmp/places.py" "$tmp/first.json" "$tmp/again.json"
check "at the same places" $?
"$refcl" capture -k list -o "$tmp/only-%n.cap" -- "$tmp/client" >"$tmp/out3"
is "one kernel alone" "$(cd "$tmp" && echo only-*)" "only-001.cap"
mkdir "$tmp/start" "$tmp/other"
(cd "$tmp/start" && "$refcl" capture -k list -o 'here-%n.cap' -- sh -c "cd ../other && '$tmp/client'" >"$tmp/out3" 2>"$tmp/err")
is "a program that changes its folder" "$(cd "$tmp" && echo start/* other/*)" "start/here-001.cap other/*"
grep -q "no kernel launch" "$tmp/err"
is "... whose launches are known" $? 1
"$refcl" kernel -q --memory weak --seeds 5 "$tmp/003.cap"
check "with weak memory, under five seeds" $?
"${CC:-gcc}" -std=c11 -Wall -Wextra -o "$tmp/mipmap" tests/capture/mipmap.c -lOpenCL || exit 4
"$refcl" capture -o "$tmp/mipmap-%n.cap" -- "$tmp/mipmap" >"$tmp/out4"
got=$("$refcl" kernel -q --print 2 "$tmp/mipmap-001.cap")
is "levels of an image, and what a sampler says of them" "${got#*:}" "$(cat "$tmp/out4")"
head -c 300 "$tmp/001.cap" >"$tmp/short.cap"
"$refcl" kernel "$tmp/short.cap" 2>"$tmp/err"
is "a file that is cut short is bad input" "$?" 2
grep -q "cut short" "$tmp/err"
check "and says so" $?
{ head -c 200 "$tmp/001.cap"; printf 'X'; tail -c +202 "$tmp/001.cap"; } >"$tmp/damaged.cap"
"$refcl" kernel "$tmp/damaged.cap" 2>"$tmp/err"
is "a damaged file is bad input" "$?" 2
grep -q "checksum" "$tmp/err"
check "the checksum differs" $?
is "temporary folders are gone" "$(TMPDIR=$tmp/t; mkdir "$TMPDIR"; export TMPDIR; "$refcl" kernel -q "$tmp/003.cap"; ls "$TMPDIR")" ""
done_testing
