// expect: data-race
// at: 9 read, 9 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:1
// A program-scope variable is shared by all work-items [CLC 6.7.1].
global int count = 0;
kernel void k(global int *out)
{
    count += 1;
    if (get_global_id(0) == 0)
        *out = 1;
}
