/* Terms: bit vectors and Booleans with constant folding.  Products and quotients of variables are new
 * variables with the lemmas that the proofs need (docs/prove.md, "Multiplication"), because Z3 cannot decide
 * 64-bit products. */
#include "memmodel/base/map.h"
#include "tools/prove/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TERMS = 60000 };

void pv_stop(struct pv *pv, const struct in_inst *inst, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    pv->ex->current = inst;
    ex_fail(pv->ex, MM_LIMIT, "prove", "%s", text);
}

void *pv_alloc(struct pv *pv, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        ex_no_memory(pv->ex);
    return ex_alloc(pv->ex, count * size);
}

static Z3_ast keep_term(struct pv *pv, Z3_ast a)
{
    if (!a)
        pv_stop(pv, NULL, "limit reached: Z3: %s", Z3_get_error_msg(pv->c, Z3_get_error_code(pv->c)));
    return a;
}

/* ---- variables and numbers ----------------------------------------------------------------------- */

static Z3_sort sort_of(struct pv *pv, unsigned width)
{
    return width ? Z3_mk_bv_sort(pv->c, width) : Z3_mk_bool_sort(pv->c);
}

Z3_ast pv_fresh(struct pv *pv, const char *name, unsigned width)
{
    char text[80];
    if (++pv->fresh_count > MOST_TERMS)
        pv_stop(pv, NULL, "limit reached: %d variables", MOST_TERMS);
    snprintf(text, sizeof text, "%.50s!%u", name, pv->fresh_count);
    return keep_term(pv, Z3_mk_const(pv->c, Z3_mk_string_symbol(pv->c, text), sort_of(pv, width)));
}

/* The variables' names end with their numbers. */
static uint32_t number_of(struct pv *pv, Z3_app app)
{
    Z3_symbol symbol = Z3_get_decl_name(pv->c, Z3_get_app_decl(pv->c, app));
    const char *name =
        Z3_get_symbol_kind(pv->c, symbol) == Z3_STRING_SYMBOL ? Z3_get_symbol_string(pv->c, symbol) : "";
    const char *mark = strrchr(name, '!');
    unsigned number = 0;
    return mark && sscanf(mark + 1, "%u", &number) == 1 ? number : 0;
}

static uint32_t newest_value(struct pv *pv, Z3_ast a, struct mm_map *seen)
{
    uint32_t id = Z3_get_ast_id(pv->c, a), most = 0;
    uint64_t known = mm_map_get(seen, id);
    if (known)
        return (uint32_t)known - 1;
    if (Z3_get_ast_kind(pv->c, a) == Z3_APP_AST) {
        Z3_app app = Z3_to_app(pv->c, a);
        unsigned count = Z3_get_app_num_args(pv->c, app);
        most = count ? 0 : number_of(pv, app);
        for (unsigned i = 0; i < count; i++) {
            uint32_t n = newest_value(pv, Z3_get_app_arg(pv->c, app, i), seen);
            most = n > most ? n : most;
        }
    }
    if (!mm_map_put(seen, id, most + UINT64_C(1)))
        ex_no_memory(pv->ex);
    return most;
}

uint32_t pv_newest(struct pv *pv, Z3_ast a)
{
    struct mm_map seen = {0};
    uint32_t most = newest_value(pv, a, &seen);
    mm_map_clear(&seen);
    return most;
}

Z3_ast pv_number(struct pv *pv, uint64_t value, unsigned width)
{
    if (!width)
        return value ? pv->yes : pv->no;
    if (width < 64)
        value &= (UINT64_C(1) << width) - 1;
    return keep_term(pv, Z3_mk_unsigned_int64(pv->c, value, sort_of(pv, width)));
}

bool pv_is_number(struct pv *pv, Z3_ast a, uint64_t *value)
{
    return Z3_is_numeral_ast(pv->c, a) && Z3_get_numeral_uint64(pv->c, a, value);
}

unsigned pv_width(struct pv *pv, Z3_ast a)
{
    Z3_sort sort = Z3_get_sort(pv->c, a);
    return Z3_get_sort_kind(pv->c, sort) == Z3_BV_SORT ? Z3_get_bv_sort_size(pv->c, sort) : 0;
}

/* ---- Booleans ----------------------------------------------------------------------------------- */

Z3_ast pv_not(struct pv *pv, Z3_ast a)
{
    if (a == pv->yes || a == pv->no)
        return a == pv->yes ? pv->no : pv->yes;
    if (Z3_get_ast_kind(pv->c, a) == Z3_APP_AST) {
        Z3_app app = Z3_to_app(pv->c, a);
        if (Z3_get_decl_kind(pv->c, Z3_get_app_decl(pv->c, app)) == Z3_OP_NOT)
            return Z3_get_app_arg(pv->c, app, 0);
    }
    return keep_term(pv, Z3_mk_not(pv->c, a));
}

