#!/bin/bash
# The functions that the JIT shares with the interpreter compile to bitcode with Clang, have no state, and
# call only libm, memcpy and the slow paths (interp/ext/slow_path.h).
cd "$(dirname "$0")/../../.." || exit 4
bin=$(make -s --no-print-directory --eval='show-bin: ; @echo $(LLVM_BIN)' show-bin)
clang=$bin/clang
nm=$bin/llvm-nm
files="convert math_double ext_float ext_single ext_double ext_exponential ext_trigonometric ext_remainder ext_integer ext_geometric ext_vector"
n=0 status=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libm=" acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cosl erf erfc exp exp10 exp2 expm1 fabs fdim floor
 floorf fma fmaf fmax fmin fmod frexp hypot ilogb ldexp log log10 log1p log2 logb modf nextafter nextafterf pow
 remainder rint round sin sinh sinl sqrt sqrtf tan tanh tanl trunc memcpy "

report() { # result, name
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2" && status=1; fi
}

for f in $files; do
    "$clang" -I. -D_GNU_SOURCE -std=c11 -O2 -ffp-contract=off -emit-llvm -c "interp/ext/$f.c" -o "$work/$f.bc"
    report $? "$f compiles to bitcode"
done
for f in $files; do
    "$clang" -I. -D_GNU_SOURCE -std=c11 -O2 -ffp-contract=off -emit-llvm -S -o - "interp/ext/$f.c"
done | grep -E '^@.* global ' >"$work/state"
sed 's/^/# /' "$work/state"
test ! -s "$work/state"
report $? "no mutable state"
"$nm" --defined-only --format=posix "$work"/*.bc | awk '{print $1}' | sort -u >"$work/defined"
"$nm" --undefined-only --format=posix "$work"/*.bc | awk 'NF > 1 {print $1}' | sort -u | grep -vxFf "$work/defined" >"$work/undefined"
bad=0
while read -r symbol; do
    case $libm:$symbol in
    *[[:space:]]$symbol[[:space:]]*:* | *:in_slow_*) ;;
    *) echo "# calls $symbol" && bad=1 ;;
    esac
done <"$work/undefined"
report $bad "calls libm, memcpy and slow paths only"
echo "1..$n"
exit $status
