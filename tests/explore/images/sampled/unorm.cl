// Options: --global 1 --arg image:1d:2:bgra8:iota --arg image:1d:2:rgba8 --arg buf:2
// Options: --assert 'to[0] == 0 and to[1] == 51 and to[2] == 255 and to[3] == 128 and out[0] == 1 and out[1] == 1'
// Expect: condition holds, race none, usage none
// Bytes 0, 1, 2, 3 of the first texel are blue, green, red, alpha, each divided by 255. Written: 0.2 * 255 =
// 51, 7.0 is clamped to 1, and 0.5 * 255 = 127.5 is rounded to the even 128.
kernel void convert(read_only image1d_t from, write_only image1d_t to, global int *out)
{
    float4 v = read_imagef(from, 0);
    out[0] = v.z == 0.0f && v.x == 2.0f / 255.0f;
    out[1] = v.w == 3.0f / 255.0f;
    write_imagef(to, 0, (float4)(-1.0f, 0.2f, 7.0f, 0.5f));
}
