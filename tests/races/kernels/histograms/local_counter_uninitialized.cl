// expect: uninitialized-read
// at: 8
// run: -c race,memory,uninitialized -g 4 -l 4 -a buf:1
// The counter in local memory is not initialized.
kernel void k(global int *out)
{
    local int count;
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        *out = count;
}
