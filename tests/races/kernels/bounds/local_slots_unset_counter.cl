// expect: data-race
// at: 11 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -c race,memory -g 8 -l 4 -a buf:64
// Nobody sets the counter in local memory to zero.  If each work-group goes on where the last one stopped, all slots
// differ; but each work-group has local memory of its own, which begins with any value, so slots are shared.
kernel void k(global int *out)
{
    local int next;
    int slot = atomic_inc(&next) & 63;
    out[slot] = (int)get_global_id(0);
}
