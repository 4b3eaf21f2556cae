// expect: clean
// run: -g 4 -l 1 -a buf:1 -a buf:1 -a buf:4
// Atomic functions without order and scope arguments: seq_cst at device scope.
kernel void k(global atomic_int *f, global int *d, global int *o)
{
    int i = get_global_id(0);
    if (i == 0) {
        *d = 42;
        atomic_store(f, 1);
    } else {
        while (!atomic_load(f))
            ;
        o[i] = *d;
    }
}
