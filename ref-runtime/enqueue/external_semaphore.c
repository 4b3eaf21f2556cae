/* What semaphores share with other APIs and processes [cl_khr_external_semaphore 1.0.1].
 *
 * An opaque descriptor is an eventfd that counts the signals no wait has used up.  A fence, as sync files
 * are, is any descriptor that poll() reports as readable from its signal on; exported ones are eventfds too.
 * One thread waits for descriptors and completes the gates of waits.
 *
 * Another process may signal after it has seen any of this process' signals, by this or another semaphore.  A
 * wait is therefore recorded as ordered after the signals of all payloads so far: an order too many hides a
 * race in what is recorded, which is reported as incomplete, and an order too few would invent one. */
#include "memmodel/trace/process.h"
#include "ref-runtime/enqueue/semaphore.h"

#include "memmodel/base/array.h"
#include "ref-runtime/event.h"
#include "ref-runtime/sched/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct rt_payload {
    struct rt_payload *next;
    unsigned users;
    struct mm_own_fd file;
    uint64_t identity;    /* of the eventfd in this system */
    mm_event_id signaled; /* recording: the latest signal of this process */
};

/* A gate and the signal that completes it. */
struct watch {
    struct watch *next;
    struct rt_payload *payload; /* held; NULL: FENCE */
    struct mm_own_fd fence;
    struct rt_event *gate; /* held; NULL: cancelled */
};

/* Under rt_lock: */
static struct rt_payload *payloads;
static struct watch *watches;              /* the first one first */
static struct mm_own_fd wake = {.fd = -1}; /* an eventfd that interrupts the thread's poll() */
static pid_t watcher;                      /* the process in which the watching thread runs; 0: none */

/* ---- payloads ---- */

/* Sets *IDENTITY, which is equal for descriptors of one eventfd; false if FD is no eventfd. */
static bool identify_eventfd(int fd, uint64_t *identity)
{
    char path[64], line[128];
    bool found = false;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        unsigned long number;
        found = sscanf(line, "eventfd-id: %lu", &number) == 1;
        *identity = number;
    }
    if (file)
        fclose(file);
    return found;
}

static struct rt_payload *find_payload(uint64_t identity)
{
    struct rt_payload *p = payloads;
    while (p && p->identity != identity)
        p = p->next;
    return p;
}

struct rt_payload *rt_payload_create(int fd)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    struct mm_own_fd own;
    uint64_t identity;
    int copy = fd < 0 ? eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE) : mm_fd_copy_high(fd);
    if (copy < 0 || !mm_own_fd_open(&own, copy))
        return NULL;
    if (!identify_eventfd(own.fd, &identity)) {
        mm_own_fd_close(&own);
        return NULL;
    }
    fcntl(own.fd, F_SETFL, O_NONBLOCK);
    mm_mutex_lock(&rt_lock);
    struct rt_payload *p = find_payload(identity);
    bool known = p != NULL;
    if (!p && (p = mm_alloc_zero(1, sizeof *p))) {
        *p =
            (struct rt_payload){.next = payloads, .file = own, .identity = identity, .signaled = MM_NO_EVENT};
        payloads = p;
    }
    if (p)
        p->users++;
    mm_mutex_unlock(&rt_lock);
    if (!p || known)
        mm_own_fd_close(&own);
    if (p && fd >= 0)
        close(fd);
    rt_record_unobserved("a semaphore is shared with other processes: what they do is not recorded", &said);
    return p;
}

void rt_payload_retain(struct rt_payload *payload)
{
    payload->users++;
}

void rt_payload_release(struct rt_payload *payload)
{
    if (--payload->users > 0)
        return;
    struct rt_payload **at = &payloads;
    while (*at != payload)
        at = &(*at)->next;
    *at = payload->next;
    mm_own_fd_close(&payload->file);
    mm_free(payload);
}

/* A descriptor that the application has closed counts as signaled: a wait for it would not end. */
static bool is_readable(const struct mm_own_fd *file)
{
    struct pollfd p = {.fd = file->fd, .events = POLLIN};
    return !mm_own_fd_valid(file) || poll(&p, 1, 0) > 0;
}

bool rt_payload_signaled(const struct rt_payload *payload)
{
    return is_readable(&payload->file);
}

