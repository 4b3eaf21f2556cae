/* A schedule as a program of the checker: a thread for each host thread and each command, whose points the
 * schedule's edges relate as in litmus tests; the model's rules [CL 3.3.6 H1 to H12] derive order from
 * them. */
#include "tools/commands/record.h"

#include <stdio.h>
#include <string.h>

enum { CELL_SIZE = 4 };

struct build {
    struct hc_record *record;
    struct ck_program *program;
    const struct hc_cell *cells;
    uint32_t cell_count;
    uint32_t *threads; /* by node */
    uint16_t *tags;    /* by node: what the rules of its edges refer to */
    bool *related;     /* by node: an edge relates it to another thread */
    bool failed;
};

static void add_instr(struct build *b, uint32_t thread, struct ck_instr instr)
{
    instr.reg2 = CK_NO_REG;
    if (instr.op != CK_LOAD)
        instr.reg = CK_NO_REG;
    b->failed |= ck_program_add_instr(b->program, thread, &instr) == UINT32_MAX;
}

static uint32_t constant_expr(struct build *b, uint64_t value, uint8_t size)
{
    return ck_program_add_expr(b->program, &(struct ck_expr){.op = CK_CONST, .size = size, .imm = value});
}

/* ---- objects and accesses ----------------------------------------------------------------------- */

static void add_object(struct build *b, uint32_t cell)
{
    static const uint64_t zero;
    const struct mm_allocation *memory = &b->record->allocations[b->cells[cell].root];
    bool plain = false;
    char name[32];
    snprintf(name, sizeof name, "m%u", cell);
    for (uint32_t i = 0; i < b->cells[cell].count; i++)
        plain |= (b->cells[cell].members[i].kind & (HC_READ | HC_WRITE)) != 0;
    struct ck_object object = {.name = mm_arena_strdup(b->program->arena, name),
                               .size = CELL_SIZE,
                               .element_size = CELL_SIZE,
                               .region = MM_GLOBAL,
                               .origin = memory->origin ? memory->origin : MM_ORIGIN_BUFFER,
                               .non_atomic = plain,
                               .work_group = -1,
                               .alias_of = cell,
                               .initial = &zero};
    b->failed |= !object.name || ck_program_add_object(b->program, &object) == UINT32_MAX;
}

/* Adds an access of member M; the source line of the instruction is 1 + the number of the part. */
static void add_access(struct build *b, uint32_t thread, uint32_t cell, const struct hc_member *m,
                       bool writes, bool atomic)
{
    struct ck_instr instr = {.op = writes ? CK_STORE : CK_LOAD,
                             .size = CELL_SIZE,
                             .order = atomic ? MM_RELAXED : MM_ORDER_NONE,
                             .scope = atomic ? m->scope : MM_SCOPE_NONE,
                             .attributes = atomic ? MM_ATOMIC : 0,
                             .reg = CK_NO_REG,
                             .line = m->part + 1};
    instr.address = constant_expr(b, CK_OBJECT_BASE(cell), 8);
    if (writes)
        instr.value = constant_expr(b, 0, CELL_SIZE);
    else
        instr.reg = ck_program_add_reg(b->program, thread, NULL, CELL_SIZE, false);
    add_instr(b, thread, instr);
}

static void add_accesses(struct build *b, uint32_t thread, uint32_t part)
{
    for (uint32_t c = 0; c < b->cell_count; c++)
        for (uint32_t i = 0; i < b->cells[c].count; i++) {
            const struct hc_member *m = &b->cells[c].members[i];
            if (m->part != part)
                continue;
            if (m->kind & (HC_READ | HC_WRITE))
                add_access(b, thread, c, m, m->kind & HC_WRITE, false);
            if (m->kind & HC_ATOMICS)
                add_access(b, thread, c, m, m->kind & HC_ATOMIC_WRITE, true);
        }
}

/* ---- threads ------------------------------------------------------------------------------------ */

