// expect: clean
// run: -g 4 -l 4 -a buf:16:iota -a buf:16
// A vector of three elements is read while another work-item writes the element after it.
kernel void k(global int *x, global int *out)
{
    int i = get_global_id(0);
    int3 v = vload3(0, x + 4 * i);
    x[4 * ((i + 1) % 4) + 3] = v.x;
    out[i] = v.y + v.z;
}
