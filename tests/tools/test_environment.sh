#!/bin/bash
# Every environment variable that the sources read is in the manual page, or is that of an option, which --help names.
set -u
cd "$(dirname "$0")/../.." || exit 4
folders=(memmodel checker interp litmus ref-runtime spec-xref tools)
variables=$(grep -rohE --include='*.c' --include='*.cpp' --include='*.h' --include='*.def' '"REFCL_[A-Z_]+"' "${folders[@]}" | tr -d '"' | sort -u)
options=$(grep -rhE --include='*.c' --include='*.h' '^ *\{+"[a-z-]+", *('"'.'"'|0),' tools | grep -oE 'REFCL_[A-Z_]+' | sort -u)
echo "1..$(echo "$variables" | wc -l)"
n=0
for v in $variables; do
    n=$((n + 1))
    if grep -qE "\b$v\b" tools/refcl.1 || echo "$options" | grep -qx "$v"; then
        echo "ok $n - $v"
    else
        echo "not ok $n - $v is not in tools/refcl.1"
    fi
done
