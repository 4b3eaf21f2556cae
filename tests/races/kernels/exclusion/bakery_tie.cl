// expect: data-race
// at: 11 read, 11 write, different groups
// run: -g 4 -l 1 -a buf:4 -a buf:4 -a buf:1
// Ties are not broken, and no work-item waits while another one chooses.
kernel void k(global atomic_int *choosing, global atomic_int *number, global int *sum)
{
    int me = (int)get_global_id(0), n = (int)get_global_size(0), most = 0;
    for (int i = 0; i < n; i++)
        most = max(most, atomic_load_explicit(&number[i], memory_order_relaxed, memory_scope_device));
    atomic_store_explicit(&number[me], most + 1, memory_order_relaxed, memory_scope_device);
    *sum += 1;
    atomic_store_explicit(&number[me], 0, memory_order_relaxed, memory_scope_device);
}
