// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:4 -a buf:1 -a buf:1
// Fences of device scope around an atomic of OpenCL 1.x.
kernel void k(global const int *a, global int *part, global int *count, global int *out)
{
    int l = get_local_id(0);
    if (l == 0) {
        int t = 0;
        for (int i = 0; i < 8; i++)
            t += a[get_group_id(0) * 8 + i];
        part[get_group_id(0)] = t;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        if (atomic_inc(count) == get_num_groups(0) - 1) {
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
            int s = 0;
            for (uint i = 0; i < get_num_groups(0); i++)
                s += part[i];
            *out = s;
        }
    }
}