static void add_one(const struct mm_own_fd *file)
{
    const uint64_t one = 1;
    if (mm_own_fd_valid(file)) {
        ssize_t written = write(file->fd, &one, sizeof one); /* fails where the count is at its maximum */
        (void)written;
    }
}

void rt_payload_signal(struct rt_payload *payload, mm_event_id began)
{
    payload->signaled = began;
    add_one(&payload->file);
}

int rt_payload_export(const struct rt_payload *payload)
{
    return mm_own_fd_valid(&payload->file) ? fcntl(payload->file.fd, F_DUPFD_CLOEXEC, 0) : -1;
}

/* ---- fences ---- */

bool rt_fence_valid(int fd)
{
    return fd == -1 || fcntl(fd, F_GETFD) >= 0;
}

bool rt_fence_import(int fd, struct mm_own_fd *fence)
{
    *fence = MM_NO_FD;
    if (fd == -1)
        return true;
    int copy = mm_fd_copy_high(fd);
    if (copy < 0 || !mm_own_fd_open(fence, copy))
        return false;
    close(fd);
    return true;
}

bool rt_fence_signaled(const struct mm_own_fd *fence)
{
    return is_readable(fence);
}

/* A fence that is exported before its signal. */
struct exported_fence {
    struct mm_own_fd file;
    pid_t process; /* whose event signals it: a forked child completes the same event */
};

static void CL_API_CALL signal_fence(cl_event event, cl_int status, void *data)
{
    struct exported_fence *fence = data;
    (void)event;
    (void)status;
    if (fence->process == getpid())
        add_one(&fence->file);
    mm_own_fd_close(&fence->file);
    mm_free(fence);
}

int rt_fence_export(struct rt_event *event)
{
    int fd = eventfd(event->status <= CL_COMPLETE, EFD_CLOEXEC);
    if (fd < 0 || event->status <= CL_COMPLETE)
        return fd;
    struct exported_fence *own = mm_alloc(sizeof *own);
    bool opened = own && mm_own_fd_open(&own->file, fcntl(fd, F_DUPFD_CLOEXEC, 0));
    struct rt_event_callback *callback = opened ? mm_alloc_zero(1, sizeof *callback) : NULL;
    if (!callback) {
        close(fd);
        if (opened)
            mm_own_fd_close(&own->file);
        mm_free(own);
        return -1;
    }
    own->process = getpid();
    *callback = (struct rt_event_callback){.next = event->callbacks,
                                           .function = signal_fence,
                                           .data = own,
                                           .type = CL_COMPLETE,
                                           .registered = MM_NO_EVENT};
    event->callbacks = callback;
    return fd;
}

/* ---- waiting for descriptors ---- */

/* As a user event that the host completes after the latest signal of each payload. */
static struct rt_point *record_signal(void)
{
    struct mm_recorder *recorder = rt_recorder();
    struct mm_edge *edges = NULL;
    size_t count = 0;
    if (!recorder)
        return NULL;
    for (const struct rt_payload *p = payloads; p; p = p->next) {
        struct mm_edge *edge = p->signaled == MM_NO_EVENT ? NULL : mm_add(&edges, &count);
        if (edge)
            *edge = (struct mm_edge){.from = p->signaled, .kind = MM_EDGE_HOST};
    }
    struct mm_edge call = {.from = rt_record_call("semaphore signaled by others", edges, count),
                           .kind = MM_EDGE_USER_EVENT};
    struct mm_event event = {.kind = MM_EVENT_COMPLETE, .agent = {0, mm_recorder_host_thread(recorder)}};
    mm_free(edges);
    struct rt_point *point = rt_point_create(mm_recorder_event(recorder, &event, &call, 1));
    mm_recorder_retire(recorder, &call.from, 1);
    return point;
}

/* True if the signal that W waits for has arrived; uses up the signal of a payload. */
static bool take_signal(const struct watch *w)
{
    uint64_t count;
    if (!w->payload)
        return rt_fence_signaled(&w->fence);
    const struct mm_own_fd *file = &w->payload->file;
    return !mm_own_fd_valid(file) || read(file->fd, &count, sizeof count) >= 0 || errno != EAGAIN;
}

