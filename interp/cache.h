/* A cache of compiled things on disk, shared by processes.  It is off where there is no place for it or no
 * right to write; that is never an error.
 *
 * REFCL_CACHE_DIR: the folder, "" or "off" for no cache; by default refcl in $XDG_CACHE_HOME or ~/.cache.
 * REFCL_CACHE_SIZE: MiB that it may take, 256 by default.  REFCL_DEBUG=cache says why it is off. */
#ifndef INTERP_CACHE_H
#define INTERP_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct in_cache_part {
    const void *data;
    size_t size;
};
/* What was stored for KEY, all of its bytes the same; *DATA is freed with mm_free.  Any thread. */
bool in_cache_get(const struct in_cache_part *key, size_t parts, void **data, size_t *size);
/* Stores DATA for KEY; entries that were not used for longest go when there is no more room. */
void in_cache_put(const struct in_cache_part *key, size_t parts, const void *data, size_t size);

#endif
