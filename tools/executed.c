#include "tools/executed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

bool executed_open(struct executed *e, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    *e = (struct executed){.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    memcpy(address.sun_path + 1, name, length);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
    return e->socket >= 0 && setsockopt(e->socket, SOL_SOCKET, SO_PASSCRED, &(int){1}, sizeof(int)) == 0 &&
           bind(e->socket, (const struct sockaddr *)&address, size) == 0;
}

/* MESSAGE: "PROCESS WHY\nPATH".  Of a long path the end is kept; reports separate programs by commas. */
static void note_program(struct executed *e, char *message)
{
    char *why, *path = strchr(message, '\n');
    long process = strtol(message, &why, 10);
    if (!path || *why != ' ')
        return;
    *path++ = '\0';
    why++;
    size_t length = strlen(path);
    path += length > EXECUTED_PATH ? length - EXECUTED_PATH : 0;
    for (char *comma; (comma = strchr(path, ',')) != NULL;)
        *comma = '?';
    e->hides |= strcmp(why, "static") != 0;
    if (e->count < EXECUTED_MOST) {
        e->list[e->count].process = (pid_t)process;
        snprintf(e->list[e->count].why, sizeof e->list->why, "%s", why);
        snprintf(e->list[e->count].path, sizeof e->list->path, "%s", path);
    }
    e->count++;
}

/* Those of processes of other users are rejected, as their traces are. */
static bool is_ours(struct msghdr *message)
{
    struct ucred sender = {.uid = (uid_t)-1};
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS)
        memcpy(&sender, CMSG_DATA(header), sizeof sender);
    return sender.uid == geteuid();
}

void executed_receive(struct executed *e)
{
    char text[PATH_MAX + 128];
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    for (;;) {
        struct iovec data = {.iov_base = text, .iov_len = sizeof text - 1};
        struct msghdr message = {.msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        ssize_t size = recvmsg(e->socket, &message, 0);
        if (size < 0)
            return;
        text[size] = '\0';
        if (is_ours(&message))
            note_program(e, text);
    }
}

void executed_close(struct executed *e)
{
    if (e->socket >= 0)
        close(e->socket);
    e->socket = -1;
}
