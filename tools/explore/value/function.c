/* Functions of the instruction sets, computed by the interpreter one scalar at a time; engines treat them
 * as uninterpreted functions. [OpenCL.std; GLSL.std.450] */
#include "interp/ext/ext.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/explore/program/build.h"
#include "tools/explore/value/value.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 24, MOST_ELEMENTS = 16 };

/* ---- elementwise functions ---------------------------------------------------------------------- */

struct kernel {
    in_ext_kernel function;
    bool second; /* the result is the value that it stores through a pointer */
};

static uint64_t kernel_value(const void *context, const uint64_t *arguments)
{
    const struct kernel *k = context;
    uint64_t result = 0, second = 0;
    k->function(&result, &second, &arguments[0], &arguments[1], &arguments[2]);
    return k->second ? second : result;
}

static enum in_ext_type element_type(struct ex *ex, const struct in_ty *t)
{
    int n = t->width == 8 ? 0 : t->width == 16 ? 1 : t->width == 32 ? 2 : 3;
    if (t->kind != IN_TY_FLOAT && t->kind != IN_TY_INT)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "an operand is no number");
    return t->kind == IN_TY_FLOAT ? (enum in_ext_type)(IN_EXT_F16 + n - 1)
                                  : (enum in_ext_type)(IN_EXT_W8 + n);
}

static in_ext_kernel find_kernel(struct ex *ex, const struct in_ext_fn *fn, const struct ex_value *by)
{
    const struct in_ty *t = by->type;
    const in_ext_kernel *table = t->kind == IN_TY_VECTOR ? fn->kernel : fn->scalar_kernel;
    in_ext_kernel kernel = table ? table[element_type(ex, by->scalars[0].type)] : NULL;
    if (!kernel)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "%s does not exist for these operands", fn->name);
    return kernel;
}

static uint32_t leaf_of(struct ex *ex, const struct ex_value *v, uint32_t i, uint32_t count)
{
    if (v->count != 1 && v->count != count)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "operands of different types");
    return v->leaves[v->count == 1 ? 0 : i];
}

/* Applies FN to each element.  *SECOND, whose type is set, receives the value stored through a pointer; NULL:
 * FN stores none. */
static struct ex_value apply_elementwise(struct ex *ex, const struct in_ext_fn *fn,
                                         struct ex_value *const *operands, unsigned count,
                                         const struct in_ty *type, struct ex_value *second)
{
    struct ex_value out = ex_new_value(ex, type);
    bool by_result = strcmp(fn->name, "nan") == 0;
    struct kernel kernel = {.function = find_kernel(ex, fn, by_result ? &out : operands[0])};
    char name[64];
    for (int pass = 0; pass < (second ? 2 : 1); pass++) {
        struct kernel *k = ex_alloc(ex, sizeof *k);
        struct ex_value *to = pass ? second : &out;
        *k = kernel;
        k->second = pass == 1;
        for (uint32_t i = 0; i < to->count; i++) {
            uint32_t arguments[3] = {0};
            for (unsigned a = 0; a < count; a++)
                arguments[a] = leaf_of(ex, operands[a], i, to->count);
            snprintf(name, sizeof name, "%s of %u bytes%s%s", fn->name, ex_size(ex, arguments[0]),
                     pass ? ", second" : "", type->kind == IN_TY_VECTOR ? ", vector" : "");
            const struct ck_function f = {.name = name, .context = k, .value = kernel_value};
            to->leaves[i] = ex_hold(ex, ex_apply(ex, &f, to->scalars[i].size, count, arguments));
        }
    }
    return out;
}

/* ---- vector functions --------------------------------------------------------------------------- */

struct geometric {
    in_ext_geometric function;
    uint32_t count, element; /* of the operands; the number of the result's element */
    unsigned size;
    bool two;
};

/* The operands are packed into the arguments. */
static uint64_t geometric_value(const void *context, const uint64_t *arguments)
{
    const struct geometric *g = context;
    uint8_t a[MOST_BYTES] = {0}, b[MOST_BYTES] = {0}, result[MOST_ELEMENTS * 8] = {0};
    uint64_t value = 0;
    size_t bytes = (size_t)g->count * g->size;
    memcpy(a, arguments, bytes);
    if (g->two)
        memcpy(b, (const uint8_t *)arguments + bytes, bytes);
    g->function(result, a, b, g->count);
    memcpy(&value, result + (size_t)g->element * g->size, g->size);
    return value;
}

static unsigned pack_operands(struct ex *ex, const char *name, struct ex_value *const *operands,
                              unsigned count, uint32_t arguments[3])
{
    unsigned at = 0;
    for (unsigned a = 0; a < count; a++)
        for (uint32_t i = 0; i < operands[a]->count; i++) {
            unsigned size = ex_size(ex, operands[a]->leaves[i]);
            uint32_t wide = ex_resize(ex, operands[a]->leaves[i], 8, false);
            uint32_t placed = ex_binary(ex, CK_SHL, wide, ex_const(ex, at % 8 * 8, 8));
            if (at + size > MOST_BYTES)
                ex_fail(
                    ex, MM_LIMIT, "explore.function",
                    "%s of vectors of more than %d bytes together is not explored: use shorter vectors, or "
                    "compute it from dot and sqrt",
                    name, MOST_BYTES);
            arguments[at / 8] = at % 8 ? ex_binary(ex, CK_OR, arguments[at / 8], placed) : placed;
            at += size;
        }
    return (at + 7) / 8;
}

