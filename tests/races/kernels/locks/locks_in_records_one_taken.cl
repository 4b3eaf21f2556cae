// expect: data-race
// at: 24 read, 25 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 12 -l 1 -a buf:48
// The destination record is not locked.
struct account {
    atomic_int lock;
    int balance;
    long moved;
};
void take(global atomic_int *lock)
{
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
}
void give(global atomic_int *lock)
{
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
kernel void k(global struct account *accounts)
{
    int i = (int)get_global_id(0), from = i % 3, to = (i + 1) % 3;
    take(&accounts[from].lock);
    accounts[from].balance -= i;
    accounts[to].balance += i;
    accounts[from].moved++;
    give(&accounts[from].lock);
}
