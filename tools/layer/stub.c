/* Functions that the layer does not wrap: those of unknown extensions, and those that create objects of other
 * interfaces. Each gets a stub that notes the call and jumps to the function, whatever its parameters are. */
#include "tools/layer/layer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { UNSEEN = 128 };
static char names[UNSEEN][96]; /* in the words of the report */
static size_t used;            /* of NAMES */

#ifdef __x86_64__
__attribute__((visibility("hidden"), used)) ly_function *ly_unseen_targets[UNSEEN];
__attribute__((visibility("hidden"), used)) _Atomic char ly_unseen_calls[UNSEEN];
extern const char ly_unseen_stubs[] __attribute__((visibility("hidden")));
enum { STUB_BYTES = 32 };
/* Preserves the argument registers and the caller's stack. */
__asm__(".pushsection .text\n"
        ".balign 32\n"
        ".hidden ly_unseen_stubs\n"
        ".globl ly_unseen_stubs\n"
        "ly_unseen_stubs:\n"
        ".set ly_i, 0\n"
        ".rept 128\n"
        ".balign 32\n"
        "endbr64\n"
        "movb $1, ly_unseen_calls+ly_i(%rip)\n"
        "jmp *ly_unseen_targets+8*ly_i(%rip)\n"
        ".set ly_i, ly_i+1\n"
        ".endr\n"
        ".popsection\n");

static ly_function *stub_at(size_t i, ly_function *function)
{
    ly_unseen_targets[i] = function;
    return (ly_function *)(uintptr_t)(ly_unseen_stubs + i * STUB_BYTES);
}

bool ly_unseen_called(void)
{
    bool called = false;
    for (size_t i = 0; i < used; i++)
        if (atomic_load_explicit(&ly_unseen_calls[i], memory_order_relaxed) &&
            atomic_exchange(&ly_unseen_calls[i], 0)) {
            ly_not_checked(names[i]);
            called = true;
        }
    return called;
}

static ly_function *known_stub(size_t i, ly_function *function)
{
    return ly_unseen_targets[i] == function ? stub_at(i, ly_unseen_targets[i]) : NULL;
}
#else /* without stubs, a look-up counts as a call */
static bool looked_up;

static ly_function *stub_at(size_t i, ly_function *function)
{
    ly_not_checked(names[i]);
    looked_up = true;
    return function;
}

bool ly_unseen_called(void)
{
    return looked_up;
}

static ly_function *known_stub(size_t i, ly_function *function)
{
    (void)i;
    (void)function;
    return NULL;
}
#endif

ly_function *ly_unseen_function(const char *name, ly_function *function)
{
    char text[sizeof names[0]];
    snprintf(text, sizeof text, "calls of %s", name);
    for (size_t i = 0; i < used; i++) {
        ly_function *known = strcmp(names[i], text) == 0 ? known_stub(i, function) : NULL;
        if (known)
            return known;
    }
    if (used == UNSEEN) {
        ly_not_checked("calls of some functions of extensions");
        return function;
    }
    memcpy(names[used], text, sizeof text);
    return stub_at(used++, function);
}

/* ---- functions of extensions ---------------------------------------------------------------------- */

bool ly_extend(ly_function **next, ly_function *function)
{
    if (*next && *next != function)
        return false;
    *next = function;
    return true;
}

static const struct {
    const char *name;
    ly_function *(*extend)(cl_platform_id platform, ly_function *next);
} extensions[] = {
#define LY_EXTENSION(name) {#name, ly_extend_##name},
#include "tools/layer/extension.def"
#undef LY_EXTENSION
};

static const struct {
    const char *name;
    ly_function *(*get)(void);
} entries[] = {
#define LY_ENTRY(name) {#name, ly_get_##name},
#include "tools/layer/entry.def"
#undef LY_ENTRY
};

/* Entry points of the dispatch table: some programs look them up by name. */
static ly_function *entry_point(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (strcmp(name, entries[i].name) == 0)
            return entries[i].get();
    return NULL;
}

/* Whether calls of the function need no note: queries, and reference counts of objects that no command
 * uses. */
static bool is_harmless(const char *name)
{
    static const char *const prefixes[] = {
        "clGet", "clIcd", "clRetain", "clRelease", "clLog", "clTrim", "clSetContentSizeBufferPoCL"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return strncmp(name, "cl", 2) != 0;
}

/* The function for NAME in place of the driver's, FOUND; the API has both as pointers to objects. */
static void *replace_function(cl_platform_id platform, const char *name, void *found)
{
    ly_function *function = (ly_function *)(uintptr_t)found, *own = found ? entry_point(name) : function;
    pthread_mutex_lock(&ly_lock);
    for (size_t i = 0; !own && found && i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(name, extensions[i].name) == 0)
            own = extensions[i].extend(platform, function);
    if (!own && found)
        own = is_harmless(name) ? function : ly_unseen_function(name, function);
    pthread_mutex_unlock(&ly_lock);
    return (void *)(uintptr_t)own;
}

static void *CL_API_CALL layer_clGetExtensionFunctionAddress(const char *name)
{
    return replace_function(NULL, name, ly_next.clGetExtensionFunctionAddress(name));
}
LY_EXPORT(clGetExtensionFunctionAddress)

static void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *name)
{
    return replace_function(platform, name, ly_next.clGetExtensionFunctionAddressForPlatform(platform, name));
}
LY_EXPORT(clGetExtensionFunctionAddressForPlatform)
