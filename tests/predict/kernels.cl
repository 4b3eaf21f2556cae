/* Kernels for test_predict.py: racy_* race in some execution, but not in the sequential one; clean_* never
 * race. */
#define LOAD(p, o)     atomic_load_explicit(p, memory_order_##o, memory_scope_device)
#define STORE(p, v, o) atomic_store_explicit(p, v, memory_order_##o, memory_scope_device)
#define ADD(p, v, o)   atomic_fetch_add_explicit(p, v, memory_order_##o, memory_scope_device)
#define SUB(p, v, o)   atomic_fetch_sub_explicit(p, v, memory_order_##o, memory_scope_device)
#define OR(p, v, o)    atomic_fetch_or_explicit(p, v, memory_order_##o, memory_scope_device)
#define XOR(p, v, o)   atomic_fetch_xor_explicit(p, v, memory_order_##o, memory_scope_device)
#define MAX(p, v, o)   atomic_fetch_max_explicit(p, v, memory_order_##o, memory_scope_device)
#define SWAP(p, v, o)  atomic_exchange_explicit(p, v, memory_order_##o, memory_scope_device)
#define TRY(p, e, v)                                                                                         \
    atomic_compare_exchange_strong_explicit(p, e, v, memory_order_acquire, memory_order_relaxed,             \
                                            memory_scope_device)

void lock(global atomic_int *m)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(m, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_device))
        expected = 0;
}
void unlock(global atomic_int *m)
{
    STORE(m, 0, release);
}

kernel void racy_before_lock(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0)
        *y = 1;
    lock(m);
    *x = 1;
    unlock(m);
    if (get_global_id(0) == 1)
        *y = 2;
}

kernel void racy_two_locks(global atomic_int *m, global int *x, global int *y)
{
    global atomic_int *mine = m + get_global_id(0) % 2;
    if (get_global_id(0) == 0) {
        lock(mine);
        *x = 1;
        unlock(mine);
        lock(m + 1);
        *y = 1;
        unlock(m + 1);
    } else {
        lock(mine);
        *y = 2;
        unlock(mine);
        *x = 2;
    }
}

kernel void racy_counter_read(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        ADD(m, 0, release);
    } else {
        ADD(m, 0, acquire);
        *y = *x;
    }
}

kernel void racy_local(global atomic_int *m, global int *x, global int *y)
{
    local int shared;
    local atomic_int gate;
    int l = get_local_id(0);
    if (l == 0)
        atomic_init(&gate, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        shared = 3;
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&gate, &expected, 1, memory_order_acquire, memory_order_relaxed,
                                                    memory_scope_work_group))
        expected = 0;
    y[l] = l;
    atomic_store_explicit(&gate, 0, memory_order_release, memory_scope_work_group);
    if (l == 1)
        x[0] = shared;
}

kernel void racy_flag_cleared(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        if (LOAD(m, relaxed) == 0)
            *x = 1;
        STORE(m, 0, release);
    } else if (LOAD(m, acquire) == 0) {
        *x = 2;
    }
}

kernel void clean_lock(global atomic_int *m, global int *x, global int *y)
{
    lock(m);
    *x += 1;
    *y += 2;
    unlock(m);
}

kernel void clean_message(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else if (LOAD(m, acquire)) {
        y[get_global_id(0)] = *x;
    }
}

kernel void clean_tickets(global atomic_int *m, global int *x, global int *y)
{
    int mine = ADD(m, 1, relaxed);
    while (LOAD(m + 1, acquire) != mine)
        ;
    *x += 1;
    STORE(m + 1, mine + 1, release);
}

kernel void clean_slots(global atomic_int *m, global int *x, global int *y)
{
    x[ADD(m, 1, relaxed)] = get_global_id(0);
}

kernel void clean_last(global atomic_int *m, global int *x, global int *y)
{
    x[get_global_id(0)] = 7;
    if (ADD(m, 1, acq_rel) == get_global_size(0) - 1)
        for (int i = 0; i < get_global_size(0); i++)
            *y += x[i];
}

kernel void clean_barrier(global atomic_int *m, global int *x, global int *y)
{
    x[get_global_id(0)] = ADD(m, 1, relaxed) >= 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    y[get_global_id(0)] = x[get_global_id(0) ^ 1];
}

kernel void clean_fences(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
        STORE(m, 1, relaxed);
    } else if (LOAD(m, relaxed)) {
        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
        y[get_global_id(0)] = *x;
    }
}

