// expect: data-race
// at: 9 write, 15 read, different groups
// reason: is relaxed and no acquire fence follows
// run: -g 6 -l 1 -a buf:16 -a buf:16 -a buf:2 -a buf:6
// Readers follow the links without acquire.
kernel void k(global int *val, global atomic_int *next, global atomic_int *tail, global int *out)
{
    int id = get_global_id(0) + 1;
    val[id] = id * 10;
    int t = atomic_exchange_explicit(tail, id, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&next[t], id, memory_order_release, memory_scope_device);
    int s = 0;
    for (int n = atomic_load_explicit(&next[0], memory_order_relaxed, memory_scope_device); n;
         n = atomic_load_explicit(&next[n], memory_order_relaxed, memory_scope_device))
        s += val[n];
    out[id - 1] = s;
}
