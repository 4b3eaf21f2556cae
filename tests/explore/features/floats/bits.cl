// Options: --global 1 --arg '{40}' --arg buf:8 --assert 'out[0] == 26 and out[1] == 3 and out[2] == 2 and out[3] == 20480 and out[4] == 20 and out[5] == 10 and out[6] == 39'
// Expect: condition holds, race none, divergence none, termination always
kernel void count(global const uint *in, global uint *out)
{
    out[0] = clz(in[0]);
    out[1] = ctz(in[0]);
    out[2] = popcount(in[0]);
    out[3] = rotate(in[0], 9u);
    out[4] = hadd(in[0], 0u);
    out[5] = mul_hi(in[0], 1u << 30);
    out[6] = abs_diff(in[0], 79u);
}
