// expect: clean
// run: -g 8 -l 4 -a buf:2 -a buf:1
// With seq_cst at most one of the two finds the other's flag unset.
kernel void k(global atomic_int *wants, global int *data)
{
    size_t i = get_global_id(0);
    if (i % 4)
        return;
    size_t me = i / 4;
    atomic_store(&wants[me], 1);
    if (atomic_load(&wants[1 - me]) == 0)
        *data += 1;
}
