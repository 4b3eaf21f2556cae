// expect: data-race
// at: 11 write, 11 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -c race,memory -g 8 -l 4 -a buf:64
// The counter in local memory is not initialized.  Slots would differ only if each work-group continued to
// count where the last one stopped; but its local memory begins with any value, so work-groups share slots.
kernel void k(global int *out)
{
    local int next;
    int slot = atomic_inc(&next) & 63;
    out[slot] = (int)get_global_id(0);
}
