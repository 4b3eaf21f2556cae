/* An on-disk cache of compiled programs and machine code, shared by processes.  Without a usable folder the
 * cache is disabled, which is never an error.
 *
 * REFCL_CACHE_DIR: the folder, "" or "off" for no cache; by default refcl in $XDG_CACHE_HOME or ~/.cache.
 * REFCL_CACHE_SIZE: size limit in MiB, 256 by default.  REFCL_DEBUG=cache prints why the cache is
 * disabled. */
#ifndef INTERP_CACHE_H
#define INTERP_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct in_cache_part {
    const void *data;
    size_t size;
};
/* Looks up KEY, which is compared byte by byte.  The caller frees *DATA with mm_free.  Thread-safe. */
bool in_cache_get(const struct in_cache_part *key, size_t parts, void **data, size_t *size);
/* Stores DATA for KEY.  The least recently used entries are evicted when the cache exceeds its size limit. */
void in_cache_put(const struct in_cache_part *key, size_t parts, const void *data, size_t size);

#endif
