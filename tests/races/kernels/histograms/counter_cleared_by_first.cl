// expect: data-race
// at: 9 write, 11 atomic-rmw, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:1 -a buf:16
// The first work-item clears the counter that all others use, plainly and unordered.
kernel void k(volatile global int *count, global int *out)
{
    if (get_global_id(0) == 0)
        *count = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = atomic_inc(count);
}
