// Options: --global 2 --local 1 --arg buf:1 --arg '{0}' --assert 'count[0] == 2'
// Expect: condition holds, race none
kernel void locked(global atomic_flag *lock, global int *count)
{
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire, memory_scope_device))
        ;
    count[0]++;
    atomic_flag_clear_explicit(lock, memory_order_release, memory_scope_device);
}
