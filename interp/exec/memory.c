/* Lookup of the object of an address, and the slow path of accesses that fail the fast bounds check. */
#include "exec.h"

const struct in_object in_unknown = {.name = "unknown"};

static bool object_contains(const struct in_object *o, uint64_t address)
{
    return address - o->address < o->size;
}

/* Whether the SIZE bytes at ADDRESS are all in O. */
static bool stays_inside(const struct in_object *o, uint64_t address, uint64_t size)
{
    return object_contains(o, address) && o->size - (address - o->address) >= size;
}

static const struct in_object *find_built_in(const struct in_run *run, const struct in_item *item,
                                             uint64_t address)
{
    for (uint32_t k = 0; k < run->code->built_in_count; k++) {
        const struct in_built_in *b = &run->code->built_ins[k];
        const struct in_object *o = (const struct in_object *)(const void *)(item->frame + b->object);
        if (b->pointer != 0 && object_contains(o, address))
            return o;
    }
    return NULL;
}

static const struct in_object *find_private(struct in_run *run, struct in_item *item, uint64_t address)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)item->frame;
    if (offset >= run->code->frame.size)
        return find_built_in(run, item, address);
    for (uint32_t k = 0; k < run->code->private_count; k++) {
        const struct in_private *v = &run->code->privates[k];
        const struct in_object *o = (const struct in_object *)(const void *)(item->frame + v->header);
        if (offset - (uint64_t)v->offset < v->size && o->size == v->size &&
            o->address == (uint64_t)(uintptr_t)(item->frame + v->offset) && o->region == MM_PRIVATE)
            return o;
    }
    return NULL;
}

const struct in_object *in_find(struct in_run *run, struct in_item *item, uint64_t address)
{
    for (uint32_t k = 0; k < 4; k++)
        if (run->recent[k] && object_contains(run->recent[k], address))
            return run->recent[k];
    const struct in_object *o = find_private(run, item, address);
    if (o)
        return o;
    uint32_t locals = run->code->locals.count + run->info->argument_count;
    for (uint32_t k = 0; k < locals; k++)
        if (object_contains(&item->group->objects[k], address))
            return &item->group->objects[k];
    o = in_instance_find_object(run->instance, address);
    if (!o && run->instance->environment_copy.find_object)
        o = run->instance->environment_copy.find_object(run->instance->environment_copy.context, address);
    if (o)
        run->recent[run->recent_next++ % 4] = o;
    return o;
}

static void report_access(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                          const struct in_object *o, struct in_reference r)
{
    const char *verb = r.write ? "write" : "read";
    unsigned long long n = r.size;
    const struct in_range range = {o, r.address, r.size};
    if (r.address < 4096) {
        in_raise_at(run, item, pc, "null-pointer", "CLC 6.7", range,
                    "%s of %llu bytes through a null pointer", verb, n);
        return;
    }
    if (!o || o == &in_unknown) {
        in_raise_at(run, item, pc, "out-of-bounds", "CLC 6.7", (struct in_range){NULL, r.address, r.size},
                    "%s of %llu bytes at 0x%llx, which is in no live object", verb, n,
                    (unsigned long long)r.address);
        return;
    }
    const char *name = o->name ? o->name : "";
    const char *region = mm_region_name((enum mm_region)o->region);
    uint64_t offset = r.address - o->address;
    if (o->size == 0 && o->region == MM_PRIVATE) {
        in_raise_at(run, item, pc, "use-after-lifetime", "CLC 6.7.1", range,
                    "%s of %llu bytes of variable %s, whose function has returned", verb, n, name);
        return;
    }
    if (!stays_inside(o, r.address, r.size))
        in_raise_at(run, item, pc, "out-of-bounds", "CLC 6.7", range,
                    "%s of %llu bytes at offset %lld of %s object %s of %llu bytes", verb, n,
                    (long long)offset, region, name, (unsigned long long)o->size);
    else if ((r.address & r.align_mask) != 0)
        in_raise_at(run, item, pc, "misaligned", "CLC 6.3.5", range,
                    "%s of %llu bytes at offset %llu of %s object %s, whose address is not a multiple of %u",
                    verb, n, (unsigned long long)offset, region, name, r.align_mask + 1);
    else
        in_raise_at(run, item, pc, r.write ? "write-to-constant" : "read-of-write-only", "CL 5.3.3", range,
                    "%s of %llu bytes at offset %llu of %s object %s, which the kernel may not %s", verb, n,
                    (unsigned long long)offset, region, name, verb);
}

/* True if an access is permitted without checks: it stays in the memory of a live object. */
static bool is_tolerable(struct in_run *run, struct in_item *item, const struct in_fat *p, uint64_t address,
                         uint64_t size)
{
    if (run->launch.checks || address < 4096)
        return false;
    const struct in_object *o = object_contains(p->object, address) ? p->object : in_find(run, item, address);
    return o && stays_inside(o, address, size);
}

/* With checks off a read past the end gives zeros, as on a device that bounds accesses: many programs read
 * slightly past the end and discard the value.  The first such read of a launch is reported; none ends the
 * launch. */
static const uint8_t *stray_read(struct in_run *run, struct in_item *item, const struct in_insn *pc,
                                 const struct in_object *o, struct in_reference r)
{
    static _Alignas(128) const uint8_t zeros[4096];
    if (run->launch.checks || run->launch.recorder || r.address < 4096 || r.size > sizeof zeros ||
        (o->region == MM_PRIVATE && o->size == 0) || stays_inside(o, r.address, r.size))
        return NULL;
    if (!run->outcome.stray) {
        uint32_t findings = run->outcome.findings;
        run->outcome.stray = true;
        run->code->noted.stray = true;
        report_access(run, item, pc, o, r);
        run->outcome.findings = findings;
        run->outcome.stopped = false;
    }
    return zeros;
}

/* True if the memory of the access exists: it stays in its object, or in a variable of a function that has
 * returned, and is only misaligned or not permitted.  Such an access is reported and performed. */
static bool is_possible(const struct in_run *run, const struct in_item *item, const struct in_object *o,
                        uint64_t address, uint64_t size)
{
    if (o->region == MM_PRIVATE && o->size == 0) {
        uint64_t begin = (uint64_t)(uintptr_t)item->frame, room = run->code->frame.size;
        return address - begin < room && room - (address - begin) >= size;
    }
    return stays_inside(o, address, size);
}

uint8_t *in_touch_slow(struct in_run *run, struct in_item *item, const struct in_insn *pc, struct in_fat *p,
                       struct in_reference r)
{
    if (p->object == &in_unknown || !p->object) {
        /* The pointer's object is what the pointer itself points into; past the end, the accessed address. */
        const struct in_object *o = p->address >= 4096 ? in_find(run, item, p->address) : NULL;
        if (!o && r.address >= 4096)
            o = in_find(run, item, r.address);
        p->object = o ? o : &in_unknown;
    }
    const struct in_object *o = p->object;
    bool aligned = (r.address & r.align_mask) == 0;
    bool good = stays_inside(o, r.address, r.size) && aligned && !(r.write ? o->read_only : o->write_only);
    if (good || is_tolerable(run, item, p, r.address, r.size))
        return (uint8_t *)(uintptr_t)r.address;
    const uint8_t *zeros = r.write || !aligned ? NULL : stray_read(run, item, pc, o, r);
    if (zeros)
        return (uint8_t *)(uintptr_t)zeros;
    report_access(run, item, pc, o, r);
    return !run->outcome.stopped && is_possible(run, item, o, r.address, r.size)
               ? (uint8_t *)(uintptr_t)r.address
               : NULL;
}
