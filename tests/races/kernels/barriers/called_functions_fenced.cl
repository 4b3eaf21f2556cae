// expect: clean
// run: -k k --global 8 --local 8 --arg buf:64

/* As called_functions.cl, with a barrier that fences the memory accessed. */
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
    barrier(CLK_GLOBAL_MEM_FENCE);
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
