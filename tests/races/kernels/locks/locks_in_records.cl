// expect: clean
// run: -g 12 -l 1 -a buf:48
// Each record contains its lock.
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
    global struct account *first = &accounts[min(from, to)], *second = &accounts[max(from, to)];
    take(&first->lock);
    take(&second->lock);
    accounts[from].balance -= i;
    accounts[to].balance += i;
    accounts[from].moved++;
    give(&second->lock);
    give(&first->lock);
}
