/* A campaign in progress: what campaign.c (plan, results) and child.c (the child process) share. */
#ifndef LITMUS_RUN_CAMPAIGN_H
#define LITMUS_RUN_CAMPAIGN_H

#include "run.h"

#include <sys/types.h>

struct lt_record {
    const cJSON *test;
    bool selected, finished;
    const char *status; /* "pending", "running", "done", "skipped", "failed", "crashed", "timeout" */
    char *reason;
    uint64_t instances, discarded, batches;
    double ms;
    struct lt_histogram states;
    struct lt_slices slices;
};
struct lt_campaign_state {
    const struct lt_options *options;
    cJSON *plan, *device;
    struct lt_record *records;
    const cJSON **tests; /* by number */
    unsigned count;
    uint64_t seed;
    struct lt_identity identity;
    struct lt_writer writer;
    pid_t child;
    int pipe;
    char *line;
    size_t used, capacity;
    double start, begun,
        heard; /* times of the begin of the campaign, that of the current test, and the child's last message */
    double saved, cost; /* cost: seconds that saving took */
    const struct lt_backend *backend;
    bool lost;     /* the child ended because its device was lost */
    int current;   /* the test that the child runs, -1 = none */
    bool building; /* the child compiles several tests together */
    bool alone;    /* compile each test alone: a child crashed while it compiled several */
    bool ended, broken;
    char *broken_reason;
};

/* The constant with the text STATUS; "pending" if it is no status. */
const char *lt_status_text(const char *status);
/* Writes the results.  SOON: only if ten times the duration of the last save has passed, since results of
 * many tests are large.  Batches that a kill loses are run again with the same seeds. */
bool lt_campaign_save(struct lt_campaign_state *c, bool soon);
/* Starts the child, and reads its messages until it ends or is killed (child.c). */
bool lt_child_start(struct lt_campaign_state *c);
void lt_child_listen(struct lt_campaign_state *c);

#endif
