// expect: clean
// run: -g 16 -l 4 -a buf:16:iota -a buf:16:iota -a buf:4
// As coordinates_plain_sum.cl, with compare-exchange on the bits of the float.
typedef union {
    uint bits;
    float number;
} word;
void add(volatile global float *at, float what)
{
    word was, is;
    was.bits = atomic_load_explicit((volatile global atomic_uint *)at, memory_order_relaxed, memory_scope_device);
    do
        is.number = was.number + what;
    while (!atomic_compare_exchange_strong_explicit((volatile global atomic_uint *)at, &was.bits, is.bits,
                                                    memory_order_relaxed, memory_order_relaxed, memory_scope_device));
}
kernel void k(global const int *row, global const int *value, global float *y)
{
    size_t i = get_global_id(0);
    add(&y[row[i] / 4], (float)value[i]);
}