static uint32_t add_thread(struct build *b, bool host, uint32_t number, uint32_t device)
{
    char name[32];
    uint32_t index = b->program->thread_count;
    snprintf(name, sizeof name, "%s%u", host ? "H" : "C", number);
    struct ck_thread thread = {.name = mm_arena_strdup(b->program->arena, name),
                               .device = device,
                               .work_group = index,
                               .kernel = index,
                               .host = host};
    b->failed |= !thread.name || ck_program_add_thread(b->program, &thread) == UINT32_MAX;
    return index;
}

static void add_point(struct build *b, uint32_t thread, uint32_t node)
{
    uint8_t kind = b->record->nodes[node].event.kind;
    unsigned role = kind == MM_COMMAND_START    ? MM_POINT_START
                    : kind == MM_COMMAND_END    ? MM_POINT_END
                    : kind == MM_EVENT_COMPLETE ? MM_POINT_COMPLETE
                                                : MM_POINT_API;
    b->threads[node] = thread;
    add_instr(b, thread,
              (struct ck_instr){.op = CK_POINT, .point = node + 1, .tags = (uint16_t)(role | b->tags[node])});
}

static void end_thread(struct build *b, uint32_t thread)
{
    add_instr(b, thread, (struct ck_instr){.op = CK_END});
}

/* Points without edges to other threads order nothing, and are left out. */
static void add_command(struct build *b, const struct hc_command *command)
{
    uint32_t thread = add_thread(b, false, command->id, command->device);
    add_point(b, thread, command->start);
    add_accesses(b, thread, command->part);
    if (command->end != HC_NONE && b->related[command->end])
        add_point(b, thread, command->end);
    if (command->complete != HC_NONE && b->related[command->complete])
        add_point(b, thread, command->complete);
    end_thread(b, thread);
}

static void add_host(struct build *b, uint32_t number)
{
    const struct hc_record *record = b->record;
    uint32_t thread = HC_NONE;
    for (uint32_t i = 0; i < record->node_count && !b->failed; i++) {
        const struct hc_node *node = &record->nodes[i];
        if (node->of_command || node->owner != number || node->dropped ||
            (node->part == HC_NONE && !b->related[i]))
            continue;
        if (thread == HC_NONE)
            thread = add_thread(b, true, number, 0);
        if (node->part == HC_NONE)
            add_point(b, thread, i);
        else
            add_accesses(b, thread, node->part);
    }
    if (thread != HC_NONE)
        end_thread(b, thread);
}

/* ---- relations ---------------------------------------------------------------------------------- */

/* The relation of the model for edges of a kind, and the tags that its rule needs at the target and the
 * source. */
static const struct rule {
    const char *relation;
    uint16_t to, from;
} rules[MM_EDGE_COUNT] = {[MM_EDGE_ENQUEUE] = {"enqueue", 0, 0},
                          [MM_EDGE_WAIT] = {"waitlist", 0, 0},
                          [MM_EDGE_COMPLETE] = {"completes", 0, 0},
                          [MM_EDGE_API_WAIT] = {"apiwait", 0, 0},
                          [MM_EDGE_IN_ORDER] = {"qo", MM_POINT_IN_ORDER, 0},
                          [MM_EDGE_MARKER] = {"qo", MM_POINT_MARKER | MM_POINT_NO_LIST, 0},
                          [MM_EDGE_BARRIER] = {"qo", 0, 0},
                          [MM_EDGE_FINISH] = {"qo", MM_POINT_FINISH, 0},
                          [MM_EDGE_CALLBACK] = {"callback", 0, 0}};

/* A barrier is at either end of its edges: every edge from one orders; one without a wait list comes after
 * all that is in its queue. */
