// expect: data-race
// at: 9 write, 13 read, different groups
// reason: memory_order_release, which does not acquire
// fix: memory_order_acq_rel
// run: -g 8 -l 2 -a buf:8 -a buf:1:fill=8 -a buf:1
// The last user does not acquire what the others released.
kernel void k(global int *data, global atomic_int *users, global int *sum)
{
    data[get_global_id(0)] = (int)get_global_id(0);
    if (atomic_fetch_sub_explicit(users, 1, memory_order_release, memory_scope_device) != 1)
        return;
    for (int i = 0; i < 8; i++)
        *sum += data[i];
}
