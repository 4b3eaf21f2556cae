#!/bin/bash
# The tests of runtime, kernels and races once more, with every launch that the JIT covers compiled: each of their
# results counts.  Left out are two that are about the interpreter itself, what it makes of wild addresses
# (test_stray) and how little memory it takes (test_scale).  Instrumented builds run those of the runtime alone.
. tests/lib/tap.sh
needs "the other engine" librefcl-jit.so
export REFCL_ENGINE=jit REFCL_JIT=$PWD/$BUILD/librefcl-jit.so CMOCKA_MESSAGE_OUTPUT=tap

folders="runtime unit/interp unit/ext unit/image unit/runtime races races/random"
[ -n "${SANITIZER:-}" ] && folders=runtime

forward() { # forward NAME: TAP from standard input, the test's name before each result, counted on
    awk -v n="$tap_count" -v test="$1" '
        match($0, /^(not )?ok [0-9]+/) {
            word = $1 == "not" ? "not ok" : "ok"; rest = substr($0, RLENGTH + 1); sub(/^ - /, " ", rest)
            printf "%s %d - %s:%s\n", word, ++n, test, rest; next }
        word == "not ok" && /^#/ { print }'
}
for folder in $folders; do
    for source in tests/$folder/test_*.{c,sh,py}; do
        name=$folder/$(basename "$source")
        case $source in
        *'*'* | */test_stray.c | */test_scale.c) continue ;;
        *.c) command=("$BUILD/${source%.c}") ;;
        *.py) command=(/usr/bin/python3 "$source") ;;
        *) command=("$source") ;;
        esac
        "${command[@]}" >"$tap_dir/log" 2>&1
        code=$?
        forward "$name" <"$tap_dir/log" | tee "$tap_dir/results"
        lines=$(grep -cE '^(not )?ok ' "$tap_dir/results")
        tap_count=$((tap_count + lines))
        grep -E '^not ok ' "$tap_dir/results" | grep -qvi '# *skip' && tap_failed=1 && continue
        [ $code -eq 0 ] && [ "$lines" -gt 0 ] || check "$name ends with $code after $lines results" 1
    done
done
done_testing
