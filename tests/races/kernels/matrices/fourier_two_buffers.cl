// expect: clean
// run: -g 8 -l 8 -a buf:32:iota -a local:128
// A Stockham FFT of 16 points between two local buffers, with one barrier per pass.
kernel void k(global float2 *x, local float2 *store)
{
    uint i = get_local_id(0);
    local float2 *from = store, *to = store + 16;
    local float2 second[16];
    to = second;
    from[i] = x[i];
    from[i + 8] = x[i + 8];
    for (uint width = 1; width < 16; width *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint at = i & (width - 1);
        float angle = -M_PI_F * (float)at / (float)width;
        float2 a = from[i], b = from[i + 8], turn = (float2)(cos(angle), sin(angle));
        b = (float2)(b.x * turn.x - b.y * turn.y, b.x * turn.y + b.y * turn.x);
        uint where = ((i - at) << 1) + at;
        to[where] = a + b;
        to[where + width] = a - b;
        local float2 *swap = from;
        from = to;
        to = swap;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = from[i];
    x[i + 8] = from[i + 8];
}
