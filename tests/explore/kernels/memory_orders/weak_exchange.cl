// SPIR-V's weak compare-exchange fails only if the value differs: one of two work-items takes the slot.
// Expect: condition holds, race none, allowed_states 2
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:2:zero --assert "(out[0]==1 or out[1]==1) and (out[0]==0 or out[1]==0)"
__kernel void k(__global atomic_int *x, __global int *out)
{
    int expected = 0;
    out[get_global_id(0)] = atomic_compare_exchange_weak_explicit(x, &expected, 1, memory_order_relaxed,
                                                                  memory_order_relaxed, memory_scope_device);
}
