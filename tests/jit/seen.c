/* Replaces librefcl-jit.so (REFCL_JIT) in tests with compiled kernels: the same, but it also logs to the file
 * $REFCL_JIT_SEEN: "compiled" for the first launch that begins in compiled code, and each reason for which a
 * launch is left to the interpreter.  tests/lib/totals.py reads the file. */
#include "interp/jit/jit.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct in_jit_api *real;

static void note(const char *text)
{
    const char *path = getenv("REFCL_JIT_SEEN");
    int fd = path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0666) : -1;

    if (fd < 0)
        return;
    dprintf(fd, "%s\n", text);
    close(fd);
}

static enum in_jit_begin create(struct in_run *launch, struct in_jit_run **run, char *why, size_t why_size)
{
    static atomic_flag seen = ATOMIC_FLAG_INIT;
    enum in_jit_begin result = real->create(launch, run, why, why_size);

    if (result == IN_JIT_BEGINS && !atomic_flag_test_and_set(&seen))
        note("compiled");
    if (result == IN_JIT_DECLINES)
        note(why);
    return result;
}

__attribute__((visibility("default"))) const struct in_jit_api *in_jit_interface(void)
{
    static struct in_jit_api api;
    void *symbol = dlsym(RTLD_NEXT, IN_JIT_SYMBOL);
    in_jit_interface_fn interface;

    memcpy(&interface, &symbol, sizeof interface);
    real = interface();
    api = *real;
    api.create = create;
    return &api;
}
