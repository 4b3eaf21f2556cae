/* Objects and registers by name, through an index that grows when a name is looked up: programs of kernels,
 * whose names may repeat and which nothing looks up, have none. */
#include "checker/program/program.h"

#include "memmodel/base/array.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/map.h"

#include <string.h>

static const uint32_t of_objects = UINT32_MAX; /* in place of a thread's number */

struct ck_names {
    struct mm_map numbers; /* hash of place and name -> index + 1 */
    uint32_t objects;      /* in NUMBERS */
    uint32_t *regs;        /* in NUMBERS, by thread */
    uint32_t threads;
};

struct ck_names *ck_names_create(struct mm_arena *arena)
{
    return mm_arena_alloc(arena, sizeof(struct ck_names));
}

void ck_names_clear(struct ck_names *names)
{
    mm_map_clear(&names->numbers);
}

static uint64_t name_key(uint32_t place, const char *name)
{
    return mm_fnv1a(mm_fnv1a(MM_FNV1A, &place, sizeof place), name, strlen(name));
}

static bool index_name(struct ck_names *names, uint32_t place, const char *name, uint32_t *indexed)
{
    if (name && !mm_map_add(&names->numbers, name_key(place, name), (uint64_t)*indexed + 1))
        return false;
    ++*indexed;
    return true;
}

/* False: out of memory, a part is indexed. */
static bool index_objects(const struct ck_program *p)
{
    struct ck_names *names = p->names;
    while (names->objects < p->object_count)
        if (!index_name(names, of_objects, p->objects[names->objects].name, &names->objects))
            return false;
    return true;
}

static bool index_regs(const struct ck_program *p, uint32_t thread)
{
    struct ck_names *names = p->names;
    const struct ck_thread *t = &p->threads[thread];
    while (names->threads <= thread)
        if (!mm_arena_add(p->arena, &names->regs, &names->threads))
            return false;
    while (names->regs[thread] < t->reg_count)
        if (!index_name(names, thread, t->reg_names[names->regs[thread]], &names->regs[thread]))
            return false;
    return true;
}

/* Without memory for the index. */
static uint32_t find_object_slowly(const struct ck_program *p, const char *name)
{
    for (uint32_t i = 0; i < p->object_count; i++)
        if (strcmp(p->objects[i].name, name) == 0)
            return i;
    return CK_NO_OBJECT;
}

static uint32_t find_reg_slowly(const struct ck_thread *t, const char *name)
{
    for (uint32_t i = 0; i < t->reg_count; i++)
        if (t->reg_names[i] && strcmp(t->reg_names[i], name) == 0)
            return i;
    return CK_NO_REG;
}

uint32_t ck_program_find_object(const struct ck_program *program, const char *name)
{
    uint64_t number, key = name_key(of_objects, name);
    uint32_t found = CK_NO_OBJECT;
    size_t at = 0;
    if (!index_objects(program))
        return find_object_slowly(program, name);
    while ((number = mm_map_next(&program->names->numbers, key, &at)))
        if (number <= found && number <= program->object_count &&
            strcmp(program->objects[number - 1].name, name) == 0)
            found = (uint32_t)number - 1;
    return found;
}

uint32_t ck_program_find_reg(const struct ck_program *program, uint32_t thread, const char *name)
{
    const struct ck_thread *t = &program->threads[thread];
    uint64_t number, key = name_key(thread, name);
    uint32_t found = CK_NO_REG;
    size_t at = 0;
    if (!index_regs(program, thread))
        return find_reg_slowly(t, name);
    while ((number = mm_map_next(&program->names->numbers, key, &at)))
        if (number <= found && number <= t->reg_count && t->reg_names[number - 1] &&
            strcmp(t->reg_names[number - 1], name) == 0)
            found = (uint32_t)number - 1;
    return found;
}
