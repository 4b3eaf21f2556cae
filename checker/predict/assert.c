/* Assertions: conditions on the final state of memory (condition.h).
 *
 * A name is a kernel argument, of the launch that bound it last, or in quotes a memory object ('svm 1'[3]),
 * whose elements are 32-bit words. */
#include "checker/predict/predict.h"
#include "checker/program/condition.h"

#include <string.h>

/* True if T denotes one element: a name without an index denotes the first; several indices are not
 * supported. */
static bool is_element(const struct ck_condition_term *t)
{
    return t->index_count <= 1;
}

static uint64_t index_of(const struct ck_condition_term *t)
{
    return t->index_count ? t->indices[0] : 0;
}

struct ck_condition *ck_assertion_parse(const char *text, struct mm_error *err)
{
    struct ck_condition *c = ck_condition_parse(text, err);
    const char *wrong = c && c->quantified ? "a condition without a quantifier" : NULL;
    for (uint32_t i = 0; c && i < c->count; i++)
        if (!is_element(&c->nodes[i].left) || !is_element(&c->nodes[i].right))
            wrong = "one index, the element's,";
    if (!wrong)
        return c;
    ck_condition_destroy(c);
    mm_fail(err, MM_INVALID, "checker.assert", "in the condition '%.200s': %s is expected", text, wrong);
    return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

struct assertion_element {
    uint32_t root, size;
    uint64_t offset;
    bool is_signed;
    bool is_real;
    bool is_vector;
};

/* The value of a term: a number, or a constant that has a fraction. */
struct assertion_value {
    int64_t whole;
    double real; /* where IS_REAL */
    bool is_real;
    uint32_t real_size; /* of an element that is a floating-point number, else 0 */
};

/* Resolves a name: a kernel argument, else the last allocation of that name. */
static bool resolve_name(const struct ck_predictor *p, const struct ck_condition_term *t,
                         struct assertion_element *to)
{
    for (const struct ck_predict_argument *a = p->arguments; a; a = a->next) {
        uint32_t size = a->info.element_size;
        if (!a->info.allocation || a->info.allocation >= p->allocation_count ||
            strcmp(a->info.name, t->name) != 0)
            continue;
        const struct ck_predict_allocation *in = &p->allocations[a->info.allocation];
        struct mm_scalar scalar = mm_scalar_named(a->info.type_name);
        *to = (struct assertion_element){in->root,
                                         size,
                                         in->offset + a->info.offset + index_of(t) * size,
                                         a->info.type_name[0] != 'u',
                                         scalar.kind == MM_SCALAR_FLOAT,
                                         scalar.size && scalar.size != size};
        return true;
    }
    for (uint32_t i = p->allocation_count; i-- > 1;) {
        const struct ck_predict_allocation *in = &p->allocations[i];
        if (!in->info.id || !in->info.name || strcmp(in->info.name, t->name) != 0)
            continue;
        *to = (struct assertion_element){in->root, 4, in->offset + index_of(t) * 4, true, false, false};
        return true;
    }
    return false;
}

static bool element_fits(const struct assertion_element *at)
{
    return !at->is_vector && (at->size == 1 || at->size == 2 || at->size == 4 || at->size == 8);
}

/* ---- the recorded execution --------------------------------------------------------------------- */

static bool recorded_value(const struct ck_predictor *p, const struct ck_condition_term *t,
                           struct assertion_value *value, struct mm_error *limit)
{
    struct assertion_element at;
    uint64_t bits = t->value;
    *value = (struct assertion_value){.whole = (int64_t)bits, .real = t->real, .is_real = t->is_real};
    if (!t->name)
        return true;
    if (!resolve_name(p, t, &at)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "no kernel has an argument '%s'", t->name);
        return false;
    }
    if (!element_fits(&at)) {
        mm_fail(limit, MM_LIMIT, "checker.assert",
                "the elements of '%s' are not numbers of 1, 2, 4 or 8 bytes", t->name);
        return false;
    }
    if (!ck_predict_value_now(p, at.root, at.offset, at.size, &bits)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "no recorded access to %s[%llu]", t->name,
                (unsigned long long)index_of(t));
        return false;
    }
    value->whole = at.is_signed ? ck_sign_extend(bits, at.size) : (int64_t)bits;
    value->is_real = at.is_real;
    value->real_size = at.is_real ? at.size : 0;
    value->real = at.is_real ? mm_scalar_real(bits, at.size) : 0;
    return true;
}

