// expect: data-race
// at: 12 write, 17 read, different groups
// run: -g 32 -l 8 -a buf:32:iota -a buf:4 -a buf:1 -a buf:1
// mem_fence has work-group scope: it does not synchronize with the last group.
kernel void k(global const int *a, volatile global int *part, volatile global int *count, global int *out)
{
    int l = get_local_id(0);
    if (l == 0) {
        int t = 0;
        for (int i = 0; i < 8; i++)
            t += a[get_group_id(0) * 8 + i];
        part[get_group_id(0)] = t;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        if (atomic_inc(count) == get_num_groups(0) - 1) {
            int s = 0;
            for (uint i = 0; i < get_num_groups(0); i++)
                s += part[i];
            *out = s;
        }
    }
}
