// As look_back.cl, but the flags are read with relaxed loads.
// Expect: race found, divergence none, termination always
// Options: --global 3 --local 1 --bound 4 --arg buf:3:zero --arg buf:3:zero --arg buf:3:zero --assert "inclusive[0]==1 and inclusive[1]==3 and inclusive[2]==6"
__kernel void k(__global atomic_int *flag, __global int *own, __global int *inclusive)
{
    int i = (int)get_group_id(0), sum = 0;

    if (i > 0) {
        own[i] = i + 1;
        atomic_store_explicit(&flag[i], 1, memory_order_release, memory_scope_device);
    }
    for (int j = i - 1; j >= 0;) {
        int state = atomic_load_explicit(&flag[j], memory_order_relaxed, memory_scope_device);

        if (state == 2) {
            sum += inclusive[j];
            break;
        }
        if (state == 1)
            sum += own[j--];
    }
    inclusive[i] = sum + i + 1;
    atomic_store_explicit(&flag[i], 2, memory_order_release, memory_scope_device);
}
