// expect: clean
// run: -g 32 -l 8 -a buf:32:iota -a buf:4
// The reduction of a work-group by a built-in function.
kernel void k(global const int *in, global int *out)
{
    int sum = work_group_reduce_add(in[get_global_id(0)]);
    if (get_local_id(0) == 0)
        out[get_group_id(0)] = sum;
}
