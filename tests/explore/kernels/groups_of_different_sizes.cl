// Options: -g 5 -l 4 --arg buf:5
// Error: work-groups of different sizes are not supported: make the global size a multiple of 4
kernel void k(global int *out)
{
    out[get_global_id(0)] = get_local_size(0);
}
