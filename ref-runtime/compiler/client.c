/* Compile and link requests (compiler.h): encoded, sent to the helper process, and cached. */
#include "ref-runtime/compiler/compiler.h"

#include "memmodel/base/array.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interp/cache.h"
#include "memmodel/base/identity.h"
#include "memmodel/base/privilege.h"
#include "ref-runtime/compiler/client_options.h"
#include "ref-runtime/compiler/client_process.h"
#include "ref-runtime/compiler/wire.h"
#include "ref-runtime/setting.h"

#define DEFAULT_TIMEOUT 120 /* seconds of processor time for one job; REFCL_COMPILE_TIMEOUT */

/* ---- sending ----------------------------------------------------------------------------------- */

/* Blobs of a request; the data stays with the caller. */
struct request {
    struct blob {
        uint32_t tag;
        const void *data;
        size_t size;
    } * blobs;
    size_t count;
    uint32_t operation, timeout;
    char directory[PATH_MAX];
    bool failed;
};

static void request_put(struct request *r, uint32_t tag, const void *data, size_t size)
{
    struct blob *added = mm_add(&r->blobs, &r->count);
    if (added)
        *added = (struct blob){tag, data, size};
    else
        r->failed = true;
}

static void request_put_string(struct request *r, uint32_t tag, const char *text)
{
    if (text)
        request_put(r, tag, text, strlen(text));
}

static void begin_request(struct request *r, enum rt_wire_operation operation)
{
    *r = (struct request){.operation = operation};
    r->timeout = (uint32_t)rt_setting_number(RT_SET_COMPILE_TIMEOUT, 0, DEFAULT_TIMEOUT);
    request_put(r, RT_TAG_OPERATION, &r->operation, sizeof r->operation);
    request_put(r, RT_TAG_TIMEOUT, &r->timeout, sizeof r->timeout);
    request_put_string(r, RT_TAG_FAULT, rt_setting_text(RT_SET_COMPILER_FAULT, NULL));
    if (getcwd(r->directory, sizeof r->directory))
        request_put_string(r, RT_TAG_DIRECTORY, r->directory);
}

static bool transmit_request(const struct request *r, int stream)
{
    struct rt_wire_head head = {.magic = RT_WIRE_MAGIC, .blobs = (uint32_t)r->count};
    if (!rt_wire_send(stream, &head, sizeof head))
        return false;
    for (size_t i = 0; i < r->count; i++)
        if (!rt_wire_send_blob(stream, r->blobs[i].tag, r->blobs[i].data, r->blobs[i].size))
            return false;
    return true;
}

/* ---- receiving --------------------------------------------------------------------------------- */

struct response {
    uint32_t cls;
    char *log, *binary, *dependencies;
    size_t log_size, binary_size, dependencies_size;
    bool no_memory; /* out of memory while receiving the response */
};

static bool receive_response(int stream, struct response *response)
{
    struct rt_wire_head head;
    if (!rt_wire_receive(stream, &head, sizeof head) || head.magic != RT_WIRE_MAGIC)
        return false;
    for (uint32_t i = 0; i < head.blobs; i++) {
        struct rt_wire_blob blob;
        if (!rt_wire_receive(stream, &blob, sizeof blob) || blob.size > RT_WIRE_MAX)
            return false;
        char *data = mm_alloc((size_t)blob.size + 1);
        response->no_memory = !data;
        if (!data || !rt_wire_receive(stream, data, blob.size)) {
            mm_free(data);
            return false;
        }
        data[blob.size] = 0;
        if (blob.tag == RT_TAG_LOG) {
            response->log = data;
            response->log_size = blob.size;
        } else if (blob.tag == RT_TAG_BINARY) {
            response->binary = data;
            response->binary_size = blob.size;
        } else if (blob.tag == RT_TAG_DEPENDENCIES && !response->dependencies) {
            response->dependencies = data;
            response->dependencies_size = blob.size;
        } else {
            if (blob.tag == RT_TAG_CLASS && blob.size == sizeof response->cls)
                memcpy(&response->cls, data, sizeof response->cls);
            if (blob.tag == RT_TAG_UNCONFINED && rt_setting_has(RT_SET_DEBUG, "compiler"))
                fprintf(stderr, "refcl: the compiler is not confined: %s\n", data);
            mm_free(data);
        }
    }
    return response->log && response->binary;
}

