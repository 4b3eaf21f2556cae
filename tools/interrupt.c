#include "tools/interrupt.h"
#include "memmodel/base/input.h"
#include "tools/output.h"
#include "tools/supervisor.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Signals so soon after the first are the same interruption: timeout(1) signals a process and then its
 * group. */
#define SAME_SECONDS 0.3

static const int caught_signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof caught_signals / sizeof *caught_signals };

volatile sig_atomic_t tool_interrupted;
static volatile pid_t owner, receiver;
static struct timespec first_signal;

static double interrupt_age(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - first_signal.tv_sec) + (double)(now.tv_nsec - first_signal.tv_nsec) * 1e-9;
}

static void interrupt_note(int number, siginfo_t *info, void *context)
{
    (void)context;
    output_interrupted = number;
    if (receiver > 0 && info->si_code != SI_KERNEL)
        kill(receiver, number);
    if (!tool_interrupted) {
        clock_gettime(CLOCK_MONOTONIC, &first_signal);
        tool_interrupted = number;
    } else if (getpid() == owner && interrupt_age() > SAME_SECONDS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

/* For a reader that waits for data, which it then gives up. */
static bool is_interrupted(void)
{
    if (tool_interrupted)
        output_give_up();
    return tool_interrupted != 0;
}

void tool_interrupt_catch(void)
{
    struct sigaction note = {.sa_sigaction = interrupt_note, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    owner = getpid();
    mm_input_interrupted = is_interrupted;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(caught_signals[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN) /* as of nohup(1) */
            sigaction(caught_signals[i], &note, NULL);
}

void tool_interrupt_forward(pid_t process)
{
    receiver = process;
    if (process > 0 && tool_interrupted)
        kill(process, tool_interrupted);
}

int tool_interrupt_end(int code, const char *meaning)
{
    if (!tool_interrupted)
        return code;
    fprintf(stderr, "refcl: interrupted: %s\n", meaning);
    return 128 + tool_interrupted;
}

int tool_interrupt_run(char **argv, int failed)
{
    struct supervised child;
    tool_interrupt_catch();
    pid_t pid = supervised_fork(&child);
    if (pid == 0) {
        execvp(argv[0], argv);
        _exit(tool_error(failed, "cannot run '%s': %s", argv[0], strerror(errno)));
    }
    if (pid < 0)
        return W_EXITCODE(tool_error(EXIT_TOOL, "cannot start '%s': %s", argv[0], strerror(errno)), 0);
    tool_interrupt_forward(pid);
    int status = supervised_wait(&child);
    tool_interrupt_forward(0);
    return status;
}

void tool_interrupt_hold(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&held, caught_signals[i]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void tool_interrupt_release(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
