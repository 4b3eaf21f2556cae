// expect: data-race
// at: 10 write, 10 write, different groups
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:16:rand=9 -a buf:1 -a buf:1
// The maximum is updated atomically, its index plainly.
kernel void k(global const int *a, global atomic_int *best, global int *place)
{
    int i = (int)get_global_id(0);
    if (atomic_fetch_max_explicit(best, a[i] & 0xffff, memory_order_relaxed, memory_scope_device) < (a[i] & 0xffff))
        *place = i;
}
