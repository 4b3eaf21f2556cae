// expect: clean
// run: -g 16 -l 4 -a buf:16:iota -a buf:4 -a buf:4 -a buf:4 -a buf:16
// Groups publish their own sum first, the prefix later; each looks back until it finds a prefix.
#define ST(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define LD(p)    atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
kernel void k(global const int *in, global atomic_int *status, global int *agg, global int *pre,
              global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    local int base;
    int mine = work_group_scan_inclusive_add(in[get_global_id(0)]);
    if (l == 3) {
        agg[g] = mine;
        if (g)
            ST(&status[g], 1);
        int ex = 0;
        for (int p = g - 1; p >= 0;) {
            int s;
            while (!(s = LD(&status[p])))
                ;
            if (s == 2) {
                ex += pre[p];
                break;
            }
            ex += agg[p];
            p--;
        }
        pre[g] = ex + mine;
        ST(&status[g], 2);
        base = ex;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = base + mine;
}
