/* Analysis plugins: shared objects with the interface of memmodel/refcl_recorder.h, as a sink of the
 * trace. */
#include "tools/session/recorder.h"
#include "memmodel/refcl_recorder.h"
#include "tools/tool.h"

#include <dlfcn.h>
#include <limits.h>
#include <string.h>

struct loaded {
    struct refcl_recorder recorder;
    mm_event_id next;
    void *object;
};

static enum mm_class take_events(void *context, const struct mm_event *events, size_t count)
{
    struct loaded *l = context;
    for (size_t i = 0; i < count; i++, l->next++)
        if (l->recorder.event)
            l->recorder.event(l->recorder.context, l->next, &events[i]);
    return MM_OK;
}

static enum mm_class take_record(void *context, const struct mm_record *record)
{
    struct loaded *l = context;
    if (record->type == MM_RECORD_EVENT)
        return take_events(l, &record->event, 1);
    if (l->recorder.record)
        l->recorder.record(l->recorder.context, record);
    return MM_OK;
}

static int open_object(struct loaded *l, const char *path, const char *text)
{
    refcl_recorder_open_function *open_it;
    l->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->object)
        return tool_error(EXIT_USAGE, "--recorder: %s", dlerror());
    void *symbol = dlsym(l->object, "refcl_recorder_open");
    memcpy(&open_it, &symbol, sizeof open_it);
    if (!symbol)
        return tool_error(EXIT_USAGE, "--recorder: '%s' does not define refcl_recorder_open", path);
    if (!open_it(REFCL_RECORDER_VERSION, text, &l->recorder))
        return tool_error(EXIT_USAGE, "--recorder: '%s' failed to start", path);
    return 0;
}

/* A name without a slash denotes a file in the current folder, not in the system's library folders. */
int session_recorder_open(const char *spec, struct mm_sink *sink)
{
    char path[PATH_MAX];
    const char *colon = strchr(spec, ':');
    size_t length = colon ? (size_t)(colon - spec) : strlen(spec);
    snprintf(path, sizeof path, "%s%.*s", memchr(spec, '/', length) ? "" : "./", (int)length, spec);
    struct loaded *l = mm_alloc_zero(1, sizeof *l);
    if (!l)
        return tool_error(EXIT_TOOL, "out of memory");
    int code = open_object(l, path, colon ? colon + 1 : "");
    if (code) {
        if (l->object)
            dlclose(l->object);
        mm_free(l);
        return code;
    }
    *sink = (struct mm_sink){.context = l, .record = take_record, .events = take_events};
    return 0;
}

void session_recorder_end(struct mm_sink *sink, bool complete)
{
    struct loaded *l = sink->context;
    if (l->recorder.end)
        l->recorder.end(l->recorder.context, complete, stderr);
    dlclose(l->object);
    mm_free(l);
    sink->context = NULL;
}
