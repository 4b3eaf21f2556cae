// Dekker's idea: each work-item raises its flag and enters if the other's is down. Sequential consistency makes
// one of them see the other.
// Options: --global 2 --local 1 --arg buf:2:zero --arg buf:2:zero --assert 'not exists (in[0] == 1 and in[1] == 1)'
// Expect: condition holds, race none, divergence none, termination always
// Twin: lock_flags_acq_rel
kernel void k(global atomic_int *flag, global int *in)
{
    int me = get_global_id(0);
    atomic_store_explicit(&flag[me], 1, memory_order_seq_cst, memory_scope_device);
    in[me] = atomic_load_explicit(&flag[1 - me], memory_order_seq_cst, memory_scope_device) == 0;
}
