/* Reasons of races: atomic operations and fences that could have ordered the accesses and do not synchronize,
 * or in other memory only (docs/detector.md#reasons-and-fixes). */
#include "checker/race/agents.h"
#include "checker/race/reason.h"

#include <stdio.h>
#include <string.h>

/* The words for a fence, and for a release operation, in the explanation of a race. */
static const char *name_fence(struct ck_detector *d, uint32_t source, const char *role)
{
    const struct ck_source *known = ck_source_of(d, source);
    return known && strstr(known->info.opcode, "ControlBarrier") ? "barrier" : role;
}

static const char *name_release(struct ck_detector *d, const struct ck_origin *release)
{
    return release->fence ? name_fence(d, release->source, "release fence") : "release";
}

/* The acquire fence of the later agent that follows the read of S; NULL: none. */
static const struct ck_last_fence *acquire_fence(const struct ck_reason *r, const struct ck_shortfall *s)
{
    struct mm_agent agent = {(uint32_t)(r->later >> 32), (uint32_t)r->later};
    const struct ck_item *item = s->reader == r->later ? ck_item_of(r->d, agent) : NULL;
    const struct ck_last_fence *f = item && item->fences ? &item->fences->last_acquire : NULL;
    return f && f->source && f->event > s->event ? f : NULL;
}

/* True if the earlier access is below SOURCE in the same function. */
static bool is_below(const struct ck_reason *r, uint32_t source)
{
    const struct ck_source *a = ck_source_of(r->d, ck_reason_earlier(r)->source),
                           *b = ck_source_of(r->d, source);
    if (!a || !b || !a->info.line || !b->info.line || strcmp(a->info.file, b->info.file) != 0 ||
        strcmp(a->info.function, b->info.function) != 0)
        return false;
    return a->info.line > b->info.line ||
           (a->info.line == b->info.line && a->info.column > b->info.column && b->info.column);
}

/* True if the earlier access precedes the event of its agent with the clock TIME at SOURCE.  A clock advances
 * only at releases, so events of one epoch are ordered by their lines. */
static bool earlier_precedes(const struct ck_reason *r, uint32_t time, uint32_t source)
{
    return time > r->earlier->time || (time == r->earlier->time && !is_below(r, source));
}

/* ---- what is missing ------------------------------------------------------------------------------- */

static void advise_flags(struct ck_reason *r, unsigned flags, uint32_t first, uint32_t second)
{
    char where[160], where_too[160], names[80] = "";
    for (int region = 0; region < CK_REGIONS; region++) {
        if (!ck_fence_in(flags, (enum ck_region)region))
            continue;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", *names ? " and " : "",
                 ck_reason_flag((enum ck_region)region));
    }
    r->change = (struct ck_change){.source = {first, second}, .fence_flags = (uint8_t)flags};
    ck_reason_location(r->d, first, where, sizeof where);
    ck_reason_location(r->d, second, where_too, sizeof where_too);
    if (first == second)
        snprintf(r->fix, sizeof r->fix, "add %s to the flags of the fence at %s", names, where);
    else
        snprintf(r->fix, sizeof r->fix, "add %s to the flags of the fences at %s and %s", names, where,
                 where_too);
}

/* A release fence precedes the relaxed atomic write but covers other memory or includes no other
 * work-item. */
static bool describe_ineffective_fence(struct ck_reason *r, const struct ck_shortfall *s, const char *write,
                                       const char *read)
{
    const struct ck_last_fence *acquire = acquire_fence(r, s);
    const char *name = name_fence(r->d, s->fence.source, "release fence");
    char where[160];
    if (!s->fence.source || s->writer != r->earlier->agent ||
        !earlier_precedes(r, s->fence.time[r->region], s->fence.source))
        return false;
    ck_reason_location(r->d, s->fence.source, where, sizeof where);
    if (ck_fence_in(s->fence.flags, (enum ck_region)s->region)) {
        snprintf(r->text, sizeof r->text, "the %s at %s has scope %s, but %s", name, where,
                 ck_reason_scope(s->fence.scope), ck_reason_apart(s->fence.scope));
        ck_reason_advise_scope(r, "fence", s->fence.source, acquire ? acquire->source : s->fence.source);
        return true;
    }
    snprintf(
        r->text, sizeof r->text,
        "the %s at %s fences %s and the atomic write at %s is to %s memory, so reading it at %s does not "
        "synchronize",
        name, where, ck_reason_fenced(s->fence.flags), write, ck_reason_region((enum ck_region)s->region),
        read);
    advise_flags(r, ck_fence_flag((enum ck_region)s->region) | ck_fence_flag(r->region), s->fence.source,
                 acquire ? acquire->source : s->fence.source);
    return true;
}

