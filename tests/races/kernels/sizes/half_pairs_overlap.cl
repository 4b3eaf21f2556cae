// expect: data-race
// at: 8 write, 8 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 4 -a buf:16
// A pair of halves is written at every element, so pairs overlap.
kernel void k(global half *a)
{
    vstore_half2((float2)(1.0f, 2.0f), 0, a + get_global_id(0));
}
