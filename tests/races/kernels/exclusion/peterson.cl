// expect: clean
// run: -g 2 -l 1 -a buf:2 -a buf:1 -a buf:1
// Peterson's lock, sequentially consistent.
kernel void k(global atomic_int *wants, global atomic_int *turn, global int *sum)
{
    int me = (int)get_global_id(0);
    atomic_store(&wants[me], 1);
    atomic_store(turn, !me);
    while (atomic_load(&wants[!me]) && atomic_load(turn) == !me)
        ;
    *sum += 1;
    atomic_store(&wants[me], 0);
}
