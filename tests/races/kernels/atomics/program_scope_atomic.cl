// expect: clean
// run: -g 8 -l 4 -a buf:8
// A program-scope atomic.
global atomic_int count = ATOMIC_VAR_INIT(0);
kernel void k(global int *out)
{
    out[get_global_id(0)] = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed, memory_scope_device);
}
