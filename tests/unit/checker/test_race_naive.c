/* The streaming detector against the definitions: on random executions, an oracle computes happens-before as
 * a transitive closure over all events, directly from the clauses, and the races must be equal.  Every
 * reported race must be one, and every racy byte must be reported.
 *
 * REFCL_SEED is the first seed, REFCL_ROUNDS the number of executions. */
#include "checker/checker.h"
#include "random_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the definitions -------------------------------------------------------------------------- */

/* Copies are separate agents: the number of the copy that event I is part of, or 0. */
static uint32_t copy_of(int i)
{
    return mm_is_copy(&events[i]) ? events[i].instance : 0;
}
static bool same_agent(int a, int b)
{
    return events[a].agent.command == events[b].agent.command &&
           events[a].agent.index == events[b].agent.index && copy_of(a) == copy_of(b);
}
static bool is_point(int i)
{
    return events[i].kind == MM_COPY_START || events[i].kind == MM_COPY_WAIT ||
           events[i].kind == MM_COPY_FENCE;
}
static bool is_access(int i)
{
    return events[i].kind == MM_READ || events[i].kind == MM_WRITE || events[i].kind == MM_RMW;
}
static bool is_atomic(int i)
{
    return is_access(i) && (events[i].attributes & MM_ATOMIC);
}
static bool is_write(int i)
{
    return events[i].kind == MM_WRITE || events[i].kind == MM_RMW;
}
static bool is_read(int i)
{
    return events[i].kind == MM_READ || events[i].kind == MM_RMW;
}
static bool is_item(int i)
{
    return events[i].agent.command != 0 && events[i].agent.index != MM_INDEX_RUNTIME;
}
static int group_of(int i)
{
    return (int)events[i].agent.index / LOCAL;
}
static bool is_barrier(int i)
{
    return events[i].kind == MM_BARRIER_ENTRY || events[i].kind == MM_BARRIER_EXIT;
}

/* Accesses through an image created from the buffer. */
static bool is_through(int i)
{
    return mm_is_through_image(&events[i]);
}
static int region_of(int i)
{
    return events[i].allocation == SCRATCH ? L : events[i].allocation == PICTURE || is_through(i) ? I : G;
}

static bool belongs(int i, int system)
{
    if (is_access(i) && events[i].agent.command == 0 && system == I)
        return true; /* the language of the host has no regions */
    if (is_access(i))
        return region_of(i) == system;
    if (events[i].kind == MM_FENCE || is_barrier(i)) {
        static const int flag[SYSTEMS] = {MM_FENCE_GLOBAL, MM_FENCE_LOCAL, MM_FENCE_IMAGE};
        return events[i].fence_flags & flag[system];
    }
    return is_point(i) ? system != I : system != L;
}

static bool has_byte(int i, uint32_t allocation, uint64_t byte)
{
    return is_access(i) && events[i].allocation == allocation && byte >= events[i].offset &&
           byte < events[i].offset + events[i].size;
}

/* Operations on other bytes are on other atomic objects [CL 3.3.6 G5, A6]. */
static bool same_bytes(int a, int b)
{
    return events[a].offset == events[b].offset && events[a].size == events[b].size;
}

/* The same memory, not another work-group's instance of it. */
static bool same_memory(int a, int b)
{
    if (events[a].allocation != events[b].allocation)
        return false;
    return events[a].allocation != SCRATCH ||
           (events[a].agent.command == events[b].agent.command && group_of(a) == group_of(b));
}

static int scope_on(int i, uint32_t allocation)
{
    int scope = events[i].scope;
    if (allocation == SCRATCH && scope > MM_SCOPE_WORK_GROUP)
        scope = MM_SCOPE_WORK_GROUP;
    if (allocation == BUFFER && scope == MM_SCOPE_ALL_SVM_DEVICES)
        scope = MM_SCOPE_DEVICE;
    return scope;
}

static enum mm_revision revision;

static bool in_one_instance(int a, int b, int scope, uint32_t allocation)
{
    bool items = is_item(a) && is_item(b), same_command = events[a].agent.command == events[b].agent.command;
    switch (scope) {
    case MM_SCOPE_SUB_GROUP:
        return items && same_command && group_of(a) == group_of(b) &&
               events[a].agent.index % LOCAL / SUB == events[b].agent.index % LOCAL / SUB;
    case MM_SCOPE_WORK_GROUP:
        return items && same_command && group_of(a) == group_of(b);
    case MM_SCOPE_DEVICE:
        return items && (same_command || allocation != BUFFER);
    default:
        return scope == MM_SCOPE_ALL_SVM_DEVICES;
    }
}

