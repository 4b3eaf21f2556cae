/* Source locations of API calls: the innermost return address outside of loader and layers; with
 * REFCL_LAYER_BACKTRACE=1 the call stack as well. */
#include "memmodel/base/hash.h"
#include "memmodel/base/privilege.h"
#include "memmodel/trace/host.h"
#include "tools/layer/layer.h"

#include <execinfo.h>
#include <string.h>

enum { FRAMES = 24, PLACES = 1 << 14 };
#define WHOLE_STACK UINT32_MAX /* in place of a caller */

static struct place {
    const char *call;
    const void *address;
    uint32_t caller, source;
} places[PLACES]; /* open addressing; places that do not fit have no source */

static bool is_application(const void *address)
{
    return mm_is_application(address, mm_getenv("OPENCL_LAYERS"));
}

/* The innermost return address in the application: functions of the loader and of other layers may lie in
 * between. */
static const void *application_place(const void *address)
{
    void *frames[FRAMES];
    if (is_application(address))
        return address;
    int count = backtrace(frames, FRAMES), i = 0;
    while (i < count && frames[i] != address)
        i++;
    while (i < count && !is_application(frames[i]))
        i++;
    return i < count ? frames[i] : NULL;
}

static struct place *slot_of(const char *call, const void *address, uint32_t caller)
{
    uint64_t key = ((uintptr_t)address ^ (uintptr_t)call) + caller * UINT64_C(0xff51afd7ed558ccd);
    size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
    for (size_t tries = 0; tries < 64; tries++, slot = (slot + 1) % PLACES)
        if (!places[slot].call ||
            (places[slot].address == address && places[slot].call == call && places[slot].caller == caller))
            return &places[slot];
    return NULL;
}

static uint32_t source_of(const char *call, const void *address, uint32_t caller)
{
    struct place *place = slot_of(call, address, caller);
    if (place && !place->call)
        *place = (struct place){call, address, caller,
                                mm_record_host_source(ly_recorder(), call, address, caller)};
    return place ? place->source : 0;
}

/* Functions of the C library that start main() and threads. */
static bool is_libc(const void *address)
{
    const void *begin;
    const char *module = mm_module_of(address, &begin), *slash = module ? strrchr(module, '/') : NULL;
    return slash && strncmp(slash, "/libc.so", 8) == 0;
}

/* The source of the application's innermost call, with its callers. */
static uint32_t source_of_stack(const char *call, const void *address, void *const *frames, int count)
{
    int first = 0;
    uint32_t source = 0;
    while (first < count && frames[first] != address)
        first++;
    while (first < count && !is_application(frames[first]))
        first++;
    if (count > first + 2 && is_libc(frames[count - 2])) /* _start */
        count--;
    while (count > first + 1 && is_libc(frames[count - 1]))
        count--;
    for (int i = count; i-- > first;)
        source = source_of(i == first ? call : "", frames[i], source);
    return first < count ? source : source_of(call, application_place(address), 0);
}

/* Module look-ups cost more than unwinding, so the source of each call stack is cached under the stack's
 * hash. */
static uint32_t source_of_frames(const char *call, const void *address, void *const *frames, int count)
{
    uint64_t hash = mm_fnv1a(MM_FNV1A, frames, (size_t)count * sizeof *frames);
    const void *stack = (const void *)(uintptr_t)hash;
    struct place *place = slot_of(call, stack, WHOLE_STACK);
    if (place && place->call)
        return place->source;
    uint32_t source = source_of_stack(call, address, frames, count);
    place = slot_of(call, stack, WHOLE_STACK);
    if (place)
        *place = (struct place){call, stack, WHOLE_STACK, source};
    return source;
}

static bool wants_stacks(void)
{
    static int wanted = -1; /* under the lock */
    if (wanted < 0) {
        const char *value = mm_getenv("REFCL_LAYER_BACKTRACE");
        wanted = value && strcmp(value, "1") == 0;
    }
    return wanted;
}

uint32_t ly_source(const char *call, const void *address)
{
    if (wants_stacks())
        return ly_stack_source(call, address, source_of_frames);
    const struct place *place = slot_of(call, address, 0);
    if (place && place->call) /* only addresses of the application are entered */
        return place->source;
    return source_of(call, application_place(address), 0);
}
