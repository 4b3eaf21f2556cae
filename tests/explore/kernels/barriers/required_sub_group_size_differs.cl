// Options: -g 8 -l 8 --subgroup 4 --arg buf:1
// Error: the kernel requires sub-groups of 2 work-items
__attribute__((intel_reqd_sub_group_size(2)))
kernel void k(global int *out)
{
    if (get_global_id(0) == 0)
        out[0] = get_local_size(0);
}