/* Inclusive scopes of two operations that concern ALLOCATION (O10-O15, O101); one device: until 3.0 the
 * scopes are the same, then B is in A's and A in B's. */
static bool inclusive(int a, int b, uint32_t allocation)
{
    int scope = scope_on(a, allocation), other = scope_on(b, allocation);
    if (revision == MM_REVISION_3_0 && scope != other)
        return false;
    return in_one_instance(a, b, scope, allocation) && in_one_instance(a, b, other, allocation);
}

static bool acquires(int i)
{
    if (events[i].kind == MM_BARRIER_EXIT)
        return true;
    int o = events[i].order;
    return (events[i].kind == MM_FENCE || (is_atomic(i) && is_read(i))) &&
           (o == MM_ACQUIRE || o == MM_ACQ_REL || o == MM_SEQ_CST);
}
static bool releases(int i)
{
    if (events[i].kind == MM_BARRIER_ENTRY)
        return true;
    int o = events[i].order;
    return (events[i].kind == MM_FENCE || (is_atomic(i) && is_write(i))) &&
           (o == MM_RELEASE || o == MM_ACQ_REL || o == MM_SEQ_CST);
}

static bool both_flags(int i)
{
    return !is_access(i) && belongs(i, G) && belongs(i, L);
}

/* A4, A5, F1-F7 for one pair: X heads, Y reads from its (hypothetical) release sequence. */
static void synchronize(int x, int y)
{
    uint32_t m = events[x].allocation;
    int r = m == SCRATCH ? L : G;
    for (int a = 0; a <= x; a++) {
        if (!releases(a) || !same_agent(a, x) || (a != x && (is_access(a) || !belongs(a, r))))
            continue;
        for (int b = y; b < event_count; b++) {
            if (!acquires(b) || !same_agent(b, y) || (b != y && (is_access(b) || !belongs(b, r))) ||
                !inclusive(a, b, m))
                continue;
            hb[r][a][b] = true;
            if (both_flags(a) && both_flags(b))
                hb[1 - r][a][b] = true;
            if (events[a].order == MM_SEQ_CST && events[b].order == MM_SEQ_CST && belongs(a, 1 - r) &&
                belongs(b, 1 - r))
                hb[1 - r][a][b] = true; /* A11, between actions of the other region */
        }
    }
}

static int last_write(int read, uint64_t byte)
{
    for (int w = read - 1; w >= 0; w--)
        if (has_byte(w, events[read].allocation, byte) && is_write(w) && same_memory(w, read))
            return w;
    return -1;
}

static void release_sequences(void)
{
    for (int x = 0; x < event_count; x++) {
        if (!is_atomic(x) || !is_write(x))
            continue;
        for (uint64_t byte = events[x].offset; byte < events[x].offset + events[x].size; byte++) {
            bool member[MAX] = {0}, open = true;
            member[x] = true;
            for (int w = x + 1; w < event_count; w++) {
                if (!has_byte(w, events[x].allocation, byte) || !is_write(w) || !same_memory(w, x))
                    continue;
                open = open && (same_agent(w, x) || events[w].kind == MM_RMW);
                member[w] = open && same_bytes(w, x);
            }
            for (int y = x + 1; y < event_count; y++) {
                if (!has_byte(y, events[x].allocation, byte) || !is_atomic(y) || !is_read(y) ||
                    !same_memory(x, y) || !same_bytes(x, y))
                    continue;
                int w = last_write(y, byte);
                if (w >= 0 && member[w])
                    synchronize(x, y);
            }
        }
    }
}

/* A fence of S stands between the calls of the copies with accesses at I and J. */
static bool fence_between(int s, int i, int j)
{
    bool called = false, fenced = false;
    for (int k = 0; k < j; k++) {
        const struct mm_event *e = &events[k];
        if (!is_point(k) || e->agent.command != events[i].agent.command || group_of(k) != group_of(i))
            continue;
        called |= e->kind == MM_COPY_START && e->instance == events[i].instance;
        fenced |= called && e->kind == MM_COPY_FENCE &&
                  (e->fence_flags & (s == L ? MM_FENCE_LOCAL : MM_FENCE_GLOBAL));
        if (e->kind == MM_COPY_START && e->instance == events[j].instance)
            return fenced;
    }
    return false;
}

