#!/bin/bash
# refcl beside Oclgrind, CPU time in milliseconds, children included.
#
# plain: a launch of Oclgrind without race detection, and of refcl in the interpreter without checks.
# checked: smaller launches of
#   oclgrind    Oclgrind without race detection
#   data-races  Oclgrind with race detection and uninitialized values
#   plain       refcl in the interpreter, without checks
#   interp      `refcl run`, with race and memory checks, in the interpreter
#   default     `refcl run` with the default engine, which executes instrumented compiled code once that pays off
# sessions: the programs of "checked" as a whole, with two launches and empty caches.
#
# Oclgrind is one process, which measures its second launch; a session of refcl is several, so that its launch
# is the difference between sessions with many launches and with two.  A ratio A/B says how many times as fast
# as A B is.
#
# Medians of RUNS (3).  A command that fails, or prints no result, is "-" and left out.
# oclgrind.sh [KERNEL...]; RACES=0 leaves out all but the first table.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
RUNS=${RUNS:-3}
source=tests/bench/kernels.cl
bench=$BUILD/tests/bench/bench
library=$PWD/$BUILD/librefcl.so
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -w -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
command -v oclgrind >/dev/null || { echo "no oclgrind"; exit 0; }
kernels=${*:-vector_add saxpy_chain matrix_naive matrix_tiled reduction stencil histogram n_body bitonic_sort scan
    black_scholes integer_hash ticket_lock}
export OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library

# Halvings of the launch: without checks, so that Oclgrind takes a tenth of a second or more, and with them,
# so that it takes about a second.
scale_of() {
    case $1 in
    n_body) echo 2 ;;
    ticket_lock) echo 0 ;;
    *) echo 5 ;;
    esac
}
checked_scale_of() {
    case $1 in
    reduction | histogram | bitonic_sort | scan | black_scholes) echo 6 ;;
    saxpy_chain | integer_hash) echo 7 ;;
    *) scale_of "$1" ;;
    esac
}
median() { sort -n | awk '/-/ { bad = 1 } { v[NR] = $1 } END { print bad || NR == 0 ? "-" : v[int((NR + 1) / 2)] }'; }
# session KERNEL LAUNCHES COMMAND...: CPU milliseconds of a command that prints the kernel's result, children
# included, and of the launch that it measured.
session() {
    local TIMEFORMAT='%U %S' kernel=$1 launches=$2
    shift 2
    { time timeout 300 "$@" "$bench" $source "$kernel" "$launches" "$(checked_scale_of "$kernel")" 2>/dev/null; } 2>&1 |
        awk -v k="$kernel" '$1 == k { launch = $2 } NF == 2 { t = ($1 + $2) * 1000 } END { print launch == "" ? "- -" : t " " launch }'
}
runs() { for ((i = 0; i < RUNS; i++)); do session "$@"; done; }
first() { awk '{ print $1 }' | median; }
# The launch and the session of two launches, for each.
refcl_races() { # refcl_races ENGINE KERNEL LAUNCHES
    local run=(env "REFCL_ENGINE=$1" "$BUILD/refcl" run -q --)
    cold=$(for ((j = 0; j < RUNS; j++)); do rm -rf "$REFCL_CACHE_DIR"; session "$2" 1 "${run[@]}"; done | first)
    session "$2" $(($3 + 1)) "${run[@]}" >/dev/null
    few=$(runs "$2" 1 "${run[@]}" | first)
    many=$(runs "$2" $(($3 + 1)) "${run[@]}" | first)
    echo "$few $many $3 $cold" | awk '{ print ($2 + 0 > $1 + 0 && $1 != "-" ? ($2 - $1) / $3 : "-"), $4 }'
}
grind_session() { # grind_session KERNEL OPTION...
    all=$(runs "$1" 1 oclgrind "${@:2}")
    echo "$(echo "$all" | awk '{ print $2 }' | median) $(echo "$all" | first)"
}
# launches KERNEL LAUNCHES SCALE COMMAND...: CPU milliseconds of a launch, in RUNS processes.
launches() {
    for ((l = 0; l < RUNS; l++)); do
        timeout 300 "${@:4}" "$bench" $source "$1" "$2" "$3" 2>/dev/null |
            awk '$2 ~ /^[0-9.]+$/ { t = $2 } END { print t == "" ? "-" : t }'
    done | median
}
refcl() { launches "$1" 5 "$2" env REFCL_ENGINE=interp; }
grind() { launches "$1" 1 "$(scale_of "$1")" oclgrind; }

# table TITLE COLUMN... -- A/B...: lines of a kernel and its times; ratios of columns.
table() {
    awk -v arguments="$*" '
        function place(word, k) { for (k = 2; k <= columns; k++) if (name[k] == word) return k }
        BEGIN {
            split(arguments, half, " -- ")
            columns = split(half[1], name, " ")
            ratios = split(half[2], ratio, " ")
            for (k = 1; k <= columns; k++) printf k == 1 ? "%-16s" : "%12s", name[k]
            for (r = 1; r <= ratios; r++) {
                printf "%20s", ratio[r]
                split(ratio[r], of, "/")
                slow[r] = place(of[1]); fast[r] = place(of[2])
            }
            print ""
        }
        {
            for (k = 1; k <= columns; k++) printf k == 1 ? "%-16s" : "%12s", $k
            for (r = 1; r <= ratios; r++) {
                a = $slow[r] + 0; b = $fast[r] + 0
                printf "%20s", a && b ? sprintf("%.1f", a / b) : "-"
                if (!a || !b) continue
                sum[r] += log(a / b); n[r]++
                if (least[r] == "" || a / b < least[r]) least[r] = a / b
            }
            print ""; fflush()
        }
        END {
            for (r = 1; r <= ratios; r++)
                if (n[r]) printf "%-20s geometric mean %.1f, least %.1f, of %d kernels\n", ratio[r], exp(sum[r] / n[r]), least[r], n[r]
            print ""
        }'
}

for k in $kernels; do
    echo "$k $(grind "$k") $(refcl "$k" "$(scale_of "$k")")"
done | table plain oclgrind interp -- oclgrind/interp
[ "${RACES:-1}" = 0 ] && exit
sessions=$(mktemp)
REFCL_CACHE_DIR=$(mktemp -d)
export REFCL_CACHE_DIR
trap 'rm -rf "$sessions" "$REFCL_CACHE_DIR"' EXIT
ratios="oclgrind/interp oclgrind/default data-races/interp data-races/default"
for k in $kernels; do
    read -r launch session <<<"$(grind_session "$k")"
    read -r races races_session <<<"$(grind_session "$k" --data-races --uninitialized)"
    read -r interp interp_session <<<"$(refcl_races interp "$k" 20)"
    read -r auto auto_session <<<"$(refcl_races auto "$k" 1000)"
    echo "$k $session $races_session $interp_session $auto_session" >>"$sessions"
    echo "$k $launch $races $(refcl "$k" "$(checked_scale_of "$k")") $interp $auto"
done | table checked oclgrind data-races plain interp default -- "$ratios"
table sessions oclgrind data-races interp default -- "$ratios" <"$sessions"
