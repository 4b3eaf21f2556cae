/* Types in OPENCL tests: integer and atomic types of OpenCL C with the qualifiers of an address space, or of
 * the origin of memory. */
#include "litmus/parse/ast.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct lt_base_type types[] = {
#define T(name, size, is_signed, is_atomic) {#name, size, is_signed, is_atomic},
    LT_TYPES(T)
#undef T
};

const struct lt_base_type *lt_find_type(const char *name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

/* region = [ "__" ] ( "global" | "local" | "constant" | "private" )    (one token) */
static bool take_region(struct lt_lexer *lexer, uint8_t *region)
{
    static const struct {
        const char *name;
        uint8_t region;
    } regions[] = {{"global", MM_GLOBAL},       {"local", MM_LOCAL},      {"constant", MM_CONSTANT},
                   {"private", MM_PRIVATE},     {"__global", MM_GLOBAL},  {"__local", MM_LOCAL},
                   {"__constant", MM_CONSTANT}, {"__private", MM_PRIVATE}};
    for (size_t i = 0; i < COUNT(regions); i++)
        if (lt_accept(lexer, regions[i].name)) {
            *region = regions[i].region;
            return true;
        }
    return false;
}

/* Qualifiers of the origin of memory, which also give the region. */
static const struct {
    const char *name;
    uint8_t origin, region;
} origins[] = {{"host", MM_ORIGIN_HOST, MM_GLOBAL},
               {"svm_coarse", MM_ORIGIN_COARSE_SVM, MM_GLOBAL},
               {"svm_fine", MM_ORIGIN_FINE_SVM, MM_GLOBAL},
               {"svm_atomics", MM_ORIGIN_FINE_SVM_ATOMICS, MM_GLOBAL},
               {"svm_system", MM_ORIGIN_SYSTEM_SVM, MM_GLOBAL},
               {"image", MM_ORIGIN_BUFFER, MM_IMAGE}};

/* origin = "host" | "svm_coarse" | "svm_fine" | "svm_atomics" | "svm_system" | "image" */
static bool take_origin(struct lt_lexer *lexer, struct lt_type *type)
{
    for (size_t i = 0; i < COUNT(origins); i++)
        if (lt_accept(lexer, origins[i].name)) {
            type->origin = origins[i].origin;
            type->region = origins[i].region;
            return true;
        }
    return false;
}

static bool is_qualifier(const char *text)
{
    static const char *const words[] = {"global",   "local",   "constant",   "private",   "generic",
                                        "__global", "__local", "__constant", "__private", "__generic",
                                        "volatile", "const",   "restrict",   "unsigned",  "signed"};
    for (size_t i = 0; i < COUNT(origins); i++)
        if (strcmp(origins[i].name, text) == 0)
            return true;
    for (size_t i = 0; i < COUNT(words); i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}

bool lt_starts_type(const struct lt_token *t)
{
    return t->kind == LT_T_NAME && (is_qualifier(t->text) || lt_find_type(t->text));
}

/* The words of a type name that were parsed so far [C11 6.7.2]. */
struct words {
    bool is_signed, is_unsigned, is_int;
    const struct lt_base_type *base; /* another name than these */
};

static const struct lt_base_type *named_type(const struct words *w)
{
    static const char *const names[][2] = {
        {"int", "uint"}, {"char", "uchar"}, {"short", "ushort"}, {"long", "ulong"}};
    bool sign = w->is_signed || w->is_unsigned;
    if (!w->base)
        return sign || w->is_int ? lt_find_type(names[0][w->is_unsigned]) : NULL;
    for (size_t i = 1; i < COUNT(names); i++)
        if (strcmp(w->base->name, names[i][0]) == 0)
            return i == 1 && w->is_int ? NULL : lt_find_type(names[i][w->is_unsigned]);
    return sign || w->is_int ? NULL : w->base;
}

/* type-name = type-word [ type-word [ type-word ] ]    (combinations of C, in any order [C11 6.7.2])
 * type-word = "signed" | "unsigned" | "int" | name    (names of LT_TYPES)
 * False, and no token is consumed, unless the next token extends W to a valid type name. */
static bool take_word(struct lt_lexer *lexer, struct words *w)
{
    const struct lt_token *t = lt_peek(lexer, 0);
    struct words next = *w;
    if (lt_is(lexer, "signed") && !w->is_signed && !w->is_unsigned)
        next.is_signed = true;
    else if (lt_is(lexer, "unsigned") && !w->is_signed && !w->is_unsigned)
        next.is_unsigned = true;
    else if (lt_is(lexer, "int") && !w->is_int)
        next.is_int = true;
    else if (!lt_is(lexer, "int") && t->kind == LT_T_NAME && !w->base)
        next.base = lt_find_type(t->text);
    else
        return false;
    if (memcmp(&next, w, sizeof next) == 0 || !named_type(&next))
        return false;
    *w = next;
    lt_take(lexer);
    return true;
}

/* type = { qualifier | type-name } stars
 * qualifier = region | origin | "generic" | "volatile" | "const" | "restrict" */
bool lt_parse_type(struct lt_lexer *lexer, struct lt_type *type)
{
    struct words words = {0};
    *type = (struct lt_type){0};
    for (;;)
        if (lt_accept(lexer, "volatile"))
            type->is_volatile = true;
        else if (lt_accept(lexer, "generic") || lt_accept(lexer, "__generic"))
            type->is_generic = true;
        else if (!lt_accept(lexer, "const") && !lt_accept(lexer, "restrict") &&
                 !take_region(lexer, &type->region) && !take_origin(lexer, type) && !take_word(lexer, &words))
            break;
    type->base = named_type(&words);
    if (!type->base) {
        lt_unexpected(lexer, "an integer or atomic type");
        return false;
    }
    return lt_parse_stars(lexer, type);
}

/* stars = [ "*" { "const" | "restrict" | "volatile" } ] */
bool lt_parse_stars(struct lt_lexer *lexer, struct lt_type *type)
{
    type->is_pointer = false;
    if (lt_accept(lexer, "*")) {
        type->is_pointer = true;
        while (lt_accept(lexer, "const") || lt_accept(lexer, "restrict") || lt_accept(lexer, "volatile"))
            continue;
        if (lt_is(lexer, "*"))
            lt_fail_at(lexer, lt_peek(lexer, 0)->pos, "pointers to pointers are not supported");
    }
    return !lexer->failed;
}
