// expect: clean
// run: -g 8 -l 2 -a buf:8:iota -a buf:1:fill=-1 -a buf:1
// The first work-item to claim writes; the others do not access the result.
kernel void k(global const int *in, global atomic_int *winner, global int *result)
{
    int i = get_global_id(0), none = -1;
    if (in[i] % 3 == 2 && atomic_compare_exchange_strong_explicit(winner, &none, i, memory_order_relaxed,
                                                                  memory_order_relaxed, memory_scope_device))
        *result = in[i];
}
