/* The error value that all of refcl shares. */

#include "memmodel/base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies what fits; a cut never leaves half a UTF-8 sequence. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);

    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Sets all but the position.  The arguments may be parts of ERR itself. */
static void set_error(struct mm_error *err, enum mm_class cls, const char *rule, const char *format,
                      va_list ap)
{
    char message[2 * sizeof err->message];

    if (vsnprintf(message, sizeof message, format, ap) < 0)
        message[0] = '\0';
    for (char *c = message; *c; c++)
        if (*c == '\n')
            *c = ' ';
    err->cls = cls;
    copy_text(err->rule, sizeof err->rule, rule ? rule : "");
    copy_text(err->message, sizeof err->message, message);
}

enum mm_class mm_fail(struct mm_error *err, enum mm_class cls, const char *rule, const char *format, ...)
{
    va_list ap;

    if (!err)
        return cls;
    va_start(ap, format);
    set_error(err, cls, rule, format, ap);
    va_end(ap);
    err->file[0] = '\0';
    err->line = err->column = 0;
    return cls;
}

enum mm_class mm_out_of_memory(struct mm_error *err)
{
    return mm_fail(err, MM_LIMIT, "memory", "out of memory");
}

enum mm_class mm_fail_at(struct mm_error *err, enum mm_class cls, const char *rule, const char *file,
                         unsigned line, unsigned column, const char *format, ...)
{
    va_list ap;

    if (!err)
        return cls;
    va_start(ap, format);
    set_error(err, cls, rule, format, ap);
    va_end(ap);
    copy_text(err->file, sizeof err->file, file ? file : "");
    err->line = line;
    err->column = column;
    return cls;
}

void mm_error_format(const struct mm_error *err, char *buf, size_t size)
{
    char text[sizeof err->file + sizeof err->message + sizeof err->rule + 64];
    size_t at = 0;

    if (size == 0)
        return;
    if (err->file[0])
        at += (size_t)snprintf(text + at, sizeof text - at, "%s:", err->file);
    if (err->line)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u:", err->line);
    if (err->line && err->column)
        at += (size_t)snprintf(text + at, sizeof text - at, "%u:", err->column);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", err->message);
    if (err->rule[0])
        snprintf(text + at, sizeof text - at, " [%s]", err->rule);
    copy_text(buf, size, text);
}
