// expect: clean
// run: -k k --global 4 --local 1 --arg buf:8

/* Plain bytes beside an atomic word, none of which is part of it. */
kernel void k(global atomic_int *n)
{
    atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
    ((global uchar *)(n + 1))[get_global_id(0)] = 3;
}
