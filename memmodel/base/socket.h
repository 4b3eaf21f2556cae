/* Local stream sockets in the abstract namespace. */
#ifndef MEMMODEL_BASE_SOCKET_H
#define MEMMODEL_BASE_SOCKET_H

/* A connected descriptor with a high number (own_fd.h), closed on exec; -1: no process listens under NAME. */
int mm_socket_connect(const char *name);

#endif
