/* A ring of bytes in memory that a writing process shares with the reading one at the other end of a socket.
 * What is in it outlives the writer, as what is in the socket does, but writing takes no system call and does
 * not wait for the reader to be scheduled. */
#ifndef MEMMODEL_TRACE_RING_H
#define MEMMODEL_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mm_ring;
/* Writer: sends BYTES through SOCKET, and with them a ring, which has all that follows.  NULL: nothing was
 * sent. */
struct mm_ring *mm_ring_send(int socket, const void *bytes, size_t size);
/* Whether SIZE bytes fit, so that mm_ring_write does not use the socket. */
bool mm_ring_has_room(const struct mm_ring *ring, size_t size);
/* Waits while the ring is full; false with errno: the reader is gone. */
bool mm_ring_write(struct mm_ring *ring, int socket, const void *data, size_t size);
/* Reader: read(), and a ring that came with the bytes in *RING, which is left as it is otherwise. */
ssize_t mm_ring_receive(int socket, void *out, size_t size, struct mm_ring **ring);
/* Takes up to SIZE bytes; 0: the ring is empty; -1 with errno: the writer has left an impossible state. */
ssize_t mm_ring_take(struct mm_ring *ring, void *out, size_t size);
void mm_ring_destroy(struct mm_ring *ring); /* may be NULL; the other process keeps its own */

#endif
