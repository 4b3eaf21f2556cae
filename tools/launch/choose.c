/* Chooses a launch: sizes and arguments that suit how the kernel uses them. */
#include "interp/image/image.h"
#include "tools/launch/signature.h"
#include "tools/launch/spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ITEMS = 4,
    ELEMENTS = 4096,
    LOCAL_ELEMENTS = 64,
    TILE_ELEMENTS = 256, /* where groups have several rows */
    GROUPS = 4,
    SUB_GROUPS_ITEMS = 64,
    MOST_ITEMS = 1024, /* of a work-group */
    UNKNOWN_DISTANCE = 1000000,
    MEMORY_BYTES = 1 << 26 /* of an argument, if an element has not more */
};
/* Sizes of symbolic launches. */
enum { FEW_ITEMS = 4, FEW_GROUPS = 2 };

const char *launch_sizes(const uint64_t sizes[3], unsigned dimensions, char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (unsigned i = 0; i < dimensions && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%" PRIu64, i ? "," : "", sizes[i]);
    return text;
}

static uint64_t work_items(const uint64_t sizes[3])
{
    return sizes[0] * sizes[1] * sizes[2];
}

static uint64_t power_of_two_in(uint64_t n)
{
    uint64_t power = 1;
    while (power * 2 <= n)
        power *= 2;
    return power;
}

static void choose_local(const struct in_kernel_info *kernel, struct launch_choice *choice)
{
    const uint32_t *wanted =
        kernel->required_local_size[0] ? kernel->required_local_size : kernel->local_size_hint;
    const struct launch_roles *roles = &choice->roles;
    choice->is_fixed = kernel->required_local_size[0] != 0;
    if (wanted[0]) {
        for (unsigned i = 0; i < 3; i++) {
            choice->local[i] = wanted[i] ? wanted[i] : 1;
            if (choice->local[i] > 1 && i >= choice->dimensions)
                choice->dimensions = i + 1;
        }
    } else if (choice->dimensions == 1) {
        choice->local[0] = roles->sub_groups    ? SUB_GROUPS_ITEMS
                           : roles->local_items ? power_of_two_in(roles->local_items)
                           : roles->one_group   ? 4 * ITEMS
                                                : ITEMS;
    } else {
        for (unsigned i = 0; i < choice->dimensions; i++)
            choice->local[i] = roles->sides[i]    ? power_of_two_in(roles->sides[i])
                               : i == 2           ? 2
                               : roles->one_group ? 8
                                                  : 4;
    }
}

/* Several groups along each dimension. */
static void choose_global(struct launch_choice *choice)
{
    for (unsigned i = 0; i < 3; i++)
        choice->global[i] = i < choice->dimensions ? choice->local[i] * choice->groups : 1;
}

/* ---- arguments -------------------------------------------------------------------------------------- */

/* The elements of a pointer's memory; the type of a value. */
static struct spec_type type_of(const struct in_argument_info *a)
{
    return spec_element_type(a->type_name, a->number_size, a->number_count, a->is_real, a->element_size);
}

static bool is_number(const struct in_argument_info *a)
{
    struct spec_type type;
    return spec_type_read(a->type_name, &type) || a->number_size;
}

static bool is_float(const struct in_argument_info *a)
{
    return type_of(a).scalar.kind == 'f';
}

static uint64_t elements_of(const struct in_argument_info *a, uint64_t items)
{
    uint64_t bytes = type_of(a).bytes, most = MEMORY_BYTES / (bytes ? bytes : 1),
             elements = items > ELEMENTS ? 4 * items : ELEMENTS;
    return most == 0 ? 1 : most < elements ? most : elements;
}

/* Chooses contents by the atomic operations on them: a forest of roots, a number of users, unknown
 * distances.  Locks, flags and other counters begin with zero. */
static void choose_atomic(unsigned roles, const struct launch_choice *choice, char *text, size_t size)
{
    unsigned operations = roles & (LAUNCH_COUNTED_DOWN | LAUNCH_LOWERED | LAUNCH_OTHER_ATOMIC);
    *text = 0;
    if (roles & LAUNCH_FOREST)
        snprintf(text, size, ":iota");
    else if (operations == LAUNCH_COUNTED_DOWN)
        snprintf(text, size, ":fill=%" PRIu64, work_items(choice->global));
    else if (operations == LAUNCH_LOWERED)
        snprintf(text, size, ":fill=%d", UNKNOWN_DISTANCE);
}

static void choose_memory(const struct in_argument_info *a, unsigned roles, int64_t compared,
                          const struct launch_choice *choice, char *text, size_t size)
{
    uint64_t elements = elements_of(a, work_items(choice->global));
    if (choice->elements && !(roles & (LAUNCH_ATOMIC | LAUNCH_INDICES)) && choice->elements < elements)
        elements = choice->elements;
    int n = snprintf(text, size, "buf:%" PRIu64, elements);
    char *rest = text + n;
    size_t room = size - (size_t)n;
    if (!is_number(a))
        return;
    if (roles & LAUNCH_ATOMIC)
        choose_atomic(roles, choice, rest, room);
    else if (roles & LAUNCH_INDICES && !is_float(a))
        snprintf(rest, room, ":indices=%" PRIu64, work_items(choice->global));
    else if (compared && !is_float(a))
        snprintf(rest, room, ":changing=%" PRId64, compared);
    else
        snprintf(rest, room, ":changing");
}

static void choose_image(const struct in_argument_info *a, unsigned roles, char *text, size_t size)
{
    static const struct {
        uint32_t kind;
        const char *text;
    } kinds[] = {{IN_IMAGE_1D, "1d:256"},
                 {IN_IMAGE_1D_ARRAY, "1d_array:64x8"},
                 {IN_IMAGE_2D, "2d:64x64"},
                 {IN_IMAGE_2D_ARRAY, "2d_array:32x32x4"},
                 {IN_IMAGE_3D, "3d:16x16x16"}};
    const char *format = !(roles & LAUNCH_INTEGERS) ? "rgba8" : roles & LAUNCH_SIGNED ? "rgba8i" : "rgba8ui";
    snprintf(text, size, "null");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == a->image_kind)
            snprintf(text, size, "image:%s:%s:changing", kinds[i].text, format);
}

