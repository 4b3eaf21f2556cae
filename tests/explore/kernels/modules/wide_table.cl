// Each work-item reads its own element of a table too large to list: its initial value is a function of the
// index.
// Options: --global 2 --local 1 --arg buf:1:zero --arg buf:200:iota --arg buf:2 --assert "forall ((out[0] == 0 and out[1] == 137) or (out[0] == 137 and out[1] == 0))"
// Expect: condition holds, allowed_states 2, race none
kernel void k(global atomic_int *x, global const int *table, global int *out)
{
    int place = atomic_fetch_add_explicit(x, 137, memory_order_relaxed, memory_scope_device);
    out[get_global_id(0)] = table[place];
}
