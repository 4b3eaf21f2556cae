/* Unpacks a captured launch: its program and the contents of its memory become files of a temporary
 * folder. */
#include "tools/session/captured.h"
#include "interp/spirv.h"
#include "memmodel/trace/capture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 250 }; /* arguments, and memory objects */

static int no_memory(void)
{
    return tool_error(EXIT_TOOL, "out of memory");
}

static int add_word(struct captured_launch *l, const char *text)
{
    if (l->count + 2 > sizeof l->words / sizeof *l->words)
        return tool_error(EXIT_UNKNOWN, "the captured launch has more arguments than can be passed on");
    char *copy = mm_strdup(text);
    if (!copy)
        return no_memory();
    l->words[l->count++] = copy;
    return 0;
}

MM_PRINTF(3, 4)
static int add_option(struct captured_launch *l, const char *option, const char *format, ...)
{
    char text[PATH_MAX + 600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    int code = add_word(l, option);
    return code ? code : add_word(l, text);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static int add_image(struct captured_launch *l, const struct mm_capture_memory *m, const char *file)
{
    return add_option(l, "memory",
                      "image:%" PRIu64 ":%u:%u:%u:%u:%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64
                      ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%u:%s",
                      m->flags, m->parent, m->image_type, m->channel_order, m->channel_type, m->width,
                      m->height, m->depth, m->array_size, m->row_pitch, m->region[0], m->region[1],
                      m->region[2], m->row_bytes, m->slice_bytes, m->levels, file);
}

static int add_memory(struct captured_launch *l, const struct mm_capture_section *s)
{
    struct mm_capture_memory m;
    char file[PATH_MAX + 40];
    memcpy(&m, s->data, sizeof m);
    if (s->index >= MOST)
        return tool_error(EXIT_UNKNOWN, "the captured launch uses more than %d memory objects", MOST);
    snprintf(file, sizeof file, "%s/memory-%u", l->folder, s->index);
    int code = s->size > sizeof m
                   ? tool_write_file(file, (const char *)s->data + sizeof m, (size_t)(s->size - sizeof m))
                   : 0;
    if (code)
        return code;
    if (m.kind == MM_CAPTURE_IMAGE)
        return add_image(l, &m, s->size > sizeof m ? file : "");
    if (m.kind == MM_CAPTURE_SVM)
        return add_option(l, "memory", "svm:%" PRIu64 ":%" PRIu64 ":%" PRIu64 ":%s", m.flags, m.size,
                          m.address, file);
    return add_option(l, "memory", "buf:%" PRIu64 ":%" PRIu64 ":%s", m.flags, m.size, file);
}

/* ---- arguments -------------------------------------------------------------------------------- */

static int add_value(struct captured_launch *l, const unsigned char *value, uint64_t size)
{
    char *text = mm_alloc(2 * size + 8), *at = text;
    if (!text)
        return no_memory();
    at += sprintf(at, "@raw:");
    for (uint64_t i = 0; i < size; i++)
        at += sprintf(at, "%02x", value[i]);
    int code = add_word(l, "arg");
    code = code ? code : add_word(l, text);
    mm_free(text);
    return code;
}

static int add_argument(struct captured_launch *l, const struct mm_capture_section *s)
{
    struct mm_capture_argument a;
    memcpy(&a, s->data, sizeof a);
    if (s->index >= MOST)
        return tool_error(EXIT_UNKNOWN, "the captured kernel has more than %d arguments", MOST);
    switch (a.kind) {
    case MM_CAPTURE_VALUE:
        return add_value(l, (const unsigned char *)s->data + sizeof a, a.size);
    case MM_CAPTURE_BUFFER:
        return add_option(l, "arg", "@buf:%u:%" PRIu64 ":%" PRIu64 ":%" PRIu64, a.memory, a.offset, a.size,
                          a.flags);
    case MM_CAPTURE_SVM:
        return add_option(l, "arg", "@svm:%u:%" PRIu64, a.memory, a.offset);
    case MM_CAPTURE_LOCAL:
        return add_option(l, "arg", "local:%" PRIu64, a.size);
    case MM_CAPTURE_SAMPLER:
        return add_option(l, "arg", "@sampler:%u:%u:%u:%u:%" PRIu64 ":%" PRIu64, a.normalized, a.addressing,
                          a.filter, a.mip_filter, a.offset, a.size);
    case MM_CAPTURE_IMAGE:
        return add_option(l, "arg", "@image:%u", a.memory);
    case MM_CAPTURE_QUEUE:
        return add_option(l, "arg", "@queue");
    case MM_CAPTURE_PIPE:
        return tool_error(EXIT_UNKNOWN,
                          "argument %u of the captured launch is a pipe: its packets are not captured",
                          s->index);
    default:
        return add_option(l, "arg", "null");
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int add_sizes(struct captured_launch *l, const char *option, const uint64_t *n, uint32_t dimensions)
{
    return dimensions == 1   ? add_option(l, option, "%" PRIu64, n[0])
           : dimensions == 2 ? add_option(l, option, "%" PRIu64 ",%" PRIu64, n[0], n[1])
                             : add_option(l, option, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, n[0], n[1], n[2]);
}

/* The section's bytes with a zero appended; NULL if there is no section, or no memory. */
static char *take_text(const struct mm_capture *c, uint32_t tag)
{
    const struct mm_capture_section *s = mm_capture_find(c, tag, 0);
    char *text = s ? mm_alloc(s->size + 1) : NULL;
    if (text) {
        memcpy(text, s->data, s->size);
        text[s->size] = 0;
    }
    return text;
}

static int add_range(struct captured_launch *l, const struct mm_capture *c)
{
    struct mm_capture_range r;
    char text[16];
    char *name = take_text(c, MM_CAPTURE_KERNEL);
    if (!name)
        return no_memory();
    memcpy(&r, mm_capture_find(c, MM_CAPTURE_RANGE, 0)->data, sizeof r);
    snprintf(text, sizeof text, "%u", r.sub_group_size);
    if (r.sub_group_size)
        setenv("REFCL_SUB_GROUP_SIZE", text, 0);
    int code = add_option(l, "captured", "yes");
    code = code ? code : add_option(l, "kernel", "%s", name);
    mm_free(name);
    code = code ? code : add_sizes(l, "global", r.global_size, r.dimensions);
    if (r.local_size[0])
        code = code ? code : add_sizes(l, "local", r.local_size, r.dimensions);
    return code ? code : add_sizes(l, "offset", r.global_offset, r.dimensions);
}

/* Adds the sections of one kind in the order of their indices, which is their order in the file. */
static int add_sections(struct captured_launch *l, const struct mm_capture *c, uint32_t tag,
                        int (*one)(struct captured_launch *, const struct mm_capture_section *))
{
    int code = 0;
    for (size_t i = 0; i < c->count && !code; i++)
        if (c->sections[i].tag == tag)
            code = one(l, &c->sections[i]);
    return code;
}

static int take_source(struct captured_launch *l, const struct mm_capture *c)
{
    l->source = take_text(c, MM_CAPTURE_SOURCE);
    l->file = take_text(c, MM_CAPTURE_FILE);
    l->options = take_text(c, MM_CAPTURE_OPTIONS);
    bool all = l->source && l->file && l->options;
    return all || !mm_capture_find(c, MM_CAPTURE_SOURCE, 0) ? 0 : no_memory();
}

/* Writes the program's file: a binary, SPIR-V, or the source, to be built with the captured options. */
static int add_program(struct captured_launch *l, const struct mm_capture *c, char *path, size_t size)
{
    const struct mm_capture_section *program = mm_capture_find(c, MM_CAPTURE_PROGRAM, 0);
    bool il = program && in_spirv_is(program->data, (size_t)program->size);
    snprintf(path, size, "%s/program.%s", l->folder, il ? "spv" : program ? "bin" : "cl");
    if (program)
        return tool_write_file(path, program->data, (size_t)program->size);
    int code = tool_write_file(path, l->source, strlen(l->source));
    return code ? code : add_option(l, "build-options", "%s", l->options);
}

static int unpack_capture(struct captured_launch *l, const struct mm_capture *c)
{
    char path[PATH_MAX + 40];
    int code = tool_make_folder(l->folder, sizeof l->folder);
    code = code ? code : take_source(l, c);
    code = code ? code : add_program(l, c, path, sizeof path);
    code = code ? code : add_range(l, c);
    code = code ? code : add_sections(l, c, MM_CAPTURE_MEMORY, add_memory);
    code = code ? code : add_sections(l, c, MM_CAPTURE_ARGUMENT, add_argument);
    return code ? code : add_word(l, path);
}

int captured_open(struct captured_launch *launch, const char *path)
{
    struct mm_capture capture;
    struct mm_error err = {0};
    *launch = (struct captured_launch){0};
    if (mm_capture_read(path, &capture, &err) != MM_OK)
        return tool_report(&err);
    int code = unpack_capture(launch, &capture);
    mm_capture_clear(&capture);
    if (code)
        captured_close(launch);
    return code;
}

int captured_program(const struct captured_launch *launch, char *path)
{
    const char *program = launch->words[launch->count - 1];
    snprintf(path, PATH_MAX + 40, "%s", tool_has_suffix(program, ".bin") ? "" : program);
    if (*path || !launch->source)
        return 0;
    snprintf(path, PATH_MAX + 40, "%s/source.cl", launch->folder);
    return tool_write_file(path, launch->source, strlen(launch->source));
}

const char *captured_kernel(const struct captured_launch *launch)
{
    for (size_t i = 0; i + 1 < launch->count; i += 2)
        if (strcmp(launch->words[i], "kernel") == 0)
            return launch->words[i + 1];
    return NULL;
}

bool captured_is_of(const char *path, const char *name)
{
    struct mm_capture capture;
    if (mm_capture_read(path, &capture, NULL) != MM_OK)
        return false;
    const struct mm_capture_section *s = mm_capture_find(&capture, MM_CAPTURE_KERNEL, 0);
    bool same = s->size == strlen(name) && memcmp(s->data, name, s->size) == 0;
    mm_capture_clear(&capture);
    return same;
}

void captured_close(struct captured_launch *launch)
{
    if (*launch->folder)
        tool_remove_folder(launch->folder);
    for (size_t i = 0; i < launch->count; i++)
        mm_free(launch->words[i]);
    mm_free(launch->source);
    mm_free(launch->file);
    mm_free(launch->options);
    *launch = (struct captured_launch){0};
}
