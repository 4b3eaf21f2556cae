/* Arguments from the command line: specifications (tools/launch) become initial values. */
#include "memmodel/base/input.h"
#include "tools/explore/image/image.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/module/module.h"
#include "tools/launch/npy.h"
#include "tools/launch/spec.h"

#include <string.h>

enum { MAX_ITEMS = 65536 };

static struct ex_init init_of(struct ex *ex, const struct spec_value *value)
{
    static const enum ex_form forms[] = {[SPEC_DECIMAL] = EX_DECIMAL,
                                         [SPEC_HEXADECIMAL] = EX_HEXADECIMAL,
                                         [SPEC_REAL] = EX_REAL,
                                         [SPEC_LIST] = EX_LIST};
    struct ex_init out = {
        .form = forms[value->form], .value = value->whole, .real = value->real, .count = value->count};
    if (value->count)
        out.items = ex_alloc(ex, value->count * sizeof *out.items);
    for (uint32_t i = 0; i < value->count; i++)
        out.items[i] = init_of(ex, &value->items[i]);
    return out;
}

/* Scalars per array element, padding included: vectors of three take the place of four. */
static uint32_t scalar_stride(const struct in_ty *t)
{
    uint32_t count = t->kind == IN_TY_VECTOR ? t->count : 1;
    return count == 3 ? 4 : count;
}

/* Element I of an array of T: its scalars are numbered, or equal to VALUE. */
static struct ex_init element_init(struct ex *ex, const struct in_ty *t, uint32_t i, bool numbered,
                                   struct ex_init value)
{
    uint64_t first = (uint64_t)i * scalar_stride(t);
    if (t->kind != IN_TY_VECTOR || value.form == EX_LIST)
        return numbered ? (struct ex_init){.value = first} : value;
    struct ex_init out = {.form = EX_LIST, .count = t->count};
    out.items = ex_alloc(ex, t->count * sizeof *out.items);
    for (uint32_t k = 0; k < t->count; k++)
        out.items[k] = numbered ? (struct ex_init){.value = first + k} : value;
    return out;
}

static struct ex_init repeated_value(struct ex *ex, const struct spec *spec, const struct in_ty *t)
{
    struct ex_init out = {.form = EX_LIST, .count = (uint32_t)spec->count}, value = {0};
    if (spec->fill == SPEC_FILL)
        value = init_of(ex, &spec->value);
    out.items = ex_alloc(ex, spec->count * sizeof *out.items);
    for (uint32_t i = 0; i < spec->count; i++)
        out.items[i] = element_init(ex, t, i, spec->fill == SPEC_IOTA, value);
    return out;
}

static struct ex_init random_numbers(struct ex *ex, const struct spec *spec, bool is_float)
{
    bool below = spec->fill == SPEC_BELOW;
    uint64_t state = spec_random_state(below ? 1 : spec->number), limit = below ? spec->number : 0;
    struct ex_init out = {.form = EX_LIST, .count = (uint32_t)spec->count};
    out.items = ex_alloc(ex, spec->count * sizeof *out.items);
    for (uint32_t i = 0; i < spec->count; i++) {
        double real;
        uint64_t whole = (uint64_t)spec_random(&state, limit, &real);
        out.items[i] = is_float ? (struct ex_init){.form = EX_REAL, .real = real}
                                : (struct ex_init){.form = EX_DECIMAL, .value = whole};
    }
    return out;
}

/* A structure that holds a runtime array alone, which shaders wrap buffers into. */
static bool is_block(const struct in_ty *t)
{
    return t->kind == IN_TY_STRUCT && t->count == 1 && ex_is_runtime_array(t->members[0]);
}

static const struct in_ty *element_type(const struct in_ty *pointee)
{
    return is_block(pointee) ? pointee->members[0]->element : pointee;
}

static uint64_t element_size(const struct in_ty *t)
{
    return is_block(t) ? t->members[0]->stride : ex_element_size(t);
}

/* Whether the contents are one number for each element: iota, and fill=NUMBER. */
static bool is_one_number(const struct spec *spec)
{
    return spec->fill == SPEC_IOTA || (spec->fill == SPEC_FILL && spec->value.form != SPEC_LIST);
}

/* The integer of T that holds numbers of a specification; false: T has other types.  SPIR-V integers have no
 * sign. */
