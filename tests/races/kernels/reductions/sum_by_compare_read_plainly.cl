// expect: data-race
// at: 8 atomic-rmw, 13 read, different groups
// run: -g 256 -l 32 -a buf:1 -a buf:256 -a buf:256
// As sum_by_compare.cl, but the last work-item reads the sum without an atomic.
kernel void k(global atomic_uint *sum, global const float *in, global uint *before)
{
    uint old = atomic_load_explicit(sum, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(sum, &old, as_uint(as_float(old) + in[get_global_id(0)]),
                                                  memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device))
        ;
    if (get_global_id(0) == get_global_size(0) - 1)
        old = *(global uint *)sum;
    before[get_global_id(0) ^ 1] = old;
}
