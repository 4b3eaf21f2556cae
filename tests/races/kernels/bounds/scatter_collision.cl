// expect: data-race
// at: 8 write, 8 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 8 -l 4 -a buf:8:iota -a buf:8
// The stride 6 and the length 8 have a common divisor, so two work-items write the same element.
kernel void k(global const int *in, global int *out)
{
    out[(in[get_global_id(0)] * 6 + 3) % 8] = (int)get_global_id(0);
}
