// expect: clean
// run: -g 8 -l 4 -a buf:2 -a buf:16
// Each work-item writes the slot that the counter gave it.
kernel void k(global int *n, global int *slots)
{
    int i = get_global_id(0), b = i & 1;
    int at = atomic_add(&n[b], 1);
    slots[b * 8 + at] = i;
}
