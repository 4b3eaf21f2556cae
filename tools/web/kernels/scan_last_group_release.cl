// The count releases, but does not acquire: the last work-group may not see the parts of the others.
// Options: --global 3 --local 1 --arg buf:3:zero --arg buf:1:zero --arg buf:1:zero --assert 'out[0] == 6'
// Expect: race found, divergence none, termination always
// Twin: scan_last_group
kernel void k(global int *part, global atomic_int *done, global int *out)
{
    int i = get_global_id(0), n = get_global_size(0);
    part[i] = i + 1;
    if (atomic_fetch_add_explicit(done, 1, memory_order_release, memory_scope_device) == n - 1)
        for (int k = 0; k < n; k++)
            *out += part[k];
}