static struct ex_value apply_geometric(struct ex *ex, const struct in_ext_fn *fn,
                                       struct ex_value *const *operands, unsigned count,
                                       const struct in_ty *type)
{
    struct ex_value out = ex_new_value(ex, type);
    enum in_ext_type element = element_type(ex, operands[0]->scalars[0].type);
    uint32_t arguments[3] = {0};
    unsigned packed = pack_operands(ex, fn->name, operands, count, arguments),
             size = ex_size(ex, operands[0]->leaves[0]);
    char name[64];
    if (element > IN_EXT_F64 || !fn->geometric[element] ||
        (count > 1 && operands[1]->count != operands[0]->count))
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "%s does not exist for these operands", fn->name);
    for (uint32_t i = 0; i < out.count; i++) {
        struct geometric *g = ex_alloc(ex, sizeof *g);
        *g = (struct geometric){.function = fn->geometric[element],
                                .count = operands[0]->count,
                                .element = i,
                                .size = size,
                                .two = count > 1};
        snprintf(name, sizeof name, "%s of %u times %u bytes, element %u", fn->name, g->count, size, i);
        const struct ck_function f = {.name = name, .context = g, .value = geometric_value};
        out.leaves[i] = ex_hold(ex, ex_apply(ex, &f, size, packed, arguments));
    }
    return out;
}

/* Only the low bits of the mask's elements are used [CLC 6.15.13]. */
static struct ex_value shuffle_operands(struct ex *ex, struct ex_value *const *operands, unsigned count,
                                        const struct in_ty *type)
{
    struct ex_value out = ex_new_value(ex, type);
    const struct ex_value *mask = operands[count - 1], *x = operands[0], *y = operands[1];
    uint32_t from = x->count * (count - 1);
    if (mask->count != out.count || (from & (from - 1)) || (count > 2 && y->count != x->count))
        ex_fail(ex, MM_INVALID, "OpenCL.std shuffle", "operands of different shapes");
    for (uint32_t i = 0; i < out.count; i++) {
        unsigned n = ex_size(ex, mask->leaves[i]);
        uint32_t index = ex_binary(ex, CK_AND, mask->leaves[i], ex_const(ex, from - 1, n));
        out.leaves[i] = x->leaves[0];
        for (uint32_t k = 1; k < from; k++) {
            uint32_t here = ex_binary(ex, CK_EQ, index, ex_const(ex, k, n));
            uint32_t element = k < x->count ? x->leaves[k] : y->leaves[k - x->count];
            out.leaves[i] = ex_select(ex, here, element, out.leaves[i]);
        }
        out.leaves[i] = ex_hold(ex, out.leaves[i]);
    }
    return out;
}

/* ---- calls -------------------------------------------------------------------------------------- */

/* printf reads what its arguments point to; its output is no part of an execution, as verdicts say
 * (ex->printed). */
static void lower_printf(struct ex *ex, const struct in_inst *inst)
{
    struct ex_value out = ex_result(ex, inst);
    if (!ex->printed || inst->number < ex->printed->number)
        ex->printed = inst;
    if (out.count != 1)
        ex_fail(ex, MM_INVALID, "OpenCL.std printf", "the result must be a number");
    out.leaves[0] = ex_const(ex, 0, out.scalars[0].size);
    ex_set(ex, inst->result, out);
}

static void compute_function(struct ex *ex, const struct in_ext_fn *fn, const struct in_inst *inst)
{
    struct ex_value *operands[3] = {0}, second = {0}, out;
    unsigned count = inst->operand_count - 2U, values = count - (fn->pointee != IN_EXT_NONE);
    if (count == 0 || values == 0 || values > 3)
        ex_fail(ex, MM_INVALID, "SPIRV 3.42.4", "%s lacks operands", fn->name);
    for (unsigned i = 0; i < values; i++)
        operands[i] = ex_get(ex, inst->operands[2 + i]);
    if (fn->pointee != IN_EXT_NONE)
        second = ex_new_value(ex, ex_pointee(ex, inst->operands[2 + values]));
    if (fn->shape == IN_EXT_ELEMENTWISE)
        out = apply_elementwise(ex, fn, operands, values, ex_type(ex, inst->type),
                                second.type ? &second : NULL);
    else if (fn->shape == IN_EXT_GEOMETRIC)
        out = apply_geometric(ex, fn, operands, values, ex_type(ex, inst->type));
    else
        out = shuffle_operands(ex, operands, values, ex_type(ex, inst->type));
    ex_set(ex, inst->result, out);
    if (second.type)
        ex_store_value(ex, inst->operands[2 + values], &second);
}

bool ex_function_call(struct ex *ex, const struct in_inst *inst)
{
    const struct in_ext_fn *fn = in_ext_find(inst->operands[1]);
    switch (fn ? fn->shape : IN_EXT_PREFETCH) {
    case IN_EXT_ELEMENTWISE:
    case IN_EXT_GEOMETRIC:
    case IN_EXT_SHUFFLE:
        compute_function(ex, fn, inst);
        return true;
    case IN_EXT_VLOAD:
        ex_vector_load(ex, inst, fn);
        return true;
    case IN_EXT_VSTORE:
        ex_vector_store(ex, inst, fn);
        return true;
    case IN_EXT_PRINTF:
        lower_printf(ex, inst);
        return true;
    default: /* prefetch is no access [CLC 6.15.11] */
        return fn != NULL;
    }
}
