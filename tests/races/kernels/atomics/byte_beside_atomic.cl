// expect: data-race
// at: 10 atomic-rmw, 12 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -k k --global 2 --local 1 --arg buf:4

/* A plain write of one byte of a word that another work-item changes atomically. */
kernel void k(global atomic_int *n)
{
    if (get_global_id(0) == 0)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
    else
        ((global uchar *)n)[2] = 3;
}
