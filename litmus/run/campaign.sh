#!/bin/bash
# A whole campaign on a machine that has a C compiler and an OpenCL driver, and maybe nothing else:
# builds the runner, measures message passing, runs the plan in shards side by side, merges the results.
#
#   litmus/run/campaign.sh --plan FILE --out FOLDER [--debs FOLDER] [--budget SECONDS] [--shards N]
#                          [--throughput SECONDS] [-- RUNNER OPTIONS...]
#
# --budget: seconds for the tests together (default 180); builds of kernels count.  0: no limit, but the number of instances that
# the plan or the runner's option -n says, so that other work on the machine cuts nothing.  --throughput: seconds for
# each of the settings that are measured on message passing (default 3, 0: skip).  FOLDER gets results.json,
# throughput.txt, throughput.json, campaign.log.
#   litmus/run/campaign.sh --vulkan --plan FOLDER --out FOLDER [--debs FOLDER] [--shards N]
#
# runs the plans of FOLDER, which litmus/run/pack.sh --vulkan wrote, on a Vulkan device: throughput, the shapes with random
# knobs, tuning, the shapes with the tuned knobs, the suite with random and with tuned knobs, seq_cst, two queue families,
# 64-bit locations, pointers, mutants (four passes: each runs what no earlier one has seen).  A part whose plan FOLDER lacks
# is left out; FOLDER/tuning.json is used instead of tuning.  Each part has a time limit; all take less than twelve minutes.
# FOLDER gets a compressed results file for each part, and tuning.json.
# A machine without a Vulkan loader uses that of the packages.
#
# Without OpenCL headers or cJSON, give the packages that litmus/run/pack.sh collects.
set -u
here=$(cd "$(dirname "$0")" && pwd)
plan='' out='' debs='' budget=180 shards=4 throughput=3 vulkan=''
while [ $# -gt 0 ]; do
    case $1 in
    --vulkan)
        vulkan=yes
        shift
        continue
        ;;
    --plan) plan=$2 ;;
    --out) out=$2 ;;
    --debs) debs=$2 ;;
    --budget) budget=$2 ;;
    --shards) shards=$2 ;;
    --throughput) throughput=$2 ;;
    --)
        shift
        break
        ;;
    *)
        echo "campaign.sh: no option '$1'" >&2
        exit 2
        ;;
    esac
    shift 2 || { echo "campaign.sh: '$1' needs a value" >&2; exit 2; }