static void barriers_and_commands(void)
{
    for (int i = 0; i < event_count; i++) {
        for (int j = i + 1; j < event_count; j++) {
            const struct mm_event *a = &events[i], *b = &events[j];
            bool command = a->agent.command == b->agent.command;
            for (int s = 0; s < SYSTEMS; s++) {
                if (!belongs(i, s) || !belongs(j, s))
                    continue;
                if (same_agent(i, j))
                    hb[s][i][j] = true;
                if (a->kind == MM_BARRIER_ENTRY && b->kind == MM_BARRIER_EXIT && a->instance == b->instance)
                    hb[s][i][j] = true;
                if (command && copy_of(i) && b->kind == MM_COPY_WAIT && a->instance == b->instance)
                    hb[s][i][j] = true;
                if (command && s != I && copy_of(i) && copy_of(j) && group_of(i) == group_of(j) &&
                    fence_between(s, i, j))
                    hb[s][i][j] = true;
                if (command && a->kind == MM_COMMAND_START && is_item(j))
                    hb[s][i][j] = true;
                if (command && b->kind == MM_COMMAND_END && is_item(i))
                    hb[s][i][j] = true;
            }
        }
    }
    for (int k = 0; k < edge_count; k++)
        if (edges[k].kind != MM_EDGE_QUERY || revision == MM_REVISION_3_1_0) /* H101 */
            hb[G][edges[k].from][edges[k].to] = hb[I][edges[k].from][edges[k].to] = true;
}

static void close_over(int s)
{
    for (int k = 0; k < event_count; k++)
        for (int i = 0; i < event_count; i++)
            for (int j = 0; hb[s][i][k] && j < event_count; j++)
                hb[s][i][j] |= hb[s][k][j];
}

static bool same_copy(int i, int j)
{
    return copy_of(i) && copy_of(i) == copy_of(j) && events[i].agent.command == events[j].agent.command;
}

/* X comes before each call that asked for the copy with an access at I. */
static bool before_all_calls(int s, int x, int i)
{
    for (int k = 0; k < i; k++)
        if (events[k].kind == MM_COPY_START && events[k].agent.command == events[i].agent.command &&
            events[k].instance == events[i].instance && !hb[s][x][k])
            return false;
    return true;
}

/* Happens-before, and with it where copies begin, from the first copy on. */
static void close_all(int s)
{
    bool begun[MAX] = {0};
    close_over(s);
    for (int i = 0; i < event_count; i++) {
        if (begun[i] || !copy_of(i))
            continue;
        for (int j = i; j < event_count; j++) {
            begun[j] |= same_copy(i, j);
            for (int x = 0; x < i && same_copy(i, j) && belongs(j, s); x++)
                hb[s][x][j] |= before_all_calls(s, x, i);
        }
        close_over(s);
    }
}

/* What host threads and commands do in the order of global memory is ordered for images, too (H0). */
static void order_images(void)
{
    for (int i = 0; i < event_count; i++)
        for (int j = i + 1; j < event_count; j++)
            if (!is_item(i) && !is_item(j))
                hb[I][i][j] |= hb[G][i][j];
}

static bool conflicts(int i, int j)
{
    return is_access(i) && is_access(j) && same_memory(i, j) && (is_write(i) || is_write(j)) &&
           events[i].offset + events[i].size > events[j].offset &&
           events[j].offset + events[j].size > events[i].offset;
}

/* The command of I is complete before J. */
static bool is_complete(int i, int j)
{
    for (int k = i; k < j; k++)
        if (events[k].kind == MM_COMMAND_END && events[k].agent.command == events[i].agent.command &&
            hb[region_of(j)][k][j])
            return true;
    return false;
}

/* I happens before the agent of J does J, in the region of I. */
static bool is_before_agent(int i, int j)
{
    for (int k = i + 1; k < j; k++)
        if (hb[region_of(i)][i][k] && events[k].agent.command == events[j].agent.command &&
            (events[k].agent.index == events[j].agent.index || events[k].kind == MM_COMMAND_START) &&
            !copy_of(k))
            return true;
    return false;
}

/* The buffer at I and an image made from it at J, or vice versa [CL 5.3.1 R23, R24]. */
static bool views_ordered(int i, int j)
{
    bool order = is_item(i) ? is_complete(i, j) : hb[region_of(j)][i][j];
    return order || (!(is_write(i) && is_read(j)) && is_before_agent(i, j));
}

