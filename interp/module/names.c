/* Strings and structures of a module by name: what the compiler notes in OpStrings as "PREFIX.NAME.TEXT", and
 * OpTypeStruct. Both are sorted, so that a module of N kernels takes N log N comparisons of texts. */
#include "module.h"
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    const struct in_name *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static bool is_string(const struct in_id *id)
{
    return id->kind == IN_ID_STRING;
}

static bool is_structure(const struct in_id *id)
{
    return id->kind == IN_ID_TYPE && id->ty->kind == IN_TY_STRUCT;
}

static enum mm_class index_names(struct in_module *m, bool (*is_named)(const struct in_id *),
                                 struct in_names *names, struct mm_error *err)
{
    uint32_t count = 0;
    for (uint32_t id = 1; id < m->bound; id++)
        count += is_named(&m->ids[id]);
    *names = (struct in_names){0};
    if (count == 0)
        return MM_OK;
    names->list = mm_arena_alloc(m->arena, count * sizeof *names->list);
    if (!names->list)
        return mm_out_of_memory(err);
    for (uint32_t id = 1; id < m->bound; id++)
        if (is_named(&m->ids[id]))
            names->list[names->count++] =
                (struct in_name){is_string(&m->ids[id]) ? m->ids[id].string : m->ids[id].name, id};
    qsort(names->list, names->count, sizeof *names->list, compare_names);
    return MM_OK;
}

enum mm_class in_index_strings(struct in_module *m, struct mm_error *err)
{
    return index_names(m, is_string, &m->strings, err);
}

enum mm_class in_index_structures(struct in_module *m, struct mm_error *err)
{
    return index_names(m, is_structure, &m->structures, err);
}

/* The order of TEXT, cut to the length of PREFIX, NAME and END together, and these. */
static int compare_start(const char *text, const char *prefix, const char *name, size_t length, char end)
{
    size_t before = strlen(prefix);
    int order = strncmp(text, prefix, before);
    if (order == 0)
        order = strncmp(text + before, name, length);
    if (order != 0)
        return order;
    return (unsigned char)text[before + length] - (unsigned char)end;
}

struct in_names in_names_with(const struct in_names *names, const char *prefix, const char *name,
                              size_t length, char end)
{
    uint32_t bounds[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        uint32_t low = bounds[0], high = names->count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (compare_start(names->list[middle].text, prefix, name, length, end) < k)
                low = middle + 1;
            else
                high = middle;
        }
        bounds[k] = low;
    }
    return (struct in_names){names->list + bounds[0], bounds[1] - bounds[0]};
}
