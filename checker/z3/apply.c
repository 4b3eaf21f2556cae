/* Functions of the program (floating-point arithmetic) as uninterpreted functions with counterexample-guided
 * refinement (docs/encoding.md#uninterpreted-functions): a model that assigns a wrong value is refuted by an
 * equation, and Z3 is called again. */
#include "checker/z3/internal.h"

enum { LOOK_BACK = 64 }; /* earlier calls that are compared with a new one */

static bool same_value(struct zx_val a, struct zx_val b)
{
    return a.t == b.t && a.size == b.size && (a.t || a.k == b.k);
}

static bool same_call(const struct zx_call *c, uint32_t function, uint32_t count,
                      const struct zx_val *arguments)
{
    bool same = c->function == function && c->count == count;

    for (uint32_t i = 0; same && i < count; i++)
        same = same_value(c->arguments[i], arguments[i]);
    return same;
}

static Z3_func_decl declare_function(struct zx *z, const struct zx_call *c)
{
    Z3_sort domain[3];

    for (uint32_t i = 0; i < c->count; i++)
        domain[i] = z->sorts[c->arguments[i].size];
    return Z3_mk_func_decl(z->c, Z3_mk_int_symbol(z->c, (int)c->function), c->count, domain,
                           z->sorts[c->result.size]);
}

static Z3_ast apply_function(struct zx *z, const struct zx_call *c, const struct zx_val *arguments)
{
    Z3_ast terms[3];

    for (uint32_t i = 0; i < c->count; i++)
        terms[i] = zx_bits(z, arguments[i]);
    return zx_keep(z, Z3_mk_app(z->c, declare_function(z, c), c->count, terms));
}

struct zx_val zx_apply(struct zx *z, uint32_t function, uint32_t count, const struct zx_val *arguments,
                       uint8_t size)
{
    struct zx_call call = {.function = function, .count = count, .result.size = size};
    uint64_t known[3] = {0};
    bool constant = true;

    for (uint32_t i = 0; i < count; i++) {
        call.arguments[i] = arguments[i];
        known[i] = arguments[i].k;
        constant = constant && !arguments[i].t;
    }
    if (constant)
        return zx_number(ck_apply(z->p, function, known), size);
    for (uint32_t i = z->calls.count; i-- > 0 && i + LOOK_BACK >= z->calls.count;)
        if (same_call(&z->calls.list[i], function, count, arguments))
            return z->calls.list[i].result;
    call.result.t = apply_function(z, &call, arguments);
    zx_append(z, &z->calls.list, &z->calls.count, &call);
    return call.result;
}

uint32_t zx_wrong_calls(struct zx *z, Z3_model m, Z3_ast *lemmas)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < z->calls.count; i++) {
        const struct zx_call *c = &z->calls.list[i];
        struct zx_val arguments[3], value;
        uint64_t known[3] = {0};

        for (uint32_t k = 0; k < c->count; k++) {
            known[k] = zx_model_value(z, m, c->arguments[k]);
            arguments[k] = zx_number(known[k], c->arguments[k].size);
        }
        value = zx_number(ck_apply(z->p, c->function, known), c->result.size);
        if (value.k != zx_model_value(z, m, c->result))
            lemmas[wrong++] = zx_equal(
                z, (struct zx_val){.t = apply_function(z, c, arguments), .size = c->result.size}, value);
    }
    return wrong;
}