static bool store_relaxed(struct ck_reason *r, const struct ck_shortfall *s, const char *write,
                          const char *read)
{
    if (describe_ineffective_fence(r, s, write, read))
        return true;
    snprintf(r->text, sizeof r->text,
             "the atomic write at %s is relaxed and follows no release fence, so reading it at %s does not "
             "synchronize",
             write, read);
    bool both = s->read_order == MM_RELAXED || s->read_order == MM_RELEASE;
    r->change = (struct ck_change){.source = {s->write_source, both ? s->read_source : 0},
                                   .order = {MM_RELEASE, MM_ACQUIRE}};
    if (both && s->write_source == s->read_source)
        r->change.order[0] = r->change.order[1] = MM_ACQ_REL;
    if (both && s->write_source == s->read_source)
        snprintf(r->fix, sizeof r->fix, "give the atomic at %s memory_order_acq_rel", write);
    else if (both)
        snprintf(r->fix, sizeof r->fix,
                 "give the atomic write at %s memory_order_release and the read at %s memory_order_acquire",
                 write, read);
    else
        snprintf(r->fix, sizeof r->fix, "give the atomic write at %s memory_order_release", write);
    return true;
}

/* Release and acquire synchronize, but order memory of another region than the accesses. */
static bool other_region(struct ck_reason *r, const struct ck_shortfall *s,
                         const struct ck_last_fence *acquire, const char *read)
{
    char from[160], to[160];
    if (s->region == r->region)
        return false;
    snprintf(r->text, sizeof r->text,
             "the %s at %s and the %s at %s order %s memory only, the accesses are to %s memory",
             name_release(r->d, &s->release), ck_reason_location(r->d, s->release.source, from, sizeof from),
             acquire ? name_fence(r->d, acquire->source, "acquire fence") : "acquire",
             acquire ? ck_reason_location(r->d, acquire->source, to, sizeof to) : read,
             ck_reason_region((enum ck_region)s->region), ck_reason_region(r->region));
    if (acquire && s->release.fence)
        advise_flags(r, ck_fence_flag(r->region), s->release.source, acquire->source);
    return true;
}

/* ACQUIRE: the fence after the read, NULL: the read itself acquires. */
static bool scopes_differ(struct ck_reason *r, const struct ck_shortfall *s,
                          const struct ck_last_fence *acquire)
{
    uint32_t source = acquire ? acquire->source : s->read_source;
    char from[160], to[160];
    snprintf(r->text, sizeof r->text,
             "the %s at %s has scope %s and the %s at %s has scope %s: not inclusive scopes",
             name_release(r->d, &s->release), ck_reason_location(r->d, s->release.source, from, sizeof from),
             ck_reason_scope(s->release.scope),
             acquire ? name_fence(r->d, source, "acquire fence") : "acquire",
             ck_reason_location(r->d, source, to, sizeof to),
             ck_reason_scope(acquire ? acquire->scope : s->read_scope));
    ck_reason_advise_scope(r, s->release.fence && acquire ? "fence" : "atomic", s->release.source, source);
    return true;
}

/* The load is relaxed: explains why the following acquire fence does not help, or that there is none. */
static bool load_relaxed(struct ck_reason *r, const struct ck_shortfall *s, const char *read)
{
    const struct ck_last_fence *acquire = acquire_fence(r, s);
    char where[160];
    if (acquire && !ck_fence_in(acquire->flags, (enum ck_region)s->region)) {
        snprintf(r->text, sizeof r->text,
                 "the %s at %s fences %s and the load at %s is from %s memory, so it does not synchronize",
                 name_fence(r->d, acquire->source, "acquire fence"),
                 ck_reason_location(r->d, acquire->source, where, sizeof where),
                 ck_reason_fenced(acquire->flags), read, ck_reason_region((enum ck_region)s->region));
        advise_flags(r, ck_fence_flag((enum ck_region)s->region) | ck_fence_flag(r->region), acquire->source,
                     s->release.fence ? s->release.source : acquire->source);
        return true;
    }
    if (acquire && acquire->scope != s->release.scope)
        return scopes_differ(r, s, acquire);
    if (acquire)
        return other_region(r, s, acquire, read);
    bool releases = s->read_order == MM_RELEASE;
    snprintf(r->text, sizeof r->text,
             "the %s at %s %s and no acquire fence follows, so it does not synchronize with the %s at %s",
             releases ? "read-modify-write" : "load", read,
             releases ? "has memory_order_release, which does not acquire," : "is relaxed",
             name_release(r->d, &s->release),
             ck_reason_location(r->d, s->release.source, where, sizeof where));
    r->change = (struct ck_change){.source = {s->read_source}, .order = {MM_ACQUIRE}};
    snprintf(r->fix, sizeof r->fix, "give the %s at %s memory_order_%s", releases ? "atomic" : "load", read,
             releases ? "acq_rel" : "acquire");
    return true;
}

