/* Descriptors that a library keeps open in an application.
 *
 * The application may close any number, on purpose (all descriptors before it becomes a daemon) or not (a
 * double close), and the next file that it opens gets that number.  A library that keeps using the number
 * writes into the application's file.  Therefore kept descriptors have high numbers, which applications do
 * not get, and the file behind the number is compared with the one that was opened before each use. */
#ifndef MEMMODEL_BASE_OWN_FD_H
#define MEMMODEL_BASE_OWN_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mm_own_fd {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};
#define MM_NO_FD ((struct mm_own_fd){.fd = -1})

/* A copy of FD with a high number, closed on exec; -1 with errno. */
int mm_fd_copy_high(int fd);
/* The same, and closes FD in every case; -1 for FD -1. */
int mm_fd_move_high(int fd);
/* Moves FD to a high number owned by OWN.  False with errno: FD is closed. */
bool mm_own_fd_open(struct mm_own_fd *own, int fd);
/* False: none, or the number was closed or denotes another file by now. */
bool mm_own_fd_valid(const struct mm_own_fd *own);
/* The same, and the size of the file. */
bool mm_own_fd_size(const struct mm_own_fd *own, uint64_t *size);
/* Closes the descriptor if it is still the library's.  False with errno: an error was reported late. */
bool mm_own_fd_close(struct mm_own_fd *own);

/* A descriptor with a high number, closed on exec, that is connected to the stream socket NAME of the
 * abstract namespace; -1: no process listens there. */
int mm_socket_connect(const char *name);

#endif
