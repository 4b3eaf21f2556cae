#!/bin/bash
# A Vulkan device that is lost, hangs or has no memory costs only the test that ran; the campaign continues
# with a new device.
set -u
cd "$(dirname "$0")/../.." || exit 4
. tests/lib/litmus.sh
"$runner" --vulkan --list | grep -q '^device' || skip_all "no Vulkan driver"
real=$(ldconfig -p | sed -n 's/.*libvulkan\.so\.1 .*=> //p' | head -n 1)
[ -n "$real" ] || skip_all "no Vulkan driver: no path of its loader"
mkdir "$tmp/loader"
${CC:-cc} -shared -fPIC -O1 -fvisibility=hidden -o "$tmp/loader/libvulkan.so.1" tests/litmus/fake_loader.c -ldl
check "the defective loader builds" $?
"$refcl" litmus plan --vulkan -o "$tmp/plan.json" litmus/suite/message-passing litmus/suite/store-buffering litmus/suite/coherence
check "plan" $?
campaign() { # RESULTS FAULTS
    : >"$tmp/count"
    FAKE_VULKAN=$2 FAKE_VULKAN_COUNT=$tmp/count FAKE_VULKAN_REAL=$real LD_LIBRARY_PATH=$tmp/loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$runner" -n 2000 --batch 1000 --seed 9 --silence "$hang" -o "$1" "$tmp/plan.json" >"$tmp/log" 2>&1
}
hang=60
SECONDS=0
campaign "$tmp/whole.json" ""
check "a campaign without faults" $? || sed 's/^/# /' "$tmp/log"
hang=$((4 + 2 * SECONDS)) # seconds: no working batch takes longer than twice the whole campaign
campaign "$tmp/lost.json" "2 submit,4 wait,6 hang,8 early,10 memory"
[ $? -eq 1 ]
check "failed tests: exit code 1" $?
/usr/bin/python3 - "$tmp/lost.json" "$tmp/whole.json" "$hang" <<'PY'
import json, sys
lost, whole = ([t for t in json.load(open(f))["tests"] if t["status"] != "skipped"] for f in sys.argv[1:3])
expected = {2: ("failed", "vkQueueSubmit: the device was lost"), 4: ("failed", "vkWaitForFences: the device was lost"),
            6: ("timeout", f"no progress for {sys.argv[3]} s"), 8: ("failed", "vkWaitForFences failed"),
            10: ("failed", "vkAllocateMemory failed")}
wrong = [] if len(lost) == len(whole) > 12 else [f"{len(lost)} tests, {len(whole)} without faults"]
for i, (a, b) in enumerate(zip(lost, whole)):
    status, reason = expected.get(i, ("done", ""))
    if a["status"] != status or reason not in a.get("reason", "") or b["status"] != "done":
        wrong.append(f"{i}: {a['status']} {a.get('reason')}, without faults {b['status']}")
    if i not in expected and (a["name"], a["instances"]) != (b["name"], b["instances"]):
        wrong.append(f"{i}: {a['instances']} instances, without faults {b['instances']}")
    if i in expected and a["states"]:
        wrong.append(f"{i}: states of a batch that failed")
print("\n".join("# " + w for w in wrong))
sys.exit(bool(wrong))
PY
check "each costs the test that ran, with its reason; the others have all their instances" $? || sed 's/^/# /' "$tmp/log"
"$refcl" litmus judge "$tmp/lost.json" >"$tmp/judged"
[ $? -eq 3 ]
check "what did not end is unknown: exit code 3" $?
done_testing
