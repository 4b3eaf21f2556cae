/* REFCL_CHECK=api: host accesses outside of a map to coarse-grained SVM and to the memory that maps of
 * objects return [CL 5.2.4 R2, R8; 5.6.1 R1, R33].
 *
 * All pages are protected except mapped ones; pages mapped only for reading are read-only.  A faulting access
 * becomes a finding or an event of the recorded execution, and is then permitted.  Kernels use the same
 * addresses of SVM: where the processor has protection keys, SVM is out of reach for all threads but the
 * executor's; elsewhere all threads can access it while a command runs, and host accesses during that time
 * are missed. */
#include "ref-runtime/check/host_guard.h"
#include "interp/signal.h"
#include "ref-runtime/check/api_check.h"
#include "ref-runtime/record/host_access.h"
#include "ref-runtime/sched/command.h"

#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MOST_FINDINGS = 8,
    MOST_EVENTS = 1000
}; /* of one allocation, which is not protected any longer once it exceeds one of these */

struct map {
    struct map *next;
    const unsigned char *pointer;
    size_t size;
    bool writes, complete;
};
struct range {
    struct range *next;
    unsigned char *data;
    size_t size, pages; /* bytes; PAGES: whole pages */
    bool shared;
    unsigned users; /* number of accesses by the runtime that are in progress */
    unsigned findings;
    struct map *maps; /* the latest first */
    char name[32];
};

static struct mm_mutex lock = MM_MUTEX;
static struct range *ranges;
static unsigned commands; /* number of running commands that may use SVM */
/* handlers of SIGSEGV: the one that another library installed last, the first one */
static struct sigaction previous, original;
static size_t page;
static int key = -1; /* protection key of pages that only the executor can access, -1: none */
static bool svm_on;

bool rt_guard_on(void)
{
    return rt_api_checked();
}

static void prepare_guard(void)
{
    void *frame[1];
    backtrace(frame, 1); /* loads the unwinder's library now, not in the handler */
    page = (size_t)sysconf(_SC_PAGESIZE);
#ifdef PKEY_DISABLE_ACCESS
    key = pkey_alloc(0, PKEY_DISABLE_ACCESS);
#endif
    svm_on = rt_api_checked() || (rt_recorder() && key >= 0);
}

static void prepare_once(void)
{
    static struct mm_once once = MM_ONCE;
    mm_once(&once, prepare_guard);
}

bool rt_guard_svm_on(void)
{
    prepare_once();
    return svm_on;
}

/* Gives the executor, and the threads that it starts later, access to guarded memory. */
static void let_executor_in(void)
{
#ifdef PKEY_DISABLE_ACCESS
    if (key >= 0)
        pkey_set(key, 0);
#endif
}

void rt_guard_as_host(void)
{
    sigset_t fault; /* the executor, which has all signals blocked, may have started this thread */
    sigemptyset(&fault);
    sigaddset(&fault, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &fault, NULL);
#ifdef PKEY_DISABLE_ACCESS
    if (rt_guard_svm_on() && key >= 0)
        pkey_set(key, PKEY_DISABLE_ACCESS);
#endif
}

/* ---- under the lock ---- */

static struct range *find_range(const void *pointer)
{
    const unsigned char *p = pointer;
    struct range *r = ranges;
    while (r && !(p >= r->data && p < r->data + r->pages))
        r = r->next;
    return r;
}

/* Sets the accesses that the host may make to pages. */
static void allow_pages(const struct range *r, void *at, size_t size, int protection)
{
#ifdef PKEY_DISABLE_ACCESS
    if (r->shared && key >= 0) {
        bool none = protection == PROT_NONE;
        pkey_mprotect(at, size, none ? PROT_READ | PROT_WRITE : protection, none ? key : 0);
        return;
    }
#endif
    (void)r;
    mprotect(at, size, protection);
}

/* The pages of M: the first byte, and the end. */
static uintptr_t map_begin(const struct map *m)
{
    return (uintptr_t)m->pointer / page * page;
}