/* For assertions: the coherence order of the stores is open. */
kernel void assertions(global atomic_int *m, global int *x, global int *y)
{
    int i = (int)get_global_id(0);
    x[i] = 2 * i - 1;
    STORE(m, i + 1, relaxed);
    if (i)
        *y = LOAD(m, relaxed);
}

/* A read on which no branch depends may return another value. */

kernel void racy_counted(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        ADD(m, 1, acq_rel);
    } else {
        ADD(m, 1, acq_rel);
        *y = *x;
    }
}

kernel void racy_counted_between(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        ADD(m, 1, acq_rel);
        *x = 5;
        ADD(m, 1, acq_rel);
    } else {
        ADD(m, 1, acq_rel);
        *y = *x;
    }
}

kernel void racy_flag_copied(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else {
        int flag = LOAD(m, acquire), twice = 2 * flag;
        y[0] = twice + 7;
        y[1] = *x;
    }
}

kernel void clean_flag_tested(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else {
        int flag = LOAD(m, acquire);
        y[0] = flag;
        if (flag & 1)
            y[1] = *x;
    }
}

kernel void clean_flag_read_back(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else {
        y[2] = LOAD(m, acquire) + 3;
        if (y[2] == 4)
            y[1] = *x;
    }
}

kernel void clean_flag_in_array(global atomic_int *m, global int *x, global int *y)
{
    int kept[8] = {0};
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else {
        kept[y[7]] = LOAD(m, acquire);
        if (kept[y[6]])
            y[1] = *x;
    }
}

kernel void clean_flag_as_index(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        x[1] = 5;
        STORE(m, 1, release);
    } else {
        y[1] = x[LOAD(m, acquire)];
    }
}

kernel void clean_flag_passed_on(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        STORE(m, 1, release);
    } else {
        STORE(m + 1, LOAD(m, acquire), relaxed);
        if (LOAD(m + 1, relaxed))
            y[1] = *x;
    }
}

/* An update on which no branch depends may read another value. */

kernel void racy_exchange(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        y[0] = SWAP(m, 2, acquire);
        y[1] = *x;
    }
}

kernel void racy_or(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        OR(m, 1, release);
    } else {
        y[0] = OR(m, 2, acquire);
        y[1] = *x;
    }
}

kernel void racy_xor(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        XOR(m, 1, release);
    } else {
        y[0] = ~XOR(m, 3, acquire) << 2;
        y[1] = *x;
    }
}

kernel void racy_max(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        MAX(m, 1, release);
    } else {
        y[0] = MAX(m, 2, acquire);
        y[1] = *x;
    }
}

kernel void racy_subtract(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SUB(m, 1, release);
    } else {
        y[0] = 10 / (SUB(m, 1, acquire) * 0 + 2);
        y[1] = *x;
    }
}

kernel void racy_exchange_passed_on(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        STORE(m + 1, SWAP(m, 2, acquire), relaxed);
        y[0] = LOAD(m + 1, relaxed);
        y[1] = *x;
    }
}

kernel void racy_exchange_as_float(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        y[0] = (int)(sqrt((float)SWAP(m, 4, acquire)) * 2.5f);
        y[1] = *x;
    }
}

kernel void clean_exchange_tested(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        if (SWAP(m, 2, acquire) == 1)
            y[1] = *x;
    }
}

kernel void clean_or_tested(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        OR(m, 1, release);
    } else {
        if (OR(m, 2, acquire) & 1)
            y[1] = *x;
    }
}

kernel void clean_max_tested(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        MAX(m, 3, release);
    } else {
        if (MAX(m, 2, acquire) > 2)
            y[1] = *x;
    }
}

kernel void clean_exchange_passed_on(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        STORE(m + 1, 3 * SWAP(m, 2, acquire), relaxed);
        if (LOAD(m + 1, relaxed) == 3)
            y[1] = *x;
    }
}

kernel void clean_exchange_as_float(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        *x = 5;
        SWAP(m, 1, release);
    } else {
        if (sqrt((float)SWAP(m, 4, acquire)) > 0.5f)
            y[1] = *x;
    }
}

kernel void clean_exchange_lock(global atomic_int *m, global int *x, global int *y)
{
    while (SWAP(m, 1, acquire))
        ;
    *x += 1;
    STORE(m, 0, release);
}

