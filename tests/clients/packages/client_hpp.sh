#!/bin/bash
# The C++ bindings: shared virtual memory, pipes, device-side enqueue, sub-devices.
dir=$(cd "$(dirname "$0")" && pwd)
if [ ! -e /usr/include/CL/opencl.hpp ]; then
    echo "1..0 # SKIP not installed: CL/opencl.hpp"
    exit 0
fi
program=${BUILD:-build}/tests/clients/packages/client_hpp
mkdir -p "${program%/*}"
if [ ! "$program" -nt "$dir/client_hpp_shim.cpp" ]; then
    g++ -std=c++17 -O1 -w -o "$program" "$dir/client_hpp_shim.cpp" -lOpenCL -lpthread || exit 1
fi
exec timeout "${CLIENT_LIMIT:-600}" "$program"