/* As a number of the type of an element of SIZE bytes, which a constant is converted to. */
static double real_of(const struct assertion_value *value, uint32_t size)
{
    double real = value->is_real ? value->real : (double)value->whole;
    return value->real_size || size != sizeof(float) ? real : (double)(float)real;
}

static enum ck_answer compare_values(const struct ck_condition_node *n, const struct assertion_value *x,
                                     const struct assertion_value *y, struct mm_error *limit)
{
    uint32_t size = x->real_size ? x->real_size : y->real_size;
    double a = real_of(x, size), b = real_of(y, size);
    bool equal = size ? a == b : x->whole == y->whole, less = size ? a < b : x->whole < y->whole;
    if (!size && (x->is_real || y->is_real)) {
        mm_fail(limit, MM_LIMIT, "checker.assert", "the condition compares a whole number with a fraction");
        return CK_UNKNOWN;
    }
    bool is = n->compare == CK_EQ    ? equal
              : n->compare == CK_NE  ? !equal
              : n->compare == CK_SLE ? less || equal
                                     : less;
    return is ? CK_YES : CK_NO;
}

static enum ck_answer condition_holds(const struct ck_condition *a, uint32_t index,
                                      const struct ck_predictor *p, struct mm_error *limit)
{
    const struct ck_condition_node *n = &a->nodes[index];
    struct assertion_value x, y;
    if (n->op == CK_PROP_TRUE)
        return CK_YES;
    if (n->op == CK_PROP_COMPARE) {
        bool known = recorded_value(p, &n->left, &x, limit) && recorded_value(p, &n->right, &y, limit);
        return known ? compare_values(n, &x, &y, limit) : CK_UNKNOWN;
    }
    enum ck_answer left = condition_holds(a, n->a, p, limit);
    if (n->op == CK_PROP_NOT)
        return left == CK_UNKNOWN ? left : left == CK_YES ? CK_NO : CK_YES;
    enum ck_answer right = condition_holds(a, n->b, p, limit),
                   decides = n->op == CK_PROP_AND ? CK_NO : CK_YES;
    if (left == decides || right == decides)
        return decides;
    return left == CK_UNKNOWN ? left : right;
}

enum ck_answer ck_assertion_holds(const struct ck_condition *a, const struct ck_predictor *p,
                                  struct mm_error *limit)
{
    return condition_holds(a, a->root, p, limit);
}

/* Appends "x[2] is 3" to TEXT unless it has it. */
static void put_value(const struct ck_predictor *p, const struct ck_condition_term *t, char *text,
                      size_t size)
{
    char one[240], number[MM_SCALAR_TEXT], index[32] = "";
    struct assertion_value value;
    if (!t->name || !recorded_value(p, t, &value, NULL))
        return;
    if (value.is_real)
        mm_scalar_text((struct mm_scalar){value.real_size, MM_SCALAR_FLOAT}, (uint64_t)value.whole,
                       value.real_size, number);
    else
        snprintf(number, sizeof number, "%lld", (long long)value.whole);
    if (t->index_count)
        snprintf(index, sizeof index, "[%llu]", (unsigned long long)index_of(t));
    snprintf(one, sizeof one, "%.100s%s is %s", t->name, index, number);
    if (!strstr(text, one) && strlen(text) + strlen(one) + 3 < size)
        sprintf(text + strlen(text), "%s%s", *text ? ", " : "", one);
}

static void put_values(const struct ck_condition *a, uint32_t index, const struct ck_predictor *p, char *text,
                       size_t size)
{
    const struct ck_condition_node *n = &a->nodes[index];
    if (n->op == CK_PROP_TRUE)
        return;
    if (n->op == CK_PROP_COMPARE) {
        put_value(p, &n->left, text, size);
        put_value(p, &n->right, text, size);
        return;
    }
    put_values(a, n->a, p, text, size);
    if (n->op != CK_PROP_NOT)
        put_values(a, n->b, p, text, size);
}

