/* Whole files in memory. */
#include "spec-xref/xref.h"

#include <errno.h>
#include <string.h>

enum mm_class xr_file_read(const char *path, size_t limit, char **bytes, size_t *length, struct mm_error *err)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return mm_fail_at(err, MM_INVALID, "xref.file", path, 0, 0, "cannot open the file: %s",
                          strerror(errno));
    size_t capacity = 1 << 16, n = 0;
    char *p = mm_alloc(capacity);
    for (size_t got; p && (got = fread(p + n, 1, capacity - n - 1, file)) > 0;) {
        n += got;
        if (n + 1 < capacity)
            continue;
        capacity *= 2;
        char *grown = capacity > 2 * limit ? NULL : mm_realloc(p, capacity);
        if (!grown) {
            mm_free(p);
            p = NULL;
        } else {
            p = grown;
        }
    }
    bool bad = ferror(file);
    fclose(file);
    if (p && bad) {
        mm_free(p);
        return mm_fail_at(err, MM_INVALID, "xref.file", path, 0, 0, "cannot read the file");
    }
    if (!p)
        return mm_fail_at(err, MM_LIMIT, "xref.file", path, 0, 0, "the file is too large");
    p[n] = 0;
    *bytes = p;
    *length = n;
    return MM_OK;
}
