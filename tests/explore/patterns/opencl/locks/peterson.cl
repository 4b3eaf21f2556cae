// Peterson's lock of two work-groups: the flags and the turn are sequentially consistent.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --arg buf:8:zero --arg buf:4:zero --arg buf:4:zero --assert count[0]==2
__kernel void k(__global atomic_int *flag, __global atomic_int *turn, __global int *count)
{
    int me = get_group_id(0), other = 1 - me;

    atomic_store_explicit(&flag[me], 1, memory_order_seq_cst, memory_scope_device);
    atomic_store_explicit(turn, other, memory_order_seq_cst, memory_scope_device);
    while (atomic_load_explicit(&flag[other], memory_order_seq_cst, memory_scope_device) == 1 &&
           atomic_load_explicit(turn, memory_order_seq_cst, memory_scope_device) == other)
        ;
    *count = *count + 1;
    atomic_store_explicit(&flag[me], 0, memory_order_seq_cst, memory_scope_device);
}
