// Lamport's bakery, two work-groups: each draws a number above the other's and waits for the lower one.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 2 --local 1 --bound 3 --arg buf:8:zero --arg buf:8:zero --arg buf:4:zero --assert count[0]==2
__kernel void k(__global atomic_int *choosing, __global atomic_int *number, __global int *count)
{
    int me = get_group_id(0), other = 1 - me, mine, theirs;

    atomic_store_explicit(&choosing[me], 1, memory_order_seq_cst, memory_scope_device);
    mine = atomic_load_explicit(&number[other], memory_order_seq_cst, memory_scope_device) + 1;
    atomic_store_explicit(&number[me], mine, memory_order_seq_cst, memory_scope_device);
    atomic_store_explicit(&choosing[me], 0, memory_order_seq_cst, memory_scope_device);
    while (atomic_load_explicit(&choosing[other], memory_order_seq_cst, memory_scope_device) == 1)
        ;
    do {
        theirs = atomic_load_explicit(&number[other], memory_order_seq_cst, memory_scope_device);
    } while (theirs != 0 && (theirs < mine || (theirs == mine && other < me)));
    *count = *count + 1;
    atomic_store_explicit(&number[me], 0, memory_order_seq_cst, memory_scope_device);
}
