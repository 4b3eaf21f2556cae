/* The events of an execution, in the form that the model evaluator takes. */
#include "checker/search/exec.h"

uint32_t sx_count_events(struct sx *sx, const struct sx_trace *const *chosen)
{
    uint32_t n = sx->values.location_count;

    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        for (uint32_t i = 0; chosen[t] && i < chosen[t]->event_count; i++)
            n += chosen[t]->events[i].kind == SX_BARRIER && sx->features.split_barriers ? 2 : 1;
    }
    return n;
}

bool sx_reserve(struct sx *sx, uint32_t n)
{
    struct sx_exec *x = sx->exec;
    size_t rel = mm_rel_size(n, MM_CAT_REL);
    size_t size = n * (sizeof *x->events + sizeof *x->infos + 6 * sizeof(uint32_t)) +
                  n * (size_t)n * sizeof(uint32_t) + 4 * rel * sizeof(uint64_t) +
                  2 * sx->values.location_count * sizeof(uint32_t) + 64;
    char *at;

    if (size > x->block.size) {
        mm_free(x->block.bytes);
        x->block.size = 0;
        x->block.bytes = mm_alloc(size * 2);
        if (!x->block.bytes)
            return false;
        x->block.size = size * 2;
    }
    at = x->block.bytes;
    x->bounds.rf_lower = (uint64_t *)(void *)at;
    x->bounds.rf_upper = x->bounds.rf_lower + rel;
    x->bounds.co_lower = x->bounds.rf_upper + rel;
    x->bounds.co_upper = x->bounds.co_lower + rel;
    at += 4 * rel * sizeof(uint64_t);
    x->infos = (struct sx_info *)(void *)at;
    at += n * sizeof *x->infos;
    x->events = (struct mm_cat_event *)(void *)at;
    at += n * sizeof *x->events;
    x->reads.event = (uint32_t *)(void *)at;
    x->reads.first_source = x->reads.event + n;
    x->reads.source_count = x->reads.first_source + n;
    x->reads.source = x->reads.source_count + n;
    x->writes.event = x->reads.source + n;
    x->writes.rank = x->writes.event + n;
    x->reads.sources = x->writes.rank + n;
    x->init_of = x->reads.sources + (size_t)n * n;
    x->final_write = x->init_of + sx->values.location_count;
    return true;
}

static void describe_location(struct sx *sx, struct mm_cat_event *e, uint32_t location, uint32_t object,
                              uint32_t reference)
{
    const struct sx_location *l = &sx->values.locations[location];
    const struct ck_object *o = &sx->program->objects[l->object];

    e->location = location;
    e->memory.object = l->object;
    e->memory.reference = object * 65536U + reference;
    e->memory.non_atomic = o->non_atomic;
    e->memory.region = o->region;
    e->memory.origin = o->origin;
    e->memory.start = l->offset;
    e->memory.bytes = l->size;
}

static struct mm_cat_event *add_event(struct sx_exec *x, const struct sx_event *event, uint32_t thread)
{
    struct mm_cat_event *e = &x->events[x->n];

    *e = (struct mm_cat_event){.thread = thread,
                               .location = MM_CAT_NO_LOCATION,
                               .rmw_partner = MM_CAT_NO_EVENT,
                               .barrier = MM_CAT_NO_BARRIER};
    x->infos[x->n] = (struct sx_info){.event = event, .value = event ? event->value : 0};
    x->n++;
    return e;
}

static void add_init(struct sx *sx, uint32_t location)
{
    struct sx_exec *x = sx->exec;
    struct mm_cat_event *e = add_event(x, NULL, MM_CAT_NO_THREAD);

    e->init = e->write = true;
    describe_location(sx, e, location, sx->values.locations[location].object, 0);
    x->infos[x->n - 1].value = sx->values.locations[location].initial;
    x->init_of[location] = x->n - 1;
}

