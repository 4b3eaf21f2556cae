// Options: --global 2 --local 1 --arg image:1d:2:r32i --arg buf:1
// Expect: race none, usage none
// Each work-item accesses another texel, in an unspecified order: relaxed operations order nothing.
kernel void claim(write_only image1d_t image, global atomic_int *next)
{
    int at = atomic_fetch_add_explicit(next, 1, memory_order_relaxed, memory_scope_device);
    write_imagei(image, at, (int4)(7));
}
