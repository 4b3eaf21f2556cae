/* The list of the launches in compiled code, which are stopped when their context is terminated or the
 * process ends. */
#include "interp/jit/run/run.h"

#include <pthread.h>

static pthread_mutex_t launches_lock = PTHREAD_MUTEX_INITIALIZER;
static struct in_jit_run *launches;
static bool stopping;

void in_jit_launch_enter(struct in_jit_run *run)
{
    pthread_mutex_lock(&launches_lock);
    run->following = launches;
    run->link = &launches;
    if (launches)
        launches->link = &run->following;
    launches = run;
    const _Atomic uint32_t *stop = run->launch->launch.stop;
    atomic_store(&run->frame.stop, stopping || (stop && atomic_load(stop) != 0));
    pthread_mutex_unlock(&launches_lock);
}

void in_jit_launch_leave(struct in_jit_run *run)
{
    pthread_mutex_lock(&launches_lock);
    if (run->link)
        *run->link = run->following;
    if (run->following)
        run->following->link = run->link;
    pthread_mutex_unlock(&launches_lock);
}

void in_jit_stop_launches(bool stop)
{
    pthread_mutex_lock(&launches_lock);
    stopping = stop;
    for (struct in_jit_run *run = launches; stop && run; run = run->following)
        atomic_store(&run->frame.stop, 1);
    pthread_mutex_unlock(&launches_lock);
}

void in_jit_stop_some(const _Atomic uint32_t *stop)
{
    pthread_mutex_lock(&launches_lock);
    for (struct in_jit_run *run = launches; run; run = run->following)
        if (run->launch->launch.stop == stop)
            atomic_store(&run->frame.stop, 1);
    pthread_mutex_unlock(&launches_lock);
}