static bool is_readable(int stream, uint32_t seconds)
{
    struct pollfd wait = {.fd = stream, .events = POLLIN};
    int n;
    do
        n = poll(&wait, 1, seconds > 100000 ? -1 : (int)(seconds * RT_WIRE_PATIENCE + 5) * 1000);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* The log of a child that died: the end of its standard error. */
static char *crash_log(int errors)
{
    static const char start[] = "error: the compiler failed on this program; what it said last:\n";
    char *log = mm_alloc(sizeof start + 8192);
    if (!log)
        return NULL;
    memcpy(log, start, sizeof start);
    off_t end = lseek(errors, 0, SEEK_END);
    ssize_t n = pread(errors, log + sizeof start - 1, 8190, end > 8190 ? end - 8190 : 0);
    if (n <= 0)
        n = (ssize_t)strlen(strcpy(log + sizeof start - 1, "(nothing)\n"));
    log[sizeof start - 1 + (size_t)n] = 0;
    return log;
}

/* ---- jobs -------------------------------------------------------------------------------------- */

/* The first line of LOG that is an error, else its first line. */
static const char *first_error(const char *log)
{
    const char *at = strstr(log, ": error: ");
    while (at && at > log && at[-1] != '\n')
        at--;
    return at ? at : log;
}

static enum mm_class finish_response(struct response *response, struct rt_binary *binary, char **log,
                                     struct mm_error *err)
{
    *log = response->log;
    if (response->cls != MM_OK) {
        mm_free(response->binary);
        const char *line = first_error(response->log);
        return mm_fail(err, (enum mm_class)response->cls, "compiler", "the program does not compile: %.*s",
                       (int)strcspn(line, "\n"), line);
    }
    binary->data = response->binary;
    binary->size = response->binary_size;
    return MM_OK;
}

/* Sends the request and receives the response.  *DEPENDENCIES (freed with mm_free): the files that the result
 * depends on; without data the result must not be cached. */
static enum mm_class request_run(struct request *r, struct rt_binary *binary, char **log,
                                 struct rt_binary *dependencies, struct mm_error *err)
{
    struct rt_connection connection;
    *dependencies = (struct rt_binary){0};
    *binary = (struct rt_binary){0};
    *log = NULL;
    if (r->failed)
        return mm_fail(err, MM_LIMIT, "memory", "no memory for a compiler job");
    enum mm_class cls = rt_process_connect(&connection, err);
    if (cls)
        return cls;
    struct response response = {.cls = MM_BUG};
    transmit_request(r, connection.stream.fd); /* a child that dies while reading is detected below */
    if (is_readable(connection.stream.fd, r->timeout) && receive_response(connection.stream.fd, &response)) {
        cls = finish_response(&response, binary, log, err);
    } else {
        mm_free(response.log);
        mm_free(response.binary);
        *log = response.no_memory ? NULL : crash_log(connection.errors.fd);
        cls =
            *log ? mm_fail(err, MM_INVALID, "compiler", "the compiler failed: %.300s", strchr(*log, '\n') + 1)
                 : mm_fail(err, MM_LIMIT, "memory", "no memory for the build log");
    }
    *dependencies = (struct rt_binary){response.dependencies, response.dependencies_size};
    rt_process_disconnect(&connection);
    return cls;
}

/* ---- the cache ---------------------------------------------------------------------------------- */

/* False for a job with an injected fault. */
static bool is_cacheable(const struct request *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->blobs[i].tag == RT_TAG_FAULT)
            return false;
    return !r->failed;
}

/* Identifies how the helper is started: version, environment and path.  The files that it consists of and
 * reads are among the dependencies of its results. */
static bool identify_helper(char *text, size_t size)
{
    static const char *const variables[] = {"REFCL_CLANG_RESOURCE_DIR", "LD_LIBRARY_PATH", "LD_PRELOAD"};
    int n = snprintf(text, size, "2 " REFCL_VERSION);
    size_t used = n > 0 ? (size_t)n : size;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && used < size; i++) {
        const char *value = mm_getenv(variables[i]);
        n = snprintf(text + used, size - used, " %s", value ? value : "");
        used += n > 0 ? (size_t)n : size;
    }
    return used + 1 < size && rt_process_path(text + used, size - used);
}

