/* Processes that execute a kernel too briefly to compile it add up: an entry of the cache holds what they
 * have executed.  The entry remains when the kernel is compiled, so that later processes load the code at
 * once.  Of processes that write at the same time one is lost. */
#include "interp/sched/past_heat.h"
#include "interp/cache.h"
#include "memmodel/base/hash.h"
#include "memmodel/base/memory.h"

#include <string.h>

enum { PARTS = 3 };

/* A checksum identifies the module: of two with the same one, the heat is that of both. */
static void make_key(const struct in_run *run, uint64_t *sum, struct in_cache_part key[PARTS])
{
    static const char kind[] = "heat";
    *sum = mm_checksum(run->module->words, run->module->word_count * sizeof *run->module->words);
    key[0] = (struct in_cache_part){kind, sizeof kind};
    key[1] = (struct in_cache_part){sum, sizeof *sum};
    key[2] = (struct in_cache_part){run->info->name, strlen(run->info->name)};
}

static uint64_t load_heat(const struct in_run *run)
{
    struct in_cache_part key[PARTS];
    uint64_t sum, heat = 0;
    void *data;
    size_t size;
    make_key(run, &sum, key);
    if (in_cache_get(key, PARTS, &data, &size)) {
        if (size == sizeof heat)
            memcpy(&heat, data, sizeof heat);
        mm_free(data);
    }
    return heat;
}

uint64_t in_past_heat(const struct in_run *run)
{
    struct in_past *past = &run->code->past;
    if (!atomic_load(&past->known)) {
        uint64_t heat = load_heat(run);
        atomic_store(&past->heat, heat);
        atomic_store(&past->noted, heat);
        atomic_store(&past->known, true);
    }
    return past->heat;
}

void in_past_heat_note(const struct in_run *run, uint64_t most, uint64_t step)
{
    struct in_past *past = &run->code->past;
    uint64_t heat = in_past_heat(run) + run->code->heat, noted = past->noted, sum;
    heat = heat < most ? heat : most;
    if (heat <= noted || (heat < most && heat - noted < step))
        return;
    struct in_cache_part key[PARTS];
    make_key(run, &sum, key);
    in_cache_put(key, PARTS, &heat, sizeof heat);
    atomic_store(&past->noted, heat);
}