Z3_ast pv_and(struct pv *pv, Z3_ast a, Z3_ast b)
{
    if (a == pv->no || b == pv->no)
        return pv->no;
    if (a == pv->yes || a == b)
        return b;
    return b == pv->yes ? a : keep_term(pv, Z3_mk_and(pv->c, 2, (Z3_ast[]){a, b}));
}

Z3_ast pv_or(struct pv *pv, Z3_ast a, Z3_ast b)
{
    if (a == pv->yes || b == pv->yes || pv_not(pv, a) == b)
        return pv->yes;
    if (a == pv->no || a == b)
        return b;
    return b == pv->no ? a : keep_term(pv, Z3_mk_or(pv->c, 2, (Z3_ast[]){a, b}));
}

Z3_ast pv_implies(struct pv *pv, Z3_ast a, Z3_ast b)
{
    return pv_or(pv, pv_not(pv, a), b);
}

Z3_ast pv_equal(struct pv *pv, Z3_ast a, Z3_ast b)
{
    uint64_t x, y;
    if (a == b)
        return pv->yes;
    if (pv_is_number(pv, a, &x) && pv_is_number(pv, b, &y))
        return x == y ? pv->yes : pv->no;
    return keep_term(pv, Z3_mk_eq(pv->c, a, b));
}

Z3_ast pv_if(struct pv *pv, Z3_ast condition, Z3_ast a, Z3_ast b)
{
    if (condition == pv->yes || a == b)
        return a;
    if (condition == pv->no)
        return b;
    if (a == pv->yes && b == pv->no)
        return condition;
    if (a == pv->no && b == pv->yes)
        return pv_not(pv, condition);
    return keep_term(pv, Z3_mk_ite(pv->c, condition, a, b));
}

/* ---- bit vectors --------------------------------------------------------------------------------- */

static bool is_operation(struct pv *pv, Z3_ast a, Z3_decl_kind kind, Z3_app *app)
{
    if (Z3_get_ast_kind(pv->c, a) != Z3_APP_AST)
        return false;
    *app = Z3_to_app(pv->c, a);
    return Z3_get_decl_kind(pv->c, Z3_get_app_decl(pv->c, *app)) == kind;
}

Z3_ast pv_add(struct pv *pv, Z3_ast a, Z3_ast b)
{
    uint64_t x, y;
    Z3_app app;
    unsigned width = pv_width(pv, a);
    if (pv_is_number(pv, a, &x) && !pv_is_number(pv, b, &y))
        return pv_add(pv, b, a);
    if (!pv_is_number(pv, b, &y))
        return keep_term(pv, Z3_mk_bvadd(pv->c, a, b));
    if (y == 0)
        return a;
    if (pv_is_number(pv, a, &x))
        return pv_number(pv, x + y, width);
    if (is_operation(pv, a, Z3_OP_BADD, &app) && pv_is_number(pv, Z3_get_app_arg(pv->c, app, 1), &x))
        return pv_add(pv, Z3_get_app_arg(pv->c, app, 0), pv_number(pv, x + y, width));
    return keep_term(pv, Z3_mk_bvadd(pv->c, a, b));
}

Z3_ast pv_low(struct pv *pv, Z3_ast a, unsigned width)
{
    uint64_t x;
    Z3_app app;
    if (pv_width(pv, a) == width)
        return a;
    if (pv_is_number(pv, a, &x))
        return pv_number(pv, x, width);
    if (is_operation(pv, a, Z3_OP_ZERO_EXT, &app) || is_operation(pv, a, Z3_OP_SIGN_EXT, &app)) {
        Z3_ast inner = Z3_get_app_arg(pv->c, app, 0);
        if (pv_width(pv, inner) >= width)
            return pv_low(pv, inner, width);
    }
    return keep_term(pv, Z3_mk_extract(pv->c, width - 1, 0, a));
}

Z3_ast pv_resize(struct pv *pv, Z3_ast a, unsigned width, bool is_signed)
{
    unsigned from = pv_width(pv, a);
    uint64_t x;
    if (width <= from)
        return pv_low(pv, a, width);
    if (pv_is_number(pv, a, &x)) {
        bool negative = is_signed && x >> (from - 1) & 1;
        return pv_number(pv, negative ? x | ~UINT64_C(0) << from : x, width);
    }
    return keep_term(pv, is_signed ? Z3_mk_sign_ext(pv->c, width - from, a)
                                   : Z3_mk_zero_ext(pv->c, width - from, a));
}

