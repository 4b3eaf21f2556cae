#!/bin/bash
# CLBlast's own tests, which compare with a reference BLAS in all precisions, the half one included.
# xamax is left out: its test reads the index, an integer, through the half type.
routines=${CLIENT_BLAS:-xaxpy xdot xnrm2 xasum xscal xcopy xswap xgemv xger xsymv xtrsv xomatcopy}
echo "1..$(echo $routines | wc -w)"
n=0
for r in $routines; do
    n=$((n + 1))
    out=$(timeout "${CLIENT_LIMIT:-300}" "clblast_test_$r" -platform 0 -device 0 2>&1)
    code=$?
    passed=$(echo "$out" | grep -aE '^ +[0-9]+ test\(s\) passed' | awk '{ n += $1 } END { print n + 0 }')
    failed=$(echo "$out" | grep -aoE '[0-9]+ test\(s\) failed' | awk '{ n += $1 } END { print n + 0 }')
    if [ $code -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]; then
        echo "ok $n - $r: $passed cases"
    else
        echo "not ok $n - $r: $passed passed, $failed failed, exit $code"
    fi
done
