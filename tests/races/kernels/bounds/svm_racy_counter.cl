// expect: data-race
// at: 9 read, 9 write, different groups or same group
// reason: no synchronization orders the two accesses
// fix: one atomic operation
// run: -g 8 -l 4 -a svm:1
// A plain counter in shared virtual memory.
kernel void k(global int *count)
{
    *count += 1;
}
