/* See own_fd.h. */
#include "memmodel/base/own_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The kernel's table of descriptors grows with the highest number: at most 32 KiB for this one. */
enum { HIGHEST_MINIMUM = 4000, LOWEST_MINIMUM = 3 };

int mm_fd_copy_high(int fd)
{
    struct rlimit limit;
    int minimum = LOWEST_MINIMUM;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 * LOWEST_MINIMUM)
        minimum = limit.rlim_cur / 2 > HIGHEST_MINIMUM ? HIGHEST_MINIMUM : (int)(limit.rlim_cur / 2);
    int high = fcntl(fd, F_DUPFD_CLOEXEC, minimum);
    if (high < 0 && (errno == EMFILE || errno == EINVAL)) /* the upper half is in use */
        high = fcntl(fd, F_DUPFD_CLOEXEC, LOWEST_MINIMUM);
    return high;
}

int mm_fd_move_high(int fd)
{
    int high = fd < 0 ? -1 : mm_fd_copy_high(fd), error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return high;
}

bool mm_own_fd_open(struct mm_own_fd *own, int fd)
{
    struct stat status;
    *own = (struct mm_own_fd){.fd = mm_fd_move_high(fd)};
    if (own->fd >= 0 && fstat(own->fd, &status) == 0) {
        own->device = status.st_dev;
        own->inode = status.st_ino;
        return true;
    }
    if (own->fd >= 0)
        close(own->fd);
    own->fd = -1;
    return false;
}

bool mm_own_fd_size(const struct mm_own_fd *own, uint64_t *size)
{
    struct stat status;
    bool valid = own->fd >= 0 && fstat(own->fd, &status) == 0 && status.st_dev == own->device &&
                 status.st_ino == own->inode;
    *size = valid ? (uint64_t)status.st_size : 0;
    return valid;
}

bool mm_own_fd_valid(const struct mm_own_fd *own)
{
    uint64_t size;
    return mm_own_fd_size(own, &size);
}

bool mm_own_fd_close(struct mm_own_fd *own)
{
    bool good = !mm_own_fd_valid(own) || close(own->fd) == 0;
    own->fd = -1;
    return good;
}

int mm_socket_connect(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    int fd = length < sizeof address.sun_path
                 ? mm_fd_move_high(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0))
                 : -1;
    if (fd < 0)
        return -1;
    memcpy(address.sun_path + 1, name, length);
    if (connect(fd, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0)
        return fd;
    close(fd);
    return -1;
}
