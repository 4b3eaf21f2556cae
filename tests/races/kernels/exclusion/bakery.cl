// expect: clean
// run: -g 4 -l 1 -a buf:4 -a buf:4 -a buf:1
// Lamport's bakery algorithm, sequentially consistent.
kernel void k(global atomic_int *choosing, global atomic_int *number, global int *sum)
{
    int me = (int)get_global_id(0), n = (int)get_global_size(0), most = 0;
    atomic_store(&choosing[me], 1);
    for (int i = 0; i < n; i++)
        most = max(most, atomic_load(&number[i]));
    atomic_store(&number[me], most + 1);
    atomic_store(&choosing[me], 0);
    for (int i = 0; i < n; i++) {
        while (atomic_load(&choosing[i]))
            ;
        for (;;) {
            int other = atomic_load(&number[i]);
            if (other == 0 || other > most + 1 || (other == most + 1 && i >= me))
                break;
        }
    }
    *sum += 1;
    atomic_store(&number[me], 0);
}