/* Scalars that are no size of the problem, such as the number of a pass, have one more value: 1.  Those that
 * limit ids have one that the last work-item is beyond. */
static void choose_value(const struct in_argument_info *a, unsigned roles, const struct launch_choice *choice,
                         char *text, size_t size)
{
    bool is_scalar = type_of(a).width == 1 && strncmp(a->type_name, "bool", 4) != 0;
    bool is_tile = (roles & (LAUNCH_TILE | LAUNCH_PITCH | LAUNCH_LIMIT)) == LAUNCH_TILE;
    bool is_limit = (roles & (LAUNCH_LIMIT | LAUNCH_WHOLE)) == LAUNCH_LIMIT;
    if (is_float(a))
        snprintf(text, size, "1.0");
    else if (is_scalar && is_tile)
        snprintf(text, size, "%" PRIu64, choice->local[0]);
    else if (is_scalar && is_limit && choice->global[0] > 2)
        snprintf(text, size, "%" PRIu64 ":tail=%" PRIu64, choice->global[0], choice->global[0] - 1);
    else if (is_scalar && !(roles & LAUNCH_EXTENT) && choice->global[0] != 1)
        snprintf(text, size, "%" PRIu64 ":other=1", choice->global[0]);
    else
        snprintf(text, size, "%" PRIu64, strncmp(a->type_name, "bool", 4) == 0 ? 1 : choice->global[0]);
}

static void choose_argument(const struct in_argument_info *a, size_t index,
                            const struct launch_choice *choice, char *text, size_t size)
{
    uint64_t items = work_items(choice->local), elements = 4 * items;
    if (items > ITEMS && elements < TILE_ELEMENTS)
        elements = TILE_ELEMENTS;
    switch (a->kind) {
    case IN_ARG_GLOBAL:
    case IN_ARG_CONSTANT:
        choose_memory(a, choice->roles.roles[index], choice->roles.compared[index], choice, text, size);
        break;
    case IN_ARG_LOCAL:
        snprintf(text, size, "local:%" PRIu64,
                 (elements < LOCAL_ELEMENTS ? LOCAL_ELEMENTS : elements) * type_of(a).bytes);
        break;
    case IN_ARG_IMAGE:
        choose_image(a, choice->roles.roles[index], text, size);
        break;
    case IN_ARG_SAMPLER:
        snprintf(text, size, "sampler");
        break;
    case IN_ARG_QUEUE:
        snprintf(text, size, "@queue");
        break;
    case IN_ARG_VALUE:
        choose_value(a, choice->roles.roles[index], choice, text, size);
        break;
    case IN_ARG_PIPE:
        snprintf(text, size, "pipe:%" PRIu64, work_items(choice->global));
        break;
    }
}

