// expect: data-race
// at: 9 write, 11 atomic-write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 4 -l 2 -a buf:1
// An atomic and a plain access to the same memory race [CL 3.3.6 G17].
kernel void k(global int *x)
{
    if (get_global_id(0) == 0)
        *x = 1;
    else if (get_global_id(0) == 3)
        atomic_store_explicit((global atomic_int *)x, 2, memory_order_seq_cst, memory_scope_device);
}
