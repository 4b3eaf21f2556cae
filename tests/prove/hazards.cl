/* Each kernel violates a property that an unsound proof would miss: the comment above it names the property
 * that must not be proved, then what hides the violation. */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

// race: the index wraps around in 32 bits
kernel void index_wraps_32(global int *a) { a[(uint)get_global_id(0) * 0x40000000u] = 1; }

// race: the byte offset wraps around in 64 bits
kernel void offset_wraps_64(global int *a) { a[get_global_id(0) << 62] = 1; }

// race: the index is truncated
kernel void index_truncated(global int *a) { a[(uchar)get_global_id(0)] = 1; }

// race: an unsigned difference wraps around
kernel void difference_wraps(global int *a, uint n) { a[((uint)get_global_id(0) - n) & 3u] = 1; }

// race: work-items in pairs
kernel void quotient(global int *a) { a[get_global_id(0) / 2] = 1; }

// race: the remainder repeats
kernel void remainder_repeats(global int *a, uint n) { a[get_global_id(0) % n] = 1; }

// race: remainders of negative numbers
kernel void negative_remainder(global int *a) { a[((int)get_global_id(0) - 4) % 4 + 4] = 1; }

// race: shift amounts repeat after the width
kernel void shift_repeats(global int *a) { a[1u << (get_global_id(0) & 31)] = 1; }

// race: shift to the right
kernel void shift_right(global int *a) { a[get_global_id(0) >> 1] = 1; }

// race: conversion from floating point
kernel void float_index(global int *a) { a[(int)(get_global_id(0) * 0.5f)] = 1; }

// race: a product of variables
kernel void product(global int *a, int n) { a[(int)get_global_id(0) * n] = 1; }

// race: writes of the same value
kernel void same_value(global int *a) { a[0] = 1; }

// race: the accesses overlap, their addresses differ
kernel void wide_accesses(global char *a) { *(global int *)(a + get_global_id(0)) = 1; }

// race: vectors overlap
kernel void overlapping_vectors(global int *a) { vstore4((int4)1, 0, a + 2 * get_global_id(0)); }

// race: an element of a neighbor's vector
kernel void vector_and_element(global int4 *a, global int *out)
{
    a[get_global_id(0)] = (int4)1;
    out[get_global_id(0)] = ((global int *)a)[4 * get_global_id(0) + 4];
}

struct pair {
    int x, y;
};
union both {
    int whole;
    short halves[2];
};
// race: the same member of a neighbor
kernel void member(global struct pair *a)
{
    a[get_global_id(0)].x = 1;
    a[get_global_id(0)].y = a[get_global_id(0) + 1].x;
}

// race: members of a union
kernel void union_member(global union both *a)
{
    if (get_global_id(0) & 1)
        a[0].halves[1] = (short)get_global_id(0);
    else if (get_global_id(0) == 0)
        a[0].whole = 3;
}

// race: a whole structure and a member
kernel void copied_structure(global struct pair *a)
{
    if (get_global_id(0) == 0)
        a[0] = a[1];
    else if (get_global_id(0) == 1)
        a[1].y = 2;
}

// race: the pointer is one of two
kernel void selected_pointer(global int *a, global int *b, int n)
{
    global int *p = n ? a : b;
    p[0] = (int)get_global_id(0);
    b[get_global_id(0)] = 1;
}

// race: only for a null argument
kernel void null_argument(global int *a, global int *b)
{
    if (!b)
        a[0] = 1;
}

// race: only in launches of one dimension
kernel void dimensions(global int *a)
{
    if (get_work_dim() == 1)
        a[get_global_id(1)] = 1;
}

// race: local ids repeat in each group
kernel void local_index(global int *a) { a[get_local_id(0)] = 1; }

// race: a barrier does not order work-groups
kernel void across_groups(global int *a, global int *b)
{
    a[get_global_id(0)] = 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[get_global_id(0)] = a[get_global_id(0) + 1];
}

// race: the barrier fences other memory
kernel void fence_of_other_memory(global int *a, global int *b)
{
    size_t base = get_group_id(0) * get_local_size(0), i = get_local_id(0);
    a[base + i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[base + i] = a[base + get_local_size(0) - 1 - i];
}

// race: a barrier of sub-groups
kernel void sub_group_barriers(global int *b)
{
    local int t[64];
    size_t i = get_local_id(0);
    t[i] = 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[get_local_size(0) - 1 - i];
}

// race: a fence is no barrier
kernel void fence_alone(global int *b)
{
    local int t[64];
    size_t i = get_local_id(0);
    t[i] = 1;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = t[get_local_size(0) - 1 - i];
}

// race: a group function orders no memory
kernel void group_function(global int *b)
{
    local int t[64];
    size_t i = get_local_id(0);
    t[i] = 1;
    if (work_group_all(1))
        b[get_global_id(0)] = t[get_local_size(0) - 1 - i];
}

// race: volatile orders nothing
kernel void volatile_access(global volatile int *a)
{
    if (get_global_id(0) == 0)
        a[0] = 1;
    else
        while (!a[0])
            ;
}

// race: the scope does not include the other group
kernel void narrow_scope(global atomic_int *a)
{
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed, memory_scope_work_group);
}

// race: an atomic and another access
kernel void mixed_access(global int *a, global int *b)
{
    atomic_inc(a);
    b[get_global_id(0)] = a[0];
}

