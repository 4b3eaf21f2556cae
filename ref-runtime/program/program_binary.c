/* refcl's program binaries [CL 5.8.1, 5.8.9]: a header with version, checksum and kind, then the build
 * options, the program texts that source lines refer to, and SPIR-V, specialized. */
#include "ref-runtime/program/program.h"

#include "memmodel/base/hash.h"

#include <string.h>

#define BINARY_MAGIC   "REFCLBIN"
#define BINARY_VERSION 2u

enum { UNIFORM_GROUPS = 1 };

struct header {
    char magic[8];
    uint32_t version;
    uint32_t type;     /* cl_program_binary_type */
    uint64_t checksum; /* of everything else */
    uint32_t flags;
    uint32_t text_count, options_size, spirv_size;
};
/* The header is followed by the options; for each text two sizes, the name and the text; SPIR-V. */

static uint64_t binary_checksum(struct header header, const void *body, size_t size)
{
    header.checksum = 0;
    return mm_fnv1a(mm_fnv1a(MM_FNV1A, &header, sizeof header), body, size);
}

bool rt_binary_copy(const void *data, size_t size, struct rt_binary *to)
{
    *to = (struct rt_binary){.data = mm_alloc(size + 1), .size = size};
    if (to->data)
        memcpy(to->data, data, size);
    return to->data != NULL;
}

/* ---- writing ------------------------------------------------------------------------------------- */

struct writer {
    unsigned char *at; /* NULL: only count */
    size_t size;
};

static void binary_put(struct writer *w, const void *data, size_t size)
{
    if (w->at && size)
        memcpy(w->at + w->size, data, size);
    w->size += size;
}

static void write_body(struct writer *w, const struct rt_program_state *state, const struct rt_build *build)
{
    const char *options = build->options ? build->options : "";
    binary_put(w, options, strlen(options));
    for (size_t i = 0; i < state->text_count; i++) {
        uint32_t sizes[2] = {(uint32_t)strlen(state->texts[i].file), (uint32_t)strlen(state->texts[i].text)};
        binary_put(w, sizes, sizeof sizes);
        binary_put(w, state->texts[i].file, sizes[0]);
        binary_put(w, state->texts[i].text, sizes[1]);
    }
    binary_put(w, build->spirv.data, build->spirv.size);
}

size_t rt_binary_size(const struct rt_program *program, const struct rt_build *build)
{
    if (build->type == CL_PROGRAM_BINARY_TYPE_NONE)
        return 0;
    struct writer w = {0};
    write_body(&w, program->state, build);
    return sizeof(struct header) + w.size;
}

cl_int rt_binary_write(const struct rt_program *program, const struct rt_build *build, struct rt_binary *out)
{
    const struct rt_program_state *state = program->state;
    size_t size = rt_binary_size(program, build);
    *out = (struct rt_binary){.data = mm_alloc(size ? size : 1), .size = size};
    if (!out->data)
        return CL_OUT_OF_HOST_MEMORY;
    if (!size)
        return CL_SUCCESS;
    struct writer w = {.at = (unsigned char *)out->data + sizeof(struct header)};
    write_body(&w, state, build);
    struct header header = {
        .magic = BINARY_MAGIC,
        .version = BINARY_VERSION,
        .type = build->type,
        .flags = build->uniform_groups ? UNIFORM_GROUPS : 0,
        .text_count = (uint32_t)state->text_count,
        .options_size = (uint32_t)(build->options ? strlen(build->options) : 0),
        .spirv_size = (uint32_t)build->spirv.size,
    };
    header.checksum = binary_checksum(header, w.at, w.size);
    memcpy(out->data, &header, sizeof header);
    return CL_SUCCESS;
}

/* ---- reading ------------------------------------------------------------------------------------- */

struct reader {
    const unsigned char *at;
    size_t left;
    bool failed; /* no memory */
};

static const void *take_bytes(struct reader *r, size_t size)
{
    const void *data = r->at;
    if (!data || size > r->left) {
        r->at = NULL;
        r->left = 0;
        return NULL;
    }
    r->at += size;
    r->left -= size;
    return data;
}

static char *take_string(struct reader *r, size_t size)
{
    const char *data = take_bytes(r, size);
    char *text = data ? mm_alloc(size + 1) : NULL;
    if (text) {
        memcpy(text, data, size);
        text[size] = 0;
    } else if (data) {
        r->failed = true;
    }
    return text;
}

static void read_texts(struct reader *r, uint32_t count, struct rt_program *program)
{
    for (uint32_t i = 0; i < count && r->at; i++) {
        uint32_t sizes[2];
        const void *data = take_bytes(r, sizeof sizes);
        if (!data)
            return;
        memcpy(sizes, data, sizeof sizes);
        char *file = take_string(r, sizes[0]), *text = take_string(r, sizes[1]);
        if (file && text && !rt_program_add_text(program, file, text))
            r->failed = true;
        mm_free(file);
        mm_free(text);
    }
}

static void read_body(struct reader *r, const struct header *header, struct rt_program *program,
                      struct rt_build *build)
{
    build->options = take_string(r, header->options_size);
    read_texts(r, header->text_count, program);
    const void *spirv = take_bytes(r, header->spirv_size);
    r->failed |= spirv && !rt_binary_copy(spirv, header->spirv_size, &build->spirv);
}

static bool known_type(uint32_t type)
{
    return type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY ||
           type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

enum mm_class rt_binary_read(const void *data, size_t size, struct rt_program *program,
                             struct rt_build *build)
{
    struct header header;
    if (size < sizeof header)
        return MM_INVALID;
    memcpy(&header, data, sizeof header);
    struct reader r = {.at = (const unsigned char *)data + sizeof header, .left = size - sizeof header};
    if (memcmp(header.magic, BINARY_MAGIC, sizeof header.magic) || header.version != BINARY_VERSION ||
        !known_type(header.type) || header.checksum != binary_checksum(header, r.at, r.left))
        return MM_INVALID;
    read_body(&r, &header, program, build);
    if (r.failed || !r.at || r.left) {
        rt_build_clear(build);
        return r.failed ? MM_LIMIT : MM_INVALID;
    }
    build->type = header.type;
    build->uniform_groups = header.flags & UNIFORM_GROUPS;
    return MM_OK;
}
