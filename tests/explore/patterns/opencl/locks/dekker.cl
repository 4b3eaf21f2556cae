// Dekker's flags: a work-item enters if the other's flag is not set; seq_cst.
// Expect: race none
// Options: --global 2 --local 1 --arg buf:4:zero --arg buf:8:zero
__kernel void k(__global int *a, __global atomic_int *want)
{
    int me = get_global_id(0), other = 1 - me;

    atomic_store_explicit(&want[me], 1, memory_order_seq_cst, memory_scope_device);
    if (atomic_load_explicit(&want[other], memory_order_seq_cst, memory_scope_device) == 0)
        *a += 1;
}
