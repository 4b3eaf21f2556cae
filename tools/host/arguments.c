/* Arguments of the launch, as specifications describe them. */
#include "memmodel/base/escape.h"
#include "ref-runtime/argument_layout.h"
#include "tools/host/kernel_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- declarations of the kernel's arguments ---------------------------------------------------------- */

/* Queries the runtime, which knows the arguments from the module, also of kernels without source. */
static void argument_query(struct host *host, cl_uint index, cl_kernel_arg_info what, void *value,
                           size_t size)
{
    what = REFCL_KERNEL_ARG + (what - CL_KERNEL_ARG_ADDRESS_QUALIFIER);
    clGetKernelArgInfo(host->kernel, index, what, size, value, NULL);
}

static void argument_text(struct host *host, cl_uint index, cl_kernel_arg_info what, char *text, size_t size)
{
    *text = 0;
    argument_query(host, index, what, text, size);
}

struct spec_type host_argument_type(struct host *host, cl_uint index)
{
    char name[128];
    struct spec_type type = {SPEC_BYTE, 1, 1};
    struct refcl_argument_layout layout;
    argument_text(host, index, CL_KERNEL_ARG_TYPE_NAME, name, sizeof name);
    if (!spec_type_read(name, &type) && clGetKernelArgInfo(host->kernel, index, REFCL_KERNEL_ARG_LAYOUT,
                                                           sizeof layout, &layout, NULL) == CL_SUCCESS)
        return spec_element_type(name, layout.number_size, layout.number_count, layout.is_real,
                                 layout.element_size);
    return type;
}

static cl_kernel_arg_address_qualifier address_of(struct host *host, cl_uint index)
{
    cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    argument_query(host, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &address, sizeof address);
    return address;
}

static bool is_image(const char *type)
{
    return strncmp(type, "image", 5) == 0;
}

static bool is_pipe(struct host *host, cl_uint index)
{
    cl_kernel_arg_type_qualifier qualifier = 0;
    argument_query(host, index, CL_KERNEL_ARG_TYPE_QUALIFIER, &qualifier, sizeof qualifier);
    return qualifier & CL_KERNEL_ARG_TYPE_PIPE;
}

/* "argument 2 'out' (global float *)" */
static void describe_argument(struct host *host, cl_uint index, char *text, size_t size)
{
    char name[128], type[128];
    argument_text(host, index, CL_KERNEL_ARG_NAME, name, sizeof name);
    argument_text(host, index, CL_KERNEL_ARG_TYPE_NAME, type, sizeof type);
    cl_kernel_arg_address_qualifier address = address_of(host, index);
    size_t n = strcspn(type, "*");
    const char *space = is_pipe(host, index)                        ? "pipe "
                        : is_image(type)                            ? ""
                        : address == CL_KERNEL_ARG_ADDRESS_GLOBAL   ? "global "
                        : address == CL_KERNEL_ARG_ADDRESS_LOCAL    ? "local "
                        : address == CL_KERNEL_ARG_ADDRESS_CONSTANT ? "constant "
                                                                    : "";
    snprintf(text, size, "argument %u%s%s%s (%s%.*s%s%s)", index, *name ? " '" : "", name, *name ? "'" : "",
             space, (int)n, type, type[n] ? " " : "", type + n);
}

/* Writes a specification that is valid for the argument, for messages. */
static void suggest_argument(struct host *host, cl_uint index, char *text, size_t size)
{
    char type[128];
    size_t items = 1;
    for (cl_uint i = 0; i < host->dimensions; i++)
        items *= host->global[i];
    argument_text(host, index, CL_KERNEL_ARG_TYPE_NAME, type, sizeof type);
    cl_kernel_arg_address_qualifier address = address_of(host, index);
    if (is_pipe(host, index))
        snprintf(text, size, "pipe:64");
    else if (is_image(type))
        snprintf(text, size, "image:%.*s:%s", (int)strcspn(type + 5, "_") + (strstr(type, "array") ? 6 : 0),
                 type + 5,
                 strncmp(type, "image1d_array", 13) == 0   ? "64x8"
                 : strncmp(type, "image1d", 7) == 0        ? "64"
                 : strncmp(type, "image2d_array", 13) == 0 ? "32x32x4"
                 : strncmp(type, "image3d", 7) == 0        ? "16x16x16"
                                                           : "64x64");
    else if (strncmp(type, "queue", 5) == 0)
        snprintf(text, size, "@queue");
    else if (strncmp(type, "sampler", 7) == 0)
        snprintf(text, size, "sampler");
    else if (address == CL_KERNEL_ARG_ADDRESS_LOCAL)
        snprintf(text, size, "local:%zu", (size_t)64 * host_argument_type(host, index).bytes);
    else if (address == CL_KERNEL_ARG_ADDRESS_GLOBAL || address == CL_KERNEL_ARG_ADDRESS_CONSTANT)
        snprintf(text, size, "buf:%zu", items < 64 ? 64 : items);
    else
        snprintf(text, size, strncmp(type, "struct", 6) == 0 ? "'{1, 2}'" : "64");
}

