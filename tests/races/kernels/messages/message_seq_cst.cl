// expect: clean
// run: -g 8 -l 4 -a buf:1 -a buf:1
// The default order is seq_cst at device scope, which releases and acquires.
kernel void k(global int *data, global atomic_int *flag)
{
    size_t i = get_global_id(0);
    if (i == 0) {
        *data = 1;
        atomic_store(flag, 1);
    } else if (i == 4) {
        while (atomic_load(flag) == 0)
            ;
        *data += 1;
    }
}
