/* Feature probes, one small program each: every kernel of those that compile runs to the end, with generated
 * buffers, images, samplers, pipes and queues as arguments.  The programs are in $REFCL_PROBES or
 * ../shared/probes; without them the test is skipped. */
#include "clrun.h"
#include "interp/image/image.h"
#include "tests/lib/skip.h"

#include <dirent.h>

#define ROOM (1 << 18)

static unsigned char memory[16][ROOM];
static struct in_object objects[16];
static struct in_image images[16];
static struct in_pipe pipes[16];
static int queue;

static const struct in_object *on_find(void *context, uint64_t address)
{
    (void)context;
    for (int k = 0; k < 16; k++)
        if (address - objects[k].address < objects[k].size)
            return &objects[k];
    return NULL;
}
static int on_enqueue(void *context, const struct in_enqueue *e, void **event)
{
    (void)context;
    if (event != NULL)
        *event = &queue;
    return e->queue == NULL ? -102 : 0;
}
static int on_marker(void *context, void *q, void *const *wait, uint32_t n, void **event)
{
    (void)context;
    (void)q;
    (void)wait;
    (void)n;
    *event = &queue;
    return 0;
}
static void *on_handle(void *context)
{
    (void)context;
    return &queue;
}
static void on_event(void *context, void *event)
{
    (void)context;
    (void)event;
}
static void on_status(void *context, void *event, int status)
{
    (void)context;
    (void)event;
    (void)status;
}
static bool on_valid(void *context, void *event)
{
    (void)context;
    return event == &queue;
}
static void on_capture(void *context, void *event, int info, void *value)
{
    (void)context;
    (void)event;
    (void)info;
    memset(value, 0, 16);
}

static bool has(const char *text, const char *word)
{
    return strstr(text, word) != NULL;
}

static void make_image(uint32_t k, const char *type)
{
    bool array = has(type, "array"), one = has(type, "image1d"), three = has(type, "image3d");
    images[k] = (struct in_image){.kind = has(type, "buffer") ? IN_IMAGE_1D_BUFFER
                                          : one               ? (array ? IN_IMAGE_1D_ARRAY : IN_IMAGE_1D)
                                          : three             ? IN_IMAGE_3D
                                          : array             ? IN_IMAGE_2D_ARRAY
                                                              : IN_IMAGE_2D,
                                  .order = has(type, "depth") ? IN_ORDER_DEPTH : IN_ORDER_RGBA,
                                  .type = IN_CHANNEL_FLOAT,
                                  .width = 16,
                                  .height = one ? 1 : 16,
                                  .depth = three ? 8 : 1,
                                  .array_size = array ? 4 : 1,
                                  .row_pitch = 256,
                                  .slice_pitch = one ? 256 : 4096,
                                  .data = memory[k]};
}

static void make_argument(uint32_t k, const struct in_argument_info *info, struct in_argument *a)
{
    static struct in_sampler sampler = {
        .normalized = false, .addressing = IN_ADDRESS_CLAMP, .filter = IN_FILTER_NEAREST};
    memset(memory[k], 0, ROOM);
    uint32_t four = 4;
    if (info->kind == IN_ARG_VALUE)
        memcpy(memory[k], &four, 4);
    objects[k] = spv_buffer(memory[k], ROOM, k + 1);
    *a = (struct in_argument){.value = memory[k],
                              .address = objects[k].address,
                              .object = &objects[k],
                              .local_size = 4096,
                              .sampler = info->kind == IN_ARG_SAMPLER ? &sampler : NULL,
                              .queue = &queue};
    if (info->kind == IN_ARG_IMAGE) {
        make_image(k, info->type_name);
        a->image = &images[k];
    } else if (info->kind == IN_ARG_PIPE) {
        in_pipe_clear(&pipes[k]);
        uint32_t packet = has(info->type_name, "S") ? 32 : 4;
        pipes[k] = (struct in_pipe){.packet_size = packet, .max_packets = 64, .object = &objects[k]};
        a->pipe = &pipes[k];
    }
}

/* Kernels that have undefined behavior with the generated arguments, by file; all others have no finding. */
static const struct {
    const char *file, *kind;
    bool by_chance; /* depends on an address */
} undefined[] = {{"07_c11atomics.cl", "uninitialized", false},
                 {"08_c11atomics_dynamic_order.cl", "invalid-order", false},
                 {"13_generic_as.cl", "uninitialized", false},
                 {"17_pipes_subgroup.cl", "invalid-reservation", false},
                 {"29_images2d.cl", "image-format", false},
                 {"30_image3d_write.cl", "image-format", false},
                 {"41_vector_ops.cl", "division-by-zero", false},
                 {"50_private_arrays.cl", "signed-overflow", true},
                 {"52_expect_assume.cl", "false-assumption", false},
                 {"56_longlong_128.cl", "division-by-zero", false},
                 {"61_large_local_and_ptrs.cl", "uninitialized", false}};
/* Programs that no device compiles: not OpenCL C, or of an extension that refcl lacks. */
enum { UNDEFINED = sizeof undefined / sizeof *undefined, NOT_COMPILED = 3 };
static uint32_t seen[UNDEFINED];

