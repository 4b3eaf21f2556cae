// The MCS lock (Mellor-Crummey, Scott): each work-item waits for its own flag, which its predecessor clears.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:3:zero --arg buf:3:zero --arg buf:1:zero --arg buf:1:zero --assert "x[0]==2"
__kernel void k(__global atomic_int *next, __global atomic_int *waits, __global atomic_int *tail, __global int *x)
{
    int me = (int)get_global_id(0) + 1, other, last = me;

    atomic_store_explicit(&waits[me], 1, memory_order_relaxed, memory_scope_device);
    other = atomic_exchange_explicit(tail, me, memory_order_acq_rel, memory_scope_device);
    if (other) {
        atomic_store_explicit(&next[other], me, memory_order_release, memory_scope_device);
        while (atomic_load_explicit(&waits[me], memory_order_acquire, memory_scope_device))
            ;
    }
    x[0] += 1;
    if (atomic_compare_exchange_strong_explicit(tail, &last, 0, memory_order_release, memory_order_relaxed, memory_scope_device))
        return;
    do
        other = atomic_load_explicit(&next[me], memory_order_acquire, memory_scope_device);
    while (!other);
    atomic_store_explicit(&waits[other], 0, memory_order_release, memory_scope_device);
}
