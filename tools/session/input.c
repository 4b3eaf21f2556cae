/* The reading end of the trace of a process: waits only while more input is possible.
 *
 * A command may leave a process behind that holds its connection open for as long as it lives.  Once the
 * command itself has ended and no input came for a while, the reader treats the trace as ended. */
#include "tools/session/input.h"
#include "memmodel/base/clock.h"
#include "memmodel/trace/ring.h"
#include "tools/output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 250, IDLE_MS = 2000, LONGEST_PAUSE_MS = 10, BATCH = 256 << 10 };
#define TOGETHER_SECONDS 0.3
#define TWICE_SECONDS    2.0

void session_input_drop_copy(struct session_input *input)
{
    if (input->copy >= 0)
        close(input->copy);
    input->copy = -1;
}

/* Copies input to the file that verification reads later; drops the copy once the trace exceeds the limit. */
static void copy_input(struct session_input *input, const unsigned char *data, size_t size)
{
    if (input->copy < 0)
        return;
    bool fits = input->copied + size <= input->copy_limit;
    while (fits && size) {
        ssize_t n = write(input->copy, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        fits = n > 0;
        data += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
        input->copied += n > 0 ? (uint64_t)n : 0;
    }
    if (!fits)
        session_input_drop_copy(input);
}

static bool wait_for_data(struct session_input *input)
{
    for (int idle = 0;;) {
        struct pollfd wait = {.fd = input->fd, .events = POLLIN};
        int n = poll(&wait, 1, POLL_MS);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true;
        if (n == 0 && input->idle)
            input->idle(input->idle_context);
        idle = n == 0 && atomic_load(input->ended) ? idle + POLL_MS : 0;
        if (idle >= IDLE_MS)
            return false;
    }
}

/* Reads from the ring.  Its writer does not wake the reader, which therefore polls; only the end of the
 * connection wakes it.  Each poll takes time from the program, so pauses grow while little input arrives. */
static ssize_t read_ring(struct session_input *input, void *out, size_t size)
{
    int quiet = 0, idle = 0;
    for (int pause = 0;; pause = input->pause) {
        struct pollfd wait = {.fd = input->fd, .events = POLLIN};
        int n = pause ? poll(&wait, 1, pause) : 0;
        ssize_t taken = mm_ring_take(input->ring, out, size);
        if (taken == (ssize_t)size)
            input->pause = 1;
        else if (input->pause < LONGEST_PAUSE_MS)
            input->pause++;
        if (taken || n > 0)
            return taken;
        quiet += n == 0 ? pause : 0;
        if (quiet < POLL_MS)
            continue;
        if (input->idle)
            input->idle(input->idle_context);
        idle = atomic_load(input->ended) ? idle + quiet : 0;
        quiet = 0;
        input->abandoned = idle >= IDLE_MS;
        if (input->abandoned)
            return 0;
    }
}

void session_input_close(struct session_input *input)
{
    close(input->fd);
    mm_ring_destroy(input->ring);
    mm_free(input->batch);
}

/* Reads all available input in one system call, since records come in many small chunks.  1: there is some;
 * 0: end;
 * -1: error in errno. */
static int fill_batch(struct session_input *input)
{
    if (!input->batch && !(input->batch = mm_alloc(BATCH))) {
        errno = ENOMEM;
        return -1;
    }
    if (!input->ring && !wait_for_data(input)) {
        input->abandoned = true;
        return 0;
    }
    ssize_t n = input->ring ? read_ring(input, input->batch, BATCH)
                            : mm_ring_receive(input->fd, input->batch, BATCH, &input->ring);
    if (n <= 0)
        return (int)n;
    copy_input(input, input->batch, (size_t)n);
    input->batch_used = 0;
    input->batch_size = (size_t)n;
    return 1;
}

long session_input_read(void *context, void *out, size_t size)
{
    struct session_input *input = context;
    if (input->batch_used == input->batch_size) {
        int filled = input->abandoned ? 0 : fill_batch(input);
        if (filled <= 0)
            return filled;
    }
    size_t left = input->batch_size - input->batch_used, part = size < left ? size : left;
    memcpy(out, input->batch + input->batch_used, part);
    input->batch_used += part;
    return (long)part;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile pid_t signaled;
static volatile sig_atomic_t interrupted, ending, killed;
static bool installed;
static struct sigaction old_int, old_term, old_hup;

static void pass_on(int number)
{
    if (signaled > 0)
        kill(signaled, number);
}

/* Passes a termination signal on; a program that does not end is killed later. */
static void end_program(int number)
{
    ending = 1;
    output_interrupted = number;
    pass_on(number);
}

/* A terminal sends SIGINT to the program as well; kill(1) sends it to this process only, which passes it on.
 * The second SIGINT kills the program, the third this process.  Signals in quick succession count as one:
 * timeout(1) signals a process and then its group. */
static void handle_interrupt(int number, siginfo_t *info, void *context)
{
    static double last;
    double now = mm_clock_seconds(CLOCK_MONOTONIC), since = now - last;
    (void)context;
    if (interrupted && since > TOGETHER_SECONDS && since < TWICE_SECONDS) {
        if (killed || signaled <= 0) {
            signal(number, SIG_DFL);
            raise(number);
        }
        killed = 1;
        pass_on(SIGKILL);
    }
    if (!interrupted || since > TOGETHER_SECONDS)
        last = now;
    interrupted = 1;
    output_interrupted = number;
    if (info->si_code != SI_KERNEL)
        pass_on(number);
}

bool session_input_kill_late(void)
{
    static struct timespec asked;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!ending || signaled <= 0)
        return false;
    if (!asked.tv_sec)
        asked = now;
    if (now.tv_sec - asked.tv_sec < SESSION_GRACE_SECONDS)
        return false;
    ending = 0;
    asked.tv_sec = 0;
    kill(signaled, SIGKILL);
    return true;
}

bool session_input_interrupted(void)
{
    return interrupted;
}

void session_input_signals(pid_t child)
{
    struct sigaction note = {.sa_sigaction = handle_interrupt, .sa_flags = SA_SIGINFO | SA_RESTART},
                     forward = {.sa_handler = end_program};
    signaled = child;
    if (interrupted)
        pass_on(SIGINT);
    if (installed) /* the program again, or it is there now */
        return;
    installed = true;
    sigaction(SIGINT, &note, &old_int);
    sigaction(SIGTERM, &forward, &old_term);
    sigaction(SIGHUP, &forward, &old_hup);
}

void session_input_signals_off(void)
{
    if (!installed)
        return;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    sigaction(SIGHUP, &old_hup, NULL);
    installed = false;
    signaled = 0;
}
