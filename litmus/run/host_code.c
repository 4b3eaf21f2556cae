/* The interpreter of host threads' code: expressions, plain and atomic accesses, branches. */
#include "host.h"

#include <time.h>

static uint64_t truncate_value(uint64_t v, unsigned size)
{
    return size >= 8 ? v : v & ((UINT64_C(1) << 8 * size) - 1);
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
    unsigned unused = 64 - 8 * (size ? size : 8);
    return (int64_t)(v << unused) >> unused;
}

int64_t lt_host_value(uint64_t bits, unsigned size, bool is_signed)
{
    return is_signed ? sign_extend(bits, size) : (int64_t)truncate_value(bits, size);
}

static uint64_t divide_values(const struct lt_host_expr *x, uint64_t a, uint64_t b, unsigned size)
{
    int64_t sa = sign_extend(a, size), sb = sign_extend(b, size);
    bool overflow = sb == 0 || (sa == INT64_MIN && sb == -1);
    switch (x->op) {
    case LT_V_udiv:
        return b ? a / b : 0;
    case LT_V_urem:
        return b ? a % b : 0;
    case LT_V_sdiv:
        return overflow ? 0 : (uint64_t)(sa / sb);
    default:
        return overflow ? 0 : (uint64_t)(sa % sb);
    }
}

static uint64_t shift_value(const struct lt_host_expr *x, uint64_t a, uint64_t b, unsigned size)
{
    unsigned by = (unsigned)(b & (8 * (size ? size : 8) - 1));
    return x->op == LT_V_shl    ? a << by
           : x->op == LT_V_lshr ? a >> by
                                : (uint64_t)(sign_extend(a, size) >> by);
}

static uint64_t compare_values(const struct lt_host_expr *x, uint64_t a, uint64_t b, unsigned size)
{
    switch (x->op) {
    case LT_V_eq:
        return a == b;
    case LT_V_ne:
        return a != b;
    case LT_V_ult:
        return a < b;
    case LT_V_ule:
        return a <= b;
    case LT_V_slt:
        return sign_extend(a, size) < sign_extend(b, size);
    default:
        return sign_extend(a, size) <= sign_extend(b, size);
    }
}

static uint64_t binary_value(const struct lt_host_expr *x, uint64_t a, uint64_t b, unsigned size)
{
    switch (x->op) {
    case LT_V_add:
        return a + b;
    case LT_V_sub:
        return a - b;
    case LT_V_mul:
        return a * b;
    case LT_V_and:
        return a & b;
    case LT_V_or:
        return a | b;
    case LT_V_xor:
        return a ^ b;
    case LT_V_shl:
    case LT_V_lshr:
    case LT_V_ashr:
        return shift_value(x, a, b, size);
    case LT_V_udiv:
    case LT_V_sdiv:
    case LT_V_urem:
    case LT_V_srem:
        return divide_values(x, a, b, size);
    default:
        return compare_values(x, a, b, size);
    }
}

static uint64_t expr_value(const struct lt_host_thread *t, unsigned index)
{
    const struct lt_host_expr *x = &t->host->exprs[index];
    if (x->op == LT_V_const)
        return truncate_value(x->imm, x->size);
    if (x->op == LT_V_reg)
        return truncate_value(t->registers[x->imm], x->size);
    uint64_t a = expr_value(t, x->a);
    unsigned size = t->host->exprs[x->a].size;
    switch (x->op) {
    case LT_V_not:
        return truncate_value(~a, x->size);
    case LT_V_lnot:
        return a == 0;
    case LT_V_neg:
        return truncate_value(-a, x->size);
    case LT_V_zext:
    case LT_V_trunc:
        return truncate_value(a, x->size);
    case LT_V_sext:
        return truncate_value((uint64_t)sign_extend(a, size), x->size);
    case LT_V_select:
        return expr_value(t, a ? x->b : x->c);
    default:
        return truncate_value(binary_value(x, a, expr_value(t, x->b), size), x->size);
    }
}

/* The host address of the model address EXPR: 1 + the object in the upper 32 bits, the offset in the lower
 * ones.  NULL: not mapped, or out of bounds. */
static unsigned char *host_address(struct lt_host_thread *t, unsigned expr, unsigned size)
{
    uint64_t address = expr_value(t, expr);
    uint64_t number = (address >> 32) - 1, offset = address & UINT32_MAX;
    if (number >= t->host->object_count)
        return NULL;
    struct lt_object *o = &t->host->objects[number];
    if (offset > o->bytes || size > o->bytes - offset || offset % size)
        return NULL;
    if (o->kind != LT_IN_BUFFER)
        return o->memory ? (unsigned char *)o->memory + offset : NULL;
    unsigned char *element = atomic_load(&o->mapped[offset / o->element_size]);
    return element ? element + offset % o->element_size : NULL;
}

/* A load and a store of type T at M with I->ORDER (host.h). */
#define LOAD(T, m)                                                                                           \
    (i->order == 0   ? *(const volatile T *)(const volatile void *)(m)                                       \
     : i->order == 1 ? __atomic_load_n((const T *)(const void *)(m), __ATOMIC_RELAXED)                       \
     : i->order == 5 ? __atomic_load_n((const T *)(const void *)(m), __ATOMIC_SEQ_CST)                       \
                     : __atomic_load_n((const T *)(const void *)(m), __ATOMIC_ACQUIRE))
#define STORE(T, m, v)                                                                                       \
    do {                                                                                                     \
        if (i->order == 0)                                                                                   \
            *(volatile T *)(volatile void *)(m) = (T)(v);                                                    \
        else if (i->order == 1)                                                                              \
            __atomic_store_n((T *)(void *)(m), (T)(v), __ATOMIC_RELAXED);                                    \
        else if (i->order == 5)                                                                              \
            __atomic_store_n((T *)(void *)(m), (T)(v), __ATOMIC_SEQ_CST);                                    \
        else                                                                                                 \
            __atomic_store_n((T *)(void *)(m), (T)(v), __ATOMIC_RELEASE);                                    \
    } while (0)
