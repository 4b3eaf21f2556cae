// Options: --global 2 --local 1 --arg image:1d:1:r32i --arg buf:1 --arg buf:1
// Expect: race found, flags data_race
// Atomic operations order global memory, not images.
kernel void message(read_write image1d_t image, global atomic_int *flag, global int *out)
{
    if (get_global_id(0) == 0) {
        write_imagei(image, 0, (int4)(1));
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) {
        out[0] = read_imagei(image, 0).x;
    }
}
