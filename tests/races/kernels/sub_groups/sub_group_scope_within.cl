// expect: clean
// run: -k k --global 64 --local 64 --arg buf:1 --arg buf:1 --arg buf:1
/* A message within a sub-group, at sub-group scope [CL 3.3.5 O12]. */
kernel void k(global int *data, global atomic_int *flag, global int *out)
{
    if (get_sub_group_id() == 0 && get_sub_group_local_id() == 0) {
        data[0] = 1;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_sub_group);
    }
    if (get_sub_group_id() == 0 && get_sub_group_local_id() == 1) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_sub_group))
            ;
        out[0] = data[0];
    }
}
