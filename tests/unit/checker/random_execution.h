/* Random executions of commands with work-items, host threads, copies and the edges between them. */
#ifndef TESTS_UNIT_CHECKER_RANDOM_EXECUTION_H
#define TESTS_UNIT_CHECKER_RANDOM_EXECUTION_H

#include "memmodel/memmodel.h"

#include <string.h>

static uint64_t random_state;
static uint32_t rnd(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % n;
}

enum { MAX = 160, LOCAL = 4, SUB = 2, ITEMS = 8, COMMANDS = 2 };
enum { BUFFER = 1, SVM, SCRATCH, PICTURE, PLACES };
enum { G, L, I, SYSTEMS };

static struct mm_event events[MAX];
static struct mm_edge edges[MAX * 2];
static int event_count, edge_count;
static bool hb[SYSTEMS][MAX][MAX];
static int small;          /* work-items of the launches of this execution */
static uint32_t plainness; /* one access in this many is plain */
static uint32_t copies;    /* how often work-groups make copies, in 24ths */
static bool viewed;        /* the buffer is accessed through an image made from it, too */
static bool shared_places; /* work-items run the same code: events differ only in their agent */

/* ---- generating executions ---------------------------------------------------------------------- */

static int add(struct mm_event e)
{
    uint32_t object = e.allocation + (e.semantics == MM_THROUGH_IMAGE ? (uint32_t)PLACES : 0);
    e.source = shared_places ? 1 + e.kind + object * 8u : (uint32_t)event_count + 1;
    events[event_count] = e;
    return event_count++;
}

static void edge(int from, int kind)
{
    edges[edge_count++] =
        (struct mm_edge){.from = (uint64_t)from, .to = (uint64_t)event_count, .kind = (uint32_t)kind};
}

static uint8_t any_scope(void)
{
    static const uint8_t scopes[] = {MM_SCOPE_SUB_GROUP,      MM_SCOPE_WORK_GROUP, MM_SCOPE_WORK_GROUP,
                                     MM_SCOPE_DEVICE,         MM_SCOPE_DEVICE,     MM_SCOPE_DEVICE,
                                     MM_SCOPE_ALL_SVM_DEVICES};
    return scopes[rnd(sizeof scopes)];
}

static void add_access(struct mm_agent agent)
{
    bool host = agent.command == 0;
    struct mm_event e = {.agent = agent, .kind = (uint8_t)(MM_READ + rnd(2))};
    e.allocation = host ? (rnd(6) ? 1 + rnd(2) : PICTURE) : 1 + rnd(4) % 3 + (rnd(12) == 0);
    static const uint32_t sizes[] = {4, 4, 4, 4, 1, 2, 8};
    e.size = sizes[rnd(7)];
    e.offset = rnd(3) * 4 + (e.size < 4 ? rnd(4 / e.size) * e.size : 0);
    if (e.size == 8)
        e.offset = 0;
    if (rnd(plainness) && e.allocation != PICTURE) {
        static const uint8_t loads[] = {MM_RELAXED, MM_ACQUIRE, MM_ACQUIRE, MM_SEQ_CST};
        static const uint8_t stores[] = {MM_RELAXED, MM_RELEASE, MM_RELEASE, MM_SEQ_CST};
        e.attributes = MM_ATOMIC;
        e.kind = (uint8_t)(MM_READ + rnd(3));
        e.order = e.kind == MM_READ    ? loads[rnd(4)]
                  : e.kind == MM_WRITE ? stores[rnd(4)]
                                       : (uint8_t)(1 + rnd(5));
        e.scope = host ? MM_SCOPE_ALL_SVM_DEVICES : any_scope();
        if (rnd(8))
            e.size = 4, e.offset = rnd(2) * 4;
    } else if (viewed && !host && e.allocation == BUFFER && rnd(2)) {
        e.semantics = MM_THROUGH_IMAGE;
    }
    add(e);
}

static void add_fence(struct mm_agent agent)
{
    struct mm_event e = {.agent = agent, .kind = MM_FENCE, .order = (uint8_t)(MM_ACQUIRE + rnd(4))};
    e.scope = any_scope();
    e.fence_flags = (uint8_t)(1 + rnd(3));
    add(e);
}