static bool is_undefined(const char *file, const char *kind)
{
    for (uint32_t i = 0; i < UNDEFINED; i++) {
        if (strcmp(undefined[i].file, file) == 0 && strcmp(undefined[i].kind, kind) == 0)
            return ++seen[i];
    }
    return false;
}

static struct in_module *compile(const char *text, char *message, size_t size)
{
    static const char *const versions[] = {"-cl-std=CL3.0 -g", "-cl-std=CL2.0 -g", "-cl-std=CL1.2 -g"};
    for (int v = 0; v < 3; v++) {
        struct rt_compile_request request = {.source = text,
                                             .source_size = strlen(text),
                                             .file = "probe.cl",
                                             .options = versions[v],
                                             .extensions = CLR_EXTENSIONS " cl_khr_gl_msaa_sharing",
                                             .features = CLR_FEATURES};
        struct rt_binary binary = {NULL, 0};
        struct mm_error err = {.message = ""};
        struct in_module *module = NULL;
        char *log = NULL;
        if (rt_compile(&request, &binary, &log, &err) == MM_OK) {
            struct in_module_options options = {.name = "probe.cl"};
            in_module_create(binary.data, binary.size, &options, &module, NULL, &err);
            snprintf(message, size, "%s", err.message);
            mm_free(binary.data);
            mm_free(log);
            return module;
        }
        mm_free(log);
    }
    *message = 0;
    return NULL;
}

/* How many kernels ended other than expected. */
static uint32_t run_kernels(struct in_module *module, const char *name)
{
    uint32_t bad = 0;
    for (size_t k = 0; k < in_module_kernel_count(module); k++) {
        const struct in_kernel_info *info = in_module_kernel(module, k);
        if (info->use != IN_FOR_HOST)
            continue;
        struct spv_run out = {.findings = 0};
        struct in_environment environment = {
            &out,     on_find,  spv_on_print, spv_on_finding, on_enqueue, on_marker, on_handle, on_handle,
            on_event, on_event, on_status,    on_valid,       on_capture, 256,       NULL};
        struct in_instance *instance = NULL;
        struct in_argument args[16] = {{0}};
        struct in_run *run = NULL;
        for (uint32_t a = 0; a < info->argument_count; a++)
            make_argument(a, &info->arguments[a], &args[a]);
        assert_int_equal(in_instance_create(module, &environment, NULL, &instance, &out.err), MM_OK);
        bool fixed = info->required_local_size[0] != 0;
        struct in_launch launch = {.instance = instance,
                                   .kernel = k,
                                   .arguments = args,
                                   .dimensions = 3,
                                   .sub_group_size = 4,
                                   .step_limit = 3000000,
                                   .max_findings = 50,
                                   .checks = true,
                                   .uninitialized = true,
                                   .command = 1};
        for (int d = 0; d < 3; d++) {
            launch.local_size[d] = fixed ? info->required_local_size[d] : d == 0 ? 4 : 1;
            launch.global_size[d] = launch.local_size[d] * (d == 0 ? 2 : 1);
        }
        bool done = false;
        enum mm_class result = in_run_create(&launch, &run, &out.err);
        while (result == MM_OK && !done)
            result = in_run_step(run, 0, &done, &out.err);
        if (out.findings > 0 ? !is_undefined(name, out.kind) : result != MM_OK)
            bad++;
        if (out.findings > 0 || bad > 0)
            print_message("# %s %s: %s: %s %s\n", name, info->name, out.kind, out.message, out.err.message);
        in_run_destroy(run);
        in_instance_destroy(instance);
    }
    return bad;
}

static int select_probe(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && !strcmp(entry->d_name + length - 3, ".cl");
}

static void test_probes(void **state)
{
    (void)state;
    const char *directory = getenv("REFCL_PROBES") ? getenv("REFCL_PROBES") : "../shared/probes";
    struct dirent **entries;
    int count = scandir(directory, &entries, select_probe, alphasort);
    uint32_t bad = 0, loaded = 0;
    if (count <= 0)
        skip_for("no probes");
    for (int i = 0; i < count; i++) {
        char path[4096], message[512], *text = calloc(1, 1 << 20);
        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        FILE *f = fopen(path, "r");
        if (f) {
            text[fread(text, 1, (1 << 20) - 1, f)] = 0;
            fclose(f);
        }
        struct in_module *module = compile(text, message, sizeof message);
        if (module != NULL) {
            loaded++;
            bad += run_kernels(module, entries[i]->d_name);
        } else if (*message != 0) {
            print_message("# %s: %s\n", entries[i]->d_name, message);
            bad++;
        }
        in_module_release(module);
        free(text);
        free(entries[i]);
    }
    free(entries);
    for (int k = 0; k < 16; k++)
        in_pipe_clear(&pipes[k]);
    print_message("# %u of %d probes run\n", loaded, count);
    assert_int_equal(bad, 0);
    assert_in_range(loaded, count - NOT_COMPILED, count);
    for (uint32_t i = 0; i < UNDEFINED; i++) {
        if (seen[i] == 0 && !undefined[i].by_chance)
            fail_msg("nothing is found in %s any more", undefined[i].file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_probes)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
