// Options: --global 2 --arg '{5}' --arg '{5}' --assert 'a[0] == 5 and b[0] == 4294967295'
// Expect: condition holds, race none, divergence none, termination always
kernel void raise(global int *a, global uint *b)
{
    atomic_max(a, -1 - (int)get_global_id(0));
    atomic_max(b, 0xFFFFFFFFu - (uint)get_global_id(0));
}