kernel void clean_flag_lock(global atomic_int *m, global int *x, global int *y)
{
    global atomic_flag *flag = (global atomic_flag *)m;
    while (atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device))
        ;
    *x += 1;
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
}

/* Branches that go in the same direction for another value. */

kernel void racy_not_zero(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        if (LOAD(m, acquire))
            y[1] = *x;
    }
}

kernel void racy_spin_not_zero(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        while (LOAD(m, acquire) == 0)
            ;
        y[1] = *x;
    }
}

kernel void racy_odd_or_even(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        if ((LOAD(m, acquire) & 1) < 2)
            y[1] = *x;
    }
}

kernel void racy_selected(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        int flag = LOAD(m, acquire);
        if ((flag > 0 ? flag + 6 : 0) % 16 >= 7)
            y[1] = *x;
    }
}

kernel void racy_switch(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        switch (LOAD(m, acquire)) {
        case 0:
        case 3:
            break;
        default:
            y[1] = *x;
        }
    }
}

kernel void racy_narrow(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        char flag = (char)(LOAD(m, acquire) * 256 + 7);
        if (flag == 7)
            y[1] = *x;
    }
}

kernel void racy_same_value(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 1, release);
    } else {
        if (LOAD(m, acquire) == 1)
            y[1] = *x;
    }
}

kernel void racy_sum_of_flags(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m + 1, 1, release);
    } else {
        int first = LOAD(m, acquire), second = LOAD(m + 1, acquire);
        if (first + second >= 1)
            y[1] = *x;
    }
}

kernel void racy_semaphore(global atomic_int *m, global int *x, global int *y)
{
    int in = LOAD(m, relaxed);
    while (in >= 2 || !TRY(m, &in, in + 1))
        in = LOAD(m, relaxed);
    *x += 1;
    SUB(m, 1, release);
}

kernel void clean_at_least_two(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        if (LOAD(m, acquire) >= 2)
            y[1] = *x;
    }
}

kernel void clean_spin_two(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        while (LOAD(m, acquire) < 2)
            ;
        y[1] = *x;
    }
}

kernel void clean_odd_or_even(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        if ((LOAD(m, acquire) & 3) == 2)
            y[1] = *x;
    }
}

kernel void clean_selected(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        int flag = LOAD(m, acquire);
        if ((flag > 1 ? flag + 6 : flag) % 16 >= 7)
            y[1] = *x;
    }
}

kernel void clean_switch(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        switch (LOAD(m, acquire)) {
        case 2:
            y[1] = *x;
            break;
        default:
            break;
        }
    }
}

kernel void clean_narrow(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        char flag = (char)(LOAD(m, acquire) * 64);
        if (flag < 0)
            y[1] = *x;
    }
}

kernel void clean_sum_of_flags(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m + 1, 1, release);
    } else {
        int first = LOAD(m, acquire), second = LOAD(m + 1, acquire);
        if (first + second == 2)
            y[1] = *x;
    }
}

kernel void clean_bytes(global atomic_int *m, global int *x, global int *y)
{
    if (get_global_id(0) == 0) {
        STORE(m, 1, release);
        *x = 5;
        STORE(m, 2, release);
    } else {
        uchar4 flags = as_uchar4(LOAD(m, acquire));
        if (flags.x > 1)
            y[1] = *x;
    }
}

kernel void clean_semaphore_of_one(global atomic_int *m, global int *x, global int *y)
{
    int in = LOAD(m, relaxed);
    while (in >= 1 || !TRY(m, &in, in + 1))
        in = LOAD(m, relaxed);
    *x += 1;
    SUB(m, 1, release);
}

/* The first work-item must continue: the other one reads what it writes later, or the value before. */
kernel void racy_acquires_too_early(global atomic_int *m, global int *x, global int *y)
{
    do {
        while (LOAD(m, acquire))
            ;
    } while (SWAP(m, 1, relaxed));
    *x += 1;
    STORE(m, 0, release);
}

kernel void clean_acquires_in_time(global atomic_int *m, global int *x, global int *y)
{
    do {
        while (LOAD(m, relaxed))
            ;
    } while (SWAP(m, 1, acquire));
    *x += 1;
    STORE(m, 0, release);
}

/* More events than a window has. */
kernel void clean_long(global atomic_int *m, global int *x, global int *y)
{
    ADD(m, 1, relaxed);
    for (int i = 0; i < 3000; i++)
        x[get_global_id(0)] += i;
}
