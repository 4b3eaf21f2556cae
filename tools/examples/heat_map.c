/* An example of an analysis plugin: which parts of which buffers kernels read and write how often.
 *
 *     cc -shared -fPIC -I. -o heat_map.so tools/examples/heat_map.c
 *     refcl run --recorder ./heat_map.so:64 -- ./app
 *
 * The text after the colon is the number of parts per allocation, 32 if it is left out. */
#include "memmodel/refcl_recorder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct allocation {
    struct allocation *next;
    uint32_t id;
    uint64_t size;
    char name[64];
    uint64_t *reads, *writes; /* per part */
};
struct heat_map {
    unsigned parts;
    struct allocation *allocations;
};

static void add_allocation(struct heat_map *map, const struct mm_allocation *record)
{
    struct allocation *a = calloc(1, sizeof *a);
    if (!a || record->region != MM_GLOBAL || !record->size) {
        free(a);
        return;
    }
    a->id = record->id;
    a->size = record->size;
    snprintf(a->name, sizeof a->name, "%s", record->name ? record->name : "");
    a->reads = calloc(map->parts, sizeof *a->reads);
    a->writes = calloc(map->parts, sizeof *a->writes);
    a->next = map->allocations;
    map->allocations = a;
}

static void heat_map_record(void *context, const struct mm_record *record)
{
    if (record->type == MM_RECORD_ALLOCATION)
        add_allocation(context, &record->allocation);
}

static void heat_map_event(void *context, mm_event_id id, const struct mm_event *e)
{
    struct heat_map *map = context;
    struct allocation *a = map->allocations;
    (void)id;
    if (e->agent.command == 0 || (e->kind != MM_READ && e->kind != MM_WRITE && e->kind != MM_RMW))
        return;
    while (a && a->id != e->allocation)
        a = a->next;
    if (!a || !a->reads || !a->writes || e->offset >= a->size)
        return;
    size_t part = (size_t)(e->offset * map->parts / a->size);
    a->reads[part] += e->kind != MM_WRITE;
    a->writes[part] += e->kind != MM_READ;
}

static void put_row(const char *what, const uint64_t *counts, unsigned parts, FILE *out)
{
    static const char shades[] = " .:-=+*#%@";
    uint64_t most = 1, sum = 0;
    for (unsigned i = 0; i < parts; i++) {
        most = counts[i] > most ? counts[i] : most;
        sum += counts[i];
    }
    fprintf(out, "  %-7s|", what);
    for (unsigned i = 0; i < parts; i++)
        fputc(shades[counts[i] ? 1 + counts[i] * 8 / most : 0], out);
    fprintf(out, "| %" PRIu64 "\n", sum);
}

static void heat_map_end(void *context, bool complete, FILE *out)
{
    struct heat_map *map = context;
    fprintf(out, "heat map%s\n", complete ? "" : " (up to where the program died)");
    while (map->allocations) {
        struct allocation *a = map->allocations;
        map->allocations = a->next;
        fprintf(out, "%s, %" PRIu64 " bytes\n", a->name, a->size);
        if (a->reads && a->writes) {
            put_row("reads", a->reads, map->parts, out);
            put_row("writes", a->writes, map->parts, out);
        }
        free(a->reads);
        free(a->writes);
        free(a);
    }
    free(map);
}

bool refcl_recorder_open(unsigned version, const char *text, struct refcl_recorder *recorder)
{
    unsigned long parts = *text ? strtoul(text, NULL, 10) : 32;
    struct heat_map *map =
        version == REFCL_RECORDER_VERSION && parts && parts <= 1000 ? calloc(1, sizeof *map) : NULL;
    if (!map) {
        fprintf(stderr, "heat_map: wrong version, or not a number of parts: '%s'\n", text);
        return false;
    }
    map->parts = (unsigned)parts;
    *recorder = (struct refcl_recorder){
        .context = map, .event = heat_map_event, .record = heat_map_record, .end = heat_map_end};
    return true;
}
