// expect: clean
// run: -g 6 -l 1 -a buf:16 -a buf:16 -a buf:2 -a buf:6
// Nodes are linked after the tail that an exchange returned; readers follow the links with acquire.
kernel void k(global int *val, global atomic_int *next, global atomic_int *tail, global int *out)
{
    int id = get_global_id(0) + 1;
    val[id] = id * 10;
    int t = atomic_exchange_explicit(tail, id, memory_order_acq_rel, memory_scope_device);
    atomic_store_explicit(&next[t], id, memory_order_release, memory_scope_device);
    int s = 0;
    for (int n = atomic_load_explicit(&next[0], memory_order_acquire, memory_scope_device); n;
         n = atomic_load_explicit(&next[n], memory_order_acquire, memory_scope_device))
        s += val[n];
    out[id - 1] = s;
}
