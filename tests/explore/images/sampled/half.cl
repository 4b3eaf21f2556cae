// Options: --global 1 --arg image:1d:2:r16f:iota --arg image:1d:1:rg16f --arg buf:2
// Options: --assert 'out[0] == 1 and out[1] == 1 and to[0] == 1.0 and to[1] == -2.0'
// Expect: condition holds, race none, usage none
kernel void convert(read_only image1d_t from, write_only image1d_t to, global int *out)
{
    float4 v = read_imagef(from, 1);
    out[0] = v.x == 1.0f && v.y == 0.0f;
    out[1] = v.w == 1.0f;
    write_imagef(to, 0, (float4)(1.0f, -2.0f, 7.0f, 0.5f));
}