/* The parts of the key: the helper, tags and data of the request but for the time it may take. */
static struct in_cache_part *cache_key(const struct request *r, char *identity, size_t identity_size,
                                       size_t *parts)
{
    if (!is_cacheable(r) || !identify_helper(identity, identity_size))
        return NULL;
    struct in_cache_part *key = mm_alloc((2 * r->count + 1) * sizeof *key);
    if (!key)
        return NULL;
    key[0] = (struct in_cache_part){identity, strlen(identity)};
    *parts = 1;
    for (size_t i = 0; i < r->count; i++)
        if (r->blobs[i].tag != RT_TAG_TIMEOUT) {
            key[(*parts)++] = (struct in_cache_part){&r->blobs[i].tag, sizeof r->blobs[i].tag};
            key[(*parts)++] = (struct in_cache_part){r->blobs[i].data, r->blobs[i].size};
        }
    return key;
}

/* Whether each of DEPENDENCIES (wire.h) is unchanged; false if there are none. */
static bool are_unchanged(const char *dependencies, size_t size)
{
    for (const char *at = dependencies, *end = at + size; at < end;) {
        char now[MM_IDENTITY] = "";
        const char *path = at + 1, *path_end = memchr(at, 0, (size_t)(end - at));
        const char *then = path_end ? path_end + 1 : end, *then_end = memchr(then, 0, (size_t)(end - then));
        if (!path_end || path > path_end || !then_end)
            return false;
        (*at == RT_DEPENDS_ON_BINARY ? mm_identity_of_binary : mm_identity_of_file)(path, now);
        if (strcmp(now, then) != 0)
            return false;
        at = then_end + 1;
    }
    return size > 0;
}

/* Reads a size and a text of that size at *AT, and moves *AT past it. */
static const char *take_text(const char **at, const char *end, uint64_t *size)
{
    if ((size_t)(end - *at) < sizeof *size)
        return NULL;
    memcpy(size, *at, sizeof *size);
    *at += sizeof *size;
    if (*size > (size_t)(end - *at))
        return NULL;
    const char *text = *at;
    *at += *size;
    return text;
}

/* An entry is the dependencies and the log with its end, each after its size, and the binary. */
static bool load_cached(const struct in_cache_part *key, size_t parts, struct rt_binary *binary, char **log)
{
    void *data;
    size_t size;
    if (!in_cache_get(key, parts, &data, &size))
        return false;
    uint64_t log_size = 0, dependencies_size = 0;
    const char *at = data, *end = at + size;
    const char *dependencies = take_text(&at, end, &dependencies_size);
    const char *text = dependencies ? take_text(&at, end, &log_size) : NULL;
    bool good = text && log_size > 0 && are_unchanged(dependencies, dependencies_size);
    if (good) {
        *log = mm_alloc(log_size);
        binary->size = (size_t)(end - at);
        binary->data = mm_alloc(binary->size + 1);
        good = *log && binary->data;
        if (good) {
            memcpy(*log, text, log_size);
            (*log)[log_size - 1] = 0;
            memcpy(binary->data, at, binary->size);
        } else {
            mm_free(*log);
            mm_free(binary->data);
            *log = NULL;
            *binary = (struct rt_binary){0};
        }
    }
    mm_free(data);
    return good;
}

static char *put_text(char *at, const void *text, uint64_t size)
{
    memcpy(at, &size, sizeof size);
    memcpy(at + sizeof size, text, size);
    return at + sizeof size + size;
}

static void store_cached(const struct in_cache_part *key, size_t parts, const struct rt_binary *binary,
                         const char *log, const struct rt_binary *dependencies)
{
    size_t log_size = strlen(log) + 1,
           size = 2 * sizeof(uint64_t) + dependencies->size + log_size + binary->size;
    char *data = dependencies->size > 0 ? mm_alloc(size) : NULL;
    if (!data)
        return;
    char *at = put_text(put_text(data, dependencies->data, dependencies->size), log, log_size);
    memcpy(at, binary->data, binary->size);
    in_cache_put(key, parts, data, size);
    mm_free(data);
}

/* The result of R from the cache, or of the helper, which is then cached. */
static enum mm_class run_cached(struct request *r, struct rt_binary *binary, char **log, struct mm_error *err)
{
    char identity[3 * PATH_MAX];
    struct rt_binary dependencies;
    size_t parts = 0;
    struct in_cache_part *key = cache_key(r, identity, sizeof identity, &parts);
    if (key && load_cached(key, parts, binary, log)) {
        mm_free(key);
        return MM_OK;
    }
    enum mm_class cls = request_run(r, binary, log, &dependencies, err);
    if (cls == MM_OK && key)
        store_cached(key, parts, binary, *log, &dependencies);
    mm_free(dependencies.data);
    mm_free(key);
    return cls;
}

