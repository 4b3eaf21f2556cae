#!/bin/bash
# Collects the files that a bare machine needs in addition to litmus/run/ to run a campaign:
#   litmus/run/pack.sh FOLDER [TEST...]            for OpenCL (default: the whole suite)
#   litmus/run/pack.sh --vulkan FOLDER [TEST...]   for Vulkan
# FOLDER/plan.json is the plan, FOLDER/debs/ the packages with headers and libraries that may be missing there.  For Vulkan
# the plans are compressed: suite (the tests), shapes (those that tuning uses), seq_cst (tests whose seq_cst becomes the
# strongest order that Vulkan has), families (every second work-group in another queue family), wide (64-bit locations),
# pointers, both (of them), mutants, if the environment variable MUTANTS names a folder that litmus/generate/mutants.py wrote,
# and more, if MORE names a folder of further tests.
# Environment: BUILD (default build) has the refcl command.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
vulkan=''
[ "${1:-}" != --vulkan ] || { vulkan=yes; shift; }
folder=${1:?usage: pack.sh [--vulkan] FOLDER [TEST...]}
shift
mkdir -p "$folder/debs"
folder=$(realpath "$folder")
refcl=$(realpath "${BUILD:-build}/refcl")
suite=litmus/suite
if [ $# -eq 0 ]; then # paths from the repository's root, as tables need them
    cd "$here/../.."
    set -- "$suite"
else
    suite=$here/../suite
fi
plan() { # NAME OPTION-OR-TEST...
    local name=$1
    shift
    "$refcl" litmus plan --vulkan "$@" | gzip -9 >"$folder/$name.json.gz"
}
if [ -z "$vulkan" ]; then
    "$refcl" litmus plan -o "$folder/plan.json" "$@"
    packages=()
else
    plan suite "$@"
    plan shapes "$suite/generated-relaxed" "$suite/generated-relaxed-work-group"
    mapfile -t ordered < <(grep -rl --include='*.litmus' memory_order_seq_cst "$@" | grep -v /host-)
    [ ${#ordered[@]} -eq 0 ] || plan seq_cst --mapping clspv "${ordered[@]}"
    plan families --mapping families "$@"
    plan wide --wide "$@"
    plan pointers --pointers "$@"
    plan both --wide --pointers "$@"
    [ -z "${MUTANTS:-}" ] || plan mutants "$MUTANTS"
    [ -z "${MORE:-}" ] || plan more "$MORE"
    packages=(libvulkan-dev libvulkan1 libegl1 libglvnd0 libopengl0 libgl1 libglx0 libgles2)
fi
(cd "$folder/debs" && apt-get download opencl-c-headers opencl-headers ocl-icd-opencl-dev ocl-icd-libopencl1 libcjson1 libcjson-dev \
    "${packages[@]}")
du -sh "$folder"
