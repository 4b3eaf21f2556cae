// expect: data-race
// at: 11 write, 14 read, same group
// reason: fences local memory only
// fix: add CLK_GLOBAL_MEM_FENCE
// stack: 18 31
// run: -k k --global 8 --local 8 --arg buf:64

/* The accesses and the barrier are in functions with several call sites. */
void put(global int *p, int v)
{
    *p = v;
}

int get(global int *p, int i) { return p[i]; }

int both(global int *p, int i)
{
    return get(p, (i + 1) & 7) + get(p, i);
}

void step(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void k(global int *out)
{
    int i = get_local_id(0);
    put(out + i, i);
    step();
    int sum = both(out, i);
    step();
    put(out + 8 + i, sum);
}