/* Whether threads A and B meet at the barrier: those of one work-group, or of one sub-group. */
static bool threads_meet(const struct ck_program *p, const struct ck_instr *barrier, uint32_t a, uint32_t b)
{
    const struct ck_thread *x = &p->threads[a], *y = &p->threads[b];

    return x->device == y->device && x->work_group == y->work_group &&
           (!barrier->sub_group || x->sub_group == y->sub_group);
}

/* A number for the dynamic barrier instance of EVENT. */
static uint32_t barrier_instance(struct sx *sx, const struct sx_event *event, uint32_t thread)
{
    const struct sx_exec *x = sx->exec;

    for (uint32_t i = 0; i < x->n; i++) {
        const struct sx_event *other = x->infos[i].event;

        if (!other || other->kind != SX_BARRIER || other->barrier != event->barrier ||
            other->occurrence != event->occurrence || other->instr->sub_group != event->instr->sub_group ||
            other->instr->barrier_name != event->instr->barrier_name)
            continue;
        if (other == event || threads_meet(sx->program, event->instr, x->events[i].thread, thread))
            return x->events[i].barrier;
    }
    return x->n;
}

static uint32_t group_number(const struct ck_program *p, uint32_t thread, int level)
{
    const struct ck_thread *t = &p->threads[thread];

    for (uint32_t i = 0; i < thread; i++) {
        const struct ck_thread *u = &p->threads[i];

        if (u->device == t->device && u->work_group == t->work_group &&
            (level == 0 || u->sub_group == t->sub_group))
            return i;
    }
    return thread;
}

static void describe_thread(struct sx *sx, struct mm_cat_event *e, uint32_t thread)
{
    const struct ck_thread *t = &sx->program->threads[thread];

    e->agent.device = t->device;
    e->agent.work_group = group_number(sx->program, thread, 0);
    e->agent.sub_group = group_number(sx->program, thread, 1);
    e->agent.queue_family = t->queue_family;
    e->agent.kernel = t->kernel;
    e->agent.host = t->host;
}

/* The last event is the second half of a read-modify-write: the first half is the last such read of its
 * location. */
static void pair_halves(struct sx_exec *x)
{
    uint32_t write = x->n - 1, read = write - 1;

    while (!x->infos[read].event->rmw_read || x->events[read].location != x->events[write].location)
        read--;
    x->events[read].rmw_partner = write;
    x->events[write].rmw_partner = read;
}

/* How many reads of THREAD come before the last event. */
static uint32_t count_reads(struct sx *sx, uint32_t thread)
{
    const struct sx_exec *x = sx->exec;
    uint32_t count = 0;

    for (uint32_t i = 0; sx->features.tracks_dependencies && i + 1 < x->n; i++)
        count += x->events[i].read && x->events[i].thread == thread;
    if (count > SX_MANY)
        sx_limit(sx, "search.depend", "limit reached: dependencies from 64 reads of a thread");
    return count;
}