/* True for arguments that no specification describes: images created from a buffer. */
static bool needs_host_program(struct host *host, cl_uint index)
{
    char type[128];
    argument_text(host, index, CL_KERNEL_ARG_TYPE_NAME, type, sizeof type);
    return strncmp(type, "image1d_buffer", 14) == 0;
}

_Noreturn static void fail_argument(struct host *host, cl_uint index, const char *why)
{
    char text[400], hint[100], all[700];
    describe_argument(host, index, text, sizeof text);
    if (needs_host_program(host, index)) {
        snprintf(
            all, sizeof all,
            "%s is an image of a buffer, which no --arg describes; run a program that makes it: refcl run -- PROGRAM",
            text);
        host_fail(all, NULL);
    }
    suggest_argument(host, index, hint, sizeof hint);
    snprintf(all, sizeof all, "%s %s; try --arg %s", text, why, hint);
    host_fail(all, NULL);
}

static void check_argument(struct host *host, cl_uint index, cl_int code)
{
    char text[100], why[140];
    if (code == CL_SUCCESS)
        return;
    snprintf(why, sizeof why, "cannot be this: clSetKernelArg: %s", spec_code_text(code, text, sizeof text));
    fail_argument(host, index, why);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Index of the argument that TEXT denotes by name or number; MAX_ARGS if there is none. */
static cl_uint argument_index(struct host *host, const char *text)
{
    char *end, name[128];
    unsigned long number = strtoul(text, &end, 10);
    for (cl_uint i = 0; i < host->argument_count && (*end || end == text); i++) {
        argument_text(host, i, CL_KERNEL_ARG_NAME, name, sizeof name);
        if (strcmp(name, text) == 0)
            return i;
    }
    return *end || end == text || number >= host->argument_count ? MAX_ARGS : (cl_uint)number;
}

_Noreturn static void fail_name(struct host *host, const char *name)
{
    char text[900], one[200];
    size_t n =
        (size_t)snprintf(text, sizeof text, "the kernel has no argument '%.64s'; its arguments are:", name);
    for (cl_uint i = 0; i < host->argument_count && n < sizeof text; i++) {
        argument_text(host, i, CL_KERNEL_ARG_NAME, one, sizeof one);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", i ? "," : "", one);
    }
    host_fail(text, NULL);
}

static bool is_plain(const char *text)
{
    while (*text >= ' ' && *text <= '~')
        text++;
    return !*text;
}

/* Reads the specification TEXT.  GIVEN[INDEX]: argument INDEX has a specification. */
static void read_one(struct host *host, const char *text, bool given[MAX_ARGS], cl_uint *next)
{
    char message[400], all[500];
    struct spec spec;
    if (!spec_read(text, &spec, message, sizeof message)) {
        mm_print(stderr, "refcl kernel: --arg '%.100s': %s\n", text, message);
        if (is_plain(text))
            fprintf(stderr, "    --arg %s\n%*s^\n", text, 10 + (int)spec.wrong_at, "");
        exit(2);
    }
    if (spec.fill == SPEC_ANY && (spec.is_ranged || spec.kind == SPEC_VALUE)) {
        snprintf(all, sizeof all, "--arg '%.100s': symbolic values are for refcl explore", text);
        host_fail(all, NULL);
    }
    cl_uint index = *spec.name ? argument_index(host, spec.name) : *next;
    if (*spec.name && index == MAX_ARGS)
        fail_name(host, spec.name);
    while (!*spec.name && index < host->argument_count && given[index])
        index++;
    if (index >= host->argument_count) {
        if (!*spec.name && host->is_captured)
            host_fail("in a captured launch --arg NAME=SPEC replaces the argument NAME; this one has no name",
                      text);
        snprintf(all, sizeof all, "the kernel takes %u arguments, %zu given", host->argument_count,
                 host->spec_count);
        host_fail(all, NULL);
    }
    if (!*spec.name)
        *next = index + 1;
    spec_clear(&host->arguments[index].spec);
    host->arguments[index].spec = spec;
    given[index] = true;
    if (!host->has_round)
        host->rounds |= spec_inputs(&spec);
}

void host_read_arguments(struct host *host)
{
    static bool given[MAX_ARGS];
    cl_uint next = 0;
    if (host->argument_count > MAX_ARGS)
        host_fail("the kernel has too many arguments", NULL);
    for (int named = !host->is_captured; named >= 0 && named <= 1; named += host->is_captured ? 1 : -1)
        for (size_t i = 0; i < host->spec_count; i++)
            if ((spec_name_length(host->specs[i]) > 0) == named)
                read_one(host, host->specs[i], given, &next);
    for (cl_uint i = 0; i < host->argument_count; i++)
        if (!given[i])
            fail_argument(host, i, "is missing");
}

/* ---- setting ------------------------------------------------------------------------------------------- */

static size_t count_leaves(const struct spec_value *value)
{
    size_t count = value->form != SPEC_LIST;
    for (uint32_t i = 0; i < value->count; i++)
        count += count_leaves(&value->items[i]);
    return count;
}

static bool is_pointer(struct host *host, cl_uint index)
{
    cl_kernel_arg_address_qualifier address = address_of(host, index);
    return address == CL_KERNEL_ARG_ADDRESS_GLOBAL || address == CL_KERNEL_ARG_ADDRESS_CONSTANT;
}

/* Turns a list of values for a pointer into a buffer with these values. */
static void list_to_buffer(struct argument *argument)
{
    size_t bytes = count_leaves(&argument->spec.value) * argument->type.scalar.bytes;
    argument->spec.kind = SPEC_BUFFER;
    argument->spec.fill = SPEC_FILL;
    argument->spec.count = (bytes + argument->type.bytes - 1) / argument->type.bytes;
}

static unsigned char *fill_contents(struct host *host, const struct argument *argument)
{
    unsigned char *data = calloc(1, argument->bytes);
    char why[80];
    snprintf(why, sizeof why, "needs %zu bytes, for which there is no memory", argument->bytes);
    if (!data)
        fail_argument(host, (cl_uint)(argument - host->arguments), why);
    host_fill(data, argument->bytes, argument->type.scalar, &argument->spec, host->round);
    return data;
}

/* The element type named AS, or without AS the argument's.  `refcl kernel` passes structures as "@BYTES". */
static struct spec_type element_type(struct host *host, cl_uint index, const char *as)
{
    struct spec_type type = {SPEC_BYTE, 1, 1};
    char why[SPEC_NAME + 120];
    if (!*as)
        return host_argument_type(host, index);
    if (*as == '@')
        type.bytes = (unsigned)strtoul(as + 1, NULL, 10);
    else if (spec_type_read(as, &type) && !strchr(as, '*'))
        return type;
    snprintf(why, sizeof why,
             "cannot be memory of '%s': as=TYPE takes numbers, vectors and structures that the program uses",
             as);
    if (*as != '@' || type.bytes == 0)
        fail_argument(host, index, why);
    return type;
}

/* Structures get zeros, a file, or one value in all elements, as bytes: rejects all other contents. */
static void check_contents(struct host *host, cl_uint index)
{
    const struct argument *a = &host->arguments[index];
    bool is_structure = a->type.bytes != a->type.scalar.bytes * (a->type.width == 3 ? 4 : a->type.width);
    bool is_number = a->spec.fill == SPEC_FILL && a->spec.value.form != SPEC_LIST;
    if (is_structure && (is_number || (a->spec.fill != SPEC_ZERO && a->spec.fill != SPEC_FILL &&
                                       a->spec.fill != SPEC_FILE && a->spec.fill != SPEC_CHANGING)))
        fail_argument(
            host, index,
            "consists of structures: iota, rand, below and fill=NUMBER are for numbers and vectors");
}

/* Rejects numbers that the type cannot represent: the kernel would see other numbers. */
static void check_numbers(struct host *host, cl_uint index, const struct spec_value *value)
{
    const struct spec_scalar *scalar = &host->arguments[index].type.scalar;
    char number[40], why[120];
    if (spec_fits(value, scalar, number, sizeof number))
        return;
    snprintf(why, sizeof why, "cannot be %s, which is no integer of %u bits", number, 8 * scalar->bytes);
    fail_argument(host, index, why);
}

static void set_memory(struct host *host, cl_uint index)
{
    struct argument *argument = &host->arguments[index];
    cl_int code;
    check_contents(host, index);
    if (argument->spec.fill == SPEC_FILL)
        check_numbers(host, index, &argument->spec.value);
    argument->count =
        argument->spec.count ? argument->spec.count : host_file_count(&argument->spec, argument->type);
    if (argument->count > SIZE_MAX / argument->type.bytes)
        fail_argument(host, index, "is too large");
    argument->bytes = argument->count * argument->type.bytes;
    unsigned char *data = fill_contents(host, argument);
    if (argument->spec.kind == SPEC_SVM) {
        argument->svm = clSVMAlloc(
            host->context, host_access(&argument->spec) | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
            argument->bytes, 0);
        if (!argument->svm)
            fail_argument(host, index, "cannot be allocated by clSVMAlloc");
        memcpy(argument->svm, data, argument->bytes);
        check_argument(host, index, clSetKernelArgSVMPointer(host->kernel, index, argument->svm));
    } else {
        argument->buffer = clCreateBuffer(host->context, host_access(&argument->spec) | CL_MEM_COPY_HOST_PTR,
                                          argument->bytes, data, &code);
        if (code)
            check_argument(host, index, code);
        check_argument(host, index, clSetKernelArg(host->kernel, index, sizeof(cl_mem), &argument->buffer));
    }
    free(data);
}

static void set_value(struct host *host, cl_uint index)
{
    unsigned char value[128] = {0};
    const struct argument *argument = &host->arguments[index];
    const struct spec *spec = &argument->spec;
    const bool is_other = spec->has_other && host->round == SPEC_INPUT_OTHER,
               is_tail = spec->has_tail && host->round == SPEC_INPUT_TAIL;
    const struct spec_value further = {.form = SPEC_DECIMAL,
                                       .whole = (uint64_t)(is_tail ? spec->tail : spec->other)},
                            *given = is_other || is_tail ? &further : &spec->value;
    struct spec_type type = argument->type;
    size_t count = count_leaves(given);
    char why[80];
    if (type.bytes != type.scalar.bytes * (type.width == 3 ? 4 : type.width))
        fail_argument(host, index, "is a structure: its members are given in braces");
    snprintf(why, sizeof why, "takes %u value%s%s, %zu are given", type.width, type.width == 1 ? "" : "s",
             type.width == 1 ? "" : " or one for all", count);
    if (count != 1 && count != type.width)
        fail_argument(host, index, why);
    if (given->form == SPEC_LIST && type.width == 1)
        fail_argument(host, index, "is no vector or structure that is described");
    check_numbers(host, index, given);
    for (unsigned done = 0; done < type.width;) /* one value for every component */
        done +=
            (unsigned)host_put_value(value + done * type.scalar.bytes, type.scalar, type.width - done, given);
    check_argument(host, index, clSetKernelArg(host->kernel, index, type.bytes, value));
}

static void set_sampler(struct host *host, cl_uint index)
{
    static const struct {
        const char *name;
        cl_addressing_mode mode;
    } modes[] = {{"none", CL_ADDRESS_NONE},
                 {"clamp", CL_ADDRESS_CLAMP},
                 {"edge", CL_ADDRESS_CLAMP_TO_EDGE},
                 {"repeat", CL_ADDRESS_REPEAT},
                 {"mirror", CL_ADDRESS_MIRRORED_REPEAT}};
    struct argument *argument = &host->arguments[index];
    const struct spec *spec = &argument->spec;
    cl_addressing_mode mode = CL_ADDRESS_NONE;
    cl_int code;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(modes[i].name, spec->addressing) == 0)
            mode = modes[i].mode;
    cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          spec->normalized,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          mode,
                                          CL_SAMPLER_FILTER_MODE,
                                          spec->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                          0};
    argument->sampler = clCreateSamplerWithProperties(host->context, properties, &code);
    host_check(code, "clCreateSamplerWithProperties");
    check_argument(host, index,
                   clSetKernelArg(host->kernel, index, sizeof argument->sampler, &argument->sampler));
}

