/* Prints a test so that parsing the text gives the same test. */
#include "litmus/parse/ast.h"

#include <inttypes.h>
#include <string.h>

static int precedence_of(const struct lt_expr *e)
{
    switch (e->kind) {
    case LT_SELECT:
        return 0;
    case LT_BINARY:
        return lt_operator_precedence(e->op);
    case LT_UNARY:
    case LT_DEREF:
    case LT_ADDRESS:
    case LT_CAST:
        return 11;
    default:
        return 12;
    }
}

static void print_expr(const struct lt_expr *e, FILE *out);

static void print_at(const struct lt_expr *e, int least, FILE *out)
{
    bool paren = precedence_of(e) < least;
    if (paren)
        fputc('(', out);
    print_expr(e, out);
    if (paren)
        fputc(')', out);
}

static void print_type(const struct lt_type *type, FILE *out)
{
    static const char *const regions[] = {[MM_GLOBAL] = "global ",
                                          [MM_LOCAL] = "local ",
                                          [MM_CONSTANT] = "constant ",
                                          [MM_PRIVATE] = "private ",
                                          [MM_IMAGE] = "image "};
    static const char *const origins[] = {[MM_ORIGIN_COARSE_SVM] = "svm_coarse ",
                                          [MM_ORIGIN_FINE_SVM] = "svm_fine ",
                                          [MM_ORIGIN_FINE_SVM_ATOMICS] = "svm_atomics ",
                                          [MM_ORIGIN_SYSTEM_SVM] = "svm_system ",
                                          [MM_ORIGIN_HOST] = "host "};
    if (type->is_volatile)
        fputs("volatile ", out);
    if (type->is_generic)
        fputs("generic ", out);
    if (type->origin > MM_ORIGIN_SUB_BUFFER)
        fputs(origins[type->origin], out);
    else if (type->region != MM_REGION_NONE)
        fputs(regions[type->region], out);
    fprintf(out, "%s%s", type->base->name, type->is_pointer ? "*" : "");
}

static void print_flags(uint8_t flags, FILE *out)
{
    const char *separator = "";
    for (uint8_t flag = MM_FENCE_LOCAL; flag <= MM_FENCE_IMAGE; flag = (uint8_t)(flag << 1))
        if (flags & flag) {
            fprintf(out, "%s%s", separator, lt_fence_flag_text(flag));
            separator = " | ";
        }
    if (!flags)
        fputc('0', out);
}

static void print_call(const struct lt_expr *e, FILE *out)
{
    fprintf(out, "%s(", e->function->name);
    unsigned orders = 0;
    for (const char *p = e->function->parameters; *p; p++) {
        bool missing = (*p == 's' && !e->scope) || (*p == 'o' && orders == 1 && !e->order_fail);
        if (missing)
            break;
        if (p != e->function->parameters)
            fputs(", ", out);
        switch (*p) {
        case 'p':
            print_expr(e->a, out);
            break;
        case 'e':
            print_expr(e->b, out);
            break;
        case 'v':
            print_expr(e->c, out);
            break;
        case 'f':
            print_flags(e->flags, out);
            break;
        case 'o':
            fputs(lt_order_text(orders++ ? e->order_fail : e->order), out);
            break;
        default:
            fputs(lt_scope_text(e->scope), out);
        }
    }
    fputc(')', out);
}

