// expect: clean
// run: -g 8 -l 4 -a buf:40:iota -a 40
// Grid-stride loop: each work-item accesses its own residue class.
kernel void k(global int *a, int n)
{
    for (size_t i = get_global_id(0); i < (size_t)n; i += get_global_size(0))
        a[i] *= 2;
}