/* Sets an empty pipe with packets of the type in the source. */
static void set_pipe(struct host *host, cl_uint index)
{
    struct argument *argument = &host->arguments[index];
    cl_int code;
    if (!is_pipe(host, index))
        fail_argument(host, index, "is no pipe");
    argument->buffer =
        clCreatePipe(host->context, 0, argument->type.bytes, (cl_uint)argument->spec.count, NULL, &code);
    check_argument(host, index, code);
    check_argument(host, index, clSetKernelArg(host->kernel, index, sizeof(cl_mem), &argument->buffer));
}

static void set_argument(struct host *host, cl_uint index)
{
    struct argument *argument = &host->arguments[index];
    argument->type = element_type(host, index, argument->spec.as);
    if (argument->spec.kind == SPEC_VALUE && argument->spec.value.form == SPEC_LIST &&
        is_pointer(host, index))
        list_to_buffer(argument);
    switch (argument->spec.kind) {
    case SPEC_BUFFER:
    case SPEC_SVM:
        set_memory(host, index);
        break;
    case SPEC_LOCAL:
        check_argument(host, index, clSetKernelArg(host->kernel, index, argument->spec.count, NULL));
        break;
    case SPEC_IMAGE:
        host_make_image(host, argument);
        check_argument(host, index,
                       clSetKernelArg(host->kernel, index, sizeof argument->image, &argument->image));
        break;
    case SPEC_SAMPLER:
        set_sampler(host, index);
        break;
    case SPEC_PIPE:
        set_pipe(host, index);
        break;
    case SPEC_CAPTURED:
        host_captured_argument(host, index, argument->spec.rest);
        break;
    case SPEC_NULL:
        check_argument(host, index, clSetKernelArg(host->kernel, index, sizeof(cl_mem), NULL));
        break;
    case SPEC_VALUE:
        set_value(host, index);
        break;
    }
}