/* A work-item reads through one view what it wrote through the other. */
static bool reads_own(int i, int j)
{
    return conflicts(i, j) && same_agent(i, j) && is_item(i) && region_of(i) != region_of(j) && is_write(i) &&
           is_read(j);
}

static bool race(int i, int j)
{
    if (!conflicts(i, j) || same_agent(i, j))
        return false;
    if (is_through(i) != is_through(j))
        return !views_ordered(i, j);
    if (is_atomic(i) && is_atomic(j) && same_bytes(i, j) && inclusive(i, j, events[i].allocation))
        return false;
    return !hb[region_of(i)][i][j];
}

/* ---- comparing --------------------------------------------------------------------------------- */

/* After event I: retires the events at which no later edge starts, each as soon as possible. */
static void retire_events(struct ck_detector *d, int i)
{
    for (int from = 0; from <= i; from++) {
        int last = from; /* the event after which FROM retires */
        for (int k = 0; k < edge_count; k++)
            if (edges[k].from == (uint64_t)from && edges[k].to > (uint64_t)last)
                last = (int)edges[k].to;
        if (last == i)
            ck_detector_retire(d, (mm_event_id)from);
    }
}

/* The number of events from I on, up to the next edge, that differ in the index of their agent only, which
 * increases by one. */
static int row_from(int i, int next_edge)
{
    int end = next_edge < edge_count ? (int)edges[next_edge].to : event_count, n = 1;
    struct mm_event next = events[i];
    for (next.agent.index++; i + n < end && memcmp(&next, &events[i + n], sizeof next) == 0; n++)
        next.agent.index++;
    return n;
}

static uint64_t rows; /* given to detectors */

static struct ck_detector *detect(bool retires, bool in_rows)
{
    struct ck_detector *d = ck_detector_create(
        &(struct ck_detector_options){.races = true, .memory = viewed, .revision = revision});
    struct mm_sink sink;
    ck_detector_sink(d, &sink);
    for (uint32_t c = 1; c <= COMMANDS; c++) {
        struct mm_record r = {.type = MM_RECORD_COMMAND};
        r.command = (struct mm_command){.id = c,
                                        .dimensions = 1,
                                        .global_size = {(uint64_t)small, 1, 1},
                                        .local_size = {LOCAL, 1, 1},
                                        .sub_group_size = SUB,
                                        .kind = "",
                                        .kernel = ""};
        sink.record(sink.context, &r);
    }
    for (uint32_t a = 1; a < PLACES; a++) {
        struct mm_record r = {.type = MM_RECORD_ALLOCATION};
        r.allocation = (struct mm_allocation){.id = a, .region = MM_GLOBAL, .size = 64, .name = "m"};
        r.allocation.region = a == SCRATCH ? MM_LOCAL : a == PICTURE ? MM_IMAGE : MM_GLOBAL;
        r.allocation.origin = a == SVM      ? MM_ORIGIN_FINE_SVM_ATOMICS
                              : a == BUFFER ? MM_ORIGIN_BUFFER
                                            : MM_ORIGIN_NONE;
        sink.record(sink.context, &r);
    }
    int next_edge = 0;
    for (int i = 0, n; i < event_count; i += n) {
        for (; next_edge < edge_count && edges[next_edge].to == (uint64_t)i; next_edge++) {
            struct mm_record r = {.type = MM_RECORD_EDGE, .edge = edges[next_edge]};
            sink.record(sink.context, &r);
        }
        n = in_rows ? row_from(i, next_edge) : 1;
        rows += n > 1;
        if (n > 1)
            sink.row(sink.context, &events[i], (uint32_t)n);
        else
            sink.events(sink.context, &events[i], 1);
        for (int k = 0; retires && k < n; k++)
            retire_events(d, i + k);
    }
    return d;
}

static void show(int i)
{
    const struct mm_event *e = &events[i];
    printf("# %3d (%u,%d) %s%s alloc %u [%u+%u] %s %s flags %u inst %u\n", i, e->agent.command,
           (int)e->agent.index, e->attributes & MM_ATOMIC ? "atomic " : "",
           mm_kind_name((enum mm_kind)e->kind), e->allocation, (unsigned)e->offset, e->size,
           mm_order_name((enum mm_order)e->order), mm_scope_name((enum mm_scope)e->scope), e->fence_flags,
           e->instance);
}

