/* The call sites of API calls: the innermost return address outside of the runtime and the loader. */
#include "memmodel/trace/host.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"

#include <execinfo.h>
#include <string.h>

/* Most calls are a few frames away from the application; each frame costs some 100 ns. */
enum { FEW_FRAMES = 8, FRAMES = 24, PLACES = 1024 };

static struct mm_mutex lock = MM_MUTEX;
static struct {
    const char *call;
    const void *place;
    uint32_t source;
} places[PLACES]; /* open addressing; what does not fit has no source */

static const void *application_place(void)
{
    void *frames[FRAMES];
    for (int most = FEW_FRAMES, i = 1; i < FRAMES; most = FRAMES) {
        int count = backtrace(frames, most);
        for (; i < count; i++)
            if (mm_is_application(frames[i], NULL))
                return frames[i];
        if (count < most)
            break;
    }
    return NULL;
}

static bool is_library(const void *place)
{
    const void *begin;
    const char *module = mm_module_of(place, &begin), *slash = module ? strrchr(module, '/') : NULL;
    return slash && strncmp(slash, "/libc.", 6) == 0;
}

const void *rt_fault_place(const void *code)
{
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES), i = 0;
    while (i < count && frames[i] != code)
        i++;
    bool called = false; /* from there; frames further out are return addresses */
    while (i + 1 < count && is_library(frames[i])) {
        called = true;
        i++;
    }
    return called ? frames[i] : (const char *)code + 1;
}

uint32_t rt_host_source(const char *call, const void *place)
{
    return mm_record_host_source(rt_recorder(), call, place, 0);
}

uint32_t rt_call_source(const char *call)
{
    const void *place = application_place();
    size_t slot = ((uintptr_t)place ^ (uintptr_t)call) * UINT64_C(0x9e3779b97f4a7c15) % PLACES;
    uint32_t source = 0;
    mm_mutex_lock(&lock);
    for (size_t tries = 0; tries < PLACES && !source; tries++, slot = (slot + 1) % PLACES) {
        if (!places[slot].call) {
            places[slot].call = call;
            places[slot].place = place;
            places[slot].source = rt_host_source(call, place);
        }
        if (places[slot].place == place && strcmp(places[slot].call, call) == 0)
            source = places[slot].source;
    }
    mm_mutex_unlock(&lock);
    return source;
}
