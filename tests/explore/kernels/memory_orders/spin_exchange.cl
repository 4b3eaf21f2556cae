// A lock taken by exchange: the iterations that find it taken change nothing.
// Expect: condition holds, race none, divergence none, termination always
// Options: --global 3 --local 1 --arg buf:4:zero --arg buf:4:zero --assert count[0]==3
__kernel void spin(__global atomic_int *lock, __global int *count)
{
  while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device)) ;
  *count = *count + 1;
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}