/* The work-items are in different instances of the release's scope. */
static bool out_of_scope(struct ck_reason *r, const struct ck_shortfall *s)
{
    const struct ck_last_fence *acquire = acquire_fence(r, s);
    char where[160];
    snprintf(r->text, sizeof r->text, "the %s at %s has scope %s, but %s", name_release(r->d, &s->release),
             ck_reason_location(r->d, s->release.source, where, sizeof where),
             ck_reason_scope(s->release.scope), ck_reason_apart(s->release.scope));
    ck_reason_advise_scope(r, s->release.fence ? "fence" : "atomic", s->release.source,
                           s->release.fence && acquire ? acquire->source : s->read_source);
    return true;
}

static bool describe_shortfall(struct ck_reason *r, const struct ck_shortfall *s)
{
    char write[160], read[160];
    ck_reason_location(r->d, s->write_source, write, sizeof write);
    ck_reason_location(r->d, s->read_source, read, sizeof read);
    switch (s->kind) {
    case CK_SHORT_STORE_RELAXED:
        return store_relaxed(r, s, write, read);
    case CK_SHORT_LOAD_RELAXED:
        return load_relaxed(r, s, read);
    case CK_SHORT_SCOPE_INSTANCE:
        return out_of_scope(r, s);
    case CK_SHORT_SCOPE_DIFFERS:
        return scopes_differ(r, s, NULL);
    default:
        return other_region(r, s, NULL, read);
    }
}

/* ---- which read ------------------------------------------------------------------------------------ */

static bool is_of_earlier(const struct ck_reason *r, const struct ck_shortfall *s)
{
    return s->writer == r->earlier->agent && earlier_precedes(r, s->writer_time[r->region], s->write_source);
}

/* True if synchronization at this read would have ordered the earlier access.  A read that is the racing
 * access itself cannot order the earlier access before it. */
static bool concerns_access(const struct ck_reason *r, const struct ck_shortfall *s)
{
    const struct ck_access_record *earlier = r->earlier;
    return s->read_source != r->later_source && s->reader == r->later &&
           (is_of_earlier(r, s) ||
            (s->region == r->region && ck_clock_get(s->offered, earlier->agent) >= earlier->time));
}

static const struct ck_shortfall *find_shortfall(const struct ck_reason *r, uint32_t back)
{
    return &r->d->shortfalls.list[(r->d->shortfalls.count - back) % CK_SHORTFALLS];
}

/* True if a chain of reads and writes by other agents leads from the earlier access to shortfall BACK. */
static bool follows_earlier(const struct ck_reason *r, uint32_t back, uint32_t count)
{
    uint64_t agent = find_shortfall(r, back)->writer;
    for (uint32_t i = back + 1; i <= count; i++) {
        const struct ck_shortfall *s = find_shortfall(r, i);
        if (s->reader != agent)
            continue;
        if (is_of_earlier(r, s))
            return true;
        agent = s->writer;
    }
    return false;
}

bool ck_reason_from_atomics(struct ck_reason *r)
{
    uint32_t count = r->d->shortfalls.count < CK_SHORTFALLS ? r->d->shortfalls.count : CK_SHORTFALLS;
    if (r->copies[0] || r->copies[1])
        return false;
    for (uint32_t i = 1; i <= count; i++)
        if (concerns_access(r, find_shortfall(r, i)) && describe_shortfall(r, find_shortfall(r, i)))
            return true;
    for (uint32_t i = 1; i <= count; i++) {
        const struct ck_shortfall *s = find_shortfall(r, i);
        if (s->reader == r->later && s->read_source != r->later_source && follows_earlier(r, i, count) &&
            describe_shortfall(r, s))
            return true;
    }
    return false;
}
