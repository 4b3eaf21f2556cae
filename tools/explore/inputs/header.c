/* Header lines of a .spvasm file, and the same settings from the command line: initial values, the property,
 * the filter, the shape of the launch.
 *
 *     ; @Input: %name = {1, {2, 3}}, %other = 4
 *     ; @Output: forall (%name[0] == 1 and not %other != 4)
 *     ; @Filter: (%name[0] == 1)
 *     ; @Config: work-items per sub-group, sub-groups per work-group, work-groups */
#include "checker/program/condition.h"
#include "interp/ext/convert.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 1024, MAX_LINES = 1024, MAX_DEPTH = 32, MAX_ITEMS = 65536 };

struct reader {
    struct ex *ex;
    const char *at, *end;
    unsigned depth;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < n || strncmp(r->at, word, n) != 0)
        return false;
    if (isalpha((unsigned char)*word) && r->at + n < r->end &&
        (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}

_Noreturn static void fail_expected(struct reader *r, const char *what)
{
    ex_fail(r->ex, MM_INVALID, "explore.header", "%s expected at '%.20s'", what,
            r->at < r->end ? r->at : "the end");
}

static void expect_word(struct reader *r, const char *word)
{
    if (!accept_word(r, word))
        fail_expected(r, word);
}

static uint64_t read_number(struct reader *r)
{
    char text[64], *end;
    size_t n = 0;
    skip_space(r);
    while (r->at + n < r->end && n < 63 &&
           (isalnum((unsigned char)r->at[n]) || (n == 0 && (r->at[n] == '-' || r->at[n] == '+'))))
        n++;
    memcpy(text, r->at, n);
    text[n] = 0;
    uint64_t value = text[0] == '-' ? 0 - strtoull(text + 1, &end, 0)
                                    : strtoull(text[0] == '+' ? text + 1 : text, &end, 0);
    if (n == 0 || *end || end == text)
        fail_expected(r, "a number");
    r->at += n;
    return value;
}

static const char *read_name(struct reader *r)
{
    size_t n = 0;
    skip_space(r);
    if (r->at < r->end && *r->at == '%')
        r->at++;
    while (r->at + n < r->end && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        n++;
    if (n == 0)
        fail_expected(r, "a name");
    char *text = ex_alloc(r->ex, n + 1);
    memcpy(text, r->at, n);
    r->at += n;
    return text;
}

static struct ex_init read_scalar(struct reader *r)
{
    char *whole, *end;
    skip_space(r);
    const char *digits = r->at + (r->at < r->end && (*r->at == '-' || *r->at == '+'));
    bool hexadecimal = digits + 1 < r->end && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    double real = strtod(r->at, &end);
    strtoull(r->at, &whole, 0);
    if (end <= whole || end > r->end)
        return (struct ex_init){.form = hexadecimal ? EX_HEXADECIMAL : EX_DECIMAL, .value = read_number(r)};
    r->at = end;
    accept_word(r, "f");
    return (struct ex_init){.form = EX_REAL, .real = real};
}

uint64_t ex_init_bits(struct ex *ex, const struct in_ty *type, const struct ex_init *init)
{
    if (type->kind == IN_TY_FLOAT && init->form != EX_HEXADECIMAL)
        return in_bits_from_f64(init->form == EX_REAL ? init->real : (double)(int64_t)init->value,
                                type->width);
    if (init->form == EX_REAL)
        ex_fail(ex, MM_INVALID, "explore.header", "%g is given for a whole number", init->real);
    return init->value;
}

static struct ex_init read_init(struct reader *r)
{
    struct ex_init out = {.form = EX_LIST};
    if (!accept_word(r, "{"))
        return read_scalar(r);
    if (++r->depth > MAX_DEPTH)
        fail_expected(r, "less nesting");
    while (!accept_word(r, "}")) {
        if (out.count == MAX_ITEMS)
            fail_expected(r, "fewer values");
        out.items = ex_grow(r->ex, out.items, out.count, sizeof *out.items);
        out.items[out.count++] = read_init(r);
        if (!accept_word(r, ",") && (skip_space(r), r->at >= r->end || *r->at != '}'))
            fail_expected(r, "',' or '}'");
    }
    r->depth--;
    return out;
}

static struct ex_input *input_named(struct ex *ex, const char *text)
{
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        if (strcmp(ex->config.inputs[i].name, text) == 0)
            return &ex->config.inputs[i];
    if (!ex->config.inputs)
        ex->config.inputs = ex_alloc(ex, MAX_INPUTS * sizeof *ex->config.inputs);
    if (ex->config.input_count == MAX_INPUTS)
        ex_fail(ex, MM_LIMIT, "explore.header", "more than %d names", MAX_INPUTS);
    ex->config.inputs[ex->config.input_count] = (struct ex_input){.name = text};
    return &ex->config.inputs[ex->config.input_count++];
}

static void read_inputs(struct reader *r)
{
    do {
        struct ex_input *input = input_named(r->ex, read_name(r));
        expect_word(r, "=");
        input->init = read_init(r);
        input->given = true;
    } while (accept_word(r, ","));
    skip_space(r);
    if (r->at < r->end)
        fail_expected(r, "',' or the end of the line");
}

/* The names in a condition, so that they can be found in the module. */
static void note_names(struct ex *ex, const char *text)
{
    struct reader r = {.ex = ex, .at = text, .end = text + strlen(text)};
    while ((r.at = strchr(r.at, '%')))
        input_named(ex, read_name(&r));
}

static void read_config(struct reader *r)
{
    uint64_t n[3];
    for (int i = 0; i < 3; i++) {
        if (i)
            expect_word(r, ",");
        n[i] = read_number(r);
        if (n[i] == 0 || n[i] > 1024)
            fail_expected(r, "a number from 1 to 1024");
    }
    struct ex_launch *l = &r->ex->config.launch;
    l->sub_group = (uint32_t)n[0];
    l->local[0] = (uint32_t)(n[0] * n[1]);
    l->global[0] = (uint32_t)(n[0] * n[1] * n[2]);
}

static void add_line(struct ex *ex, const char ***lines, uint32_t *count, const struct reader *r)
{
    if (!*lines)
        *lines = ex_alloc(ex, MAX_LINES * sizeof **lines);
    if (*count == MAX_LINES)
        ex_fail(ex, MM_LIMIT, "explore.header", "more than %d properties", MAX_LINES);
    size_t n = (size_t)(r->end - r->at);
    char *text = ex_alloc(ex, n + 1);
    memcpy(text, r->at, n);
    (*lines)[(*count)++] = text;
    note_names(ex, text);
}

void ex_read_headers(struct ex *ex)
{
    struct in_inst here = {.line = 1};
    for (const char *p = ex->module.text; p && *p; here.line++) {
        const char *end = strchr(p, '\n');
        struct reader r = {.ex = ex, .at = p, .end = end ? end : p + strlen(p)};
        ex->current = &here;
        if (accept_word(&r, ";") && accept_word(&r, "@")) {
            if (accept_word(&r, "Input:"))
                read_inputs(&r);
            else if (accept_word(&r, "Output:"))
                add_line(ex, &ex->config.outputs, &ex->config.output_count, &r);
            else if (accept_word(&r, "Filter:"))
                add_line(ex, &ex->config.filters, &ex->config.filter_count, &r);
            else if (accept_word(&r, "Config:"))
                read_config(&r);
        }
        p = end ? end + 1 : NULL;
    }
    ex->current = NULL;
}

enum mm_class ex_add_line(struct ex *ex, enum ex_line line, const char *text, struct mm_error *err)
{
    struct reader r = {.ex = ex, .at = text, .end = text + strlen(text)};
    const uint32_t known = ex->config.input_count;
    ex->err = err;
    ex->current = NULL;
    if (setjmp(ex->failed))
        return err->cls;
    if (line == EX_INPUT)
        read_inputs(&r);
    else if (line == EX_OUTPUT)
        add_line(ex, &ex->config.outputs, &ex->config.output_count, &r);
    else
        add_line(ex, &ex->config.filters, &ex->config.filter_count, &r);
    ex_find_names(ex);
    for (uint32_t i = known; i < ex->config.input_count && line == EX_INPUT; i++)
        if (ex->config.inputs[i].given && !ex->config.inputs[i].id)
            return mm_fail_at(err, MM_INVALID, "explore.header", ex->module.file, 0, 0,
                              "'%s' is no variable, argument or specialization constant that has this name",
                              ex->config.inputs[i].name);
    return MM_OK;
}

static void expect_end(struct reader *r)
{
    skip_space(r);
    if (r->at < r->end)
        fail_expected(r, "the end of the value");
}

struct ex_init ex_value_text(struct ex *ex, const char *text)
{
    struct reader r = {.ex = ex, .at = text, .end = text + strlen(text)};
    struct ex_init value = read_init(&r);
    expect_end(&r);
    return value;
}

struct ex_input *ex_input_for(struct ex *ex, uint32_t id)
{
    char unnamed[32];
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        if (ex->config.inputs[i].id == id)
            return &ex->config.inputs[i];
    snprintf(unnamed, sizeof unnamed, "%%%u", id);
    const char *own = ex_id(ex, id)->name;
    struct ex_input *input = input_named(ex, *own ? own : mm_arena_strdup(ex->arena, unnamed));
    if (input->id && input->id != id)
        ex_fail(ex, MM_INVALID, "explore.arguments", "two arguments called %s", input->name);
    input->id = id;
    return input;
}

/* ---- conditions --------------------------------------------------------------------------------- */

static uint32_t add_prop(struct ex *ex, struct ck_prop prop)
{
    return ex_check_added(ex, ck_program_add_prop(ex->program, &prop));
}

static const struct ex_place *place_named(struct ex *ex, const char *text)
{
    uint32_t id = 0;
    for (uint32_t i = 0; i < ex->config.input_count; i++)
        if (strcmp(ex->config.inputs[i].name, text) == 0)
            id = ex->config.inputs[i].id;
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *place = &ex->build.places[i];
        if (id ? place->id == id : strcmp(ex_id(ex, place->id)->name, text) == 0)
            return place;
    }
    char names[256] = "";
    for (uint32_t i = 0, length = 0; i < ex->build.place_count && length < sizeof names; i++) {
        const char *name = ex_id(ex, ex->build.places[i].id)->name;
        bool again = i && ex->build.places[i - 1].id == ex->build.places[i].id; /* of another work-group */
        if (*name && !strchr(name, '.') && !again)
            length +=
                (uint32_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
    }
    ex_fail(ex, MM_INVALID, "explore.header",
            "'%s' is neither a pointer argument nor a variable of program scope; conditions can name %s",
            text, *names ? names : "none here");
}

_Noreturn static void fail_term(struct ex *ex, const struct ck_condition_term *t, const char *what)
{
    ex_fail(ex, MM_INVALID, "explore.header", "in the condition, of '%s': %s expected", t->name, what);
}

/* NAME[I][J]...: leads through arrays, vectors and structures.  LEAF: its type; NULL: it is in a union, whose
 * values are those of its bytes. */
static struct ck_term memory_term(struct ex *ex, const struct ck_condition_term *wanted,
                                  const struct in_ty **leaf)
{
    const struct ex_place *place = place_named(ex, wanted->name);
    const struct in_ty *t = place->pointee;
    uint64_t offset = 0, size = ex->program->objects[place->object].size;
    bool first = place->is_array, in_union = false;
    for (uint32_t i = 0; i < wanted->index_count; i++) {
        uint64_t index = wanted->indices[i];
        if (index > UINT32_MAX)
            fail_term(ex, wanted, "a smaller index");
        if (first) {
            offset += index * ex_element_size(t);
            first = false;
        } else if (t->kind == IN_TY_STRUCT) {
            if (index >= t->count)
                fail_term(ex, wanted, "the index of a member");
            in_union |= in_spirv_is_union(ex->module.decoded, t);
            offset += t->offsets[index];
            t = t->members[index];
        } else if (t->kind == IN_TY_VECTOR || t->kind == IN_TY_ARRAY) {
            offset += index * t->stride;
            t = t->element;
        } else {
            fail_term(ex, wanted, "fewer indices");
        }
    }
    unsigned bytes = ex_scalar_size(t);
    if (!bytes)
        fail_term(ex, wanted, "an index: the value is no number; one");
    *leaf = in_union ? NULL : t;
    if (offset + bytes > size)
        ex_fail(ex, MM_INVALID, "explore.header",
                "the condition names byte %llu of '%s', which has %llu bytes",
                (unsigned long long)(offset + bytes - 1), wanted->name, (unsigned long long)size);
    return (struct ck_term){
        .kind = CK_TERM_MEMORY, .object = place->object, .offset = (uint32_t)offset, .size = (uint8_t)bytes};
}

/* LEAF: the type of the memory that it names, NULL if it names none. */
static struct ck_term resolve_term(struct ex *ex, const struct ck_condition_term *wanted,
                                   const struct in_ty **leaf)
{
    *leaf = NULL;
    if (!wanted->name)
        return (struct ck_term){.kind = CK_TERM_CONST, .value = wanted->value};
    struct ck_term t = memory_term(ex, wanted, leaf);
    ex_check_added(ex, ck_program_add_observed(ex->program, &t));
    return t;
}

static uint32_t join_props(struct ex *ex, enum ck_prop_op op, uint32_t a, uint32_t b)
{
    return add_prop(ex, (struct ck_prop){.op = op, .a = a, .b = b});
}

/* FROM <= bits of MEMORY <= TO. */
static uint32_t within_range(struct ex *ex, const struct ck_term *memory, unsigned width, uint64_t from,
                             uint64_t to)
{
    bool is_signed = ex->program->objects[memory->object].is_signed;
    struct ck_prop low = {.op = CK_PROP_COMPARE, .compare = CK_SLE, .right = *memory}, high = low;
    low.left.value = is_signed ? (uint64_t)ck_sign_extend(from, width / 8) : from;
    high.right.value = is_signed ? (uint64_t)ck_sign_extend(to, width / 8) : to;
    high.right.kind = CK_TERM_CONST;
    high.left = *memory;
    return from > to ? join_props(ex, CK_PROP_NOT, add_prop(ex, (struct ck_prop){.op = CK_PROP_TRUE}), 0)
                     : join_props(ex, CK_PROP_AND, add_prop(ex, low), add_prop(ex, high));
}

/* MEMORY, a float, is less than REAL; MORE: greater; EQUAL: or equal.  Bit patterns grow with positive
 * numbers and with the magnitude of negative ones. */
static uint32_t float_order(struct ex *ex, const struct ck_term *memory, unsigned width, double real,
                            bool more, bool equal)
{
    uint64_t sign = UINT64_C(1) << (width - 1), bits = in_bits_from_f64(real, width);
    uint64_t infinite = in_bits_from_f64(HUGE_VAL, width), magnitude = bits & ~sign;
    uint64_t own = more ? 0 : sign, other = more ? sign : 0;
    bool towards = magnitude == 0 || ((bits & sign) == 0) == more; /* what is wanted lies beyond REAL */
    uint32_t far = within_range(ex, memory, width, own | (towards ? magnitude + !equal : 0), own | infinite);
    uint32_t near = within_range(ex, memory, width, other, other | (magnitude - !equal));
    if (!towards)
        return join_props(ex, CK_PROP_OR, far, near);
    return magnitude == 0 && equal
               ? join_props(ex, CK_PROP_OR, far, within_range(ex, memory, width, other, other))
               : far;
}

static uint32_t float_equal(struct ex *ex, const struct ck_term *memory, unsigned width, double real)
{
    uint64_t bits = in_bits_from_f64(real, width), sign = UINT64_C(1) << (width - 1);
    uint32_t same = within_range(ex, memory, width, bits, bits);
    return real != 0
               ? same
               : join_props(ex, CK_PROP_OR, same, within_range(ex, memory, width, bits ^ sign, bits ^ sign));
}

static uint32_t float_compare(struct ex *ex, const struct ck_condition_node *n, const struct ck_prop *prop,
                              unsigned width)
{
    bool swapped = !n->left.name;
    const struct ck_condition_term *constant = swapped ? &n->left : &n->right;
    const struct ck_term *memory = swapped ? &prop->right : &prop->left;
    double real = constant->is_real ? constant->real : (double)(int64_t)constant->value;
    if (n->compare == CK_SLT || n->compare == CK_SLE)
        return float_order(ex, memory, width, real, swapped, n->compare == CK_SLE);
    uint32_t is = float_equal(ex, memory, width, real);
    return n->compare == CK_EQ ? is : join_props(ex, CK_PROP_NOT, is, 0);
}

static uint32_t build_comparison(struct ex *ex, const struct ck_condition_node *n, struct ck_prop prop)
{
    const struct in_ty *left, *right;
    prop.left = resolve_term(ex, &n->left, &left);
    prop.right = resolve_term(ex, &n->right, &right);
    bool floats = (left && left->kind == IN_TY_FLOAT) || (right && right->kind == IN_TY_FLOAT);
    if (floats && (!n->left.name || !n->right.name))
        return float_compare(ex, n, &prop, (left ? left : right)->width);
    if ((n->left.is_real || n->right.is_real) && !floats)
        ex_fail(ex, MM_INVALID, "explore.header", "the condition compares a whole number with a fraction");
    if (floats && (n->compare == CK_SLT || n->compare == CK_SLE || left->width != right->width))
        ex_fail(ex, MM_INVALID, "explore.header",
                "the condition orders floats in memory by each other: compare them with numbers");
    return add_prop(ex, prop);
}

static uint32_t build_proposition(struct ex *ex, const struct ck_condition *c, uint32_t index)
{
    const struct ck_condition_node *n = &c->nodes[index];
    struct ck_prop prop = {.op = n->op, .compare = n->compare};
    if (n->op == CK_PROP_COMPARE)
        return build_comparison(ex, n, prop);
    if (n->op != CK_PROP_TRUE) {
        prop.a = build_proposition(ex, c, n->a);
        prop.b = n->op == CK_PROP_NOT ? 0 : build_proposition(ex, c, n->b);
    }
    return add_prop(ex, prop);
}

static uint32_t read_line(struct ex *ex, const char *line, enum ck_quantifier *q)
{
    struct mm_error err = {0};
    struct ck_condition *c = ck_condition_parse(line, &err);
    if (!c)
        ex_fail(ex, err.cls, "explore.header", "%s", err.message);
    *q = c->quantifier;
    ex->condition = c; /* freed where reading fails, too */
    uint32_t prop = build_proposition(ex, c, c->root);
    ck_condition_destroy(c);
    ex->condition = NULL;
    return prop;
}

/* Several properties: all of the forall ones hold, one of the exists ones does. */
void ex_conditions(struct ex *ex)
{
    struct ck_program *p = ex->program;
    enum ck_quantifier q, first = CK_FORALL;
    for (uint32_t i = 0; i < ex->config.output_count; i++) {
        uint32_t prop = read_line(ex, ex->config.outputs[i], &q);
        if (i > 0 && q != first)
            ex_fail(ex, MM_INVALID, "explore.header", "properties with different quantifiers");
        p->condition = i == 0 ? prop
                              : add_prop(ex, (struct ck_prop){.op = q == CK_FORALL ? CK_PROP_AND : CK_PROP_OR,
                                                              .a = p->condition,
                                                              .b = prop});
        first = q;
    }
    if (ex->config.output_count == 0)
        p->condition = add_prop(ex, (struct ck_prop){.op = CK_PROP_TRUE});
    p->quantifier = first;
    for (uint32_t i = 0; i < ex->config.filter_count; i++) {
        uint32_t prop = read_line(ex, ex->config.filters[i], &q);
        p->filter = p->filter == CK_NO_EXPR ? prop : join_props(ex, CK_PROP_AND, p->filter, prop);
    }
}
