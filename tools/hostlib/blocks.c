/* librefcl-host: functions of the C library that access memory of the program.  clang calls those named
 * __tsan_...; for gcc the linker redirects calls to those named __wrap_... (see `refcl host-cc`). */
#include "tools/hostlib/hostlib.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record_reads(const void *at, size_t size, const void *place)
{
    if (size)
        host_plain(at, (uint32_t)size, REFCL_HOST_READ, place);
}

static void record_writes(const void *at, size_t size, const void *place)
{
    if (size)
        host_plain(at, (uint32_t)size, REFCL_HOST_WRITE, place);
}

#define COPY(name, how)                                                                                      \
    EXPORT void *name(void *to, const void *from, size_t size);                                              \
    EXPORT void *name(void *to, const void *from, size_t size)                                               \
    {                                                                                                        \
        record_reads(from, size, HERE);                                                                      \
        record_writes(to, size, HERE);                                                                       \
        return how(to, from, size);                                                                          \
    }
COPY(__tsan_memcpy, memcpy)
COPY(__tsan_memmove, memmove)
COPY(__wrap_memcpy, memcpy)
COPY(__wrap_memmove, memmove)
COPY(__wrap_mempcpy, mempcpy)

#define SET(name)                                                                                            \
    EXPORT void *name(void *to, int value, size_t size);                                                     \
    EXPORT void *name(void *to, int value, size_t size)                                                      \
    {                                                                                                        \
        record_writes(to, size, HERE);                                                                       \
        return memset(to, value, size);                                                                      \
    }
SET(__tsan_memset)
SET(__wrap_memset)

/* The variants of _FORTIFY_SOURCE, which also have the size of the object. */
#define COPY_CHECKED(name, how)                                                                              \
    void *how(void *to, const void *from, size_t size, size_t object);                                       \
    EXPORT void *name(void *to, const void *from, size_t size, size_t object);                               \
    EXPORT void *name(void *to, const void *from, size_t size, size_t object)                                \
    {                                                                                                        \
        record_reads(from, size, HERE);                                                                      \
        record_writes(to, size, HERE);                                                                       \
        return how(to, from, size, object);                                                                  \
    }
COPY_CHECKED(__wrap___memcpy_chk, __memcpy_chk)
COPY_CHECKED(__wrap___memmove_chk, __memmove_chk)
void *__memset_chk(void *to, int value, size_t size, size_t object);
EXPORT void *__wrap___memset_chk(void *to, int value, size_t size, size_t object);
EXPORT void *__wrap___memset_chk(void *to, int value, size_t size, size_t object)
{
    record_writes(to, size, HERE);
    return __memset_chk(to, value, size, object);
}

EXPORT int __wrap_memcmp(const void *a, const void *b, size_t size);
EXPORT int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    record_reads(a, size, HERE);
    record_reads(b, size, HERE);
    return memcmp(a, b, size);
}

/* ---- files: the transferred bytes are recorded as accesses ------------------------------------------ */

EXPORT size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file);
EXPORT size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    size_t done = fread(to, size, count, file);
    record_writes(to, done * size, HERE);
    return done;
}

EXPORT size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file);
EXPORT size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    record_reads(from, size * count, HERE);
    return fwrite(from, size, count, file);
}

EXPORT ssize_t __wrap_read(int file, void *to, size_t size);
EXPORT ssize_t __wrap_read(int file, void *to, size_t size)
{
    ssize_t done = read(file, to, size);
    record_writes(to, done > 0 ? (size_t)done : 0, HERE);
    return done;
}

EXPORT ssize_t __wrap_write(int file, const void *from, size_t size);
EXPORT ssize_t __wrap_write(int file, const void *from, size_t size)
{
    record_reads(from, size, HERE);
    return write(file, from, size);
}
