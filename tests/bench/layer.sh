#!/bin/bash
# Cost of the loader layer on the installed driver: alone, with the layer idle, writing a trace, and under the detector.
build=$(realpath "${BUILD:-build}")
program=$build/tests/bench/layer_cost
count=${1:-200000}
mkdir -p "${program%/*}"
gcc -O2 -o "$program" "$(dirname "$0")/layer_cost.c" -lOpenCL || exit 1
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
echo "alone:    $("$program" "$count")"
echo "layer:    $(OPENCL_LAYERS=$build/librefcl-layer.so "$program" "$count")"
echo "trace:    $(OPENCL_LAYERS=$build/librefcl-layer.so REFCL_LAYER_TRACE=$trace "$program" "$count")"
echo "detector: $("$build/refcl" run --on-driver --quiet -- "$program" "$count")"
iterations=${2:-20000} # of about a millisecond on PoCL
echo "kernels alone:    $("$program" 2000 "$iterations")"
echo "kernels layer:    $(OPENCL_LAYERS=$build/librefcl-layer.so REFCL_LAYER_TRACE=$trace "$program" 2000 "$iterations")"
echo "kernels detector: $("$build/refcl" run --on-driver --quiet -- "$program" 2000 "$iterations")"
