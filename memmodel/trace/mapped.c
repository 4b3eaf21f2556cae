/* See mapped.h.  Space is reserved before it is mapped, so that an access does not fail on a full disk.
 * Where another process has truncated the file an access would raise SIGBUS: the system call that copies
 * between processes fails instead. */
#include "memmodel/trace/mapped.h"
#include "memmodel/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { STEP = 256 << 10, FIRST = 4, SMALL = 4096 };

struct mm_mapped {
    unsigned char *window;
    uint64_t begin; /* of the window in the file */
    size_t window_size;
    uint64_t position, reserved; /* in the file */
    pid_t process;
};

/* Beyond the limit of file sizes SIGXFSZ is raised. */
static bool reserve_space(struct mm_mapped *mapped, int fd, uint64_t end)
{
    struct rlimit limit;
    int failed = 0;
    if (end <= mapped->reserved)
        return true;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || end > limit.rlim_cur || end > INT64_MAX) {
        errno = EFBIG;
        return false;
    }
    do
        failed = fallocate(fd, 0, (off_t)mapped->reserved, (off_t)(end - mapped->reserved));
    while (failed && errno == EINTR);
    if (!failed)
        mapped->reserved = end;
    return !failed;
}

/* Copies to memory of this process, the first bytes last; a page at most is copied at once or not at all.
 * False with errno: that memory is not all there, or the call is not permitted. */
static bool copy_guarded(const struct mm_mapped *mapped, unsigned char *to, const unsigned char *from,
                         size_t size)
{
    unsigned char *own = (void *)(uintptr_t)from;
    const struct iovec there[] = {{to + FIRST, size - FIRST}, {to, FIRST}, {to, size}};
    const struct iovec here[] = {{own + FIRST, size - FIRST}, {own, FIRST}, {own, size}};
    size_t first = size > SMALL ? 0 : 2, count = size > SMALL ? 2 : 1;
    ssize_t copied = process_vm_writev(mapped->process, here + first, count, there + first, count, 0);
    if (copied >= 0 || errno == EFAULT)
        errno = EIO;
    return copied == (ssize_t)size;
}

/* Maps what has room for SIZE bytes from the position on; where there is not as much space, no more than
 * that. */
static bool move_window(struct mm_mapped *mapped, int fd, size_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), begin = mapped->position - mapped->position % page;
    uint64_t end = mapped->position + size, ample = begin + STEP;
    if (ample > end && reserve_space(mapped, fd, ample))
        end = ample;
    else if (!reserve_space(mapped, fd, end))
        return false;
    void *window =
        mmap(NULL, end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)begin);
    if (window == MAP_FAILED)
        return false;
    if (mapped->window)
        munmap(mapped->window, mapped->window_size);
    mapped->window = window;
    mapped->window_size = end - begin;
    mapped->begin = begin;
    return true;
}

struct mm_mapped *mm_mapped_create(const struct mm_own_fd *file)
{
    struct stat status;
    off_t position = lseek(file->fd, 0, SEEK_CUR);
    bool at_end = fstat(file->fd, &status) == 0 && S_ISREG(status.st_mode) && position == status.st_size;
    struct mm_mapped *mapped = at_end ? mm_alloc_zero(1, sizeof *mapped) : NULL;
    if (!mapped)
        return NULL;
    mapped->position = mapped->reserved = (uint64_t)position;
    mapped->process = getpid();
    if (move_window(mapped, file->fd, FIRST) &&
        copy_guarded(mapped, mapped->window + (mapped->position - mapped->begin),
                     (const unsigned char[FIRST]){0}, FIRST))
        return mapped;
    mm_mapped_destroy(mapped, file);
    return NULL;
}

static bool is_whole(const struct mm_mapped *mapped, const struct mm_own_fd *file)
{
    uint64_t size;
    bool valid = mm_own_fd_size(file, &size);
    errno = valid ? EIO : EBADF;
    return valid && size >= mapped->reserved;
}

bool mm_mapped_append(struct mm_mapped *mapped, const struct mm_own_fd *file, const void *data, size_t size)
{
    bool has_room = mapped->position + size <= mapped->begin + mapped->window_size;
    if (!has_room && (!is_whole(mapped, file) || !move_window(mapped, file->fd, size)))
        return false;
    if (!copy_guarded(mapped, mapped->window + (mapped->position - mapped->begin), data, size))
        return false;
    mapped->position += size;
    return true;
}

bool mm_mapped_destroy(struct mm_mapped *mapped, const struct mm_own_fd *file)
{
    if (!mapped)
        return true;
    bool good = is_whole(mapped, file) && ftruncate(file->fd, (off_t)mapped->position) == 0;
    int error = errno;
    if (mapped->window)
        munmap(mapped->window, mapped->window_size);
    mm_free(mapped);
    errno = error;
    return good;
}