static bool choose_arguments(const struct in_kernel_info *kernel, struct launch_choice *choice)
{
    char text[2 * IN_MOST_ARGUMENT_BYTES + 16];
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct in_argument_info *a = &kernel->arguments[i];
        if (a->kind == IN_ARG_VALUE && !is_number(a))
            launch_choose_structure(choice->module, kernel->name, i, choice->global[0], text, sizeof text);
        else
            choose_argument(a, i, choice, text, sizeof text);
        mm_free(choice->arguments[i]);
        choice->arguments[i] = mm_strdup(text);
        if (!choice->arguments[i])
            return false;
    }
    choice->argument_count = kernel->argument_count;
    return true;
}

bool launch_choose(struct in_module *module, const struct in_kernel_info *kernel,
                   struct launch_choice *choice)
{
    *choice = (struct launch_choice){.module = module, .local = {1, 1, 1}};
    if (kernel->argument_count > LAUNCH_ARGUMENTS)
        return false;
    launch_find_roles(module, kernel->name, &choice->roles);
    choice->dimensions = choice->roles.dimensions;
    choose_local(kernel, choice);
    choice->groups = choice->roles.one_group ? 1 : choice->dimensions == 1 ? GROUPS : FEW_GROUPS;
    choose_global(choice);
    return choose_arguments(kernel, choice);
}

/* Reads "N", "N,M" or "N,M,K"; returns how many numbers that are. */
static unsigned read_sizes(const char *text, uint64_t sizes[3])
{
    unsigned n = 0;
    for (char *end; n < 3 && *text >= '0' && *text <= '9'; n++, text = *end == ',' ? end + 1 : end)
        sizes[n] = strtoull(text, &end, 10);
    for (unsigned i = n; i < 3; i++)
        sizes[i] = 1;
    return n;
}

bool launch_choose_sized(const struct in_kernel_info *kernel, struct launch_choice *choice,
                         const char *global, const char *local)
{
    if (local)
        choice->dimensions = read_sizes(local, choice->local);
    if (global)
        choice->dimensions = read_sizes(global, choice->global);
    else
        choose_global(choice);
    if (!local && !choice->is_fixed)
        memcpy(choice->local, choice->global, sizeof choice->local);
    for (unsigned i = 0; i < 3 && work_items(choice->local) > MOST_ITEMS; i++)
        choice->local[i] = 1;
    return choose_arguments(kernel, choice);
}

bool launch_shrink(const struct in_kernel_info *kernel, struct launch_choice *choice, bool single)
{
    bool fewer = !single && choice->groups > FEW_GROUPS, smaller = fewer;
    if (fewer)
        choice->groups = FEW_GROUPS;
    for (unsigned i = 0; i < 3 && !choice->is_fixed && !fewer; i++) {
        uint64_t least = single ? 1 : 2, size = single ? 1 : choice->local[i] / 2;
        smaller |= choice->local[i] > least;
        choice->local[i] = choice->local[i] > least ? size : choice->local[i];
    }
    choose_global(choice);
    return smaller && choose_arguments(kernel, choice);
}

bool launch_choose_less(const struct in_kernel_info *kernel, const struct launch_choice *choice,
                        unsigned number, struct launch_choice *other)
{
    const unsigned halvings = choice->groups > 1 ? number : number + 1;
    bool smaller = choice->groups > 1;
    *other = *choice;
    memset(other->arguments, 0, sizeof other->arguments);
    other->groups = 1;
    for (unsigned k = 0; k < halvings; k++) {
        smaller = false;
        for (unsigned i = 0; i < 3 && !choice->is_fixed; i++) {
            smaller |= other->local[i] > 1;
            other->local[i] = other->local[i] > 1 ? other->local[i] / 2 : 1;
        }
    }
    choose_global(other);
    return smaller && (work_items(other->local) > 1 || !choice->roles.item_ids) &&
           choose_arguments(kernel, other);
}

