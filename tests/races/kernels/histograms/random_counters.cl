// expect: clean
// run: -g 16 -l 4 -a buf:16 -a buf:16:iota -a 1,2 -a 16
// Each work-item has its own counter.
uint4 philox(uint4 c, uint2 k) {
    for (int r = 0; r < 10; r++) {
        uint h0 = mul_hi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = mul_hi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
        c = (uint4)(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
        k += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return c;
}
kernel void fill_random(global uint4 *out, global uint4 *state, uint2 key, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint4 c = state[i];
    out[i] = philox(c, key);
    c.x++;
    state[i] = c;
}
