#!/bin/bash
# Collects what a bare machine needs beside litmus/run/ to run a campaign:
#   litmus/run/pack.sh FOLDER [TEST...]     (default: the whole suite)
# FOLDER/plan.json is the plan, FOLDER/debs/ the packages with headers and libraries that may be missing there.
# Environment: BUILD (default build) has the refcl command.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: pack.sh FOLDER [TEST...]}
shift
[ $# -gt 0 ] || set -- "$here/../suite"
mkdir -p "$folder/debs"
"${BUILD:-build}/refcl" litmus plan -o "$folder/plan.json" "$@"
(cd "$folder/debs" && apt-get download opencl-c-headers opencl-headers ocl-icd-opencl-dev ocl-icd-libopencl1 libcjson1 libcjson-dev)
du -sh "$folder"
