/* See socket.h. */
#include "memmodel/base/socket.h"
#include "memmodel/base/own_fd.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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