/* ---- products ------------------------------------------------------------------------------------ */

/* The term that A is the low bits of. */
static Z3_ast whole_term(struct pv *pv, Z3_ast a)
{
    Z3_app app;
    return is_operation(pv, a, Z3_OP_EXTRACT, &app) &&
                   Z3_get_decl_int_parameter(pv->c, Z3_get_app_decl(pv->c, app), 1) == 0
               ? Z3_get_app_arg(pv->c, app, 0)
               : a;
}

/* Number or id of a group times size of a group: a variable of the launch; exact, so that low bits agree
 * too. */
static Z3_ast launch_product(struct pv *pv, Z3_ast a, Z3_ast b, unsigned width)
{
    const struct pv_launch *l = &pv->launch;
    Z3_ast x = whole_term(pv, a), y = whole_term(pv, b);
    for (int i = 0; i < 3; i++) {
        if (x != l->local[i] && y != l->local[i])
            continue;
        Z3_ast other = x == l->local[i] ? y : x;
        for (int t = 0; t < 2; t++)
            if (other == l->group_id[t][i])
                return pv_low(pv, l->base[t][i], width);
        if (other == l->groups[i])
            return pv_low(pv, l->global[i], width);
    }
    return NULL;
}

Z3_ast pv_multiply(struct pv *pv, Z3_ast a, Z3_ast b, bool no_wrap, Z3_ast guard, uint64_t site)
{
    uint64_t x, y;
    unsigned width = pv_width(pv, a);
    if (pv_is_number(pv, a, &x) && !pv_is_number(pv, b, &y))
        return pv_multiply(pv, b, a, no_wrap, guard, site);
    if (pv_is_number(pv, b, &y)) {
        if (pv_is_number(pv, a, &x))
            return pv_number(pv, x * y, width);
        return y == 1 ? a : y == 0 ? b : keep_term(pv, Z3_mk_bvmul(pv->c, a, b));
    }
    Z3_ast known = launch_product(pv, a, b, width);
    if (known)
        return known;
    struct pv_product *p = pv->abstractions.products;
    while (p < pv->abstractions.products + pv->abstractions.product_count &&
           !((p->a == a && p->b == b) || (p->a == b && p->b == a)))
        p++;
    if (p == pv->abstractions.products + pv->abstractions.product_count) {
        pv->abstractions.products = ex_grow(pv->ex, pv->abstractions.products, pv->abstractions.product_count,
                                            sizeof *pv->abstractions.products);
        p = &pv->abstractions.products[pv->abstractions.product_count++];
        *p = (struct pv_product){a, b, pv_fresh(pv, "product", width), pv->no, width, false, site};
    }
    if (no_wrap)
        p->guard = pv_or(pv, p->guard, guard);
    return p->result;
}

/* X = B * Q + R for a number B, without wrap-around. */
static void divide_by_number(struct pv *pv, Z3_ast x, uint64_t b, unsigned width, Z3_ast q, Z3_ast r)
{
    Z3_ast n = pv_number(pv, b, width), most = pv_number(pv, (UINT64_MAX >> (64 - width)) / b, width);
    pv_fact(pv, Z3_mk_bvule(pv->c, q, most));
    pv_fact(pv, Z3_mk_bvult(pv->c, r, n));
    Z3_ast product = Z3_mk_bvmul(pv->c, q, n);
    pv_fact(pv, pv_equal(pv, x, Z3_mk_bvadd(pv->c, product, r)));
    pv_fact(pv, Z3_mk_bvule(pv->c, product, x));
}

