/* See process.h. */
#include "memmodel/trace/process.h"
#include "memmodel/base/clock.h"
#include "memmodel/trace/mutex.h"
#include "memmodel/trace/once.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- forks: the kernel clears the page of the mark in a child that has a copy of the memory ---- */

static atomic_uint unmapped, *mark; /* 0: in a child that has not counted its fork */
static atomic_uint forks;
static atomic_bool by_clone; /* the last fork ran no handlers */
static struct mm_once once = MM_ONCE;

static struct {
    pthread_mutex_t lock;
    struct mm_mutex *first; /* all that were locked or initialized, but for those with conditions */
} mutexes = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { LONGEST_SECTION_NS = 1000 * 1000 * 1000, TRY_NS = 1000 * 1000, PAUSE_NS = 20 * 1000 };

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

static bool lock_briefly(pthread_mutex_t *mutex)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TRY_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(mutex, &until) == 0;
}

static void unlock_all(bool in_child)
{
    for (struct mm_mutex *m = mutexes.first; m; m = m->next) {
        if (m->is_held && in_child)
            mm_mutex_inherit(m);
        if (m->is_held)
            pthread_mutex_unlock(&m->mutex);
        m->is_held = false;
    }
}

/* True if all are locked; ANY: as many as are free. */
static bool lock_all(bool any)
{
    bool all = true;
    for (struct mm_mutex *m = mutexes.first; m && (all || any); m = m->next)
        all &= m->is_held = any ? pthread_mutex_trylock(&m->mutex) == 0 : lock_briefly(&m->mutex);
    return all;
}

/* Their order is not known: a thread that holds one may wait for another, or for the list. */
static void lock_for_fork(void)
{
    uint64_t end = mm_clock_ns(CLOCK_MONOTONIC) + LONGEST_SECTION_NS;
    pthread_mutex_lock(&mutexes.lock);
    while (!lock_all(false)) {
        unlock_all(false);
        if (mm_clock_ns(CLOCK_MONOTONIC) > end) {
            lock_all(true);
            return;
        }
        pthread_mutex_unlock(&mutexes.lock);
        pause_shortly();
        pthread_mutex_lock(&mutexes.lock);
    }
}

static void unlock_in_parent(void)
{
    unlock_all(false);
    pthread_mutex_unlock(&mutexes.lock);
}

static void unlock_in_child(void)
{
    atomic_store(mark, 1);
    atomic_store(&by_clone, false);
    atomic_fetch_add(&forks, 1);
    unlock_all(true);
    pthread_mutex_unlock(&mutexes.lock);
}

/* No handler has locked the mutexes. */
static void note_child(bool is_clone)
{
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    memcpy(&mutexes.lock, &fresh, sizeof fresh);
    for (struct mm_mutex *m = mutexes.first; m; m = m->next)
        m->is_held = false;
    atomic_store(&by_clone, is_clone);
    atomic_fetch_add(&forks, 1);
}

static void note_fork(void)
{
    atomic_store(mark, 1);
    note_child(false);
}

/* Where the kernel cannot clear the page, only fork() is detected. */
static void set_mark(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mark = page == MAP_FAILED ? &unmapped : page;
    if (page != MAP_FAILED)
        madvise(page, size, MADV_WIPEONFORK);
    atomic_store(mark, 1);
}

static void watch_forks(void)
{
    set_mark();
    pthread_atfork(lock_for_fork, unlock_in_parent, unlock_in_child);
}

static void watch_forks_without_locks(void)
{
    set_mark();
    pthread_atfork(NULL, NULL, note_fork);
}

void mm_fork_without_locks(void)
{
    mm_once(&once, watch_forks_without_locks);
}

unsigned mm_fork_count(void)
{
    mm_once(&once, watch_forks);
    if (atomic_load_explicit(mark, memory_order_relaxed) == 0 && atomic_exchange(mark, 1) == 0)
        note_child(true);
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

/* ---- mutexes ---- */

static unsigned this_process(void)
{
    return 2 * mm_fork_count() + 2;
}

static void list_mutex(struct mm_mutex *m)
{
    if (m->has_conditions)
        return;
    pthread_mutex_lock(&mutexes.lock);
    m->next = mutexes.first;
    m->before = &mutexes.first;
    if (m->next)
        m->next->before = &m->next;
    mutexes.first = m;
    pthread_mutex_unlock(&mutexes.lock);
}

static void report_lost_holder(void)
{
    static atomic_bool reported;
    if (atomic_load(&by_clone) && !atomic_exchange(&reported, true))
        fprintf(
            stderr,
            "refcl: warning: clone() while another thread was in an OpenCL call: what that call changed may be "
            "inconsistent in the child; fork() waits for such calls\n");
}

/* Before the first use in this process, by one of its threads; the others wait for it. */
static void prepare_mutex(struct mm_mutex *m, unsigned process)
{
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    unsigned seen = atomic_load(&m->process);
    while (seen != process &&
           (seen == process + 1 || !atomic_compare_exchange_strong(&m->process, &seen, process + 1))) {
        pause_shortly();
        seen = atomic_load(&m->process);
    }
    if (seen == process)
        return;
    if (seen == 0) {
        list_mutex(m);
    } else {
        if (pthread_mutex_trylock(&m->mutex) != 0)
            report_lost_holder();
        memcpy(&m->mutex, &fresh, sizeof fresh);
    }
    atomic_store(&m->process, process);
}

void mm_mutex_init(struct mm_mutex *m)
{
    *m = (struct mm_mutex)MM_MUTEX;
    list_mutex(m);
    atomic_store(&m->process, this_process());
}

void mm_mutex_destroy(struct mm_mutex *m)
{
    pthread_mutex_lock(&mutexes.lock);
    *m->before = m->next;
    if (m->next)
        m->next->before = m->before;
    pthread_mutex_unlock(&mutexes.lock);
    pthread_mutex_destroy(&m->mutex);
}

void mm_mutex_lock(struct mm_mutex *m)
{
    unsigned process = this_process();
    if (atomic_load_explicit(&m->process, memory_order_acquire) != process)
        prepare_mutex(m, process);
    pthread_mutex_lock(&m->mutex);
}

void mm_mutex_unlock(struct mm_mutex *m)
{
    pthread_mutex_unlock(&m->mutex);
}

void mm_mutex_inherit(struct mm_mutex *m)
{
    atomic_store(&m->process, this_process());
}

/* ---- threads ---- */

static const uint64_t change = UINT64_C(1) << 32;
static atomic_uint_fast64_t threads_now;

void mm_own_thread_begin(void)
{
    atomic_fetch_add(&threads_now, change + 1);
}

void mm_own_thread_end(void)
{
    atomic_fetch_add(&threads_now, change - 1);
}

uint64_t mm_own_threads(void)
{
    return atomic_load(&threads_now);
}

/* The state follows the name, which is in parentheses and may contain some. */
static bool main_has_ended(void)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", (long)getpid());
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") Z", 3) == 0;
}

static unsigned count_threads(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *e; tasks && (e = readdir(tasks));)
        count += *e->d_name != '.';
    if (tasks)
        closedir(tasks);
    return count;
}

/* A thread that begins meanwhile is not counted as an own one before it exists, and none that ends after it
 * does not. */
bool mm_application_has_ended(uint64_t (*threads)(void))
{
    if (!main_has_ended())
        return false;
    uint64_t before = threads();
    return count_threads() == before % change + 1 && threads() == before;
}
