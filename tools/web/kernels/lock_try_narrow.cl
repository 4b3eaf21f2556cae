// The scope of the lock is the work-group, but work-items of two work-groups take it: the scopes do not include
// each other, and the accesses race, those of the lock too.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:1:zero --assert 'forall (count[0] == 1 or count[0] == 2)'
// Expect: race found, divergence none, termination always
// Twin: lock_try
kernel void k(global atomic_int *lock, global int *count)
{
    int expected = 0;
    if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                memory_scope_work_group)) {
        *count = *count + 1;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_work_group);
    }
}
