/* Writing to files, pipes and sockets from inside an application. */
#ifndef MEMMODEL_BASE_WRITE_H
#define MEMMODEL_BASE_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes all SIZE bytes of DATA.  False: errno says why; the application gets neither SIGPIPE nor SIGXFSZ for
 * it. */
bool mm_write_all(int fd, const void *data, size_t size);

#endif
