#!/bin/bash
# The same seed gives the same trace, byte by byte; another seed another trace.
set -u
REFCL=${REFCL:-${BUILD:-build}/refcl}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/k.cl" <<'CL'
global int total;
kernel void k(global int *a, global int *b, local int *l) {
    size_t i = get_global_id(0), j = get_local_id(0);
    l[j] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = l[j ^ 1] + work_group_reduce_add((int)j);
    atomic_add(&a[0], 1);
    atomic_fetch_add_explicit((volatile global atomic_int *)&total, 1, memory_order_relaxed, memory_scope_device);
}
CL
number=0
is() { # name, condition's status
    number=$((number + 1))
    if [ "$2" -eq 0 ]; then echo "ok $number - $1"; else echo "not ok $number - $1"; fi
}
trace() { # name, schedule, seed
    "$REFCL" kernel "$folder/k.cl" -k k --global 32 --local 8 --arg buf:64 --arg buf:64 --arg local:64 --schedule "$2" --seed "$3" \
        --trace "$folder/$1" >/dev/null 2>&1
}
for schedule in sequential random fair; do
    trace 1 $schedule 5
    trace 2 $schedule 5
    test -s "$folder/1" && cmp -s "$folder/1" "$folder/2"
    is "schedule $schedule, twice with seed 5: the same trace" $?
done
trace 1 random 5
trace 2 random 6
! cmp -s "$folder/1" "$folder/2"
is "schedule random, seeds 5 and 6: not the same trace" $?
echo "1..$number"
