/* Base64 [RFC 4648 4]. */
#ifndef MEMMODEL_BASE_BASE64_H
#define MEMMODEL_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* SIZE bytes as text, and the bytes of TEXT; the caller frees the result with mm_free.  NULL: out of memory,
 * or TEXT is not valid base64. */
char *mm_base64_encode(const void *data, size_t size);
void *mm_base64_decode(const char *text, size_t *size);

#endif
