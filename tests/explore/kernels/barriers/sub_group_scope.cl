// Options: -g 2 --subgroup 2 --arg buf:1:zero --arg buf:1:zero --arg buf:1:zero
// Expect: race none, termination always, sub_group_size 2
/* Whether the message is received depends on the sub-group size, which the verdict names. */
kernel void k(global int *data, global atomic_int *ready, global int *out)
{
    if (get_global_id(0) == 0) {
        *data = 1;
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_sub_group);
    } else if (atomic_load_explicit(ready, memory_order_acquire, memory_scope_sub_group) == 1) {
        *out = *data;
    }
}
