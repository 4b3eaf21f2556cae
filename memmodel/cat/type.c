/* The cat language: sets against relations.  Functions are typed per call, once for each combination of
 * parameter types. */
#include "memmodel/cat/internal.h"

#include <stdio.h>

static enum mm_class type_mismatch(struct cat_reader *reader, const struct mm_cat_expr *e, const char *what)
{
    return mm_fail_at(reader->err, MM_INVALID, "cat.type", e->file, e->line, e->column, "%s", what);
}

static enum mm_class infer_children(struct cat_reader *reader, struct mm_cat_expr *e, unsigned parameters,
                                    bool first, enum mm_cat_type *types)
{
    for (uint32_t i = 0; i < e->child_count; i++) {
        enum mm_class r = cat_infer(reader, e->child[i], parameters, first, &types[i]);

        if (r)
            return r;
    }
    return MM_OK;
}

static enum mm_class infer_call(struct cat_reader *reader, const struct mm_cat_expr *e,
                                const enum mm_cat_type *arguments, enum mm_cat_type *type)
{
    struct cat_let_info *info = &reader->info[e->let];
    unsigned mask = 0;

    for (uint32_t i = 0; i < e->child_count; i++)
        mask |= (arguments[i] == MM_CAT_REL ? 1U : 0U) << i;
    if (!info->result[mask]) {
        bool first = !info->called;
        enum mm_class r;

        info->called = true;
        r = cat_infer(reader, reader->model->lets[e->let].body, mask, first, type);
        if (r)
            return r;
        info->result[mask] = (uint8_t)(*type + 1);
    }
    *type = info->result[mask] - 1 == MM_CAT_REL ? MM_CAT_REL : MM_CAT_SET;
    return MM_OK;
}

static enum mm_class infer_operator(struct cat_reader *reader, const struct mm_cat_expr *e,
                                    const enum mm_cat_type *t, enum mm_cat_type *type)
{
    *type = MM_CAT_REL;
    switch (e->op) {
    case MM_CAT_UNION:
    case MM_CAT_INTER:
    case MM_CAT_DIFF:
        if (t[0] != t[1])
            return type_mismatch(reader, e, "one operand is a set, the other a relation");
        *type = t[0];
        return MM_OK;
    case MM_CAT_COMPLEMENT:
        *type = t[0];
        return MM_OK;
    case MM_CAT_SEQ:
        if (t[0] != MM_CAT_REL || t[1] != MM_CAT_REL)
            return type_mismatch(reader, e,
                                 "';' composes relations, an operand is a set (write [S] for its identity)");
        return MM_OK;
    case MM_CAT_PRODUCT:
        if (t[0] != MM_CAT_SET || t[1] != MM_CAT_SET)
            return type_mismatch(reader, e, "'*' makes a relation of two sets, an operand is a relation");
        return MM_OK;
    case MM_CAT_LINEAR:
        return MM_OK;
    case MM_CAT_INVERSE:
    case MM_CAT_PLUS:
    case MM_CAT_STAR:
    case MM_CAT_OPTIONAL:
        return t[0] == MM_CAT_REL
                   ? MM_OK
                   : type_mismatch(reader, e, "closures and inverses are of relations, not sets");
    case MM_CAT_IDENTITY:
        return t[0] == MM_CAT_SET ? MM_OK : type_mismatch(reader, e, "[ ] takes a set, not a relation");
    case MM_CAT_DOMAIN:
    case MM_CAT_RANGE:
        *type = MM_CAT_SET;
        return t[0] == MM_CAT_REL ? MM_OK
                                  : type_mismatch(reader, e, "domain and range are of relations, not sets");
    default:
        *type = e->type;
        return MM_OK;
    }
}

enum mm_class cat_infer(struct cat_reader *reader, struct mm_cat_expr *expr, unsigned parameters, bool first,
                        enum mm_cat_type *type)
{
    enum mm_cat_type types[CAT_MAX_PARAMETERS] = {MM_CAT_SET};
    enum mm_class r;

    if (++reader->depth > 5 * CAT_MAX_DEPTH)
        return mm_fail_at(reader->err, MM_LIMIT, "cat.depth", expr->file, expr->line, expr->column,
                          "definitions nested too deeply");
    r = infer_children(reader, expr, parameters, first, types);
    if (!r) {
        switch (expr->op) {
        case MM_CAT_NAME:
            *type = expr->base != MM_CAT_NO_BASE ? mm_cat_bases[expr->base].type
                                                 : reader->model->lets[expr->let].body->type;
            break;
        case MM_CAT_PARAMETER:
            *type = parameters >> expr->parameter & 1 ? MM_CAT_REL : MM_CAT_SET;
            break;
        case MM_CAT_CALL:
            r = infer_call(reader, expr, types, type);
            break;
        default:
            r = infer_operator(reader, expr, types, type);
        }
    }
    if (!r && first)
        expr->type = *type;
    reader->depth--;
    return r;
}

enum mm_class cat_type_let(struct cat_reader *reader, uint32_t let)
{
    struct mm_cat_let *l = &reader->model->lets[let];
    enum mm_cat_type type;
    enum mm_class r;

    if (l->parameter_count)
        return MM_OK;
    r = cat_infer(reader, l->body, 0, true, &type);
    if (!r && l->recursive_group && type != MM_CAT_REL)
        return type_mismatch(reader, l->body, "a recursive definition must be a relation");
    return r;
}

enum mm_class cat_check_monotone(struct cat_reader *reader, const struct mm_cat_expr *expr, uint32_t group,
                                 const char *excluded)
{
    if (excluded && expr->op == MM_CAT_NAME && expr->let != MM_CAT_NO_LET &&
        reader->model->lets[expr->let].recursive_group == group)
        return mm_fail_at(reader->err, MM_INVALID, "cat.rec", expr->file, expr->line, expr->column, "'%s' %s",
                          reader->model->lets[expr->let].name, excluded);
    for (uint32_t i = 0; i < expr->child_count; i++) {
        const char *why = excluded;

        if (expr->op == MM_CAT_COMPLEMENT || (expr->op == MM_CAT_DIFF && i == 1))
            why = "depends on its own complement";
        else if (expr->op == MM_CAT_CALL) /* whose body may complement the argument */
            why = "is passed to a function in its own definition: write the function's body instead";
        enum mm_class r = cat_check_monotone(reader, expr->child[i], group, why);

        if (r)
            return r;
    }
    return MM_OK;
}
