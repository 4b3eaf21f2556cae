// The first work-group is sure to go on. Who waits is of the group that counts second, who is left out of the other: a hang only
// where it is the first group that waits. Groups may not change places then.
// Expect: termination not-always
// Options: --global 4 --local 2 --arg buf:4:zero --arg buf:4:zero --arg buf:4:zero --progress qf=hsa
kernel void spin_first_group(global atomic_int *first, global atomic_int *second, global atomic_int *go)
{
    if (get_local_id(0) == 0) {
        if (atomic_fetch_add_explicit(first, 1, memory_order_relaxed, memory_scope_device) == 1)
            while (atomic_load_explicit(go, memory_order_relaxed, memory_scope_device) == 0)
                ;
    } else {
        if (atomic_fetch_add_explicit(second, 1, memory_order_relaxed, memory_scope_device) == 1)
            atomic_store_explicit(go, 1, memory_order_relaxed, memory_scope_device);
    }
}
