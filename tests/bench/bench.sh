#!/bin/bash
# CPU time per launch beside PoCL and plain C, and of the interpreter beside Oclgrind: medians, in one run on
# one machine.  Plain C is gcc -O3 -march=native on one thread, with the obvious algorithm where the kernel's
# is made for work-groups (reduction, scan, matrix_tiled).  patterns.cl, patterns of real applications, is
# beside PoCL alone.  Ends with the launch overhead of an empty kernel, recording off: the best of three
# medians.  bench.sh [KERNEL...]; REPEATS= launches per kernel (default 15).
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=${BUILD:-build}
REPEATS=${REPEATS:-15}
patterns="gemm gemv axpy fft sha256 radix_count sort_step csr_product floyd_warshall hotspot n_body_double perlin grey
    resize blur_row sobel transpose kmeans"
bench=$BUILD/tests/bench/bench
mkdir -p "$(dirname "$bench")"
[ "$bench" -nt tests/bench/bench.c ] ||
    ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DCL_TARGET_OPENCL_VERSION=300 tests/bench/bench.c -o "$bench" -lOpenCL || exit 4
plain=$BUILD/tests/bench/plain
[ "$plain" -nt tests/bench/plain.c ] ||
    gcc -std=c11 -D_GNU_SOURCE -O3 -march=native -fno-strict-aliasing tests/bench/plain.c -o "$plain" -lm || exit 4
kernels=${*:-vector_add saxpy_chain matrix_naive matrix_tiled reduction scan stencil histogram n_body bitonic_sort
    black_scholes integer_hash ticket_lock md_rounds sparse_product mandelbrot box_filter dense_layer $patterns}
library=$PWD/$BUILD/librefcl.so

refcl() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library REFCL_ENGINE=$1 timeout 120 "$bench" "$source" "$2" "$3" "$4"; }
pocl() { OCL_ICD_FILENAMES='' OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd timeout 120 "$bench" "$source" "$1" "$REPEATS" 0; }
grind() { timeout 120 oclgrind "$bench" "$source" "$1" 1 6; }
time_of() { echo "$1" | awk '{print $2 == "" ? "-" : $2}'; }

printf '%-16s %10s %10s %8s %10s %8s | %12s %12s %8s\n' kernel jit pocl faster plain-c faster interp/64 oclgrind/64 faster
for k in $kernels; do
    source=tests/bench/kernels.cl
    [[ " ${patterns//$'\n'/ } " == *" $k "* ]] && source=tests/bench/patterns.cl
    jit=$(time_of "$(refcl jit "$k" "$REPEATS" 0 2>/dev/null)")
    pocl=$(time_of "$(pocl "$k" 2>/dev/null)")
    c=$(time_of "$("$plain" "$k" "$REPEATS" 2>/dev/null)")
    interp=$(time_of "$(refcl interp "$k" 3 6 2>/dev/null)")
    oclgrind=-
    command -v oclgrind >/dev/null && [ -z "${NO_OCLGRIND:-}" ] && oclgrind=$(time_of "$(grind "$k" 2>/dev/null)")
    echo "$k $jit $pocl $interp $oclgrind $c"
done | awk '
    function ratio(a, b) { return a == "-" || b == "-" || a == 0 ? "-" : sprintf("%.2f", b / a) }
    { r = ratio($2, $3); s = ratio($4, $5); c = ratio($2, $6)
      printf "%-16s %10s %10s %8s %10s %8s | %12s %12s %8s\n", $1, $2, $3, r, $6, c, $4, $5, s; fflush()
      if (c != "-") { plain += log(c); l++ }
      if (r != "-") { jit += log(r); n++ } if (s != "-") { interp += log(s); m++ } }
    END { if (n) printf "geometric mean, PoCL / JIT: %.2f over %d kernels\n", exp(jit / n), n
          if (l) printf "geometric mean, plain C / JIT: %.2f over %d kernels\n", exp(plain / l), l
          if (m) printf "geometric mean, Oclgrind / interpreter: %.2f over %d kernels\n", exp(interp / m), m }'

overhead=$BUILD/tests/clients/launch_overhead
[ -x "$overhead" ] || exit 0
launch() { for _ in 1 2 3; do timeout 120 "$overhead" 2>/dev/null; done; }
refcl_launch() { OCL_ICD_VENDORS=$library OCL_ICD_FILENAMES=$library launch; }
pocl_launch() { OCL_ICD_FILENAMES='' OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd launch; }
{ refcl_launch | sed 's/^/refcl|/'; pocl_launch | sed 's/^/pocl|/'; } | awk -F'|' '
    { n = split($2, w, " "); k = 0
      for (i = 1; i < n; i++) if (w[i] == "median") v[++k] = w[i + 1]
      for (i = 1; i <= 2; i++) if (!(($1, i) in best) || v[i] < best[$1, i]) best[$1, i] = v[i] }
    END { printf "launch overhead, us of CPU time: waiting for each, refcl %s PoCL %s; after a thousand, refcl %s PoCL %s\n",
              best["refcl", 1], best["pocl", 1], best["refcl", 2], best["pocl", 2] }'
