// Peterson's lock without seq_cst: the later exchange of the turn acquires the other work-group's flag.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:2:zero --arg buf:1:zero --arg buf:1:zero --assert "x[0]==2"
__kernel void k(__global atomic_int *wants, __global atomic_int *turn, __global int *x)
{
    int i = (int)get_group_id(0);

    atomic_store_explicit(&wants[i], 1, memory_order_relaxed, memory_scope_device);
    atomic_exchange_explicit(turn, 1 - i, memory_order_acq_rel, memory_scope_device);
    while (atomic_load_explicit(&wants[1 - i], memory_order_acquire, memory_scope_device) &&
           atomic_load_explicit(turn, memory_order_relaxed, memory_scope_device) == 1 - i)
        ;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    x[0] += 1;
    atomic_store_explicit(&wants[i], 0, memory_order_release, memory_scope_device);
}
