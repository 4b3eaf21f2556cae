#!/bin/bash
# ViennaCL: dense and sparse linear algebra, solvers, FFT, in float and double.
dir=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /usr/include/viennacl/vector.hpp ]; then
    echo "1..0 # SKIP not installed: viennacl/vector.hpp"
    exit 0
fi
program=${BUILD:-build}/tests/clients/packages/client_viennacl
mkdir -p "${program%/*}"
if [ ! "$program" -nt "$dir/client_viennacl_shim.cpp" ]; then
    g++ -std=c++17 -O1 -w -o "$program" "$dir/client_viennacl_shim.cpp" -lOpenCL -lpthread || exit 1
fi
exec timeout "${CLIENT_LIMIT:-600}" "$program"
