/* Grace periods: calls deferred until all commands that are now incomplete are complete.  Commands belong to
 * two alternating generations; a deferred call is due when first the older generation and then its own have
 * no commands left. */
#include "ref-runtime/sched/command.h"

struct rt_waiting {
    struct rt_waiting *next;
    void (*function)(void *data);
    void *data;
};
static struct rt_waiting *when_over[2];
static size_t incomplete[2];
static unsigned generation; /* generation of new commands, 0 or 1 */

void rt_sched_when_over(void (*function)(void *data), void *data)
{
    mm_mutex_lock(&rt_lock);
    struct rt_waiting *waiting = incomplete[0] + incomplete[1] ? mm_alloc(sizeof *waiting) : NULL;
    if (waiting) {
        *waiting = (struct rt_waiting){when_over[generation], function, data};
        when_over[generation] = waiting;
    }
    mm_mutex_unlock(&rt_lock);
    if (!waiting)
        function(data);
}

/* Under rt_lock. */
void rt_sched_count(struct rt_command *command)
{
    command->generation = generation;
    incomplete[generation]++;
}

/* The calls that are due now that COMMAND is complete.  Under rt_lock. */
struct rt_waiting *rt_sched_count_down(const struct rt_command *command)
{
    struct rt_waiting *due = NULL;
    incomplete[command->generation]--;
    for (int i = 0; i < 2 && incomplete[1 - generation] == 0; i++) {
        struct rt_waiting **end = &when_over[1 - generation];
        while (*end)
            end = &(*end)->next;
        *end = due;
        due = when_over[1 - generation];
        when_over[1 - generation] = NULL;
        generation = 1 - generation;
    }
    return due;
}

void rt_sched_call(struct rt_waiting *waiting)
{
    while (waiting) {
        struct rt_waiting *next = waiting->next;
        waiting->function(waiting->data);
        mm_free(waiting);
        waiting = next;
    }
}
