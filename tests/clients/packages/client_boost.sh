#!/bin/bash
# Boost.Compute: algorithms, random numbers, functions, against the standard library.
dir=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /usr/include/boost/compute.hpp ]; then
    echo "1..0 # SKIP not installed: boost/compute.hpp"
    exit 0
fi
program=${BUILD:-build}/tests/clients/packages/client_boost
mkdir -p "${program%/*}"
if [ ! "$program" -nt "$dir/client_boost_shim.cpp" ]; then
    g++ -std=c++17 -O1 -w -o "$program" "$dir/client_boost_shim.cpp" -lOpenCL -lpthread || exit 1
fi
exec timeout "${CLIENT_LIMIT:-600}" "$program"
