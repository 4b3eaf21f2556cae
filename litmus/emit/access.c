/* Accesses without a direct form in OpenCL C: plain accesses to atomic objects and atomic accesses to
 * non-atomic ones [CLC 6.15.12.6].  Both are emitted through a converted pointer. */
#include "litmus/emit/emit.h"

static bool is_atomic(const struct lt_function *f)
{
    return f->kind <= LT_F_FLAG_CLEAR;
}

/* The parameter that pointer X comes from, NULL if it comes from none. */
static const struct lt_param *source_parameter(const struct lt_thread *thread, const struct lt_expr *x)
{
    const struct lt_param *p = NULL;
    if (x->kind == LT_NAME)
        return lt_find_param(thread, x->name);
    if (x->kind == LT_ADDRESS)
        return x->a->kind == LT_DEREF || x->a->kind == LT_INDEX ? source_parameter(thread, x->a->a) : NULL;
    if (x->kind == LT_BINARY)
        p = source_parameter(thread, x->a);
    return x->kind == LT_BINARY && !p ? source_parameter(thread, x->b) : p;
}

static struct lt_expr *convert_pointer(struct emitter *e, struct lt_expr *x, const struct lt_param *p,
                                       const char *name)
{
    uint32_t object = ck_program_find_object(e->program, p->name);
    struct lt_expr *cast = lt_emit_node(e, LT_CAST, NULL, x);
    if (!cast || object == CK_NO_OBJECT)
        return x;
    bool local = e->program->objects[object].region == MM_LOCAL;
    cast->type = (struct lt_type){.base = lt_find_type(name),
                                  .is_pointer = true,
                                  .is_volatile = p->type.is_volatile,
                                  .region = p->type.is_generic ? MM_REGION_NONE
                                            : local            ? MM_LOCAL
                                                               : MM_GLOBAL};
    return cast;
}

static void fit_call(struct emitter *e, const struct lt_thread *thread, struct lt_expr *call)
{
    const struct lt_param *p = source_parameter(thread, call->a);
    const struct lt_base_type *base = p ? p->type.base : NULL;
    bool flag = call->function->kind == LT_F_FLAG_TEST_AND_SET || call->function->kind == LT_F_FLAG_CLEAR;
    bool old = call->function->kind == LT_F_CMPXCHG;
    if (!base || (base->is_atomic && !old && flag == (base == lt_find_type("atomic_flag"))))
        return;
    if (base->size < 4)
        lt_emit_cannot(e, "an atomic operation on fewer than four bytes");
    else if (old && base->size > 4)
        lt_emit_cannot(e, "atomic_cmpxchg of more than four bytes");
    call->a = convert_pointer(e, call->a, p,
                              old               ? lt_emit_type(base->size, base->is_signed)
                              : flag            ? "atomic_flag"
                              : base->size < 8  ? (base->is_signed ? "atomic_int" : "atomic_uint")
                              : base->is_signed ? "atomic_long"
                                                : "atomic_ulong");
}

void lt_emit_fit(struct emitter *e, const struct lt_thread *thread, struct lt_expr *x)
{
    if (!x)
        return;
    if (x->kind == LT_ADDRESS) {
        lt_emit_fit(e, thread, x->a->b);
        return;
    }
    lt_emit_fit(e, thread, x->a);
    lt_emit_fit(e, thread, x->b);
    lt_emit_fit(e, thread, x->c);
    if (x->kind == LT_CALL && is_atomic(x->function))
        fit_call(e, thread, x);
    if (x->kind != LT_DEREF && x->kind != LT_INDEX)
        return;
    const struct lt_param *p = source_parameter(thread, x->a);
    if (p && p->type.base->is_atomic)
        x->a = convert_pointer(e, x->a, p, lt_emit_type(p->type.base->size, p->type.base->is_signed));
}