// race: the next iteration's write, before the barrier of it
kernel void next_iteration(global int *out, int n)
{
    local int t[64];
    size_t i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        t[i] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] += t[get_local_size(0) - 1 - i];
    }
}

// race: iterations without a barrier
kernel void skipped_barrier(global int *out, int n)
{
    local int t[64];
    size_t i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        t[i] = k;
        if (k & 1)
            barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] += t[get_local_size(0) - 1 - i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// race: a loop's stride is less than the size of the group
kernel void short_stride(global int *a, int n)
{
    for (int i = (int)get_local_id(0); i < n; i += (int)get_local_size(0) - 1)
        a[i + get_group_id(0) * n] = 1;
}

// race: the index moves with the loop
kernel void moving_index(global int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[get_global_id(0) + i] = i;
}

// race: the index is carried from iteration to iteration
kernel void carried_index(global int *a, int n)
{
    size_t at = get_global_id(0);
    for (int i = 0; i < n; i++) {
        a[at] = i;
        at = at * 2 + 1;
    }
}

int put(global int *p, int i)
{
    p[i / 2] = 1;
    return i;
}
// race: a function's side effect
kernel void side_effect(global int *a, global int *b) { b[get_global_id(0)] = put(a, (int)get_global_id(0)); }

// race: through a pointer in private memory
kernel void stored_pointer(global int *a, int n)
{
    global int *p[2] = {a + get_global_id(0), a};
    *p[n & 1] = 1;
}

// race: the private index was overwritten
kernel void overwritten_index(global int *a, int n)
{
    int at[2] = {(int)get_global_id(0), (int)get_global_id(0)};
    at[n & 1] = 0;
    a[at[1]] = 1;
}

// race: fract writes through its pointer
kernel void written_result(global int *a, global float *x)
{
    float whole = get_global_id(0);
    fract(x[0], &whole);
    a[(int)whole] = 1;
}

// race: an asynchronous copy writes
kernel void asynchronous_copy(global int *a)
{
    local int t[4];
    event_t e = async_work_group_copy(t, a, 4, 0);
    t[get_local_id(0) & 3] = 1;
    wait_group_events(1, &e);
}

// race: an image
kernel void image(read_write image1d_t i) { write_imagei(i, 0, read_imagei(i, 1)); }

// race: the last coordinate of an image array is ignored
kernel void ignored_coordinate(read_write image2d_array_t i)
{
    write_imagei(i, (int4)(0, 0, 0, (int)get_global_id(0)), (int4)1);
}

// race: the barrier does not order images
kernel void image_behind_local_barrier(read_write image2d_t i, global int *out)
{
    int x = get_local_id(0), y = get_group_id(0), n = get_local_size(0);
    write_imagei(i, (int2)(x, y), (int4)x);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = read_imagei(i, (int2)(n - 1 - x, y)).x;
}

void put_texel(read_write image1d_t i, int x) { write_imagei(i, x, (int4)x); }
// race: a function writes the image
kernel void image_of_a_function(read_write image1d_t i, read_write image1d_t other)
{
    put_texel(other, get_global_id(0));
    put_texel(i, get_global_id(0));
    put_texel(i, get_global_id(0) + 1);
}

// divergence: a condition that differs in a group
kernel void some_items(global int *a)
{
    if (get_local_id(0) & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
}

// divergence: a return before the barrier
kernel void early_return(global int *a, int n)
{
    if ((int)get_global_id(0) >= n)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
}

// divergence: trip counts differ
kernel void trip_counts(global int *a)
{
    for (size_t i = 0; i < get_local_id(0); i++)
        barrier(CLK_LOCAL_MEM_FENCE);
}

// divergence: an exit from the middle of the loop
kernel void middle_exit(global int *a, int n)
{
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == (int)get_local_id(0))
            break;
    }
}

// divergence: cases with separate barriers
kernel void cases(global int *a)
{
    switch (get_local_id(0)) {
    case 0:
        barrier(CLK_LOCAL_MEM_FENCE);
        break;
    default:
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

// divergence: addresses of private variables differ
kernel void private_address(global int *a)
{
    int x = (int)get_global_id(0);
    if ((ulong)&x >> 4 & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = x;
}

// divergence: the value is written between the reads, ordered by an atomic
kernel __attribute__((reqd_work_group_size(2, 1, 1))) void handed_over(global int *data, global atomic_int *flag)
{
    size_t g = get_group_id(0);
    if (get_local_id(0) == 1)
        while (atomic_load(flag + g) != 1)
            ;
    int before = data[g];
    if (get_local_id(0) == 0) {
        data[g] = 7 - before;
        atomic_store(flag + g, 1);
    }
    if (before == 7)
        barrier(CLK_LOCAL_MEM_FENCE);
}

// divergence: each work-item has a separate element
kernel void written_condition(global int *a)
{
    if (a[get_global_id(0)])
        barrier(CLK_LOCAL_MEM_FENCE);
}

// bounds: the group may be larger than the array
kernel void small_array(global int *a)
{
    local int t[8];
    t[get_local_id(0)] = 1;
}

struct table {
    int values[4];
};
// bounds: an argument's array
kernel void argument_array(struct table t, int n)
{
    local int sum[1];
    if (get_local_id(0) == 0)
        sum[0] = t.values[n];
}