bool launch_choose_exact(const struct in_kernel_info *kernel, const struct launch_choice *choice,
                         uint64_t more, struct launch_choice *other)
{
    *other = *choice;
    memset(other->arguments, 0, sizeof other->arguments);
    other->elements = work_items(choice->global) + more;
    return choose_arguments(kernel, other);
}

bool launch_choose_atomics(const struct in_kernel_info *kernel, struct launch_choice *choice, unsigned step)
{
    static const char *const contents[] = {"iota", "fill=1"};
    const unsigned ways = sizeof contents / sizeof *contents;
    char text[80];
    if (!choose_arguments(kernel, choice))
        return false;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct in_argument_info *a = &kernel->arguments[i];
        if (a->kind != IN_ARG_GLOBAL || !is_number(a) || !(choice->roles.roles[i] & LAUNCH_ATOMIC))
            continue;
        if (step >= ways) {
            step -= ways;
            continue;
        }
        snprintf(text, sizeof text, "buf:%" PRIu64 ":%s", elements_of(a, 0), contents[step]);
        mm_free(choice->arguments[i]);
        choice->arguments[i] = mm_strdup(text);
        return choice->arguments[i] != NULL;
    }
    return false;
}

/* ---- symbolic launches -------------------------------------------------------------------------------- */

/* Indices and numbers are small, other values any; locks, counters and flags begin with zero. */
static void make_symbolic(const struct in_argument_info *a, unsigned roles, uint64_t items, char *text,
                          size_t size)
{
    bool is_memory = a->kind == IN_ARG_GLOBAL || a->kind == IN_ARG_CONSTANT;
    bool is_integer = is_number(a) && !is_float(a);
    if (is_memory && roles & LAUNCH_ATOMIC)
        snprintf(text, size, "buf:%" PRIu64, elements_of(a, 0));
    else if (is_memory && is_integer && roles & LAUNCH_INDICES)
        snprintf(text, size, "buf:%" PRIu64 ":any:0..%" PRIu64, elements_of(a, 0), items - 1);
    else if (is_memory)
        snprintf(text, size, "buf:%" PRIu64 ":any", elements_of(a, 0));
    else if (a->kind == IN_ARG_VALUE && is_integer)
        snprintf(text, size, "any:0..%" PRIu64, strncmp(a->type_name, "bool", 4) == 0 ? 1 : items);
    else if (a->kind == IN_ARG_VALUE)
        snprintf(text, size, "any");
}

bool launch_choose_symbolic(struct in_module *module, const struct in_kernel_info *kernel,
                            struct launch_choice *choice)
{
    char text[100];
    if (!launch_choose(module, kernel, choice))
        return false;
    bool whole = choice->roles.one_group || choice->dimensions > 1;
    uint64_t most = whole ? FEW_ITEMS : FEW_ITEMS / FEW_GROUPS;
    while (work_items(choice->local) > most &&
           (launch_shrink(kernel, choice, false) || launch_shrink(kernel, choice, true)))
        continue;
    for (unsigned i = 0; i < 3; i++)
        choice->global[i] = choice->local[i] * (i == 0 && !choice->roles.one_group ? FEW_GROUPS : 1);
    for (size_t i = 0; i < choice->argument_count; i++) {
        *text = 0;
        make_symbolic(&kernel->arguments[i], choice->roles.roles[i], work_items(choice->global), text,
                      sizeof text);
        if (!*text)
            continue;
        mm_free(choice->arguments[i]);
        choice->arguments[i] = mm_strdup(text);
        if (!choice->arguments[i])
            return false;
    }
    return true;
}

void launch_choice_clear(struct launch_choice *choice)
{
    for (size_t i = 0; i < LAUNCH_ARGUMENTS; i++)
        mm_free(choice->arguments[i]);
    *choice = (struct launch_choice){0};
}
