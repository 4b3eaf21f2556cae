// Options: --global 2 --arg buf:2:any --arg buf:1
// Expect: race found
kernel void largest(global const float *in, global int *where)
{
    size_t i = get_global_id(0);
    if (in[i] > 1.0f)
        where[0] = 1;
}
