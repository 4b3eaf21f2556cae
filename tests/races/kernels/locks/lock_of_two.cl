// expect: clean
// run: -g 2 -l 1 -a buf:3 -a buf:1
// Two flags and a turn, sequentially consistent.
#define S memory_scope_device
kernel void k(global atomic_int *f, global int *x)
{
    int me = get_global_id(0), you = 1 - me;
    atomic_store_explicit(&f[me], 1, memory_order_seq_cst, S);
    atomic_store_explicit(&f[2], you, memory_order_seq_cst, S);
    while (atomic_load_explicit(&f[you], memory_order_seq_cst, S) &&
           atomic_load_explicit(&f[2], memory_order_seq_cst, S) == you)
        ;
    *x += 1;
    atomic_store_explicit(&f[me], 0, memory_order_release, S);
}