done
[ -n "$plan" ] && [ -n "$out" ] || { echo "campaign.sh: --plan and --out are needed" >&2; exit 2; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Packages are unpacked beside everything else: nothing of the system is changed.
flags=()
if [ -n "$debs" ]; then
    for deb in "$debs"/*.deb; do
        dpkg -x "$deb" "$work/root" 2>/dev/null || { (cd "$work" && ar x "$(realpath "$deb")" && mkdir -p root &&
            tar -xf data.tar.* -C root && rm -f data.tar.*) || exit 2; }
    done
    libraries=$(dirname "$(find "$work/root" -name 'libcjson.so.1*' | head -n 1)")
    flags=(-I"$work/root/usr/include" -L"$libraries" -Wl,-rpath,"$libraries")
    # The machine's own loader and cJSON go first where it has them.
fi
${CC:-cc} -O2 -D_GNU_SOURCE -o "$work/runner" "$here"/*.c "$here"/vk/*.c "${flags[@]}" -lOpenCL -lcjson -ldl -pthread || exit 2

# ---- Vulkan ----

# Name, seconds, number of processes side by side, and options of the runner; the plan is NAME up to the first '-'.
part() {
    local name=$1 seconds=$2 processes=$3 k pids=()
    shift 3
    [ -f "$work/${name%%-*}.json" ] || return 0
    for k in $(seq 1 "$processes"); do
        timeout -k 5 $((seconds + 30)) "$work/runner" -q --vulkan --silence 20 --shard "$k/$processes" --budget "$seconds" \
            -o "$work/$name-$k.json" "$@" "$work/${name%%-*}.json" >"$work/$name-$k.log" 2>&1 &
        pids+=($!)
    done
    wait "${pids[@]}"
    "$work/runner" --merge -o "$work/$name-all.json" "$work/$name"-[0-9]*.json &&
        gzip -9 <"$work/$name-all.json" >"$out/$name.json.gz"
    { echo "== $name, $seconds s"; cat "$work/$name"-[0-9]*.log; } | tee -a "$out/campaign.log"
}

vulkan_campaign() {
    local setting=() stride scatter rotate millions test name library
    library=$(find "$work/root" -name 'libvulkan.so.1' 2>/dev/null | head -n 1)
    if [ -n "$library" ] && ! ldconfig -p | grep -q 'libvulkan\.so\.1'; then
        LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        export LD_LIBRARY_PATH
    fi
    # A driver that is installed where the loader does not look.
    if [ -z "${VK_DRIVER_FILES:-}" ] && ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1; then
        VK_DRIVER_FILES=$(find /usr/local /opt -name 'nvidia_icd*.json' 2>/dev/null | head -n 1)
        [ -n "$VK_DRIVER_FILES" ] && export VK_DRIVER_FILES
        __EGL_VENDOR_LIBRARY_FILENAMES=$(find /usr/local /opt -name '10_nvidia.json' 2>/dev/null | head -n 1)
        [ -n "$__EGL_VENDOR_LIBRARY_FILENAMES" ] && export __EGL_VENDOR_LIBRARY_FILENAMES
    fi
    {
        date -u
        uname -a
        nvidia-smi --query-gpu=name,driver_version --format=csv 2>/dev/null
        "$work/runner" --list --vulkan
    } | tee "$out/campaign.log"
    if ! "$work/runner" --list --vulkan | grep -q '^device'; then
        VK_LOADER_DEBUG=all "$work/runner" --list --vulkan >"$out/loader.log" 2>&1
        echo "campaign.sh: no Vulkan device ($out/loader.log)" >&2
        return 2
    fi
    for name in "$plan"/*.json.gz; do
        gunzip -c "$name" >"$work/$(basename "$name" .gz)"
    done
    local quiet=(--knob align=0 --knob before=0 --knob stress_every=0 --knob lanes=1 --knob split=0 --knob shuffle=0)
    : >"$out/throughput.txt"
    for setting in "1 1 0 1" "1 1 1 1" "1 1 1 4" "2 1 1 1" "8 40503 1 1"; do
        [ -f "$work/suite.json" ] || break
        read -r stride scatter rotate millions <<<"$setting"
        for test in "MP+rlx.dev-rlx.dev+rlx.dev-rlx.dev@0a1a.gg" MP+rel+acq; do
            timeout 20 "$work/runner" -q --vulkan --exact --test "$test" --budget 2 --batch $((millions * 1048576)) "${quiet[@]}" \
                --tuning none --knob stride="$stride" --knob scatter="$scatter" --knob rotate="$rotate" \
                -o "$work/throughput-$((++number)).json" "$work/suite.json" >"$work/t.txt" 2>&1
            echo "$test stride=$stride scatter=$scatter rotate=$rotate batch=${millions}M: $(tail -n 1 "$work/t.txt")" |
                tee -a "$out/throughput.txt"
        done
    done
    [ ! -f "$work/suite.json" ] ||
        { "$work/runner" --merge -o "$work/throughput.json" "$work"/throughput-*.json && gzip -9 <"$work/throughput.json" >"$out/throughput.json.gz"; }
    part shapes-untuned 30 1 --tuning none
    if [ -f "$plan/tuning.json" ]; then
        cp "$plan/tuning.json" "$out"
    elif [ -f "$work/shapes.json" ]; then
        timeout -k 5 100 "$work/runner" --vulkan --tune --budget 60 --silence 20 -o "$out/tuning.json" "$work/shapes.json" 2>&1 |
            tee -a "$out/campaign.log"
    fi
    local tuned=(--tuning none)
    [ -f "$out/tuning.json" ] && tuned=(--tuning "$out/tuning.json")
    part shapes-tuned 30 1 "${tuned[@]}"
    part suite-untuned 110 "$shards" --tuning none
    part suite-tuned 110 "$shards" "${tuned[@]}"
    part seq_cst 35 "$shards" "${tuned[@]}"
    part more 10 "$shards" "${tuned[@]}"
    part families 35 "$shards" "${tuned[@]}"
    part wide 25 "$shards" "${tuned[@]}" --variant "64-bit locations"
    part pointers 25 "$shards" "${tuned[@]}" --variant "accesses through pointers"
    part both 12 "$shards" "${tuned[@]}" --variant "64-bit locations, accesses through pointers"
    local pass seen=()
    for pass in 1 2 3 4; do # each runs the mutants that no earlier one has seen
        [ $((pass % 2)) = 0 ] && setting=("${tuned[@]}") || setting=(--tuning none)
        part "mutants-$pass" 28 "$shards" --until-seen --seed "$pass" "${setting[@]}" "${seen[@]}"
        [ -f "$work/mutants-$pass-all.json" ] || break
        "$work/runner" --merge -o "$work/seen-$pass.json" "$work"/mutants-?-all.json
        seen=(--unseen "$work/seen-$pass.json")
    done
    date -u >>"$out/campaign.log"
}
if [ -n "$vulkan" ]; then
    number=0
    vulkan_campaign
    exit
fi

# A driver that is installed but not registered.
if [ -z "${OCL_ICD_VENDORS:-}" ] && ! ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; then
    driver=$(ldconfig -p | sed -n 's/.*libnvidia-opencl\.so\.1.* => //p' | head -n 1)
    [ -n "$driver" ] || driver=$(find /usr /opt -name 'libnvidia-opencl.so.1' 2>/dev/null | head -n 1)
    [ -n "$driver" ] && export OCL_ICD_VENDORS=$driver
fi
{
    date -u
    uname -a
    "$work/runner" --list
} | tee "$out/campaign.log"

# Message passing: the plain layout and variations of it, instances a second.
if [ "$throughput" != 0 ]; then
    quiet=(--knob align=0 --knob before=0 --knob stress_every=0 --knob lanes=1 --knob split=0)
    : >"$out/throughput.txt"
    for setting in "1 1 0 1" "1 1 1 1" "1 1 1 4" "2 1 1 1" "4 1 1 1" "1 40503 1 1" "8 40503 1 1"; do
        read -r stride scatter rotate millions <<<"$setting"
        for test in "MP+rlx.dev-rlx.dev+rlx.dev-rlx.dev@0a1a.gg" MP+rel+acq; do
            name="$work/t.json"
            "$work/runner" -q --exact --test "$test" --budget "$throughput" --batch $((millions * 1048576)) "${quiet[@]}" \
                --knob stride="$stride" --knob scatter="$scatter" --knob rotate="$rotate" --knob shuffle=0 \
                -o "$name" "$plan" "$@" >"$work/t.txt" 2>&1
            echo "$test stride=$stride scatter=$scatter rotate=$rotate batch=${millions}M: $(tail -n 1 "$work/t.txt")" |
                tee -a "$out/throughput.txt"
            if [ -f "$out/throughput.json" ]; then
                "$work/runner" --merge -o "$out/throughput.json" "$out/throughput.json" "$name"
            else
                cp "$name" "$out/throughput.json"
            fi
        done
    done
fi

# The plan.  Shards build their kernels concurrently and share the device.
pids=()
limit=(--budget "$budget" --silence 20)
[ "$budget" != 0 ] || limit=()
for k in $(seq 1 "$shards"); do
    "$work/runner" -q --shard "$k/$shards" "${limit[@]}" --resume -o "$out/shard-$k.json" "$plan" "$@" \
        >"$work/shard-$k.log" 2>&1 &
    pids+=($!)
done
code=0
for pid in "${pids[@]}"; do
    wait "$pid" || code=$?
done
cat "$work"/shard-*.log | tee -a "$out/campaign.log"
"$work/runner" --merge -o "$out/results.json" "$out"/shard-*.json && rm -f "$out"/shard-*.json
exit "$code"
