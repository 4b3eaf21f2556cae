/* See ring.h.  Two counters of bytes are shared, each written by one process; a process keeps its own as
 * well, and checks the other's: the processes need not trust one another. */
#include "memmodel/trace/ring.h"
#include "memmodel/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CAPACITY = 4 << 20, LINE = 64, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

struct shared {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t taken;
    _Alignas(LINE) unsigned char data[CAPACITY];
};
struct mm_ring {
    struct shared *shared;
    uint64_t own; /* this process' counter */
};

static struct mm_ring *ring_of_file(int file)
{
    struct mm_ring *ring = mm_alloc_zero(1, sizeof *ring);
    void *shared =
        ring ? mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (shared == MAP_FAILED) {
        mm_free(ring);
        return NULL;
    }
    ring->shared = shared;
    return ring;
}

void mm_ring_destroy(struct mm_ring *ring)
{
    if (ring)
        munmap(ring->shared, sizeof *ring->shared);
    mm_free(ring);
}

/* A file in memory whose size cannot change any more, so that no access to it raises SIGBUS; -1: none. */
static int create_file(void)
{
    struct rlimit limit; /* beyond it SIGXFSZ is raised */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < sizeof(struct shared))
        return -1;
    int file = memfd_create("refcl-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && ftruncate(file, sizeof(struct shared)) == 0 && fcntl(file, F_ADD_SEALS, SEALS) == 0)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

struct mm_ring *mm_ring_send(int socket, const void *bytes, size_t size)
{
    int file = create_file();
    struct mm_ring *ring = file >= 0 ? ring_of_file(file) : NULL;
    union control control = {{0}};
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    if (ring && sendmsg(socket, &message, MSG_NOSIGNAL) != (ssize_t)size) {
        mm_ring_destroy(ring);
        ring = NULL;
    }
    if (file >= 0)
        close(file);
    return ring;
}

/* Of the bytes from POSITION on, those before the end of the memory. */
static size_t in_one_part(uint64_t position, size_t size)
{
    size_t left = CAPACITY - (size_t)(position % CAPACITY);
    return size < left ? size : left;
}

bool mm_ring_has_room(const struct mm_ring *ring, size_t size)
{
    uint64_t used = ring->own - atomic_load_explicit(&ring->shared->taken, memory_order_acquire);
    return used <= CAPACITY && size <= CAPACITY - used;
}

bool mm_ring_write(struct mm_ring *ring, int socket, const void *data, size_t size)
{
    const unsigned char *from = data;
    while (size) {
        uint64_t used = ring->own - atomic_load_explicit(&ring->shared->taken, memory_order_acquire);
        if (used > CAPACITY) {
            errno = EPROTO;
            return false;
        }
        size_t part = in_one_part(ring->own, size < CAPACITY - used ? size : CAPACITY - (size_t)used);
        struct pollfd reader = {.fd = socket};
        if (!part && poll(&reader, 1, 1) > 0) {
            errno = EPIPE;
            return false;
        }
        memcpy(ring->shared->data + ring->own % CAPACITY, from, part);
        ring->own += part;
        atomic_store_explicit(&ring->shared->written, ring->own, memory_order_release);
        from += part;
        size -= part;
    }
    return true;
}

static void receive_file(int file, struct mm_ring **ring)
{
    struct stat status;
    bool fits = fstat(file, &status) == 0 && status.st_size == sizeof(struct shared) &&
                (fcntl(file, F_GET_SEALS) & F_SEAL_SHRINK) > 0;
    if (fits && !*ring)
        *ring = ring_of_file(file);
    close(file);
}

ssize_t mm_ring_receive(int socket, void *out, size_t size, struct mm_ring **ring)
{
    union control control;
    struct iovec part = {out, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == ENOTSOCK)
        return read(socket, out, size);
    struct cmsghdr *header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
        int file;
        memcpy(&file, CMSG_DATA(header), sizeof file);
        receive_file(file, ring);
    }
    return n;
}

ssize_t mm_ring_take(struct mm_ring *ring, void *out, size_t size)
{
    uint64_t available = atomic_load_explicit(&ring->shared->written, memory_order_acquire) - ring->own;
    if (available > CAPACITY) {
        errno = EPROTO;
        return -1;
    }
    size_t part = in_one_part(ring->own, size < available ? size : (size_t)available);
    memcpy(out, ring->shared->data + ring->own % CAPACITY, part);
    ring->own += part;
    atomic_store_explicit(&ring->shared->taken, ring->own, memory_order_release);
    return (ssize_t)part;
}
