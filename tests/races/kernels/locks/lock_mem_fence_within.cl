// expect: clean
// run: -g 4 -l 4 -a buf:1 -a buf:1
// A lock of OpenCL C 1.x with mem_fence works within a work-group.
kernel void k(volatile global int *lock, global int *sum)
{
    while (atomic_xchg(lock, 1))
        ;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *sum += 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}
