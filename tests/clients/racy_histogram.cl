/* Counts how often each digit occurs.  Work-items of different work-groups add to the same bin of TOTAL
 * with a plain read and write: a data race. */
kernel void histogram(global const uchar *digits, uint count, global uint *total, local uint *bins)
{
    uint me = get_local_id(0);
    if (me < 10)
        bins[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        atomic_inc(&bins[digits[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (me < 10)
        total[me] += bins[me];
}
