/* Kernels that are proved: no race, no divergence in any launch. */
kernel void reverse(global int *a, local int *t)
{
    size_t i = get_local_id(0), n = get_local_size(0);
    t[i] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[n - 1 - i];
}

kernel void tree(global int *out, local int *t)
{
    size_t i = get_local_id(0);
    t[i] = (int)i;
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < s)
            t[i] += t[i + s];
    }
    if (i == 0)
        out[get_group_id(0)] = t[0];
}

kernel void private_loop(global int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    a[get_global_id(0)] = sum;
}

void put(global int *p, int v) { *p = v; }
kernel void calls(global int *a) { put(a + get_global_id(0), 1); }

kernel void uniform_loop(global int *a, int n)
{
    local int t[1];
    for (int i = 0; i < n; i++) {
        if (get_local_id(0) == 0)
            t[0] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[get_global_id(0)] = t[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* The trip count is read from memory, by all work-items in one barrier interval. */
kernel void read_trip_count(global int *a, global int *out)
{
    local int left[1];
    if (get_local_id(0) == 0)
        left[0] = a[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (left[0] > 0) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            left[0]--;
        out[get_global_id(0)]++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

struct pair {
    int x, y;
};
kernel void members(global struct pair *a)
{
    a[get_global_id(0)].x = 1;
    a[get_global_id(0)].y = a[get_global_id(0)].x;
}

kernel void vectors(global float *a) { vstore4((float4)1, get_global_id(0), a); }

kernel void counter(global int *a) { atomic_inc(a); }

// The flag decides, whatever the memory scope.
kernel void narrow_fence(global int *b, local int *t)
{
    size_t i = get_local_id(0);
    t[i] = 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_sub_group);
    b[get_global_id(0)] = t[get_local_size(0) - 1 - i];
}

kernel void image_barrier(read_write image2d_t i, read_write image2d_t other, global int *out)
{
    int x = get_local_id(0), y = get_group_id(0), n = get_local_size(0);
    write_imagei(i, (int2)(x, y), (int4)x);
    write_imagei(other, (int2)(y, x), (int4)x);
    barrier(CLK_IMAGE_MEM_FENCE);
    out[get_global_id(0)] = read_imagei(i, (int2)(n - 1 - x, y)).x;
}

// The sampler may choose any texel of the image that is read.
kernel void sampled(read_only image2d_t from, sampler_t s, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x < get_image_width(to))
        write_imagef(to, at, read_imagef(from, s, convert_float2(at) / 2));
}