static void print_expr(const struct lt_expr *e, FILE *out)
{
    switch (e->kind) {
    case LT_CONST:
        fprintf(out, "%" PRIu64 "%s%s", e->value, e->is_unsigned ? "u" : "", e->is_long ? "l" : "");
        break;
    case LT_NAME:
        fputs(e->name, out);
        break;
    case LT_UNARY:
        fputs(lt_operator_text(e->op), out);
        /* "- -x" must not become "--x". */
        print_at(e->a, e->a->kind == LT_UNARY ? 12 : 11, out);
        break;
    case LT_BINARY:
        print_at(e->a, precedence_of(e), out);
        fprintf(out, " %s ", lt_operator_text(e->op));
        print_at(e->b, precedence_of(e) + 1, out);
        break;
    case LT_SELECT:
        print_at(e->a, 1, out);
        fputs(" ? ", out);
        print_at(e->b, 1, out);
        fputs(" : ", out);
        print_at(e->c, 0, out);
        break;
    case LT_DEREF:
        fputc('*', out);
        print_at(e->a, 11, out);
        break;
    case LT_ADDRESS:
        fputc('&', out);
        print_at(e->a, 11, out);
        break;
    case LT_INDEX:
        print_at(e->a, 12, out);
        fputc('[', out);
        print_expr(e->b, out);
        fputc(']', out);
        break;
    case LT_CAST:
        fputc('(', out);
        print_type(&e->type, out);
        fputc(')', out);
        print_at(e->a, 11, out);
        break;
    case LT_CALL:
        print_call(e, out);
        break;
    case LT_ASSIGNMENT:
        fputc('(', out);
        print_expr(e->a, out);
        fprintf(out, " %s= ", e->op ? lt_operator_text(e->op) : "");
        print_expr(e->b, out);
        fputc(')', out);
        break;
    }
}

/* ---- statements --------------------------------------------------------------------------------------- */

static void print_stmts(const struct lt_stmt *s, unsigned indent, FILE *out);

static void print_declarator(const struct lt_stmt *s, FILE *out)
{
    fputs(s->name, out);
    if (s->value) {
        fputs(" = ", out);
        print_expr(s->value, out);
    }
}

static void print_simple(const struct lt_stmt *s, FILE *out)
{
    if (s->kind == LT_DECLARE) {
        print_type(&s->type, out);
        fputc(' ', out);
        print_declarator(s, out);
    } else if (s->kind == LT_ASSIGN) {
        print_expr(s->target, out);
        fprintf(out, " %s= ", s->op ? lt_operator_text(s->op) : "");
        print_expr(s->value, out);
    } else if (s->kind == LT_EVAL) {
        print_expr(s->value, out);
    } else if (s->name) {
        fputs(s->name, out);
    }
}

static void print_block(const struct lt_stmt *first, unsigned indent, FILE *out)
{
    fputs("{\n", out);
    print_stmts(first, indent + 2, out);
    fprintf(out, "%*s}", (int)indent, "");
}

static void print_body(const struct lt_stmt *s, unsigned indent, FILE *out)
{
    print_block(s->kind == LT_BLOCK && !s->label ? s->body : s, indent, out);
}

static void print_loop(const struct lt_stmt *s, unsigned indent, FILE *out)
{
    if (s->kind == LT_DO) {
        fputs("do ", out);
        print_body(s->body, indent, out);
        fputs(" while (", out);
        print_expr(s->value, out);
        fputs(");\n", out);
        return;
    }
    fputs(s->kind == LT_WHILE ? "while (" : "for (", out);
    if (s->kind == LT_FOR) {
        if (s->init)
            print_simple(s->init, out);
        for (const struct lt_stmt *d = s->init ? s->init->next : NULL; d; d = d->next) {
            fputs(d->type.is_pointer ? ", *" : ", ", out);
            print_declarator(d, out);
        }
        fputs("; ", out);
    }
    if (s->value)
        print_expr(s->value, out);
    if (s->kind == LT_FOR) {
        fputs("; ", out);
        if (s->step)
            print_simple(s->step, out);
    }
    fputs(") ", out);
    print_body(s->body, indent, out);
    fputc('\n', out);
}

void lt_print_stmt(const struct lt_stmt *s, unsigned indent, FILE *out)
{
    fprintf(out, "%*s", (int)indent, "");
    if (s->label)
        fprintf(out, "%s: ", s->label);
    switch (s->kind) {
    case LT_EMPTY:
        fputs(";\n", out);
        break;
    case LT_DECLARE:
    case LT_ASSIGN:
    case LT_EVAL:
        print_simple(s, out);
        fputs(";\n", out);
        break;
    case LT_IF:
        fputs("if (", out);
        print_expr(s->value, out);
        fputs(") ", out);
        print_body(s->body, indent, out);
        if (s->other) {
            fputs(" else ", out);
            print_body(s->other, indent, out);
        }
        fputc('\n', out);
        break;
    case LT_WHILE:
    case LT_DO:
    case LT_FOR:
        print_loop(s, indent, out);
        break;
    case LT_BLOCK:
        print_block(s->body, indent, out);
        fputc('\n', out);
        break;
    case LT_BREAK:
        fputs("break;\n", out);
        break;
    case LT_CONTINUE:
        fputs("continue;\n", out);
        break;
    case LT_RETURN:
        fputs("return;\n", out);
        break;
    case LT_API:
        lt_print_api(s->api, out);
        fputs(";\n", out);
        break;
    }
}

