/* Appending to a regular file through memory that is mapped to it: what was appended outlives the process, as
 * with write(), at one system call instead of several. */
#ifndef MEMMODEL_TRACE_MAPPED_H
#define MEMMODEL_TRACE_MAPPED_H

#include "memmodel/base/own_fd.h"

#include <stddef.h>
#include <stdint.h>

struct mm_mapped;
/* Continues FILE at its position; NULL: the file cannot be mapped, or its system cannot reserve space. */
struct mm_mapped *mm_mapped_create(const struct mm_own_fd *file);
/* Appends SIZE bytes, 4 or more; a process that is killed meanwhile leaves 4 zeros in place of the first
 * ones.  False with errno: FILE was closed, there is no space, or another process has truncated the file,
 * which may also be noticed later, at the end at the latest. */
bool mm_mapped_append(struct mm_mapped *mapped, const struct mm_own_fd *file, const void *data, size_t size);
/* The file ends where the data does.  False with errno: it still ends with zeros, or another process has
 * truncated it. */
bool mm_mapped_destroy(struct mm_mapped *mapped, const struct mm_own_fd *file); /* MAPPED may be NULL */

#endif
