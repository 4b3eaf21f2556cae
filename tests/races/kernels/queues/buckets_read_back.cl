// expect: data-race
// at: 10 write, 11 read, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:2 -a buf:16 -a buf:8
// A slot is read when its number has been assigned, which does not order the read after the slot's write.
kernel void k(global int *n, global int *slots, global int *o)
{
    int i = get_global_id(0), b = i & 1;
    int at = atomic_add(&n[b], 1);
    slots[b * 8 + at] = i;
    o[i] = at ? slots[b * 8 + at - 1] : 0;
}
