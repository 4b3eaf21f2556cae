/* libFuzzer over the reader that READER names, started by `make fuzz`. */
#include "tests/fuzz/reader.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* An input that takes this much processor time is a failure: libFuzzer's own limit applies to wall time,
 * which a busy machine exceeds without cause. */
enum { INPUT_SECONDS = 20 };

/* fuzz.sh counts this name in stack traces. */
__attribute__((noinline)) static void input_takes_too_long(int signal)
{
    (void)signal;
    abort();
}

static void limit_time(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

#define NAME_OF(reader) fuzz_##reader
#define FUZZ_OF(reader) NAME_OF(reader)
#define FUZZ            FUZZ_OF(READER)

/* The number of the next file descriptor: a reader leaves none open. */
static int next_descriptor(void)
{
    int next = dup(STDIN_FILENO);
    close(next);
    return next;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    setenv("REFCL_STEP_LIMIT", "5000", 1);
    FUZZ.read((const uint8_t *)"", 0); /* what is opened once is open now */
    signal(SIGPROF, input_takes_too_long);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int next = next_descriptor();
    limit_time(INPUT_SECONDS);
    FUZZ.read(data, size);
    limit_time(0);
    if (next_descriptor() != next)
        abort();
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    size_t changed = FUZZ.mutate != NULL ? FUZZ.mutate(data, size, max, seed) : 0;
    return changed > 0 ? changed : LLVMFuzzerMutate(data, size, max);
}