/* Message passing between two work-items, with random choices: it makes the rare rules frequent. */
static void add_handshake(uint32_t command)
{
    struct mm_agent from = {command, rnd((uint32_t)small)}, to = {command, rnd((uint32_t)small)};
    uint32_t data = 1 + rnd(3), flag = 1 + rnd(3);
    uint8_t flags = rnd(2) ? 3 : (uint8_t)(1 + rnd(3)), scope = any_scope();
    bool fenced[2] = {rnd(3) != 0, rnd(3) != 0};
    struct mm_event e = {.agent = from, .kind = MM_WRITE, .allocation = data, .offset = 8, .size = 4};
    add(e);
    struct mm_event fence = {
        .agent = from, .kind = MM_FENCE, .order = MM_RELEASE, .scope = scope, .fence_flags = flags};
    if (fenced[0])
        add(fence);
    struct mm_event sync = {.agent = from,
                            .kind = MM_WRITE,
                            .allocation = flag,
                            .offset = 4,
                            .size = 4,
                            .attributes = MM_ATOMIC,
                            .scope = scope};
    sync.order = fenced[0] ? MM_RELAXED : MM_RELEASE;
    add(sync);
    if (rnd(4) == 0) {
        sync.kind = (uint8_t)(MM_WRITE + rnd(2));
        sync.agent.index = rnd((uint32_t)small);
        sync.order = MM_RELAXED;
        add(sync);
    }
    sync.agent = fence.agent = e.agent = to;
    sync.kind = MM_READ;
    sync.order = fenced[1] ? MM_RELAXED : MM_ACQUIRE;
    sync.scope = rnd(4) ? scope : any_scope();
    add(sync);
    fence.order = MM_ACQUIRE;
    fence.scope = rnd(4) ? scope : any_scope();
    if (fenced[1])
        add(fence);
    e.kind = (uint8_t)(MM_READ + rnd(2));
    add(e);
}

static int active_items(int group)
{
    int left = small - group * LOCAL;
    return left < 0 ? 0 : left < LOCAL ? left : LOCAL;
}

static void add_barrier(uint32_t command, int group, bool sub)
{
    static uint32_t instance;
    int first = 0, count = active_items(group);
    if (sub) {
        first = SUB * (int)rnd(LOCAL / SUB);
        count = count - first < SUB ? count - first : SUB;
    }
    if (count <= 0)
        return;
    struct mm_event e = {
        .site = 1 + rnd(2), .instance = ++instance, .order = MM_ACQ_REL, .scope = any_scope()};
    e.fence_flags = (uint8_t)rnd(8);
    e.effective_scope = sub ? MM_SCOPE_SUB_GROUP : MM_SCOPE_WORK_GROUP;
    int turn = (int)rnd(8);
    for (int pass = 0; pass < 2; pass++) {
        e.kind = pass ? MM_BARRIER_EXIT : MM_BARRIER_ENTRY;
        for (int i = 0; i < count; i++) {
            e.agent = (struct mm_agent){command, (uint32_t)(group * LOCAL + first + (i + turn) % count)};
            add(e);
        }
    }
}

static struct open_copy { /* not waited for yet */
    uint32_t command, instance;
    int group;
    bool ended;      /* by a later copy that a fence orders after it */
    uint32_t fences; /* of the group before it */
} open_copies[8];
static uint32_t copy_fences[COMMANDS + 1][ITEMS];
static int open_count;
static uint32_t copy_count;

static void add_points(uint32_t command, int group, int kind, uint32_t instance)
{
    int count = active_items(group),
        turn = kind == MM_COPY_FENCE ? 0 : (int)rnd(4); /* reports name the first */
    for (int i = 0; i < count; i++)
        add((struct mm_event){.agent = {command, (uint32_t)(group * LOCAL + (i + turn) % count)},
                              .kind = (uint8_t)kind,
                              .fence_flags = kind == MM_COPY_FENCE ? (uint8_t)(instance % 4) : 0,
                              .instance = instance});
}

/* The first work-item of the group also represents its copies. */
static void add_copied(uint32_t command, int group, uint32_t instance)
{
    uint32_t fences = 0;
    for (int i = 0; i < open_count; i++)
        if (open_copies[i].command == command && open_copies[i].instance == instance) {
            if (open_copies[i].ended)
                return;
            fences = open_copies[i].fences;
        }
    for (int i = 0; i < open_count; i++)
        open_copies[i].ended |= open_copies[i].command == command && open_copies[i].group == group &&
                                open_copies[i].fences < fences;
    for (uint32_t n = 1 + rnd(2); n-- > 0;)
        add((struct mm_event){.agent = {command, (uint32_t)(group * LOCAL)},
                              .kind = (uint8_t)(MM_READ + rnd(2)),
                              .allocation = 1 + rnd(3),
                              .offset = rnd(3) * 4,
                              .size = 4,
                              .semantics = MM_COPY,
                              .instance = instance});
}