/* Defines exchange_T(), a seq_cst compare-and-exchange: stores TO if the memory at M has the value *OLD;
 * otherwise *OLD becomes the value that was read. */
#define EXCHANGE(T)                                                                                          \
    static bool exchange_##T(unsigned char *m, uint64_t *old, uint64_t to)                                   \
    {                                                                                                        \
        T wanted = (T)*old;                                                                                  \
        bool done = __atomic_compare_exchange_n((T *)(void *)m, &wanted, (T)to, false, __ATOMIC_SEQ_CST,     \
                                                __ATOMIC_SEQ_CST);                                           \
        *old = wanted;                                                                                       \
        return done;                                                                                         \
    }
EXCHANGE(uint8_t)
EXCHANGE(uint16_t)
EXCHANGE(uint32_t)
EXCHANGE(uint64_t)

static uint64_t load_value(const struct lt_host_instr *i, const unsigned char *m)
{
    switch (i->size) {
    case 1:
        return LOAD(uint8_t, m);
    case 2:
        return LOAD(uint16_t, m);
    case 4:
        return LOAD(uint32_t, m);
    default:
        return LOAD(uint64_t, m);
    }
}

static void store_value(const struct lt_host_instr *i, unsigned char *m, uint64_t v)
{
    switch (i->size) {
    case 1:
        STORE(uint8_t, m, v);
        break;
    case 2:
        STORE(uint16_t, m, v);
        break;
    case 4:
        STORE(uint32_t, m, v);
        break;
    default:
        STORE(uint64_t, m, v);
    }
}

static bool exchange_memory(unsigned size, unsigned char *m, uint64_t *old, uint64_t to)
{
    return size == 1   ? exchange_uint8_t(m, old, to)
           : size == 2 ? exchange_uint16_t(m, old, to)
           : size == 4 ? exchange_uint32_t(m, old, to)
                       : exchange_uint64_t(m, old, to);
}

static uint64_t modified_value(const struct lt_host_instr *i, uint64_t old, uint64_t v)
{
    int64_t so = sign_extend(old, i->size), sv = sign_extend(v, i->size);
    switch (i->rmw) {
    case LT_R_ADD:
        return old + v;
    case LT_R_SUB:
        return old - v;
    case LT_R_AND:
        return old & v;
    case LT_R_OR:
        return old | v;
    case LT_R_XOR:
        return old ^ v;
    case LT_R_SMIN:
        return so < sv ? old : v;
    case LT_R_SMAX:
        return so > sv ? old : v;
    case LT_R_UMIN:
        return old < v ? old : v;
    case LT_R_UMAX:
        return old > v ? old : v;
    default:
        return v;
    }
}

static void set_register(struct lt_host_thread *t, unsigned reg, uint64_t v)
{
    if (reg < LT_HOST_REGISTERS)
        t->registers[reg] = v;
}

static void execute_access(struct lt_host_thread *t, const struct lt_host_instr *i)
{
    struct lt_host_instr whole = *i;
    unsigned char *m = host_address(t, i->address, i->size);
    whole.order = 5;
    uint64_t old = 0;
    if (!m)
        return;
    if (i->op == LT_S_store) {
        store_value(i, m, expr_value(t, i->value));
        return;
    }
    old = load_value(i->op == LT_S_load ? i : &whole, m);
    if (i->op == LT_S_rmw) {
        uint64_t v = expr_value(t, i->value);
        while (!exchange_memory(i->size, m, &old, truncate_value(modified_value(i, old, v), i->size)))
            ;
    } else if (i->op == LT_S_cas) {
        old = truncate_value(expr_value(t, i->expected), i->size);
        uint64_t v = expr_value(t, i->value);
        set_register(t, i->reg2, exchange_memory(i->size, m, &old, v));
    }
    set_register(t, i->reg, old);
}

/* Random delays vary the relative progress of concurrent threads and commands. */
static void delay_randomly(struct lt_host_thread *t)
{
    uint64_t r = lt_random(&t->random);
    if (r % 4 == 0)
        for (volatile unsigned n = (unsigned)(r >> 8) % 2000; n; n--)
            ;
    if (r % 16 == 2) { /* lets enqueued commands start */
        lt_host_flush(t->host);
        nanosleep(&(struct timespec){0, (long)(r >> 8) % 400000}, NULL);
        if (t->starts) /* callbacks must not wait [CL 5.11] */
            lt_host_wait_idle(t->host);
    }
    if (r % 32 == 1) {
        const struct timespec pause = {0, (long)(r >> 8) % 100000};
        nanosleep(&pause, NULL);
    }
}

void lt_host_execute(struct lt_host_thread *t)
{
    for (unsigned pc = 0; pc < t->code_count && !atomic_load(&t->host->state.failed);) {
        const struct lt_host_instr *i = &t->code[pc++];
        switch (i->op) {
        case LT_S_assign:
            set_register(t, i->reg, expr_value(t, i->value));
            break;
        case LT_S_fence:
            __atomic_thread_fence(__ATOMIC_SEQ_CST);
            break;
        case LT_S_jump:
            pc = i->target;
            break;
        case LT_S_branch:
            pc = expr_value(t, i->value) ? pc : i->target;
            break;
        case LT_S_call:
            delay_randomly(t);
            lt_host_call(t, i->call);
            break;
        case LT_S_end:
            return;
        default:
            delay_randomly(t);
            execute_access(t, i);
        }
    }
}