static uintptr_t map_end(const struct map *m)
{
    return ((uintptr_t)m->pointer + m->size + page - 1) / page * page;
}

static void install_handler(void);

/* A page of several maps has the most permissive protection of them. */
static void protect_range(const struct range *r)
{
    install_handler();
    bool used = r->shared && commands > 0;
    unsigned most = rt_api_checked() ? MOST_FINDINGS : MOST_EVENTS;
    bool open = r->users > 0 || (used && key < 0) || r->findings >= most;
    allow_pages(r, r->data, r->pages, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    for (int writes = 0; !open && writes < 2; writes++) {
        for (const struct map *m = r->maps; m; m = m->next)
            if (m->complete && m->writes == writes)
                allow_pages(r, (void *)map_begin(m), map_end(m) - map_begin(m),
                            writes || used ? PROT_READ | PROT_WRITE : PROT_READ);
    }
}

/* ---- faults ---- */

static bool map_covers(const struct map *m, const unsigned char *at)
{
    return (uintptr_t)at >= map_begin(m) && (uintptr_t)at < map_end(m);
}

/* Whether a page fault was a write: 1, 0, or -1 if the processor does not report it. */
static int fault_writes(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *c = context;
    return (c->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return -1;
#endif
}

/* The address of the faulting instruction. */
static const void *fault_code(const void *context)
{
#if defined(__x86_64__)
    const ucontext_t *c = context;
    return (const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
    return NULL;
#endif
}

static const char *describe_violation(const struct range *r, const unsigned char *at, int writes, char *text,
                                      size_t size)
{
    bool pending = false, read_only = false;
    for (const struct map *m = r->maps; m; m = m->next) {
        pending = pending || (map_covers(m, at) && !m->complete);
        read_only = read_only || (map_covers(m, at) && m->complete);
    }
    snprintf(text, size, "host %s byte %zu of %s%s, %s",
             writes < 0 ? "uses"
             : writes   ? "writes"
                        : "reads",
             (size_t)(at - r->data), r->name, r->shared ? " (coarse-grained SVM)" : "",
             read_only ? "which is mapped for reading"
             : pending ? "whose map is not complete"
                       : "which is not mapped");
    if (pending && !read_only)
        return r->shared ? "CL 5.6.1 R33" : "CL 5.2.4 R2";
    return r->shared ? "CL 5.6.1 R1" : "CL 5.2.4 R8";
}

/* True if the fault was on a guarded page and the access can be retried. */
static bool handle_fault(const unsigned char *at, int writes, const void *code)
{
    char text[1024];
    const char *clause = NULL;
    mm_mutex_lock(&lock);
    struct range *r = find_range(at);
    if (r) {
        clause = describe_violation(r, at, writes, text, sizeof text);
        r->findings++;
        allow_pages(r, (void *)((uintptr_t)at / page * page), page, PROT_READ | PROT_WRITE);
    }
    mm_mutex_unlock(&lock);
    if (r && rt_api_checked())
        rt_api_report("host-access", clause, text, sizeof text);
    if (r && writes >= 0)
        rt_host_fault(at, writes, code);
    return r != NULL;
}

/* Forwards faults outside guarded memory to the previous handler. */
static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    int saved = errno;
    bool fault = info->si_code > 0; /* otherwise a process sent the signal */
    bool ours = fault && handle_fault(info->si_addr, fault_writes(context), fault_code(context));
    errno = saved;
    if (ours)
        return;
    /* A handler that came later may pass on what it got from here: then the same INFO is seen further down
     * the stack.  The frame address distinguishes this from a handler that left by a jump. */
    static _Thread_local const void *passed, *frame;
    if (passed == info && (uintptr_t)__builtin_frame_address(0) < (uintptr_t)frame) {
        in_signal_pass_on(&original, signal_number, info, context);
        return;
    }
    passed = info;
    frame = __builtin_frame_address(0);
    in_signal_pass_on(&previous, signal_number, info, context);
    passed = NULL;
}

/* Under the lock, whenever pages are protected.  A handler installed later becomes the previous one. */
static void install_handler(void)
{
    struct sigaction now,
        action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
    static bool installed;
    sigemptyset(&action.sa_mask);
    if (in_sigaction(SIGSEGV, NULL, &now) == 0 &&
        !((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_fault)) {
        previous = now;
        original = installed ? original : now;
        installed = true;
        in_sigaction(SIGSEGV, &action, NULL);
    }
}

/* ---- memory ---- */

void *rt_guard_alloc(void *mapped, size_t size, bool shared, const char *name)
{
    prepare_once();
    if (size > SIZE_MAX - page)
        return NULL;
    struct range *r = mm_alloc_zero(1, sizeof *r);
    size_t pages = (size + page - 1) / page * page;
    void *data = mapped;
    if (r && !mapped)
        data = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!r || data == MAP_FAILED) {
        mm_free(r);
        return NULL;
    }
    *r = (struct range){.data = data, .size = size, .pages = pages, .shared = shared};
    snprintf(r->name, sizeof r->name, "%s", name);
    mm_mutex_lock(&lock);
    r->next = ranges;
    ranges = r;
    protect_range(r);
    mm_mutex_unlock(&lock);
    return data;
}

void rt_guard_free(void *data)
{
    mm_mutex_lock(&lock);
    struct range **at = &ranges;
    while (*at && (*at)->data != data)
        at = &(*at)->next;
    struct range *r = *at;
    if (r) {
        *at = r->next;
        munmap(r->data, r->pages);
    }
    mm_mutex_unlock(&lock);
    while (r && r->maps) {
        struct map *m = r->maps;
        r->maps = m->next;
        mm_free(m);
    }
    mm_free(r);
}

/* ---- maps ---- */

void rt_guard_map(const void *pointer, size_t size, cl_map_flags flags)
{
    struct map *m = mm_alloc_zero(1, sizeof *m);
    mm_mutex_lock(&lock);
    struct range *r = m ? find_range(pointer) : NULL;
    if (r) {
        *m = (struct map){.next = r->maps, .pointer = pointer, .size = size, .writes = flags != CL_MAP_READ};
        r->maps = m;
        install_handler();
    }
    mm_mutex_unlock(&lock);
    if (!r)
        mm_free(m);
}

void rt_guard_mapped(const void *pointer)
{
    mm_mutex_lock(&lock);
    struct range *r = find_range(pointer);
    struct map *oldest = NULL;
    for (struct map *m = r ? r->maps : NULL; m; m = m->next)
        oldest = m->pointer == pointer && !m->complete ? m : oldest;
    if (oldest) {
        oldest->complete = true;
        protect_range(r);
    }
    mm_mutex_unlock(&lock);
}

void rt_guard_unmap(const void *pointer)
{
    mm_mutex_lock(&lock);
    struct range *r = find_range(pointer);
    struct map **at = r ? &r->maps : NULL;
    while (at && *at && (*at)->pointer != pointer)
        at = &(*at)->next;
    struct map *m = at ? *at : NULL;
    if (m) {
        *at = m->next;
        install_handler();
        protect_range(r);
    }
    mm_mutex_unlock(&lock);
    mm_free(m);
}

/* ---- the runtime's own accesses ---- */

static void use_range(const void *data, bool begin)
{
    mm_mutex_lock(&lock);
    struct range *only = data ? find_range(data) : NULL;
    unsigned *count = !data ? &commands : only ? &only->users : NULL;
    if (count)
        *count += begin ? 1 : -1u;
    bool changed = count && *count == (begin ? 1 : 0);
    for (const struct range *r = ranges; changed && r; r = r->next)
        if (r == only || (!data && r->shared))
            protect_range(r);
    mm_mutex_unlock(&lock);
}

void rt_guard_again(void)
{
    mm_mutex_lock(&lock);
    for (const struct range *r = ranges; r; r = r->next)
        if (r->shared)
            protect_range(r);
    mm_mutex_unlock(&lock);
}

void rt_guard_begin(const void *data)
{
    if (!data)
        let_executor_in();
    use_range(data, true);
}

void rt_guard_end(const void *data)
{
    use_range(data, false);
}
