// expect: clean
// run: -g 8 -l 2 -a buf:8 -a buf:1:fill=8 -a buf:1
// The last user cleans up: release decrements, and an acquire fence in the last one.
kernel void k(global int *data, global atomic_int *users, global int *sum)
{
    data[get_global_id(0)] = (int)get_global_id(0);
    if (atomic_fetch_sub_explicit(users, 1, memory_order_release, memory_scope_device) != 1)
        return;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    for (int i = 0; i < 8; i++)
        *sum += data[i];
}