static void add_trace_event(struct sx *sx, const struct sx_event *event, uint32_t thread, int half)
{
    struct sx_exec *x = sx->exec;
    const struct ck_instr *i = event->instr;
    uint32_t instance = event->kind == SX_BARRIER ? barrier_instance(sx, event, thread) : MM_CAT_NO_BARRIER;
    struct mm_cat_event *e = add_event(x, event, thread);

    describe_thread(sx, e, thread);
    e->order = event->order;
    e->scope = i->scope;
    e->fence_flags = i->fence_flags;
    e->attributes = i->attributes;
    e->semantics = i->semantics;
    e->memory.storage_class = i->storage_class;
    e->tags = i->tags;
    e->point = i->point;
    e->read = event->kind == SX_READ;
    e->write = event->kind == SX_WRITE;
    e->fence = event->kind == SX_FENCE || event->kind == SX_BARRIER;
    e->barrier = instance;
    e->late = event->late;
    if (event->location != MM_CAT_NO_LOCATION) {
        describe_location(sx, e, event->location, event->object, i->reference);
        e->memory.start = event->start;
        e->memory.bytes = i->size;
        e->memory.access = event->access ? thread * SX_TRACE_EVENTS + event->access : 0;
    }
    e->depends.data = event->data_depends & ~event->own_reads;
    e->depends.addr = event->address_depends;
    e->depends.ctrl = event->control_depends;
    if (e->read)
        e->depends.number = count_reads(sx, thread);
    if (event->rmw_write)
        pair_halves(x);
    if (event->kind == SX_AVAILABILITY)
        e->attributes |= MM_MAKE_AVAILABLE;
    if (event->kind == SX_VISIBILITY)
        e->attributes |= MM_MAKE_VISIBLE;
    if (event->kind == SX_BARRIER && sx->features.split_barriers) {
        e->entry = half == 0;
        e->exit = half == 1;
        e->order = half == 0 ? MM_RELEASE : MM_ACQUIRE;
    } else if (event->kind == SX_BARRIER && !sx->program->vulkan) {
        e->order = MM_ACQ_REL;
    }
}

static bool location_used(struct sx *sx, const struct sx_trace *const *chosen, uint32_t location)
{
    const struct ck_program *p = sx->program;

    for (uint32_t t = 0; t < p->thread_count; t++) {
        for (uint32_t i = 0; chosen[t] && i < chosen[t]->event_count; i++) {
            if (chosen[t]->events[i].location == location)
                return true;
        }
    }
    for (uint32_t i = 0; i < p->observed_count; i++) {
        if (sx_is_observed(sx, i, location))
            return true;
    }
    return false;
}

bool sx_is_observed(const struct sx *sx, uint32_t i, uint32_t l)
{
    const struct ck_term *t = &sx->program->observed[i];
    const struct sx_location *location = &sx->values.locations[l];

    return t->kind == CK_TERM_MEMORY && location->object == sx->program->objects[t->object].alias_of &&
           location->offset < t->offset + ck_term_size(sx->program, t) &&
           t->offset < location->offset + location->size;
}

void sx_build_events(struct sx *sx, const struct sx_trace *const *chosen)
{
    struct sx_exec *x = sx->exec;

    x->n = 0;
    for (uint32_t l = 0; l < sx->values.location_count; l++) {
        x->init_of[l] = MM_CAT_NO_EVENT;
        if (location_used(sx, chosen, l))
            add_init(sx, l);
    }
    for (uint32_t t = 0; t < sx->program->thread_count; t++) {
        for (uint32_t i = 0; chosen[t] && i < chosen[t]->event_count; i++) {
            const struct sx_event *e = &chosen[t]->events[i];

            add_trace_event(sx, e, t, 0);
            if (e->kind == SX_BARRIER && sx->features.split_barriers)
                add_trace_event(sx, e, t, 1);
        }
    }
}

/* ---- writes ------------------------------------------------------------------------------------- */

void sx_find_writes_to(struct sx_exec *x, uint32_t l)
{
    uint32_t first = x->writes.count;

    for (uint32_t w = 0; w < x->n && x->init_of[l] != MM_CAT_NO_EVENT; w++) {
        if (!x->events[w].write || x->events[w].init || x->events[w].location != l)
            continue;
        sx_fix_co(x, x->init_of[l], w);
        for (uint32_t k = first; k < x->writes.count; k++) {
            mm_rel_add(x->n, x->bounds.co_upper, x->writes.event[k], w);
            mm_rel_add(x->n, x->bounds.co_upper, w, x->writes.event[k]);
        }
        x->writes.event[x->writes.count++] = w;
    }
}

void sx_find_writes(struct sx *sx)
{
    sx->exec->writes.count = 0;
    for (uint32_t l = 0; l < sx->values.location_count; l++)
        sx_find_writes_to(sx->exec, l);
}
