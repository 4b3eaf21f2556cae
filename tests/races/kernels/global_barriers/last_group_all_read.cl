// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:32:iota -a buf:4 -a buf:1 -a buf:1
// The last group to arrive adds up the results; the barrier extends its leader's acquire to the whole group.
kernel void k(global const int *a, global const int *b, global int *part, global atomic_uint *count,
              global int *out)
{
    local int s[8];
    local int last;
    int l = get_local_id(0);
    s[l] = a[get_global_id(0)] * b[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 4; d; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        part[get_group_id(0)] = s[0];
        last = atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) ==
               get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (last) {
        s[l] = l < get_num_groups(0) ? part[l] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            int t = 0;
            for (int i = 0; i < 8; i++)
                t += s[i];
            *out = t;
        }
    }
}
