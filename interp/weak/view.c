/* Views: hash tables from half cells to serials, copied on write (docs/weak-memory.md#views): each is one
 * block that is shared and copied as a whole, which those of memmodel/base/map.h are not. */
#include "history.h"
#include <string.h>

#define IN_VIEW_MOST 2048 /* entries beyond which a view becomes the current contents of memory */

static struct in_view *new_view(uint32_t capacity)
{
    struct in_view *v = mm_alloc_zero(1, sizeof *v + capacity * sizeof *v->entries);
    if (v) {
        v->references = 1;
        v->capacity = capacity;
    }
    return v;
}

void in_view_drop(struct in_view *view)
{
    if (view && --view->references == 0)
        mm_free(view);
}

struct in_view *in_view_share(struct in_view *view)
{
    if (view)
        view->references++;
    return view;
}

static struct in_view_entry *slot_of(struct in_view *v, uint64_t key)
{
    uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (v->capacity - 1);
    while (v->entries[at].key != 0 && v->entries[at].key != key)
        at = (at + 1) & (v->capacity - 1);
    return &v->entries[at];
}

static void view_add(struct in_view *v, uint64_t key, uint64_t serial)
{
    struct in_view_entry *e = slot_of(v, key);
    v->count += e->key == 0;
    *e = (struct in_view_entry){key, serial};
}

/* Makes the view exclusive, with room for one more entry; false: out of memory. */
static bool make_own(struct in_view **view)
{
    struct in_view *old = *view;
    bool room = old && (old->count + 1) * 4 <= old->capacity * 3;
    if (room && old->references == 1)
        return true;
    struct in_view *v = new_view(!old ? 8 : room ? old->capacity : old->capacity * 2);
    if (!v)
        return false;
    v->floor = old ? old->floor : 0;
    for (uint32_t k = 0; old && k < old->capacity; k++)
        if (old->entries[k].key != 0)
            view_add(v, old->entries[k].key, old->entries[k].serial);
    in_view_drop(old);
    *view = v;
    return true;
}

void in_view_set(struct in_view **view, uint64_t key, uint64_t serial)
{
    if (in_view_get(*view, key) != serial && make_own(view))
        view_add(*view, key, serial);
}

uint64_t in_view_get(const struct in_view *view, uint64_t key)
{
    if (!view)
        return 0;
    const struct in_view_entry *e = slot_of((struct in_view *)(uintptr_t)view, key);
    return e->key == key ? e->serial : 0;
}

struct in_view *in_view_of_all(struct in_weak *w)
{
    struct in_view *v = new_view(8);
    if (v)
        v->floor = w->serial;
    return v;
}

static void raise_entry(struct in_weak *w, struct in_view **into, const struct in_view_entry *e)
{
    struct in_cell *cell = in_cell_of_id(w, e->key / 2);
    uint64_t have = in_view_get(*into, e->key);
    if (cell && (have == 0 || in_cell_index(cell, have) < in_cell_index(cell, e->serial)))
        in_view_set(into, e->key, e->serial);
}

void in_view_join(struct in_weak *w, struct in_view **into, const struct in_view *other)
{
    if (!other || other == *into)
        return;
    if (!*into) {
        *into = in_view_share((struct in_view *)(uintptr_t)other);
        return;
    }
    for (uint32_t k = 0; k < other->capacity; k++)
        if (other->entries[k].key != 0)
            raise_entry(w, into, &other->entries[k]);
    bool large = (*into)->count > IN_VIEW_MOST;
    if (!large && other->floor <= (*into)->floor)
        return;
    if (large) {
        struct in_view *all = in_view_of_all(w);
        if (!all)
            return;
        in_view_drop(*into);
        *into = all;
    } else if (make_own(into)) {
        (*into)->floor = other->floor;
    }
}