static bool is(int i, const struct ck_access *access)
{
    return events[i].source == access->event.source && events[i].agent.command == access->agent.command &&
           events[i].agent.index == access->agent.index;
}

static bool compare(uint64_t seed, uint64_t *races)
{
    static bool reported[MAX][MAX], own[MAX];
    memset(reported, 0, sizeof reported);
    memset(own, 0, sizeof own);
    struct ck_detector *d = detect(seed / MM_REVISION_COUNT % 2, seed / MM_REVISION_COUNT % 4 < 2);
    bool good = ck_detector_status(d, NULL) == MM_OK;
    for (size_t k = 0; k < ck_detector_finding_count(d); k++) {
        const struct ck_finding *f = ck_detector_finding(d, k);
        bool real = strcmp(f->kind, "image-unfenced-read") == 0,
             of_one = strcmp(f->kind, "buffer-and-image") == 0;
        if (real)
            continue;
        for (int j = 0; j < event_count && of_one; j++) {
            own[j] |= events[j].source == f->accesses[0].event.source;
            for (int i = 0; i < j; i++)
                real = real || (is(j, &f->accesses[0]) && reads_own(i, j));
        }
        for (int i = 0; i < event_count && !of_one; i++) {
            for (int j = i + 1; j < event_count; j++) {
                uint32_t a = f->accesses[1].event.source, b = f->accesses[0].event.source;
                if ((events[i].source == a && events[j].source == b) ||
                    (events[i].source == b && events[j].source == a))
                    reported[i][j] = true;
                real = real || (is(i, &f->accesses[1]) && is(j, &f->accesses[0]) && race(i, j));
            }
        }
        if (!real) {
            printf("# seed %llu: reported, but no race: places %u %u\n", (unsigned long long)seed,
                   of_one ? 0 : f->accesses[1].event.source, f->accesses[0].event.source);
            good = false;
        }
    }
    for (int i = 0; i < event_count; i++) {
        for (int j = i + 1; j < event_count; j++) {
            if (!race(i, j) && !reads_own(i, j))
                continue;
            ++*races;
            for (uint64_t byte = events[j].offset; byte < events[j].offset + events[j].size; byte++) {
                bool seen = !has_byte(i, events[j].allocation, byte);
                for (int x = 0; x < event_count && !seen; x++)
                    seen = own[x] && has_byte(x, events[j].allocation, byte) && same_memory(x, i);
                for (int x = 0; x < event_count && !seen; x++)
                    for (int y = x + 1; y < event_count && !seen; y++)
                        seen = reported[x][y] && has_byte(x, events[j].allocation, byte) &&
                               has_byte(y, events[j].allocation, byte) && same_memory(x, i);
                if (!seen) {
                    printf("# seed %llu: race %d %d at byte %u not reported\n", (unsigned long long)seed, i,
                           j, (unsigned)byte);
                    good = false;
                    break;
                }
            }
        }
    }
    ck_detector_destroy(d);
    return good;
}

static uint64_t from_environment(const char *name, uint64_t value)
{
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 0) : value;
}

static void detector_and_definitions_agree(void **state)
{
    (void)state;
    uint64_t first = from_environment("REFCL_SEED", 1), rounds = from_environment("REFCL_ROUNDS", 4000);
    uint64_t races = 0, clean = 0;
    int bad = 0;
    for (uint64_t seed = first; seed < first + rounds && bad < 3; seed++) {
        uint64_t before = races;
        revision = (enum mm_revision)(seed % MM_REVISION_COUNT);
        random_state = seed * 0x9e3779b97f4a7c15u + 1;
        memset(hb, 0, sizeof hb);
        make_execution();
        barriers_and_commands();
        release_sequences();
        for (int s = 0; s < SYSTEMS; s++) {
            if (s == I)
                order_images();
            close_all(s);
        }
        if (!compare(seed, &races)) {
            for (int i = 0; i < event_count && bad == 0; i++)
                show(i);
            bad++;
        }
        clean += races == before;
    }
    printf("# %llu races, %llu executions without, %llu rows\n", (unsigned long long)races,
           (unsigned long long)clean, (unsigned long long)rows);
    assert_int_equal(bad, 0);
    assert_true(rows > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(detector_and_definitions_agree)};
    return cmocka_run_group_tests_name("race_naive", tests, NULL, NULL);
}
