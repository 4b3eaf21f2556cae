// Options: --global 3 --arg image:2d:2x2:r32i:iota --arg sampler:edge --arg buf:3
// Options: --assert 'out[0] == 0 and out[1] == 1 and out[2] == 3'
// Expect: condition holds, race none, usage none
// Texels 0 1 / 2 3; read at (-1, -1), (5, 0) and (7, 9): the nearest are the corners 0, 1 and 3.
kernel void load(read_only image2d_t image, sampler_t sampler, global int *out)
{
    int x = get_global_id(0);
    int2 at = x == 0 ? (int2)(-1, -1) : x == 1 ? (int2)(5, 0) : (int2)(7, 9);
    out[x] = read_imagei(image, sampler, at).x;
}
