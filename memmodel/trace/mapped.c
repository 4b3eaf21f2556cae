/* See mapped.h.  Space is reserved before it is mapped, so that an access does not fail on a full disk.  An access raises SIGBUS where the
 * file has become shorter, so its size is compared before each one; another process would have to truncate it just then. */
#include "memmodel/trace/mapped.h"
#include "memmodel/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 256 << 10, FIRST = 4 };

struct mm_mapped {
    unsigned char *window;
    uint64_t begin; /* of the window in the file */
    size_t window_size;
    uint64_t position, reserved; /* in the file */
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

/* Maps what has room for SIZE bytes from the position on; where there is not as much space, no more than that. */
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
    if (move_window(mapped, file->fd, FIRST))
        return mapped;
    mm_mapped_destroy(mapped, file);
    return NULL;
}

bool mm_mapped_append(struct mm_mapped *mapped, const struct mm_own_fd *file, const void *data, size_t size)
{
    uint64_t file_size;
    const unsigned char *from = data;
    if (!mm_own_fd_size(file, &file_size)) {
        errno = EBADF;
        return false;
    }
    if (file_size < mapped->reserved) {
        errno = EIO;
        return false;
    }
    if (mapped->position + size > mapped->begin + mapped->window_size && !move_window(mapped, file->fd, size))
        return false;
    unsigned char *to = mapped->window + (mapped->position - mapped->begin);
    memcpy(to + FIRST, from + FIRST, size - FIRST);
    atomic_thread_fence(memory_order_release);
    memcpy(to, from, FIRST);
    mapped->position += size;
    return true;
}

bool mm_mapped_destroy(struct mm_mapped *mapped, const struct mm_own_fd *file)
{
    if (!mapped)
        return true;
    uint64_t file_size;
    bool cut = mm_own_fd_size(file, &file_size) && file_size > mapped->position;
    bool good = !cut || ftruncate(file->fd, (off_t)mapped->position) == 0;
    int error = errno;
    if (mapped->window)
        munmap(mapped->window, mapped->window_size);
    mm_free(mapped);
    errno = error;
    return good;
}
