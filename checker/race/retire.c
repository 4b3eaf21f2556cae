/* Frees complete commands that no state of the detector names: a mark-and-sweep collection
 * (docs/detector.md#retired-commands). */
#include "checker/race/agents.h"

/* A collection visits all shadow cells.  It therefore runs only when enough complete commands (about 300
 * bytes each) have accumulated; this bounds both its cost per command and the memory that they occupy. */
enum { LEAST_COMPLETE = 1024, BYTES_PER_COMMAND = 1024 };

static void mark_command(struct ck_detector *d, uint32_t id)
{
    struct ck_command *command = id ? ck_command_known(d, id) : NULL;
    if (command)
        command->marked = true;
}

static void mark_agent(struct ck_detector *d, uint64_t agent)
{
    mark_command(d, (uint32_t)(agent >> 32));
}

static void mark_record(struct ck_detector *d, const struct ck_access_record *record)
{
    if (record->time)
        mark_agent(d, record->agent);
}

static void mark_nodes(struct ck_detector *d, const struct ck_node *node)
{
    for (; node; node = node->next) {
        uint64_t last = node->first.agent + (uint64_t)node->stride * (node->count - 1);
        for (uint64_t command = node->first.agent >> 32; command <= last >> 32; command++)
            mark_command(d, (uint32_t)command);
    }
}

static void mark_sync(struct ck_detector *d, const struct ck_sync *sync)
{
    if (!sync)
        return;
    mark_agent(d, sync->writer);
    mark_agent(d, sync->storer);
}

static void mark_cell(struct ck_detector *d, const struct ck_cell *cell)
{
    mark_record(d, &cell->write);
    mark_record(d, &cell->read);
    if (!cell->extra)
        return;
    mark_nodes(d, cell->extra->reads);
    mark_sync(d, cell->extra->sync);
    for (const struct ck_atomics *a = cell->extra->atomics; a; a = a->next) {
        mark_nodes(d, a->writes);
        mark_nodes(d, a->reads);
    }
}

static void mark_space(struct ck_detector *d, const struct ck_space *space)
{
    for (const struct ck_page *page = space->pages; page; page = page->next)
        for (size_t i = 0; i < (size_t)CK_PAGE >> page->granule_log; i++)
            mark_cell(d, &page->cells[i]);
}

static void mark_locations(struct ck_detector *d)
{
    for (size_t i = 0; i < d->maps.memory.capacity; i++) {
        const struct ck_memory *memory = mm_map_at(&d->maps.memory, i);
        if (!memory)
            continue;
        mark_space(d, &memory->space);
        mark_space(d, &memory->whole);
        mark_space(d, &memory->view);
        for (const struct ck_mapping *m = memory->mappings; m; m = m->next)
            mark_agent(d, m->agent);
    }
}

/* Marks the commands of work-items with snapshots: edges from these, and children of the command, refer to
 * it. */
static void mark_snapshots(struct ck_detector *d)
{
    for (size_t i = 0; i < d->maps.snapshots.capacity; i++) {
        const struct ck_snapshot *snapshot = mm_map_at(&d->maps.snapshots, i);
        if (snapshot && snapshot->agent.index != MM_INDEX_RUNTIME)
            mark_command(d, snapshot->agent.command);
    }
}

static void mark_reports(struct ck_detector *d)
{
    for (size_t i = 0; i < CK_SHORTFALLS; i++) {
        mark_agent(d, d->shortfalls.list[i].reader);
        mark_agent(d, d->shortfalls.list[i].writer);
    }
    for (size_t i = 0; i < d->report.finding_count; i++)
        for (size_t k = 0; k < d->report.findings[i]->access_count; k++)
            mark_command(d, d->report.findings[i]->accesses[k].agent.command);
}

static bool is_garbage(const struct ck_command *command)
{
    return command->complete && !command->marked;
}

static void free_garbage(struct ck_detector *d)
{
    for (size_t i = 0; i < d->maps.commands.capacity;) {
        struct ck_command *command = mm_map_at(&d->maps.commands, i);
        if (!command || !is_garbage(command)) {
            if (command)
                command->marked = false;
            i++;
            continue;
        }
        uint32_t id = command->info.id;
        d->retired_to = id > d->retired_to ? id : d->retired_to;
        mm_map_remove(&d->maps.commands, id, (uintptr_t)command); /* moves another entry to this slot */
        ck_command_forget(d, command);
    }
}

void ck_command_complete(struct ck_detector *d, struct ck_command *command)
{
    command->complete = true;
    if (++d->complete_commands < LEAST_COMPLETE + d->budget.used / BYTES_PER_COMMAND)
        return;
    d->complete_commands = 0;
    mark_locations(d);
    mark_snapshots(d);
    mark_reports(d);
    ck_weak_each(d, mark_sync);
    d->last = (struct ck_last){.command = NULL};
    free_garbage(d);
}