void host_set_arguments(struct host *host)
{
    for (cl_uint i = 0; i < host->argument_count; i++)
        set_argument(host, i);
}

void host_change_arguments(struct host *host)
{
    for (cl_uint i = 0; i < host->argument_count; i++) {
        struct argument *argument = &host->arguments[i];
        if (argument->image && argument->spec.fill == SPEC_CHANGING)
            host_fill_image(host, argument);
        if (argument->spec.has_other || argument->spec.has_tail)
            set_value(host, i);
        if (!argument->buffer || argument->spec.kind != SPEC_BUFFER)
            continue;
        unsigned char *data = fill_contents(host, argument);
        host_check(clEnqueueWriteBuffer(host->queue, argument->buffer, CL_TRUE, 0, argument->bytes, data, 0,
                                        NULL, NULL),
                   "clEnqueueWriteBuffer");
        free(data);
    }
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* The contents of the argument's memory, allocated by malloc. */
static unsigned char *read_back(struct host *host, const struct argument *argument)
{
    const void *svm = argument->svm ? argument->svm : argument->shared_svm;
    unsigned char *data = malloc(argument->bytes);
    if (!data)
        host_fail("out of memory", NULL);
    if (svm)
        host_check(clEnqueueSVMMemcpy(host->queue, CL_TRUE, data, svm, argument->bytes, 0, NULL, NULL),
                   "clEnqueueSVMMemcpy");
    else
        host_check(clEnqueueReadBuffer(host->queue, argument->buffer, CL_TRUE, 0, argument->bytes, data, 0,
                                       NULL, NULL),
                   "clEnqueueReadBuffer");
    return data;
}

static bool has_memory(const struct argument *argument)
{
    return (argument->buffer && argument->spec.kind != SPEC_PIPE) || argument->svm || argument->shared_svm;
}

void host_print_argument(struct host *host, const char *name)
{
    cl_uint index = argument_index(host, name);
    const struct argument *argument = index < MAX_ARGS ? &host->arguments[index] : NULL;
    if (index == MAX_ARGS)
        fail_name(host, name);
    if (!argument || !has_memory(argument))
        host_fail("--print: not a buffer argument", name);
    unsigned char *data = read_back(host, argument);
    printf("%s:", name);
    for (size_t i = 0; i < argument->bytes / argument->type.scalar.bytes; i++)
        host_print_element(data + i * argument->type.scalar.bytes, argument->type.scalar);
    putchar('\n');
    free(data);
}

void host_save_arguments(struct host *host)
{
    for (cl_uint i = 0; i < host->argument_count; i++) {
        struct argument *argument = &host->arguments[i];
        if (!*argument->spec.output)
            continue;
        if (argument->image) {
            host_save_image(host, argument);
            continue;
        }
        if (!has_memory(argument))
            fail_argument(host, i, "has no memory to be written");
        size_t width = argument->type.width == 3 ? 4 : argument->type.width;
        const size_t shape[2] = {argument->bytes / argument->type.scalar.bytes / width, width};
        unsigned char *data = read_back(host, argument);
        host_write_npy(argument->spec.output, data, argument->type.scalar, shape, width > 1 ? 2 : 1);
        free(data);
    }
}