static void unsigned_division(struct pv *pv, Z3_ast x, Z3_ast d, Z3_ast *q, Z3_ast *r)
{
    uint64_t n;
    unsigned width = pv_width(pv, x), shift = 0;
    bool known = pv_is_number(pv, d, &n) && n;
    while (known && shift < width && n != UINT64_C(1) << shift)
        shift++;
    if (known && shift < width) {
        *q = Z3_mk_bvlshr(pv->c, x, pv_number(pv, shift, width));
        *r = Z3_mk_bvand(pv->c, x, pv_number(pv, n - 1, width));
        return;
    }
    for (uint32_t i = 0; i < pv->abstractions.quotient_count; i++)
        if (pv->abstractions.quotients[i].x == x && pv->abstractions.quotients[i].d == d) {
            *q = pv->abstractions.quotients[i].q;
            *r = pv->abstractions.quotients[i].r;
            return;
        }
    *q = pv_fresh(pv, "quotient", width);
    *r = pv_fresh(pv, "remainder", width);
    pv->abstractions.quotients = ex_grow(pv->ex, pv->abstractions.quotients, pv->abstractions.quotient_count,
                                         sizeof *pv->abstractions.quotients);
    pv->abstractions.quotients[pv->abstractions.quotient_count++] = (struct pv_quotient){x, d, *q, *r};
    if (known) {
        divide_by_number(pv, x, n, width, *q, *r);
        return;
    }
    Z3_ast some = pv_not(pv, pv_equal(pv, d, pv_number(pv, 0, width))), less = Z3_mk_bvult(pv->c, x, d);
    pv_fact(pv, pv_implies(pv, some, Z3_mk_bvult(pv->c, *r, d)));
    pv_fact(pv, pv_implies(pv, some, Z3_mk_bvule(pv->c, *q, x)));
    pv_fact(pv, pv_implies(pv, some, Z3_mk_bvule(pv->c, *r, x)));
    pv_fact(pv,
            pv_implies(pv, less, pv_and(pv, pv_equal(pv, *r, x), pv_equal(pv, *q, pv_number(pv, 0, width)))));
    pv_fact(pv, pv_implies(pv, pv_and(pv, some, pv_not(pv, less)),
                           Z3_mk_bvuge(pv->c, *q, pv_number(pv, 1, width))));
}

Z3_ast pv_divide(struct pv *pv, Z3_ast x, Z3_ast d, bool is_signed, bool remainder)
{
    uint64_t n, m;
    unsigned width = pv_width(pv, x);
    Z3_ast q, r;
    bool known = pv_is_number(pv, d, &n);
    if (known && n && pv_is_number(pv, x, &m) && !is_signed)
        return pv_number(pv, remainder ? m % n : m / n, width);
    if (!known || !n || (is_signed && n == UINT64_MAX >> (64 - width)))
        pv->assumed.quotients = true;
    if (!is_signed) {
        unsigned_division(pv, x, d, &q, &r);
        return remainder ? r : q;
    }
    Z3_ast zero = pv_number(pv, 0, width);
    Z3_ast x_negative = Z3_mk_bvslt(pv->c, x, zero), d_negative = Z3_mk_bvslt(pv->c, d, zero);
    bool positive = known && !(n >> (width - 1) & 1);
    if (positive)
        d_negative = pv->no;
    unsigned_division(pv, pv_if(pv, x_negative, Z3_mk_bvneg(pv->c, x), x),
                      pv_if(pv, d_negative, Z3_mk_bvneg(pv->c, d), d), &q, &r);
    Z3_ast flip = remainder ? x_negative : positive ? x_negative : Z3_mk_xor(pv->c, x_negative, d_negative);
    Z3_ast result = remainder ? r : q;
    return keep_term(pv, pv_if(pv, flip, Z3_mk_bvneg(pv->c, result), result));
}

/* ---- facts --------------------------------------------------------------------------------------- */

void pv_fact(struct pv *pv, Z3_ast fact)
{
    if (keep_term(pv, fact) == pv->yes)
        return;
    pv->assumed.facts = ex_grow(pv->ex, pv->assumed.facts, pv->assumed.fact_count, sizeof *pv->assumed.facts);
    pv->assumed.facts[pv->assumed.fact_count++] = fact;
}

static Z3_ast is_half(struct pv *pv, Z3_ast a, unsigned width)
{
    return Z3_mk_bvult(pv->c, a, pv_number(pv, UINT64_C(1) << (width / 2), width));
}

/* Products P1 = Y1 * M and P2 = Y2 * M: if Y1 is less, they are at least M apart, unless something wraps. */
static void order_products(struct pv *pv, const struct pv_product *p1, Z3_ast y1, const struct pv_product *p2,
                           Z3_ast y2, Z3_ast m, Z3_ast premise)
{
    unsigned width = p1->width;
    Z3_context c = pv->c;
    Z3_ast u[] = {premise, is_half(pv, y1, width), is_half(pv, y2, width), is_half(pv, m, width),
                  Z3_mk_bvult(c, y1, y2)};
    Z3_ast next = Z3_mk_bvadd(c, p1->result, m); /* does not wrap around: it is at most P2 */
    pv_fact(pv, pv_implies(pv, Z3_mk_and(c, 5, u),
                           pv_and(pv, Z3_mk_bvule(c, p1->result, next), Z3_mk_bvule(c, next, p2->result))));
    Z3_ast no_wrap = pv_and(pv, p1->guard, p2->guard);
    if (no_wrap == pv->no)
        return;
    Z3_ast s[] = {premise, no_wrap, Z3_mk_bvsge(c, m, pv_number(pv, 0, width)), Z3_mk_bvslt(c, y1, y2)};
    pv_fact(pv, pv_implies(pv, Z3_mk_and(c, 4, s),
                           pv_and(pv, Z3_mk_bvsle(c, p1->result, next), Z3_mk_bvsle(c, next, p2->result))));
}

