// A ring buffer of two slots between a producer and a consumer.
// Expect: condition holds, race none, termination always
// Options: --global 2 --local 1 --bound 4 --arg buf:8:zero --arg buf:4:zero --arg buf:4:zero --arg buf:4:zero --assert out[0]==123
__kernel void k(__global int *a, __global atomic_int *head, __global atomic_int *tail, __global int *out)
{
    if (get_global_id(0) == 0) {
        for (int n = 0; n < 3; n++) {
            while (n - atomic_load_explicit(tail, memory_order_acquire, memory_scope_device) >= 2) ;
            a[n & 1] = n + 1;
            atomic_store_explicit(head, n + 1, memory_order_release, memory_scope_device);
        }
    } else {
        int sum = 0;

        for (int n = 0; n < 3; n++) {
            while (atomic_load_explicit(head, memory_order_acquire, memory_scope_device) <= n) ;
            sum = 10 * sum + a[n & 1];
            atomic_store_explicit(tail, n + 1, memory_order_release, memory_scope_device);
        }
        *out = sum;
    }
}
