// expect: clean
// run: -g 256 -l 32 -a buf:1 -a buf:256 -a buf:256
// A sum of floats by compare-exchange, repeated until no other work-item has changed the sum in between.
kernel void k(global atomic_uint *sum, global const float *in, global uint *before)
{
    uint old = atomic_load_explicit(sum, memory_order_relaxed, memory_scope_device);
    while (!atomic_compare_exchange_weak_explicit(sum, &old, as_uint(as_float(old) + in[get_global_id(0)]),
                                                  memory_order_relaxed, memory_order_relaxed,
                                                  memory_scope_device))
        ;
    before[get_global_id(0) ^ 1] = old;
}
