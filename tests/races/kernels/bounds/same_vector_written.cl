// expect: data-race
// kind: uniform-write
// at: 8 write, 8 write, different groups or same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:16
kernel void k(global float4 *out)
{
    out[0] = (float4)(1, 2, 3, 4);
}
