// Options: -g 8 -l 8 --arg buf:1
// Error: the kernel requires work-groups of 4,1,1 work-items
__attribute__((reqd_work_group_size(4, 1, 1)))
kernel void k(global int *out)
{
    if (get_global_id(0) == 0)
        out[0] = get_local_size(0);
}