static void print_stmts(const struct lt_stmt *s, unsigned indent, FILE *out)
{
    for (; s; s = s->next)
        lt_print_stmt(s, indent, out);
}

/* ---- the rest ------------------------------------------------------------------------------------ */

static void print_term(const struct lt_term *t, FILE *out)
{
    if (t->kind == LT_TERM_CONST) {
        fprintf(out, "%" PRId64, (int64_t)t->value);
    } else if (t->kind == LT_TERM_REG) {
        if (t->thread >= LT_HOST_NUMBER)
            fprintf(out, "H%u:%s", t->thread - LT_HOST_NUMBER, t->name);
        else
            fprintf(out, "%s%u:%s", t->thread_p ? "P" : "", t->thread, t->name);
    } else {
        bool bracket = t->form == LT_BRACKET;
        fprintf(out, "%s%s", bracket ? "[" : t->form == LT_STAR ? "*" : "", t->name);
        if (t->form == LT_ELEMENT || t->index)
            fprintf(out, "[%u]", t->index);
        fputs(bracket ? "]" : "", out);
    }
}

void lt_print_prop(const struct lt_prop *p, FILE *out)
{
    switch (p->kind) {
    case LT_PROP_TRUE:
        fputs("true", out);
        break;
    case LT_PROP_FALSE:
        fputs("false", out);
        break;
    case LT_PROP_NOT:
        fputs("~(", out);
        lt_print_prop(p->a, out);
        fputc(')', out);
        break;
    case LT_PROP_COMPARE:
        print_term(&p->left, out);
        fprintf(out, " %s ", lt_operator_text(p->op));
        print_term(&p->right, out);
        break;
    default:
        fputc('(', out);
        lt_print_prop(p->a, out);
        fputs(p->kind == LT_PROP_AND ? " /\\ " : " \\/ ", out);
        lt_print_prop(p->b, out);
        fputc(')', out);
    }
}

static void print_init(const struct lt_init *init, FILE *out)
{
    fputs("  ", out);
    if (init->type.base) {
        print_type(&init->type, out);
        fputc(' ', out);
    }
    if (init->thread >= (int32_t)LT_HOST_NUMBER)
        fprintf(out, "H%d:", (int)init->thread - (int)LT_HOST_NUMBER);
    else if (init->thread >= 0)
        fprintf(out, "P%d:", (int)init->thread);
    fprintf(out, init->bracket ? "[%s]" : "%s", init->name);
    if (init->array)
        fprintf(out, "[%u]", init->count);
    if (init->alias)
        fprintf(out, " aliases %s", init->alias);
    if (init->array && init->values) {
        fputs(" = {", out);
        for (uint32_t i = 0; i < init->value_count; i++)
            fprintf(out, "%s%" PRId64, i ? ", " : "", (int64_t)init->values[i]);
        fputc('}', out);
    } else if (init->value_count) {
        fprintf(out, " = %" PRId64, (int64_t)init->values[0]);
    }
    fputs(";\n", out);
}

const char *lt_thread_name(const struct lt_thread *thread, char buf[16])
{
    bool host = thread->number >= LT_HOST_NUMBER;
    snprintf(buf, 16, "%c%u", host ? 'H' : 'P', thread->number - (host ? LT_HOST_NUMBER : 0));
    return buf;
}

