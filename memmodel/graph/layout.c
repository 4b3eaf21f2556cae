/* Designators of places in variables of composite types, by the layouts that the compiler writes
 * (trace/docs/format.md#layouts). */
#include "memmodel/memmodel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* OFFSET and SIZE: bytes of the access within the type at AT. */
struct layout_walk {
    const char *at;
    uint64_t offset, size;
    struct mm_designator *to;
    size_t used;
};

static bool layout_take(struct layout_walk *w, char c)
{
    if (*w->at != c)
        return false;
    w->at++;
    return true;
}

static bool layout_take_number(struct layout_walk *w, uint64_t *value)
{
    if (*w->at < '0' || *w->at > '9')
        return false;
    char *end;
    *value = strtoull(w->at, &end, 10);
    w->at = end;
    return true;
}

static bool designator_append(struct layout_walk *w, const char *text, size_t length)
{
    if (length >= sizeof w->to->text - w->used)
        return false;
    memcpy(w->to->text + w->used, text, length);
    w->used += length;
    w->to->text[w->used] = 0;
    return true;
}

/* "[COUNT*STRIDE]" of an array, "<COUNT*STRIDE>" of a vector: true if the walk continues in the element. */
static bool enter_element(struct layout_walk *w, bool vector)
{
    uint64_t count, stride;
    if (!layout_take_number(w, &count) || !layout_take(w, '*') || !layout_take_number(w, &stride) ||
        stride == 0 || !layout_take(w, vector ? '>' : ']'))
        return false;
    uint64_t index = w->offset / stride;
    if (vector && (index >= count || index >= 16 || w->offset % stride + w->size > stride))
        return false; /* a whole vector, or several of its components */
    char text[24], component[] = {'.', count > 4 ? 's' : "xyzw"[index % 4], "0123456789abcdef"[index % 16]};
    int length = vector ? (int)(count > 4 ? sizeof component : sizeof component - 1)
                        : snprintf(text, sizeof text, "[%" PRIu64 "]", index);
    w->offset %= stride;
    w->to->composite = vector || w->to->depth > 0;
    w->to->depth++;
    return designator_append(w, vector ? component : text, (size_t)length);
}

/* "OFFSET+SIZE:NAME=" of one member: 1 if it has all bytes of the access, 0 if not, -1 if the text is no
 * member. */
static int enter_member(struct layout_walk *w)
{
    uint64_t start, size;
    if (!layout_take_number(w, &start) || !layout_take(w, '+') || !layout_take_number(w, &size) ||
        !layout_take(w, ':'))
        return -1;
    size_t length = strcspn(w->at, "=");
    const char *name = w->at;
    w->at += length;
    if (!layout_take(w, '='))
        return -1;
    if (w->offset < start || w->offset - start >= size || w->size > size - (w->offset - start))
        return 0;
    w->offset -= start;
    return length == 0 || (designator_append(w, ".", 1) && designator_append(w, name, length)) ? 1 : -1;
}

/* Steps over the layout of a member: to the comma or brace that ends it. */
static bool skip_layout(struct layout_walk *w)
{
    for (unsigned depth = 0; *w->at; w->at++) {
        if (depth == 0 && (*w->at == ',' || *w->at == '}'))
            return true;
        depth += *w->at == '{';
        depth -= *w->at == '}';
    }
    return false;
}

/* "{MEMBER,MEMBER}" of a structure: true if the walk continues in one of them. */
static bool enter_structure(struct layout_walk *w)
{
    do {
        int found = enter_member(w);
        w->to->composite |= found > 0;
        if (found != 0)
            return found > 0;
        if (!skip_layout(w))
            return false;
    } while (layout_take(w, ','));
    return false;
}

struct mm_designator mm_layout_find(const char *layout, uint64_t offset, uint64_t size)
{
    struct mm_designator found = {.composite = false};
    struct layout_walk w = {layout ? layout : "", offset, size ? size : 1, &found, 0};
    bool inside = true;
    while (inside && *w.at && strchr("[<{", *w.at))
        inside = layout_take(&w, '[')   ? enter_element(&w, false)
                 : layout_take(&w, '<') ? enter_element(&w, true)
                                        : layout_take(&w, '{') && enter_structure(&w);
    if (inside) {
        char name[16];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(w.at, ",}"), w.at);
        found.scalar = mm_scalar_named(name);
    }
    return found;
}