/* True if W is finished: its signal has arrived, or no wait needs it. */
static bool complete_watch(struct watch *w)
{
    if (!w->gate || w->gate->context->terminated)
        return true;
    if (!take_signal(w))
        return false;
    w->gate->completion = record_signal();
    rt_event_set_status(w->gate, CL_COMPLETE);
    return true;
}

static void destroy_watch(struct watch *w)
{
    if (w->payload)
        rt_payload_release(w->payload);
    mm_own_fd_close(&w->fence);
    if (w->gate)
        rt_object_release_deferred(w->gate);
    mm_free(w);
}

static void look_at_all(void)
{
    for (struct watch **at = &watches; *at;) {
        struct watch *w = *at;
        if (!complete_watch(w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        destroy_watch(w);
    }
}

/* The descriptors to poll, WAKE first; 0: no memory. */
static nfds_t collect_descriptors(struct pollfd **list, size_t *capacity)
{
    nfds_t count = 1;
    for (const struct watch *w = watches; w; w = w->next)
        count++;
    if (!mm_reserve(list, capacity, count))
        return 0;
    (*list)[0] = (struct pollfd){.fd = mm_own_fd_valid(&wake) ? wake.fd : -1, .events = POLLIN};
    struct pollfd *at = *list + 1;
    for (const struct watch *w = watches; w; w = w->next)
        *at++ = (struct pollfd){.fd = w->payload ? w->payload->file.fd : w->fence.fd, .events = POLLIN};
    return count;
}

enum { RETRY_MS = 100 }; /* without memory for the descriptors */

static void *watch_all(void *unused)
{
    struct pollfd *list = NULL;
    size_t capacity = 0;
    uint64_t count;
    (void)unused;
    mm_own_thread_begin();
    for (;;) {
        mm_mutex_lock(&rt_lock);
        ssize_t woken = mm_own_fd_valid(&wake) ? read(wake.fd, &count, sizeof count) : 0;
        (void)woken;
        look_at_all();
        nfds_t n = collect_descriptors(&list, &capacity);
        mm_mutex_unlock(&rt_lock);
        poll(list, n, n ? -1 : RETRY_MS);
    }
    return NULL;
}

void rt_watch_wake(void)
{
    add_one(&wake);
}

bool rt_watch_pending(void)
{
    return watches != NULL;
}

void rt_watch_forked(void)
{
    if (watcher == 0 || watcher == getpid())
        return;
    watcher = 0;
    for (struct watch *w = watches; w; w = watches) {
        watches = w->next;
        if (w->gate)
            rt_event_set_status(w->gate, CL_OUT_OF_RESOURCES);
        destroy_watch(w);
    }
}

/* A forked child needs a separate thread, and so does a process that has closed WAKE. */
static bool start_watcher(void)
{
    pthread_t thread;
    rt_watch_forked();
    if (watcher == getpid() && mm_own_fd_valid(&wake))
        return true;
    mm_own_fd_close(&wake);
    if (!mm_own_fd_open(&wake, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)))
        return false;
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = pthread_create(&thread, NULL, watch_all, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (started)
        pthread_detach(thread);
    watcher = started ? getpid() : 0;
    return started;
}

bool rt_watch(struct rt_payload *payload, struct mm_own_fd fence, struct rt_event *gate)
{
    struct watch *w = start_watcher() ? mm_alloc_zero(1, sizeof *w) : NULL;
    if (!w)
        return false;
    *w = (struct watch){.payload = payload, .fence = fence, .gate = gate};
    rt_object_retain(gate);
    if (payload)
        rt_payload_retain(payload);
    struct watch **at = &watches;
    while (*at)
        at = &(*at)->next;
    *at = w;
    rt_watch_wake();
    return true;
}

bool rt_watch_cancel(struct rt_event *gate, struct rt_payload *payload, struct mm_own_fd *fence)
{
    struct watch *w = watches;
    while (w && w->gate != gate)
        w = w->next;
    *fence = MM_NO_FD;
    if (!w) {
        bool signaled = gate->status == CL_COMPLETE;
        if (signaled && payload) /* put back the signal that take_signal() used up */
            add_one(&payload->file);
        return signaled;
    }
    *fence = w->fence;
    w->fence = MM_NO_FD;
    w->gate = NULL;
    rt_object_release_deferred(gate);
    rt_watch_wake();
    return true;
}
