// expect: data-race
// at: 8 read, 10 write, same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 8 -a buf:16:iota -a buf:1
// Elements move to the front of the array, where other work-items have not read yet.
kernel void k(global int *a, global atomic_int *n)
{
    int v = a[get_global_id(0)];
    if (v & 1)
        a[atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device)] = v;
}
