// Options: --global 6 --local 4 --arg buf:6
// Error: uneven_groups.cl: work-groups of different sizes are not supported: make the global size a multiple of 4, or check executions one by one with refcl kernel [explore.launch]
kernel void uneven(global int *out)
{
    out[get_global_id(0)] = 1;
}
