#define STEP(x) ((x) + 1)
typedef struct { int a; float4 v; char c[3]; } item;
__constant int table[4] = {1, 2, 3, 4};
kernel void work(global int *out, global atomic_int *flag, local item *items, float f, read_only image2d_t image) {
    size_t i = get_global_id(0);
    items[i % 2].a = STEP(table[i & 3]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 3; k++)
        out[i] += items[k % 2].a + (int)sin(f);
    atomic_fetch_add_explicit(flag, 1, memory_order_acq_rel, memory_scope_device);
    printf("%d %v4f\n", out[i], read_imagef(image, (int2)(0, 0)));
}
