#!/bin/bash
# A whole campaign on a machine that has a C compiler and an OpenCL driver, and maybe nothing else:
# builds the runner, measures message passing, runs the plan in shards side by side, merges the results.
#
#   litmus/run/campaign.sh --plan FILE --out FOLDER [--debs FOLDER] [--budget SECONDS] [--shards N]
#                          [--throughput SECONDS] [-- RUNNER OPTIONS...]
#
# --budget: seconds for the tests together (default 180); builds of kernels count.  --throughput: seconds for
# each of the settings that are measured on message passing (default 3, 0: skip).  FOLDER gets results.json,
# throughput.txt, throughput.json, campaign.log.
# Without OpenCL headers or cJSON, give the packages that litmus/run/pack.sh collects.
set -u
here=$(cd "$(dirname "$0")" && pwd)
plan='' out='' debs='' budget=180 shards=4 throughput=3
while [ $# -gt 0 ]; do
    case $1 in
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
${CC:-cc} -O2 -D_GNU_SOURCE -o "$work/runner" "$here"/*.c "${flags[@]}" -lOpenCL -lcjson -pthread || exit 2

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

# The plan.  Shards build their kernels side by side; the device takes turns.
pids=()
for k in $(seq 1 "$shards"); do
    "$work/runner" -q --shard "$k/$shards" --budget "$budget" --timeout 20 --resume -o "$out/shard-$k.json" "$plan" "$@" \
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