static char *options_log(const struct mm_error *err)
{
    char text[700] = "error: invalid build options: ";
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s\n", err->message);
    return mm_strdup(text);
}

/* The version of OpenCL C; 0 for older ones and C++ for OpenCL. */
static unsigned language_of(const char *standard)
{
    return strcmp(standard, "CL3.1") == 0 ? 310 : strcmp(standard, "CL3.0") == 0 ? 300 : 0;
}

/* Version macros: the device's, whatever -cl-std says [CLC 6.12].  OpenCL C 3.1 has the functions that 3.0
 * has as extensions; the compiler knows it as 3.0. */
static void put_versions(struct request *r, const char *macro, unsigned version, bool is_3_1)
{
    request_put_string(r, RT_TAG_ARGUMENT, macro);
    if (version >= 310)
        request_put_string(r, RT_TAG_ARGUMENT, "-DCL_VERSION_3_1=310");
    if (is_3_1) {
        request_put_string(r, RT_TAG_ARGUMENT, "-U__OPENCL_C_VERSION__");
        request_put_string(r, RT_TAG_ARGUMENT, "-D__OPENCL_C_VERSION__=310");
    }
}

enum mm_class rt_compile(const struct rt_compile_request *request, struct rt_binary *binary, char **log,
                         struct mm_error *err)
{
    struct rt_options options;
    struct mm_error local = {0};
    *binary = (struct rt_binary){0};
    *log = NULL;
    if (!err)
        err = &local;
    enum rt_options_stage stage = request->library ? RT_OPTIONS_COMPILE : RT_OPTIONS_BUILD;
    enum mm_class cls = rt_options_parse(request->options, stage, &options, err);
    unsigned version = request->version ? request->version : 310;
    bool is_3_1 = strcmp(options.standard, "CL3.1") == 0;
    char macro[40];
    snprintf(macro, sizeof macro, "-D__OPENCL_VERSION__=%u", version);
    if (cls == MM_OK && language_of(options.standard) > version)
        cls = mm_fail(err, MM_INVALID, "options",
                      "'-cl-std=%s' names a version that the device does not have", options.standard);
    if (cls == MM_OK && options.spir)
        cls = mm_fail(err, MM_INVALID, "options", "'-x spir' is for program binaries, not for source");
    if (cls) {
        *log = options_log(err);
        rt_options_free(&options);
        return cls;
    }
    struct request r;
    begin_request(&r, RT_OPERATION_COMPILE);
    request_put(&r, RT_TAG_SOURCE, request->source, request->source_size);
    request_put_string(&r, RT_TAG_FILE, request->file);
    request_put_string(&r, RT_TAG_STANDARD, is_3_1 ? "CL3.0" : options.standard);
    put_versions(&r, macro, version, is_3_1);
    request_put_string(&r, RT_TAG_EXTENSIONS, request->extensions);
    request_put_string(&r, RT_TAG_FEATURES, request->features);
    if (request->library)
        request_put(&r, RT_TAG_LIBRARY, "", 0);
    for (size_t i = 0; i < options.argument_count; i++)
        request_put_string(&r, RT_TAG_ARGUMENT, options.arguments[i]);
    for (size_t i = 0; i < request->header_count; i++) {
        request_put_string(&r, RT_TAG_HEADER_NAME, request->headers[i].name);
        request_put(&r, RT_TAG_HEADER_TEXT, request->headers[i].text, request->headers[i].size);
    }
    cls = run_cached(&r, binary, log, err);
    mm_free(r.blobs);
    rt_options_free(&options);
    return cls;
}

enum mm_class rt_link(const struct rt_binary *modules, size_t count, bool library, struct rt_binary *binary,
                      char **log, struct mm_error *err)
{
    struct request r;
    struct rt_binary dependencies;
    begin_request(&r, RT_OPERATION_LINK);
    for (size_t i = 0; i < count; i++)
        request_put(&r, RT_TAG_MODULE, modules[i].data, modules[i].size);
    if (library)
        request_put(&r, RT_TAG_LIBRARY, "", 0);
    enum mm_class cls = request_run(&r, binary, log, &dependencies, err);
    mm_free(dependencies.data);
    mm_free(r.blobs);
    return cls;
}