static void tag_edge(struct build *b, const struct hc_edge *edge)
{
    const struct hc_record *record = b->record;
    b->tags[edge->to] |= rules[edge->kind].to;
    if (edge->kind != MM_EDGE_BARRIER)
        return;
    const struct hc_node *from = &record->nodes[edge->from], *to = &record->nodes[edge->to];
    if (from->of_command && record->commands[from->owner].barrier)
        b->tags[edge->from] |= MM_POINT_BARRIER;
    else if (to->of_command && record->commands[to->owner].barrier)
        b->tags[edge->to] |= MM_POINT_BARRIER | MM_POINT_NO_LIST;
}

static void relate_edge(struct build *b, const struct hc_edge *edge)
{
    struct ck_edge e = {.relation = rules[edge->kind].relation ? rules[edge->kind].relation : "asw",
                        .from_thread = b->threads[edge->from],
                        .to_thread = b->threads[edge->to],
                        .from_point = edge->from + 1,
                        .to_point = edge->to + 1};
    if (e.from_thread != HC_NONE && e.to_thread != HC_NONE && e.from_thread != e.to_thread)
        b->failed |= ck_program_add_edge(b->program, &e) == UINT32_MAX;
}

static void build_program(struct build *b, const struct hc_schedule *schedule)
{
    const struct hc_record *record = b->record;
    for (uint32_t i = 0; i < b->cell_count; i++)
        add_object(b, i);
    for (uint32_t i = 0; i < record->node_count; i++)
        b->threads[i] = HC_NONE;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct hc_edge *edge = &schedule->edges[i];
        const struct hc_node *from = &record->nodes[edge->from], *to = &record->nodes[edge->to];
        if (from->of_command != to->of_command || from->owner != to->owner)
            b->related[edge->from] = b->related[edge->to] = true;
        tag_edge(b, &schedule->edges[i]);
    }
    for (uint32_t i = 0; i < record->command_count && !b->failed; i++) {
        const struct hc_command *command = &record->commands[i];
        if (!command->parent && command->start != HC_NONE && !record->nodes[command->start].dropped)
            add_command(b, command);
    }
    for (uint32_t i = 0; i < record->thread_count && !b->failed; i++)
        add_host(b, i);
    for (uint32_t i = 0; i < schedule->count && !b->failed; i++)
        relate_edge(b, &schedule->edges[i]);
    b->program->name = b->program->file = "commands";
    b->program->condition = ck_program_add_prop(b->program, &(struct ck_prop){.op = CK_PROP_TRUE});
    b->program->filter = CK_NO_EXPR;
    b->failed |= b->program->condition == UINT32_MAX;
}

struct ck_program *hc_program(struct hc_record *record, const struct hc_schedule *schedule,
                              const struct hc_cell *cells, uint32_t count)
{
    struct mm_error err;
    struct build b = {.record = record, .cells = cells, .cell_count = count};
    b.related = mm_alloc_zero(record->node_count + 1, sizeof *b.related);
    b.threads = mm_alloc((record->node_count + 1) * sizeof *b.threads);
    b.tags = mm_alloc_zero(record->node_count + 1, sizeof *b.tags);
    b.program = b.related && b.threads && b.tags ? ck_program_create() : NULL;
    if (b.program)
        build_program(&b, schedule);
    if (b.program && (b.failed || ck_program_validate(b.program, &err) != MM_OK)) {
        if (!b.failed)
            tool_report(&err);
        ck_program_destroy(b.program);
        b.program = NULL;
    }
    mm_free(b.related);
    mm_free(b.threads);
    mm_free(b.tags);
    return b.program;
}

bool hc_program_race(const struct hc_record *record, const struct ck_verdict *v, uint32_t parts[2])
{
    uint32_t count = 0;
    for (size_t i = 0; i < v->race_witness.step_count && count < 2; i++) {
        uint32_t line = v->race_witness.steps[i].line;
        if (line && line <= record->part_count && !(count && parts[0] == line - 1))
            parts[count++] = line - 1;
    }
    return count == 2;
}
