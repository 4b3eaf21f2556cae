/* What semaphores share with other APIs and processes [cl_khr_external_semaphore 1.0.1].
 *
 * An opaque descriptor is an eventfd that counts the signals no wait has used up.  A fence, as sync files are, is any
 * descriptor that poll() reports as readable from its signal on; exported ones are eventfds too.  One thread waits for
 * descriptors and completes the gates of waits.
 *
 * Another process may signal after it has seen any of this process' signals, by this or another semaphore.  A wait is
 * therefore recorded as ordered after the signals of all payloads so far: an order too many hides a race in what is
 * recorded, which is reported as incomplete, and an order too few would invent one. */
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
    int fd;
    uint64_t identity;    /* of the eventfd in this system */
    mm_event_id signaled; /* recording: the latest signal of this process */
};

/* A gate and what completes it. */
struct watch {
    struct watch *next;
    struct rt_payload *payload; /* held; NULL: FENCE */
    int fence;
    struct rt_event *gate; /* held; NULL: cancelled */
};

/* Under rt_lock: */
static struct rt_payload *payloads;
static struct watch *watches; /* the first one first */
static int wake = -1;         /* an eventfd that interrupts the thread's poll() */
static pid_t watcher;         /* the process whose thread it is */

/* ---- payloads ---- */

/* Equal for descriptors of one eventfd; false: FD is none. */
static bool identify(int fd, uint64_t *identity)
{
    char path[64], line[128];
    bool found = false;
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof(line), file)) {
        unsigned long number;
        found = sscanf(line, "eventfd-id: %lu", &number) == 1;
        *identity = number;
    }
    if (file)
        fclose(file);
    return found;
}

static struct rt_payload *find(uint64_t identity)
{
    struct rt_payload *p = payloads;
    while (p && p->identity != identity)
        p = p->next;
    return p;
}

struct rt_payload *rt_payload_create(int fd)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    uint64_t identity;
    int own = fd < 0 ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE) : fd;
    if (own < 0 || !identify(own, &identity)) {
        if (own != fd)
            close(own);
        return NULL;
    }
    fcntl(own, F_SETFL, O_NONBLOCK);
    pthread_mutex_lock(&rt_lock);
    struct rt_payload *p = find(identity);
    bool known = p != NULL;
    if (!p && (p = mm_alloc_zero(1, sizeof(*p))) != NULL) {
        *p = (struct rt_payload){.next = payloads, .fd = own, .identity = identity, .signaled = MM_NO_EVENT};
        payloads = p;
    }
    if (p)
        p->users++;
    pthread_mutex_unlock(&rt_lock);
    if (fd < 0 ? !p : known)
        close(own);
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
    close(payload->fd);
    mm_free(payload);
}

static bool readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

bool rt_payload_signaled(const struct rt_payload *payload)
{
    return readable(payload->fd);
}

static void add_one(int fd)
{
    const uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof(one)); /* fails where the count is at its maximum */
    (void)written;
}

void rt_payload_signal(struct rt_payload *payload, mm_event_id began)
{
    payload->signaled = began;
    add_one(payload->fd);
}

int rt_payload_export(const struct rt_payload *payload)
{
    return fcntl(payload->fd, F_DUPFD_CLOEXEC, 0);
}

/* ---- fences ---- */

bool rt_fence_valid(int fd)
{
    return fd == -1 || fcntl(fd, F_GETFD) >= 0;
}

bool rt_fence_signaled(int fd)
{
    return fd == -1 || readable(fd);
}

static void CL_API_CALL signal_fence(cl_event event, cl_int status, void *data)
{
    int fd = (int)(intptr_t)data;
    (void)event;
    (void)status;
    add_one(fd);
    close(fd);
}

int rt_fence_export(struct rt_event *event)
{
    int fd = eventfd(event->status <= CL_COMPLETE, EFD_CLOEXEC);
    if (fd < 0 || event->status <= CL_COMPLETE)
        return fd;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    struct rt_event_callback *callback = own < 0 ? NULL : mm_alloc_zero(1, sizeof(*callback));
    if (!callback) {
        close(fd);
        if (own >= 0)
            close(own);
        return -1;
    }
    *callback = (struct rt_event_callback){.next = event->callbacks,
                                           .function = signal_fence,
                                           .data = (void *)(intptr_t)own,
                                           .type = CL_COMPLETE,
                                           .registered = MM_NO_EVENT};
    event->callbacks = callback;
    return fd;
}

