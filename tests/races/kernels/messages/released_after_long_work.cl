// expect: data-race
// at: 24 write, 31 read, same group
// run: --build-options "-cl-std=CL3.0 -cl-opt-disable" -g 2 -l 2 -a buf:1 -a buf:2 -a buf:2 -a 2000
// The reader does not wait for the release, and starts long before it.  The work consists of copies, which
// compilers remove, and of code that they expand, so the compiled code's length does not predict its duration.
uint scrambled(uint x)
{
    x ^= x << 13; x *= 0x9e3779b1u; x ^= x >> 17; x += 0x7f4a7c15u; x ^= x << 5; x *= 0x85ebca6bu; x ^= x >> 13; x += 12345u;
    x ^= x << 7; x *= 0xc2b2ae35u; x ^= x >> 16; x += 77777u; x ^= x << 9; x *= 0x27d4eb2fu; x ^= x >> 15; x += 4242u;
    return x;
}
#define CALL x = scrambled(x);
#define CALLS CALL CALL CALL CALL CALL CALL CALL CALL CALL CALL
#define COPY a = b; b = c; c = d; d = a;
#define COPIES COPY COPY COPY COPY COPY COPY COPY COPY COPY COPY COPY COPY

kernel void k(global atomic_uint *ready, global uint *data, global uint *out, uint n)
{
    uint x = n;
    CALLS CALLS CALLS
    if (get_global_id(0) == 0) {
        uint a = 1, b = 2, c = 3, d = 4;

        data[0] = x;
        for (uint i = 0; i < n; i++) {
            COPIES
        }
        out[0] = a;
        atomic_store_explicit(ready, 1, memory_order_release, memory_scope_device);
    } else {
        data[1] = atomic_load_explicit(ready, memory_order_acquire, memory_scope_device) + data[0];
    }
}
