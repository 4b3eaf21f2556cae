// Only the first work-group is guaranteed to make progress. The group that counts second waits for the other:
// it hangs if the waiting group is the first. Work-groups are not symmetric then.
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
