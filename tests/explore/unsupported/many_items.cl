// Options: --global 512 --local 4 --arg buf:512
// Error: many_items.cl: a launch of more than 256 work-items is not explored: make --global smaller, or use --prove [explore.launch]
kernel void many(global int *out)
{
    out[get_global_id(0)] = 1;
}
