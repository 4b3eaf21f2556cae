// Options: --global 2 --local 2 --arg image:1d:2:r32i --arg buf:2 --arg out=buf:2
// Options: --assert 'out[0] == 3 and out[1] == 3'
// Expect: condition holds, race none, usage none
// A barrier orders the image, and a lock the buffer.
kernel void message(read_write image1d_t image, global atomic_int *lock, global int *out)
{
    int x = get_local_id(0);
    write_imagei(image, x, (int4)(x + 1));
    barrier(CLK_IMAGE_MEM_FENCE);
    int sum = read_imagei(image, 1 - x).x;
    while (atomic_exchange_explicit(&lock[0], 1, memory_order_acquire, memory_scope_device))
        ;
    out[0] += sum;
    out[1] += sum;
    atomic_store_explicit(&lock[0], 0, memory_order_release, memory_scope_device);
}
