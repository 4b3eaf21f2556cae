// expect: data-race
// at: 10 atomic-rmw, 11 read, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -k k --global 3 --local 1 --arg buf:8

/* One work-item reads two atomic words at once, plainly; others change one of them each. */
kernel void k(global atomic_int *n)
{
    if (get_global_id(0) < 2)
        atomic_fetch_add_explicit(n + get_global_id(0), 1, memory_order_relaxed, memory_scope_device);
    else if (*(volatile global long *)n == 5)
        atomic_store(n, 0);
}