static bool integer_of(const struct in_ty *t, struct spec_scalar *scalar)
{
    while (t->kind == IN_TY_VECTOR || t->kind == IN_TY_ARRAY || is_block(t))
        t = is_block(t) ? t->members[0]->element : t->element;
    *scalar = (struct spec_scalar){"an integer", t->width / 8, 'u'};
    return t->kind == IN_TY_INT;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* The bits of scalar I of ARRAY, with SIZE bytes. */
static struct ex_init scalar_in(const struct npy_array *array, uint64_t i, unsigned size)
{
    struct ex_init out = {.form = EX_HEXADECIMAL};
    if (size <= sizeof out.value)
        memcpy(&out.value, array->data + i * size, size);
    return out;
}

/* The elements of type T, as many as SPEC wants or, 0, as the file has.  *WHY: what is wrong with the file,
 * else NULL. */
static struct ex_init array_init(struct ex *ex, const struct spec *spec, const struct in_ty *t,
                                 const struct npy_array *array, const char **why)
{
    const struct in_ty *scalar = t->kind == IN_TY_VECTOR ? t->element : t;
    unsigned size = ex_scalar_size(scalar), stride = scalar_stride(t);
    bool is_real = scalar->kind == IN_TY_FLOAT;
    uint64_t count = size == 0 ? 0 : spec->count ? spec->count : array->bytes / size / stride;
    struct ex_init out = {.form = EX_LIST, .count = (uint32_t)count};
    *why = size == 0 ? "exploring takes files for arrays of numbers and vectors alone"
           : array->item && (array->item != size || (array->kind == 'f') != is_real)
               ? "the elements of the file differ from the argument's"
           : count * size * stride != array->bytes ? "the size of the file differs from the argument's"
           : count == 0 || count > MAX_ITEMS       ? "a number of elements from 1 to 65536 is expected"
                                                   : NULL;
    if (*why)
        return (struct ex_init){0};
    out.items = ex_alloc(ex, count * sizeof *out.items);
    for (uint32_t i = 0; i < count; i++) {
        struct ex_init *item = &out.items[i];
        *item = scalar_in(array, (uint64_t)i * stride, size);
        if (t->kind != IN_TY_VECTOR)
            continue;
        *item = (struct ex_init){.form = EX_LIST, .count = t->count};
        item->items = ex_alloc(ex, t->count * sizeof *item->items);
        for (uint32_t k = 0; k < t->count; k++)
            item->items[k] = scalar_in(array, (uint64_t)i * stride + k, size);
    }
    return out;
}

/* NULL, or why the file of SPEC cannot be the contents of INPUT, whose elements are of type T. */
static const char *take_file(struct ex *ex, struct ex_input *input, const struct spec *spec,
                             const struct in_ty *t)
{
    struct mm_error err = {0};
    struct npy_array array;
    char *text;
    size_t size;
    if (mm_input_read(MM_INPUT_MODULE, spec->file, &text, &size, &err) != MM_OK)
        return "the file cannot be read";
    const char *why = npy_read(text, size, &array);
    if (!why)
        input->init = array_init(ex, spec, t, &array, &why);
    mm_free(text);
    return why;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

/* NULL, or why exploring takes no such argument. */
static const char *unsupported_argument(const struct spec *spec, const struct in_ty *pointee)
{
    bool is_random = spec->fill == SPEC_RANDOM || spec->fill == SPEC_BELOW;
    if (spec->kind != SPEC_VALUE && spec->kind != SPEC_LOCAL && spec->kind != SPEC_BUFFER &&
        spec->kind != SPEC_SVM && spec->kind != SPEC_NULL)
        return "exploring takes buffers, local memory, values and null";
    if (spec->kind != SPEC_VALUE && !pointee)
        return "the argument is no pointer";
    if (spec->kind == SPEC_NULL)
        return NULL;
    if (spec->fill > SPEC_FILL && spec->fill != SPEC_ANY && spec->fill != SPEC_FILE && !is_random)
        return "exploring takes memory with zero, iota, fill=V, rand=SEED, below=LIMIT, file=PATH or any";
    if (is_random && (!pointee || (pointee->kind != IN_TY_INT && pointee->kind != IN_TY_FLOAT)))
        return "exploring takes random contents for arrays of numbers alone";
    if (is_one_number(spec) && pointee && ex_scalar_size(element_type(pointee)) == 0 &&
        element_type(pointee)->kind != IN_TY_VECTOR)
        return "exploring takes iota and fill=NUMBER for arrays of numbers and vectors alone";
    if (spec->access != SPEC_READ_WRITE)
        return "exploring has no read-only and write-only memory";
    if (*spec->as)
        return "exploring has memory of the type that the argument points to alone";
    if (*spec->output)
        return "exploring has many results: --states lists them";
    if (spec->kind != SPEC_VALUE && spec->kind != SPEC_LOCAL && spec->count > MAX_ITEMS)
        return "a number of elements from 1 to 65536 is expected";
    return NULL;
}

static bool is_opaque(const struct in_ty *t)
{
    return t->opcode == SpvOpTypePipe || t->opcode == SpvOpTypeQueue;
}

/* NULL, or why SPEC is no argument of type T, a pipe or a queue.  Instructions that use it are
 * unsupported. */
static const char *opaque_argument(const struct in_ty *t, const struct spec *spec)
{
    if (t->opcode == SpvOpTypePipe)
        return spec->kind == SPEC_PIPE ? NULL : "the argument is a pipe, such as pipe:4";
    return spec->kind == SPEC_CAPTURED ? NULL : "the argument is a queue: give @queue";
}

static void take_contents(struct ex *ex, struct ex_input *input, const struct spec *spec,
                          const struct in_ty *pointee)
{
    if (spec->kind == SPEC_NULL)
        return;
    if (spec->kind == SPEC_LOCAL)
        input->bytes = spec->count;
    else if (spec->kind == SPEC_VALUE && spec->fill != SPEC_ANY)
        input->init = init_of(ex, &spec->value);
    else if (spec->fill == SPEC_ANY && spec->kind != SPEC_VALUE)
        input->bytes = spec->count * (pointee ? element_size(pointee) : 0);
    else if (spec->fill == SPEC_ANY)
        input->bytes = 0;
    else if (spec->fill == SPEC_RANDOM || spec->fill == SPEC_BELOW)
        input->init = random_numbers(ex, spec, pointee->kind == IN_TY_FLOAT);
    else
        input->init = repeated_value(ex, spec, element_type(pointee));
}

void ex_argument(struct ex *ex, uint32_t id, const char *text)
{
    char message[400], option[128], number[40], misfit[100];
    struct spec_scalar scalar;
    struct spec spec;
    struct ex_input *input = ex_input_for(ex, id);
    const struct in_ty *t = ex_type_of(ex, id),
                       *pointee = t->kind == IN_TY_POINTER ? ex_argument_element(ex, id) : NULL;
    input->given = true;
    const char *why = spec_read(text, &spec, message, sizeof message) ? NULL : message;
    if (!why && is_opaque(t))
        why = opaque_argument(t, &spec);
    if (!why && (ex_is_image(t) || spec.kind == SPEC_IMAGE || spec.kind == SPEC_SAMPLER))
        why = ex_image_argument(ex, input, &spec, &pointee);
    bool has_value = !input->sampler && !is_opaque(t);
    if (!why && has_value)
        why = unsupported_argument(&spec, pointee);
    if (!why && has_value && integer_of(pointee ? pointee : t, &scalar) &&
        !spec_fits(&spec.value, &scalar, number, sizeof number)) {
        snprintf(misfit, sizeof misfit, "%s is no integer of %u bits", number, 8 * scalar.bytes);
        why = misfit;
    }
    if (!why && has_value && spec.fill == SPEC_FILE && spec.kind != SPEC_VALUE)
        why = take_file(ex, input, &spec, element_type(pointee));
    else if (!why && has_value)
        take_contents(ex, input, &spec, pointee);
    input->any = spec.fill == SPEC_ANY;
    input->null = spec.kind == SPEC_NULL;
    input->svm = spec.kind == SPEC_SVM;
    input->ranged = spec.is_ranged;
    input->low = spec.low;
    input->high = spec.high;
    spec_clear(&spec);
    snprintf(option, sizeof option, "--arg %s", text);
    if (why == message)
        ex_fail_option(ex, option, 7 + (unsigned)spec.wrong_at, why);
    if (why)
        ex_fail(ex, MM_INVALID, "explore.arguments", "--arg '%.60s': %s", text, why);
    if (input->init.form == EX_LIST && pointee && is_block(pointee)) {
        struct ex_init *elements = ex_alloc(ex, sizeof *elements);
        *elements = input->init;
        input->init = (struct ex_init){.form = EX_LIST, .count = 1, .items = elements};
    }
}

const char *ex_argument_text(struct ex *ex, const char *name, uint32_t *next)
{
    const struct ex_config *c = &ex->config;
    size_t length = strlen(name);
    for (uint32_t i = 0; i < c->argument_count; i++)
        if (length && spec_name_length(c->arguments[i]) == length &&
            memcmp(c->arguments[i], name, length) == 0)
            return c->arguments[i] + length + 1;
    while (*next < c->argument_count && spec_name_length(c->arguments[*next]))
        ++*next;
    return *next < c->argument_count ? c->arguments[(*next)++] : NULL;
}

void ex_argument_names(struct ex *ex, const struct in_function *f)
{
    for (uint32_t i = 0; i < ex->config.argument_count; i++) {
        const char *text = ex->config.arguments[i];
        size_t length = spec_name_length(text);
        bool found = length == 0;
        for (uint32_t k = 0; k < f->param_count; k++) {
            const char *name = ex_id(ex, f->params[k])->name;
            found |= strlen(name) == length && memcmp(name, text, length) == 0;
        }
        if (!found)
            ex_fail(ex, MM_INVALID, "explore.arguments", "the kernel has no argument '%.*s'", (int)length,
                    text);
    }
}
