/* The compiler helper process, seen from the library: started once, shared by all threads. */
#ifndef REF_RUNTIME_COMPILER_CLIENT_PROCESS_H
#define REF_RUNTIME_COMPILER_CLIENT_PROCESS_H

#include "memmodel/base/own_fd.h"
#include "memmodel/memmodel.h"

/* A job that the helper has taken.  Errors of the child end up in the file. */
struct rt_connection {
    struct mm_own_fd stream; /* socket */
    struct mm_own_fd errors; /* file */
};
/* Opens a connection to a fresh child of the helper, starting or restarting the helper where needed. */
enum mm_class rt_process_connect(struct rt_connection *connection, struct mm_error *err);
/* Where the helper is; false: there is none. */
bool rt_process_path(char *path, size_t size);
void rt_process_disconnect(struct rt_connection *connection);

#endif
