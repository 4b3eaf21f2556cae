// expect: data-race
// at: 8 read, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 16 -l 4 -a buf:64 -a buf:1
// A counter that is no atomic.
kernel void k(global int *slots, global int *next)
{
    int mine = (*next)++;
    slots[mine] = (int)get_global_id(0);
}
