/* JUnit files of conformance runs: a test case is a test without states; it is done, failed, crashed (an
 * error) or skipped. */
#include "tools/store/query.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, REASON = 256 };

/* Expat 2.9 deprecates the functions that return line numbers of possibly 32 bits. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define CURRENT_LINE   XML_GetCurrentLineNumber64
#define CURRENT_COLUMN XML_GetCurrentColumnNumber64
#else
#define CURRENT_LINE   XML_GetCurrentLineNumber
#define CURRENT_COLUMN XML_GetCurrentColumnNumber
#endif

struct junit {
    struct store *store;
    const struct store_file *file;
    XML_Parser parser;
    bool in_case, twice;
    size_t cases;
    char name[NAME], reason[REASON];
    const char *status;
    double time_ms;
};

static const char *find_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

void store_copy_text(char *to, size_t size, const char *text)
{
    size_t length = strnlen(text, size - 1);
    while (text[length] && length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    memcpy(to, text, length);
    to[length] = '\0';
}

static void start_case(struct junit *j, const char **attributes)
{
    char name[NAME];
    const char *class = find_attribute(attributes, "classname");
    snprintf(name, sizeof name, "%s%s%s", class, *class ? "." : "", find_attribute(attributes, "name"));
    store_copy_text(j->name, sizeof j->name, name);
    *j->reason = '\0';
    j->in_case = true;
    j->status = "done";
    j->time_ms = 1000 * strtod(find_attribute(attributes, "time"), NULL);
}

static void XMLCALL start_element(void *context, const char *name, const char **attributes)
{
    struct junit *j = context;
    const char *status = strcmp(name, "failure") == 0   ? "failed"
                         : strcmp(name, "error") == 0   ? "crashed"
                         : strcmp(name, "skipped") == 0 ? "skipped"
                                                        : NULL;
    if (strcmp(name, "testcase") == 0) {
        start_case(j, attributes);
    } else if (j->in_case && status) {
        j->status = status;
        store_copy_text(j->reason, sizeof j->reason, find_attribute(attributes, "message"));
    }
}

static void put_case(struct junit *j)
{
    struct store_test test = {
        .interface = "OpenCL", .name = j->name, .digest = "", .mapping = "", .file = "", .observed = "[]"};
    struct store_result r = {.test = store_test(j->store, &test),
                             .run = j->file->run,
                             .device = j->file->device,
                             .time_ms = j->time_ms >= 0 ? j->time_ms : 0,
                             .status = j->status,
                             .reason = j->reason,
                             .date = j->file->date,
                             .stationary = true,
                             .blob = (const unsigned char *)""};
    j->twice = store_number(j->store, "select count(*) from result where test = ? and run = ?", "ii", r.test,
                            j->file->run) > 0;
    if (j->twice)
        XML_StopParser(j->parser, XML_FALSE);
    else
        store_put_result(j->store, &r, NULL); /* without states it needs no memory: cannot fail */
    j->cases++;
}

static void XMLCALL end_element(void *context, const char *name)
{
    struct junit *j = context;
    if (strcmp(name, "testcase") != 0 || !j->in_case)
        return;
    j->in_case = false;
    if (*j->name)
        put_case(j);
}

/* Rejects files with a document type, which JUnit files do not need: entities can expand a small file without
 * bound. */
static void XMLCALL start_doctype(void *context, const char *name, const char *system, const char *public,
                                  int internal)
{
    struct junit *j = context;
    (void)name, (void)system, (void)public, (void)internal;
    XML_StopParser(j->parser, XML_FALSE);
}

static enum mm_class parse_error(const struct junit *j, struct mm_error *err)
{
    enum XML_Error code = XML_GetErrorCode(j->parser);
    char message[NAME + 64];
    if (j->twice)
        snprintf(message, sizeof message, "test '%s' is there twice", j->name);
    else
        snprintf(message, sizeof message, "%s",
                 code == XML_ERROR_ABORTED ? "a document type is not allowed" : XML_ErrorString(code));
    return mm_fail_at(err, MM_INVALID, "store.junit", j->file->path, (unsigned)CURRENT_LINE(j->parser),
                      (unsigned)CURRENT_COLUMN(j->parser) + 1, "%s", message);
}

enum mm_class store_add_junit(struct store *store, const struct store_file *file, struct mm_error *err)
{
    struct junit j = {.store = store, .file = file};
    j.parser = XML_ParserCreate(NULL);
    if (!j.parser)
        return mm_fail(err, MM_LIMIT, "store.memory", "out of memory");
    XML_SetUserData(j.parser, &j);
    XML_SetElementHandler(j.parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(j.parser, start_doctype);
    enum mm_class cls = MM_OK;
    if (file->size > INT32_MAX || XML_Parse(j.parser, file->text, (int)file->size, 1) != XML_STATUS_OK)
        cls = parse_error(&j, err);
    else if (!j.cases)
        cls = mm_fail_at(err, MM_INVALID, "store.junit", file->path, 0, 0, "no test case in it");
    XML_ParserFree(j.parser);
    return cls;
}
