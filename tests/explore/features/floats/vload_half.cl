// Options: --global 2 --arg '{15360, 16384}' --arg buf:2 --arg buf:2 --assert 'out[0] == 1.0 and out[1] == 2.0 and back[1] == 16896'
// Expect: condition holds, race none, divergence none, termination always
kernel void widen(global const ushort *in, global float *out, global ushort *back)
{
    size_t i = get_global_id(0);
    out[i] = vload_half(i, (global const half *)in);
    vstore_half(out[i] + 1.0f, i, (global half *)back);
}
