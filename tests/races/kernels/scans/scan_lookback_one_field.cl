// expect: data-race
// at: 24 read, 26 write, different groups
// reason: no synchronization orders the two accesses; the work-items are in different work-groups
// run: -g 16 -l 4 -a buf:16:iota -a buf:4 -a buf:4 -a buf:16
// Sum and prefix share one element, which is overwritten while others read it.
#define ST(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define LD(p)    atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
kernel void k(global const int *in, global atomic_int *status, global int *val, global int *out)
{
    int l = get_local_id(0), g = get_group_id(0);
    local int base;
    int mine = work_group_scan_inclusive_add(in[get_global_id(0)]);
    if (l == 3) {
        val[g] = mine;
        ST(&status[g], 1);
        int ex = 0;
        if (g == 0 || get_group_id(0) == 2) {
            for (int i = 0; i < 40; i++)
                LD(&status[0]);
        }
        for (int p = g - 1; p >= 0; p--) {
            while (!LD(&status[p]))
                ;
            ex += val[p];
        }
        val[g] = ex + mine;
        base = ex;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = base + mine;
}
