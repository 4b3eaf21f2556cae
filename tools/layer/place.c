/* From where the application called: the return address of the call, or the innermost one outside of loader and
 * layers. */
#include "memmodel/base/privilege.h"
#include "memmodel/trace/host.h"
#include "tools/layer/layer.h"

#include <execinfo.h>

enum { FRAMES = 24, PLACES = 1 << 14 };

static struct place {
    const char *call;
    const void *address;
    uint32_t source;
} places[PLACES]; /* open addressing; what does not fit has no source */

static bool is_application(const void *address)
{
    return mm_is_application(address, mm_getenv("OPENCL_LAYERS"));
}

/* The loader's and other layers' functions may call instead of jumping. */
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

static struct place *slot_of(const char *call, const void *address)
{
    size_t slot =
        (size_t)(((uintptr_t)address ^ (uintptr_t)call) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % PLACES;
    for (size_t tries = 0; tries < 64; tries++, slot = (slot + 1) % PLACES)
        if (!places[slot].call || (places[slot].address == address && places[slot].call == call))
            return &places[slot];
    return NULL;
}

uint32_t ly_source(const char *call, const void *address)
{
    struct place *place = slot_of(call, address);
    if (place && place->call) /* only addresses of the application are entered */
        return place->source;
    const void *caller = application_place(address);
    place = slot_of(call, caller);
    if (place && !place->call)
        *place = (struct place){call, caller, mm_record_host_source(ly_recorder(), call, caller)};
    return place ? place->source : 0;
}
