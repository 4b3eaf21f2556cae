// expect: data-race
// at: 16 read, 20 write, same group; 16 read, 19 write, same group
// reason: no synchronization orders the two accesses
// run: -g 8 -l 8 -a buf:32:iota -a local:128
// In one buffer each pass reads before it writes: with one barrier per pass a work-item overwrites what
// another one has not read yet.
kernel void k(global float2 *x, local float2 *store)
{
    uint i = get_local_id(0);
    store[i] = x[i];
    store[i + 8] = x[i + 8];
    for (uint width = 1; width < 16; width *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at = i & (width - 1);
        float angle = -M_PI_F * (float)at / (float)width;
        float2 a = store[i], b = store[i + 8], turn = (float2)(cos(angle), sin(angle));
        b = (float2)(b.x * turn.x - b.y * turn.y, b.x * turn.y + b.y * turn.x);
        uint where = ((i - at) << 1) + at;
        store[where] = a + b;
        store[where + width] = a - b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = store[i];
    x[i + 8] = store[i + 8];
}
