// Two locks are tried alternately until one is free: two iterations together change nothing.
// Expect: race none, divergence none, termination always
// Engines: search
// Options: --global 3 --local 1 --arg buf:8:zero --arg buf:8:zero
kernel void k(global atomic_int *taken, global int *data)
{
    int room = 0;
    for (;; room = !room) {
        int no = 0;
        if (atomic_compare_exchange_strong_explicit(&taken[room], &no, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
            break;
    }
    data[room]++;
    atomic_store_explicit(&taken[room], 0, memory_order_release, memory_scope_device);
}
