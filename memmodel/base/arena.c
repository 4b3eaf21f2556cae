/* Arenas: blocks that are freed together. */

#include "memmodel/base/arena.h"
#include "memmodel/base/memory.h"
#include <stdalign.h>
#include <string.h>

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGNMENT = 16 };

struct block {
    struct block *next;
    size_t size, used; /* bytes behind this head */
    alignas(ALIGNMENT) unsigned char data[];
};

struct deferred {
    struct deferred *next;
    void (*clean)(void *context);
    void *context;
};

struct mm_arena {
    struct block *blocks; /* the one being filled comes first */
    size_t next_size;
    void *(*more)(void *context, size_t size); /* NULL: mm_alloc and mm_free */
    void *context;
    struct deferred *deferred;
};

struct mm_arena *mm_arena_create(void)
{
    struct mm_arena *arena = mm_alloc_zero(1, sizeof *arena);

    if (arena)
        arena->next_size = FIRST_BLOCK;
    return arena;
}

struct mm_arena *mm_arena_create_from(void *(*more)(void *context, size_t size), void *context)
{
    struct mm_arena *arena = mm_arena_create();

    if (arena) {
        arena->more = more;
        arena->context = context;
    }
    return arena;
}

bool mm_arena_defer(struct mm_arena *arena, void (*clean)(void *context), void *context)
{
    struct deferred *d = mm_arena_alloc(arena, sizeof *d);

    if (!d)
        return false;
    *d = (struct deferred){arena->deferred, clean, context};
    arena->deferred = d;
    return true;
}

static struct block *add_block(struct mm_arena *arena, size_t least)
{
    size_t size = least > arena->next_size ? least : arena->next_size;
    struct block *b;

    if (size > SIZE_MAX - sizeof *b)
        return NULL;
    b = arena->more ? arena->more(arena->context, sizeof *b + size) : mm_alloc(sizeof *b + size);
    if (!b)
        return NULL;
    b->size = size;
    b->used = 0;
    /* A block made for one large item must not hide the free rest of the current one. */
    if (arena->blocks && least > arena->next_size) {
        b->next = arena->blocks->next;
        arena->blocks->next = b;
    } else {
        b->next = arena->blocks;
        arena->blocks = b;
    }
    if (arena->next_size < LARGEST_BLOCK)
        arena->next_size *= 2;
    return b;
}

void *mm_arena_alloc(struct mm_arena *arena, size_t size)
{
    struct block *b = arena->blocks;
    void *p;

    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size = size == 0 ? ALIGNMENT : (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (!b || b->size - b->used < size)
        b = add_block(arena, size);
    if (!b)
        return NULL;
    p = b->data + b->used;
    b->used += size;
    return memset(p, 0, size);
}

char *mm_arena_strdup(struct mm_arena *arena, const char *s)
{
    size_t size = strlen(s) + 1;
    char *copy = mm_arena_alloc(arena, size);

    return copy ? memcpy(copy, s, size) : NULL;
}

void mm_arena_reset(struct mm_arena *arena)
{
    struct block *largest = arena->blocks;

    for (struct deferred *d = arena->deferred; d; d = d->next)
        d->clean(d->context);
    arena->deferred = NULL;
    for (struct block *b = arena->blocks; b; b = b->next)
        if (b->size > largest->size)
            largest = b;
    for (struct block *b = arena->blocks, *next; b; b = next) {
        next = b->next;
        if (b != largest && !arena->more)
            mm_free(b);
    }
    if (largest) {
        largest->next = NULL;
        largest->used = 0;
    }
    arena->blocks = largest;
}

void mm_arena_destroy(struct mm_arena *arena)
{
    if (!arena)
        return;
    mm_arena_reset(arena);
    if (!arena->more)
        mm_free(arena->blocks);
    mm_free(arena);
}
