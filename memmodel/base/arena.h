/* Arenas: blocks that are freed together.  Blocks are 16-byte aligned. */
#ifndef MEMMODEL_BASE_ARENA_H
#define MEMMODEL_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct mm_arena;
struct mm_arena *mm_arena_create(void);
void *mm_arena_alloc(struct mm_arena *arena, size_t size); /* zeroed; NULL on failure */
char *mm_arena_strdup(struct mm_arena *arena, const char *s);
void mm_arena_reset(struct mm_arena *arena); /* empties it, keeps its largest block */
void mm_arena_destroy(struct mm_arena *arena);

#endif
