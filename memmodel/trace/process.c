/* See process.h. */
#include "memmodel/trace/process.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- forks: the kernel clears the page of the mark in a child that has a copy of the memory ---- */

static atomic_uint unmapped, *mark; /* 0: in a child that has not counted its fork */
static atomic_uint forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void clear_mark(void)
{
    atomic_store(mark, 0);
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
    pthread_atfork(NULL, NULL, clear_mark);
}

unsigned mm_fork_count(void)
{
    pthread_once(&once, set_mark);
    if (atomic_load_explicit(mark, memory_order_relaxed) == 0 && atomic_exchange(mark, 1) == 0)
        atomic_fetch_add(&forks, 1);
    return atomic_load_explicit(&forks, memory_order_relaxed);
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

/* A thread that begins meanwhile is not counted as an own one before it exists, and none that ends after it does not. */
bool mm_application_has_ended(uint64_t (*threads)(void))
{
    if (!main_has_ended())
        return false;
    uint64_t before = threads();
    return count_threads() == before % change + 1 && threads() == before;
}
