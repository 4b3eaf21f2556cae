/* Arenas: blocks that are freed together.  Blocks are 16-byte aligned. */
#ifndef MEMMODEL_BASE_ARENA_H
#define MEMMODEL_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mm_arena;
struct mm_arena *mm_arena_create(void);
/* An arena whose blocks are allocated by MORE, which returns SIZE bytes or NULL and owns them: the arena
 * does not free them. */
struct mm_arena *mm_arena_create_from(void *(*more)(void *context, size_t size), void *context);
/* Calls CLEAN(CONTEXT) when ARENA is reset or destroyed; false: out of memory, it is not called. */
bool mm_arena_defer(struct mm_arena *arena, void (*clean)(void *context), void *context);
void *mm_arena_alloc(struct mm_arena *arena, size_t size); /* zeroed; NULL on failure */
char *mm_arena_strdup(struct mm_arena *arena, const char *s);
void mm_arena_reset(struct mm_arena *arena); /* empties it, keeps its largest block */
void mm_arena_destroy(struct mm_arena *arena);

#endif
