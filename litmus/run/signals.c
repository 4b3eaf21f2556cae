/* SIGINT, SIGTERM and SIGHUP end the campaign; its results so far are written, and --resume continues from
 * them. */
#include "run.h"

#include <signal.h>
#include <time.h>

/* Signals so soon after the first are the same interruption: timeout(1) signals a process and then its
 * group. */
#define SAME_SECONDS 0.3

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

volatile int lt_interrupted;
static double since;

static void signals_note(int number)
{
    if (!lt_interrupted) {
        since = lt_seconds();
        lt_interrupted = number;
    } else if (lt_seconds() > since + SAME_SECONDS) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void lt_signals_catch(void)
{
    struct sigaction note = {.sa_handler = signals_note, .sa_flags = SA_RESTART}, before;
    for (int i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* as of nohup(1) */
            sigaction(signals[i], &note, NULL);
}

void lt_signals_ignore(void)
{
    for (int i = 0; i < SIGNALS; i++)
        signal(signals[i], SIG_IGN);
}