/* A work-group starts an asynchronous copy, or waits for one; copies access memory in between. */
static void add_copy(uint32_t command, int group)
{
    for (int i = 0; i < open_count; i++) {
        if (open_copies[i].command != command || open_copies[i].group != group || rnd(3) == 0)
            continue;
        if (rnd(2)) {
            add_copied(command, group, open_copies[i].instance);
            return;
        }
        add_points(command, group, MM_COPY_WAIT, open_copies[i].instance);
        open_copies[i] = open_copies[--open_count];
        return;
    }
    if (open_count == 8 || active_items(group) == 0)
        return;
    if (rnd(3) == 0) {
        copy_fences[command][group]++;
        add_points(command, group, MM_COPY_FENCE, rnd(4));
    }
    open_copies[open_count++] =
        (struct open_copy){command, ++copy_count, group, false, copy_fences[command][group]};
    add_points(command, group, MM_COPY_START, copy_count);
    if (rnd(2))
        add_copied(command, group, copy_count);
}

static void step(uint32_t command)
{
    struct mm_agent agent = {command, rnd((uint32_t)small)};
    uint32_t what = rnd(24 + copies);
    if (what >= 24)
        add_copy(command, (int)agent.index / LOCAL);
    else if (what >= 20)
        add_handshake(command);
    else if (what < 13)
        add_access(agent);
    else if (what < 17)
        add_fence(agent);
    else
        add_barrier(command, (int)agent.index / LOCAL, what == 19);
}

static int command_event(uint32_t command, int kind)
{
    return add((struct mm_event){.agent = {command, MM_INDEX_RUNTIME}, .kind = (uint8_t)kind});
}

static int host_call(void)
{
    return add((struct mm_event){.agent = {0, 0}, .kind = MM_API_CALL});
}

static void make_execution(void)
{
    event_count = edge_count = 0;
    small = rnd(3) ? ITEMS : 5 + (int)rnd(3);
    int ends[COMMANDS + 1] = {0}, calls[COMMANDS + 1] = {0}, begun = 0;
    bool in_order = rnd(2), waits = rnd(2), running[COMMANDS + 1] = {0};
    int budget = 20 + (int)rnd(90);
    shared_places = rnd(3) == 0;
    viewed = rnd(3) == 0;
    copies = rnd(3) == 0 ? 4 + 20 * rnd(2) : 0;
    open_count = 0;
    copy_count = 0;
    memset(copy_fences, 0, sizeof copy_fences);
    plainness = 2 + rnd(3) * 4 + rnd(2) * rnd(30);
    while (event_count < budget) {
        uint32_t what = rnd(30);
        if (what == 0 || begun == 0) {
            if (begun == COMMANDS)
                continue;
            begun++;
            if (rnd(3) == 0)
                add_access((struct mm_agent){0, 0});
            calls[begun] = host_call();
            if (in_order && begun == 2) {
                if (running[1]) {
                    command_event(1, MM_COMMAND_END);
                    running[1] = false;
                    ends[1] = command_event(1, MM_EVENT_COMPLETE);
                }
                edge(ends[1], MM_EDGE_IN_ORDER);
            }
            edge(calls[begun], MM_EDGE_ENQUEUE);
            command_event((uint32_t)begun, MM_COMMAND_START);
            running[begun] = true;
        } else if (what == 1 && begun) {
            uint32_t c = 1 + rnd((uint32_t)begun);
            if (!running[c])
                continue;
            command_event(c, MM_COMMAND_END);
            ends[c] = command_event(c, MM_EVENT_COMPLETE);
            running[c] = false;
            if (waits) {
                edge(ends[c], rnd(3) ? MM_EDGE_API_WAIT : MM_EDGE_QUERY);
                host_call();
            }
        } else if (what < 4) {
            add_access((struct mm_agent){0, rnd(2)});
        } else {
            uint32_t c = 1 + rnd((uint32_t)begun);
            if (running[c])
                step(c);
            else if (rnd(10) == 0)
                add_access((struct mm_agent){0, 0});
        }
    }
}

#endif
