/* Values of structures as bytes. */
#include "interp/ext/convert.h"
#include "interp/spirv.h"
#include "tools/launch/signature.h"
#include "tools/launch/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool put_value(const struct in_ty *ty, const struct spec_value *value, unsigned char *to,
                      struct mm_error *err);

static bool put_number(const struct in_ty *ty, const struct spec_value *value, unsigned char *to)
{
    uint64_t bits = ty->kind == IN_TY_FLOAT && value->form != SPEC_HEXADECIMAL
                        ? in_bits_from_f64(spec_real(value), ty->width)
                        : (uint64_t)spec_whole(value);
    memcpy(to, &bits, ty->size > 8 ? 8 : ty->size);
    return true;
}

static bool put_list(const struct in_ty *ty, const struct spec_value *value, unsigned char *to,
                     struct mm_error *err)
{
    if (value->count > ty->count) {
        mm_fail(err, MM_INVALID, "kernel.arguments", "%s of %u members is given %u values",
                ty->kind == IN_TY_STRUCT   ? "a structure"
                : ty->kind == IN_TY_VECTOR ? "a vector"
                                           : "an array",
                ty->count, value->count);
        return false;
    }
    for (uint32_t i = 0; i < value->count; i++) /* as in C, omitted members are zero */
        if (!put_value(ty->kind == IN_TY_STRUCT ? ty->members[i] : ty->element, &value->items[i],
                       to + (ty->kind == IN_TY_STRUCT ? ty->offsets[i] : i * ty->stride), err))
            return false;
    return true;
}

static bool put_value(const struct in_ty *ty, const struct spec_value *value, unsigned char *to,
                      struct mm_error *err)
{
    bool is_composite = ty->kind == IN_TY_STRUCT || ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_VECTOR;
    if (is_composite && value->form == SPEC_LIST)
        return put_list(ty, value, to, err);
    const struct spec_scalar integer = {"an integer", ty->width / 8, 'u'};
    char number[40];
    if (ty->kind == IN_TY_INT && !spec_fits(value, &integer, number, sizeof number)) {
        mm_fail(err, MM_INVALID, "kernel.arguments", "%s is no integer of %u bits", number, ty->width);
        return false;
    }
    if (!is_composite && value->form != SPEC_LIST &&
        (ty->kind == IN_TY_INT || ty->kind == IN_TY_FLOAT || ty->kind == IN_TY_BOOL))
        return put_number(ty, value, to);
    mm_fail(err, MM_INVALID, "kernel.arguments",
            is_composite ? "a structure or array is given one number: use braces"
                         : "a member that is a number or pointer is given a list");
    return false;
}

/* The structure type of the argument: of its value, passed directly or by reference, or of the memory that
 * it points to. */
static const struct in_ty *structure_of(struct in_module *module, const char *kernel, size_t index)
{
    for (size_t i = 0; in_spirv_entry(module, i); i++) {
        const struct in_entry *entry = in_spirv_entry(module, i);
        const struct in_function *function = in_spirv_function(module, entry->function);
        if (strcmp(entry->name, kernel) != 0 || !function || index >= function->param_count)
            continue;
        const struct in_ty *ty = in_spirv_id(module, function->params[index])->ty, *named = NULL;
        char text[128];
        if (in_spirv_source_type(module, kernel, (uint32_t)index, text, sizeof text))
            named = in_spirv_named_structure(module, text);
        if (ty && ty->kind == IN_TY_POINTER)
            ty = named ? named : ty->element;
        return ty && ty->kind == IN_TY_STRUCT ? ty : NULL;
    }
    return NULL;
}

static const struct in_ty *named_structure(struct in_module *module, const char *name)
{
    char text[SPEC_NAME + 2];
    snprintf(text, sizeof text, "%s*", name);
    return in_spirv_named_structure(module, text);
}

uint64_t launch_structure_size(struct in_module *module, const char *name)
{
    const struct in_ty *ty = named_structure(module, name);
    return ty ? ty->size : 0;
}

char *launch_structure(struct in_module *module, const char *kernel, size_t index, const char *as,
                       const char *text, struct mm_error *err)
{
    char message[200];
    struct spec spec;
    const struct in_ty *ty = *as ? named_structure(module, as) : structure_of(module, kernel, index);
    if (!ty)
        return NULL;
    unsigned char *bytes = mm_alloc_zero(1, ty->size);
    char *digits = mm_alloc(2 * ty->size + 8);
    bool good = bytes && digits && spec_read(text, &spec, message, sizeof message);
    if (!bytes || !digits) {
        mm_out_of_memory(err);
    } else if (!good) {
        mm_fail(err, MM_INVALID, "kernel.arguments", "%s", message);
    } else if (spec.kind == SPEC_VALUE) {
        good = put_value(ty, &spec.value, bytes, err);
        spec_clear(&spec);
    }
    if (good) {
        char *at = digits + sprintf(digits, "@raw:");
        for (uint64_t i = 0; i < ty->size; i++)
            at += sprintf(at, "%02x", bytes[i]);
    } else {
        mm_free(digits);
        digits = NULL;
    }
    mm_free(bytes);
    return digits;
}

/* ---- chosen values ------------------------------------------------------------------------------- */

static size_t choose_members(const struct in_ty *ty, uint64_t whole, char *text, size_t size)
{
    if (ty->kind == IN_TY_FLOAT)
        return (size_t)snprintf(text, size, "1.0");
    if (ty->kind == IN_TY_INT)
        return (size_t)snprintf(text, size, "%" PRIu64, whole);
    if (ty->kind != IN_TY_STRUCT && ty->kind != IN_TY_ARRAY && ty->kind != IN_TY_VECTOR)
        return (size_t)snprintf(text, size, "0");
    size_t n = (size_t)snprintf(text, size, "{");
    for (uint32_t i = 0; i < ty->count && n < size; i++) {
        n += (size_t)snprintf(text + n, size - n, "%s", i ? "," : "");
        if (n < size)
            n += choose_members(ty->kind == IN_TY_STRUCT ? ty->members[i] : ty->element, whole, text + n,
                                size - n);
    }
    return n < size ? n + (size_t)snprintf(text + n, size - n, "}") : n;
}

void launch_choose_structure(struct in_module *module, const char *kernel, size_t index, uint64_t whole,
                             char *text, size_t size)
{
    const struct in_ty *ty = structure_of(module, kernel, index);
    if (!ty || choose_members(ty, whole, text, size) >= size)
        snprintf(text, size, "{}");
}
