// expect: clean
// run: -g 16 -l 4 -a buf:16 -a buf:1
// A relaxed counter hands out each slot once.
kernel void k(global int *slots, global atomic_int *next)
{
    int mine = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    slots[mine] = (int)get_global_id(0);
}
