// As reduction.cl without barriers.
// Expect: race found
// Options: --global 4 --local 4 --bound 5 --arg buf:4:iota --arg buf:1:zero --arg local:16 --assert out[0]==6
__kernel void k(__global const int *in, __global int *out, __local int *part)
{
    int i = get_local_id(0);

    part[i] = in[get_global_id(0)];
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        
        if (i < step)
            part[i] += part[i + step];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}
