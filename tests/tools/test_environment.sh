#!/bin/bash
# Every environment variable that the sources read is in a manual page, or is INTERNAL in the table of
# settings, but not both.
set -u
cd "$(dirname "$0")/../.." || exit 4
folders=(memmodel checker interp litmus ref-runtime spec-xref tools)
variables=$(grep -rohE --include='*.c' --include='*.cpp' --include='*.h' --include='*.def' '"REFCL_[A-Z_]+"' "${folders[@]}" | tr -d '"' | sort -u)
echo "1..$(echo "$variables" | wc -l)"
n=0
for v in $variables; do
    n=$((n + 1))
    documented=$(cat tools/man/*.1 | grep -cE "\b$v\b")
    internal=$(grep -cE "\"$v\",.* INTERNAL\)$" ref-runtime/setting.def)
    if [ $((documented > 0)) -ne $((internal > 0)) ]; then
        echo "ok $n - $v"
    elif [ "$internal" -gt 0 ]; then
        echo "not ok $n - $v is internal, but in a manual page"
    else
        echo "not ok $n - $v is neither in tools/man/*.1 nor INTERNAL in ref-runtime/setting.def"
    fi
done