void ck_assertion_values(const struct ck_condition *a, const struct ck_predictor *p, char *text, size_t size)
{
    *text = 0;
    put_values(a, a->root, p, text, size);
}

/* ---- other executions --------------------------------------------------------------------------- */

struct lowering {
    const struct ck_condition *assertion;
    const struct ck_predictor *p;
    const struct ck_predict_window *w;
    const uint32_t *objects;
    struct ck_program *program;
    bool failed;
};

static bool term_names(const struct ck_condition_term *t, const struct ck_predictor *p,
                       const struct ck_predict_place *place)
{
    struct assertion_element at;
    return t->name && resolve_name(p, t, &at) && place->allocation == at.root && at.offset < place->to &&
           place->from < at.offset + at.size;
}

bool ck_assertion_names(const struct ck_condition *a, const struct ck_predictor *p,
                        const struct ck_predict_place *place)
{
    bool names = false;
    for (uint32_t i = 0; i < a->count && !names; i++)
        names = a->nodes[i].op == CK_PROP_COMPARE &&
                (term_names(&a->nodes[i].left, p, place) || term_names(&a->nodes[i].right, p, place));
    return names;
}

/* Lowers T to a term of the program; a place outside of the program has its recorded final value. */
static struct ck_term lower_term(struct lowering *l, const struct ck_condition_term *t)
{
    struct ck_term out = {.kind = CK_TERM_CONST, .value = t->value};
    struct assertion_element at;
    l->failed |= t->is_real;
    if (!t->name)
        return out;
    if (!resolve_name(l->p, t, &at) || !element_fits(&at) ||
        at.is_real) { /* conditions of programs compare integers */
        l->failed = true;
        return out;
    }
    for (uint32_t i = 0; i < l->w->place_count; i++) {
        const struct ck_predict_place *place = &l->w->places[i];
        if (place->allocation != at.root || at.offset >= place->to || place->from >= at.offset + at.size ||
            l->objects[i] == CK_NO_OBJECT)
            continue;
        if (at.offset < place->from || at.offset + at.size > place->to)
            l->failed = true;
        l->program->objects[l->objects[i]].is_signed = at.is_signed;
        out = (struct ck_term){.kind = CK_TERM_MEMORY,
                               .object = l->objects[i],
                               .offset = (uint32_t)(at.offset - place->from),
                               .size = (uint8_t)at.size};
        l->failed |= ck_program_add_observed(l->program, &out) == CK_NOT_ADDED;
        return out;
    }
    l->failed |= !ck_predict_value_now(l->p, at.root, at.offset, at.size, &out.value);
    if (at.is_signed)
        out.value = (uint64_t)ck_sign_extend(out.value, at.size);
    return out;
}

static uint32_t lower_node(struct lowering *l, uint32_t index)
{
    const struct ck_condition_node *n = &l->assertion->nodes[index];
    struct ck_prop prop = {.op = n->op, .compare = n->compare};
    if (n->op == CK_PROP_COMPARE) {
        prop.left = lower_term(l, &n->left);
        prop.right = lower_term(l, &n->right);
    } else if (n->op != CK_PROP_TRUE) {
        prop.a = lower_node(l, n->a);
        prop.b = n->op == CK_PROP_NOT ? 0 : lower_node(l, n->b);
    }
    uint32_t added = ck_program_add_prop(l->program, &prop);
    l->failed |= added == CK_NOT_ADDED;
    return added;
}

uint32_t ck_assertion_lower(const struct ck_condition *a, const struct ck_predictor *p,
                            const struct ck_predict_window *w, const uint32_t *objects,
                            struct ck_program *program)
{
    struct lowering l = {a, p, w, objects, program, false};
    uint32_t root = lower_node(&l, a->root);
    uint32_t fails = ck_program_add_prop(program, &(struct ck_prop){.op = CK_PROP_NOT, .a = root});
    program->quantifier = CK_EXISTS;
    return l.failed ? CK_NOT_ADDED : fails;
}
