// expect: clean
// run: -g 6 -l 1 -a buf:1:fill=2 -a buf:2:fill=0 -a buf:2
// A semaphore admits two work-items; each claims a slot, which passes to the next holder by release and
// acquire.
#define S memory_scope_device
kernel void k(global atomic_int *free_rooms, global atomic_int *taken, global int *rooms)
{
    int left = 0, room = 0, no = 0;
    for (;;) {
        left = atomic_load_explicit(free_rooms, memory_order_relaxed, S);
        if (left > 0 && atomic_compare_exchange_weak_explicit(free_rooms, &left, left - 1, memory_order_relaxed,
                                                              memory_order_relaxed, S))
            break;
    }
    for (;; room = !room) {
        no = 0;
        if (atomic_compare_exchange_strong_explicit(&taken[room], &no, 1, memory_order_acquire,
                                                    memory_order_relaxed, S))
            break;
    }
    rooms[room] += (int)get_global_id(0);
    atomic_store_explicit(&taken[room], 0, memory_order_release, S);
    atomic_fetch_add_explicit(free_rooms, 1, memory_order_relaxed, S);
}