/* ---- waiting for descriptors ---- */

/* As a user event that the host completes after the latest signal of each payload. */
static mm_event_id record_signal(void)
{
    struct mm_recorder *recorder = rt_recorder();
    struct mm_edge *edges = NULL;
    size_t count = 0;
    if (!recorder)
        return MM_NO_EVENT;
    for (const struct rt_payload *p = payloads; p; p = p->next) {
        struct mm_edge *edge = p->signaled == MM_NO_EVENT ? NULL : mm_add(&edges, &count);
        if (edge)
            *edge = (struct mm_edge){.from = p->signaled, .kind = MM_EDGE_HOST};
    }
    struct mm_edge call = {.from = rt_record_call("semaphore signaled by others", edges, count),
                           .kind = MM_EDGE_USER_EVENT};
    struct mm_event event = {.kind = MM_EVENT_COMPLETE, .agent = {0, mm_recorder_host_thread(recorder)}};
    mm_free(edges);
    return mm_recorder_event(recorder, &event, &call, 1);
}

/* True if W is over: its signal was there, or no wait needs it. */
static bool complete(struct watch *w)
{
    uint64_t count;
    bool signaled =
        !w->gate || (w->payload ? read(w->payload->fd, &count, sizeof(count)) >= 0 || errno != EAGAIN
                                : rt_fence_signaled(w->fence));
    if (signaled && w->gate) {
        w->gate->completion = record_signal();
        rt_event_set_status(w->gate, CL_COMPLETE);
    }
    return signaled;
}

static void destroy_watch(struct watch *w)
{
    if (w->payload)
        rt_payload_release(w->payload);
    else if (w->fence >= 0)
        close(w->fence);
    if (w->gate)
        rt_object_release_deferred(w->gate);
    mm_free(w);
}

static void look_at_all(void)
{
    for (struct watch **at = &watches; *at;) {
        struct watch *w = *at;
        if (!complete(w)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        destroy_watch(w);
    }
}

/* The descriptors to poll, WAKE first; 0: no memory. */
static nfds_t collect(struct pollfd **list, size_t *capacity)
{
    nfds_t count = 1;
    for (const struct watch *w = watches; w; w = w->next)
        count++;
    if (!mm_reserve(list, capacity, count))
        return 0;
    (*list)[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    struct pollfd *at = *list + 1;
    for (const struct watch *w = watches; w; w = w->next)
        *at++ = (struct pollfd){.fd = w->payload ? w->payload->fd : w->fence, .events = POLLIN};
    return count;
}

enum { RETRY_MS = 100 }; /* without memory for the descriptors */

static void *watch_all(void *unused)
{
    struct pollfd *list = NULL;
    size_t capacity = 0;
    uint64_t count;
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&rt_lock);
        ssize_t woken = read(wake, &count, sizeof(count));
        (void)woken;
        look_at_all();
        nfds_t n = collect(&list, &capacity);
        pthread_mutex_unlock(&rt_lock);
        poll(list, n, n ? -1 : RETRY_MS);
    }
    return NULL;
}

/* A forked child needs a separate thread. */
static bool start_watcher(void)
{
    pthread_t thread;
    if (watcher == getpid())
        return true;
    if (wake >= 0)
        close(wake);
    wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = wake >= 0 && pthread_create(&thread, NULL, watch_all, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (started)
        pthread_detach(thread);
    watcher = started ? getpid() : 0;
    return started;
}

bool rt_watch(struct rt_payload *payload, int fence, struct rt_event *gate)
{
    struct watch *w = start_watcher() ? mm_alloc_zero(1, sizeof(*w)) : NULL;
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
    add_one(wake);
    return true;
}

void rt_watch_cancel(struct rt_event *gate, struct rt_payload *payload)
{
    struct watch *w = watches;
    while (w && w->gate != gate)
        w = w->next;
    if (!w) { /* it has used the signal up */
        add_one(payload->fd);
        return;
    }
    w->gate = NULL;
    rt_object_release_deferred(gate);
    add_one(wake);
}