static void compare_products(struct pv *pv, const struct pv_product *p1, Z3_ast m1, Z3_ast y1,
                             const struct pv_product *p2, Z3_ast m2, Z3_ast y2)
{
    if (m1 != m2 && p1->site != p2->site)
        return;
    Z3_ast premise = pv_equal(pv, m1, m2);
    pv_fact(pv,
            pv_implies(pv, pv_and(pv, premise, pv_equal(pv, y1, y2)), pv_equal(pv, p1->result, p2->result)));
    order_products(pv, p1, y1, p2, y2, m1, premise);
    order_products(pv, p2, y2, p1, y1, m1, premise);
}

/* Lemmas about Y * M alone. */
static void bound_product(struct pv *pv, const struct pv_product *p, Z3_ast y, Z3_ast m)
{
    Z3_context c = pv->c;
    Z3_ast zero = pv_number(pv, 0, p->width), one = pv_number(pv, 1, p->width);
    pv_fact(pv, pv_implies(pv, pv_equal(pv, y, zero), pv_equal(pv, p->result, zero)));
    pv_fact(pv, pv_implies(pv, pv_equal(pv, y, one), pv_equal(pv, p->result, m)));
    Z3_ast u[] = {is_half(pv, y, p->width), is_half(pv, m, p->width), Z3_mk_bvuge(c, m, one)};
    pv_fact(pv, pv_implies(pv, Z3_mk_and(c, 3, u), Z3_mk_bvuge(c, p->result, y)));
    Z3_ast s[] = {p->guard, Z3_mk_bvsge(c, y, zero), Z3_mk_bvsge(c, m, one)};
    pv_fact(pv, pv_implies(pv, Z3_mk_and(c, 3, s), Z3_mk_bvsge(c, p->result, y)));
}

static void add_product_lemmas(struct pv *pv)
{
    for (uint32_t i = 0; i < pv->abstractions.product_count; i++) {
        struct pv_product *p = &pv->abstractions.products[i];
        bound_product(pv, p, p->a, p->b);
        bound_product(pv, p, p->b, p->a);
        for (uint32_t k = 0; k < i; k++) {
            struct pv_product *o = &pv->abstractions.products[k];
            if (o->width != p->width)
                continue;
            compare_products(pv, p, p->a, p->b, o, o->a, o->b);
            compare_products(pv, p, p->b, p->a, o, o->b, o->a);
            if (p->a == o->b)
                compare_products(pv, p, p->a, p->b, o, o->b, o->a);
            if (p->b == o->a)
                compare_products(pv, p, p->b, p->a, o, o->a, o->b);
        }
    }
}

/* Reads of equal bytes give equal values: of memory that is never written; or by both work-items in one
 * barrier interval, unless the reader may have written itself (docs/prove.md, "Values of shared memory"). */
static void add_read_lemma(struct pv *pv, const struct pv_read *a, const struct pv_read *b)
{
    bool initial = a->interval == PV_INITIAL;
    if (a->object != b->object || a->size != b->size || a->interval != b->interval ||
        (!initial && (a->thread == b->thread || a->source != b->source)))
        return;
    Z3_ast same = pv_equal(pv, a->offset, b->offset);
    if (!initial)
        same = pv_and(pv, pv_and(pv, pv->assumed.no_race, same),
                      pv_and(pv, pv->synchronous, pv_and(pv, a->condition, b->condition)));
    pv_fact(pv, pv_implies(pv, same, pv_equal(pv, a->value, b->value)));
}

void pv_add_lemmas(struct pv *pv)
{
    enum { MOST_READS = 150, MOST_PRODUCTS = 120 };
    if (pv->abstractions.product_count > MOST_PRODUCTS)
        pv_stop(pv, NULL, "limit reached: %u products of variables", pv->abstractions.product_count);
    add_product_lemmas(pv);
    for (uint32_t i = 0; i < pv->reads.count && i < MOST_READS; i++)
        for (uint32_t k = 0; k < i; k++)
            add_read_lemma(pv, &pv->reads.list[i], &pv->reads.list[k]);
}