static void print_thread(const struct lt_thread *thread, FILE *out)
{
    char name[16];
    fprintf(out, "\n%s@", lt_thread_name(thread, name));
    if (thread->has_sub_group)
        fprintf(out, "sg %u, ", thread->sub_group);
    if (thread->host)
        fputs("host", out);
    else
        fprintf(out, "wg %u, dev %u", thread->work_group, thread->device);
    if (thread->kernel)
        fprintf(out, ", kernel %u", thread->kernel);
    fputs(" (", out);
    for (const struct lt_param *p = thread->params; p; p = p->next) {
        print_type(&p->type, out);
        fprintf(out, " %s%s", p->name, p->next ? ", " : "");
    }
    fputs(") {\n", out);
    print_stmts(thread->body, 2, out);
    fputs("}\n", out);
}

static void print_operands(const struct lt_vulkan *v, FILE *out)
{
    for (int i = 0; i < 4; i++) {
        const struct lt_operand *o = &v->operands[i];
        if (!o->present)
            continue;
        fputs(i ? ", " : " ", out);
        if (o->is_const)
            fprintf(out, "%" PRId64, (int64_t)o->value);
        else
            fputs(o->name, out);
        if (o->offset)
            fprintf(out, "+%u", o->offset);
    }
    if (v->label)
        fprintf(out, "%s%s", v->operands[0].present ? ", " : " ", v->label);
}

static void print_columns(const struct lt_test *test, FILE *out)
{
    const struct lt_vulkan *at[LT_MAX_THREADS];
    uint32_t n = 0, left = 0;
    for (const struct lt_edge *e = test->edges; e; e = e->next)
        fprintf(out, "%sssw %u %u;%s", e == test->edges ? "{\n  " : "  ", e->from, e->to,
                e->next ? "\n" : "\n}\n");
    for (const struct lt_thread *t = test->threads; t; t = t->next) {
        if (t->host)
            fprintf(out, "%s P%u@host", n ? " |" : "", t->number);
        else
            fprintf(out, "%s P%u@sg %u, wg %u, qf %u", n ? " |" : "", t->number, t->sub_group, t->work_group,
                    t->queue_family);
        if (t->device)
            fprintf(out, ", dev %u", t->device);
        left += t->vulkan != NULL;
        at[n++] = t->vulkan;
    }
    fputs(" ;\n", out);
    while (left) {
        for (uint32_t i = 0; i < n; i++) {
            const struct lt_vulkan *v = at[i];
            fputs(i ? " | " : " ", out);
            if (!v)
                continue;
            if (v->op == LT_V_LABEL) {
                fprintf(out, "%s:", v->label);
            } else {
                fputs(v->mnemonic, out);
                print_operands(v, out);
            }
            at[i] = v->next;
            left -= !v->next;
        }
        fputs(" ;\n", out);
    }
}

const char *lt_quantifier_text(enum ck_quantifier quantifier)
{
    static const char *const names[] = {
        [CK_EXISTS] = "exists", [CK_NOT_EXISTS] = "~exists", [CK_FORALL] = "forall"};
    return names[quantifier];
}

void lt_print_final(const struct lt_test *test, FILE *out)
{
    if (test->observed) {
        fputs("\nlocations [", out);
        for (const struct lt_observed *o = test->observed; o; o = o->next) {
            print_term(&o->term, out);
            fputs(o->next ? "; " : "", out);
        }
        fputs("]\n", out);
    }
    if (test->filter) {
        fputs("\nfilter ", out);
        lt_print_prop(test->filter, out);
        fputc('\n', out);
    }
    if (test->condition) {
        fprintf(out, "\n%s ", lt_quantifier_text(test->quantifier));
        lt_print_prop(test->condition, out);
        fputc('\n', out);
    }
}

void lt_print(const struct lt_test *test, FILE *out)
{
    fprintf(out, "%s %s\n", test->dialect == LT_OPENCL ? "OPENCL" : "VULKAN", test->name);
    if (test->comment)
        fprintf(out, test->dialect == LT_OPENCL ? "\n(*%s*)\n" : "\"%s\"\n", test->comment);
    fputs("\n{\n", out);
    for (const struct lt_init *init = test->inits; init; init = init->next)
        print_init(init, out);
    lt_print_declarations(test, out);
    fputs("}\n", out);
    if (test->dialect == LT_OPENCL)
        for (const struct lt_thread *t = test->threads; t; t = t->next)
            print_thread(t, out);
    else
        print_columns(test, out);
    lt_print_final(test, out);
}
