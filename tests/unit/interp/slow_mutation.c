/* Modules with words changed at random: loading returns an error or a module, and a module runs to an end or
 * a finding.  Seed and number of mutations: REFCL_FUZZ_SEED, REFCL_FUZZ_ROUNDS. */
#include "clrun.h"
#include "interp/image/image.h"

static const char *const sources[] = {
    "struct s { int a; float3 f; char c[3]; };\n"
    "int g(struct s *p, int n) { int t = 0; for (int i = 0; i < n; i++) t += p->c[i % 3]; return t; }\n"
    "kernel void k(global int *a, local int *l, global float *f) { struct s v = {1, (float3)(2), {1, 2, "
    "3}};\n"
    "  size_t i = get_global_id(0); l[get_local_id(0)] = a[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  switch (a[i] & 3) { case 0: a[i] = g(&v, 5); break; case 1: atomic_add(a, 3); break; default: a[i] = "
    "work_group_reduce_add(3); }\n"
    "  f[i] = sin(f[i]) + fract(f[i], &f[i]); printf(\"%d %v4f\\n\", a[0], (float4)(1)); }\n",
    "kernel void k(read_only image2d_t i, write_only image2d_t w, sampler_t s, global float4 *o) {\n"
    "  o[0] = read_imagef(i, s, (float2)(0.5f)) + read_imagef(i, (int2)(1, 1)); write_imagef(w, (int2)(0, "
    "1), o[0]);\n"
    "  o[1].x = get_image_width(i) + get_image_dim(w).y; }\n",
    "kernel void k(write_only pipe int p, global int *o, queue_t q) { int v = 1; reserve_id_t r = "
    "reserve_write_pipe(p, 2);\n"
    "  if (is_valid_reserve_id(r)) { write_pipe(p, r, 1, &v); commit_write_pipe(p, r); } write_pipe(p, &v);\n"
    "  clk_event_t e; enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4, 2), 0, 0, &e, ^{ o[0] = v; "
    "});\n"
    "  if (is_valid_event(e)) release_event(e); }\n",
    "kernel void k(global double *d, global ulong *u, global half *h) { size_t i = "
    "get_sub_group_local_id();\n"
    "  d[i] = convert_double_rtz(u[i]) / 3; u[i] = mul_hi(u[i], 7ul) + "
    "sub_group_scan_inclusive_add((int)i);\n"
    "  vstore_half((float)d[i], i, h); ulong2 v = vload2(0, u); u[2] = v.s1 % (v.s0 | 1); }\n"};

static uint64_t state_;
static uint32_t pick(uint32_t n)
{
    state_ = state_ * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state_ >> 33) % n;
}

static int on_enqueue(void *context, const struct in_enqueue *e, void **event)
{
    (void)context;
    if (event != NULL)
        *event = NULL;
    return e->block_size > 0 ? 0 : -101;
}

static void try_run(struct in_module *module)
{
    static unsigned char memory[8][4096];
    struct in_object objects[8];
    struct in_argument args[8] = {{0}};
    struct in_image image = {.kind = IN_IMAGE_2D,
                             .order = IN_ORDER_RGBA,
                             .type = IN_CHANNEL_FLOAT,
                             .width = 4,
                             .height = 4,
                             .depth = 1,
                             .array_size = 1,
                             .row_pitch = 64,
                             .slice_pitch = 256};
    struct in_image images[8];
    struct in_sampler sampler = {
        .normalized = true, .addressing = IN_ADDRESS_REPEAT, .filter = IN_FILTER_LINEAR};
    struct in_pipe pipe = {.packet_size = 4, .max_packets = 8, .object = &objects[0]};
    struct spv_run out = {.findings = 0};
    struct in_environment environment = {
        .context = &out, .finding = spv_on_finding, .enqueue_kernel = on_enqueue};
    struct in_instance *instance = NULL;
    for (int k = 0; k < 8; k++) {
        objects[k] = spv_buffer(memory[k], sizeof memory[k], (uint32_t)k + 1);
        images[k] = image;
        images[k].data = memory[k];
        args[k] = (struct in_argument){.value = memory[k],
                                       .address = objects[k].address,
                                       .object = &objects[k],
                                       .local_size = 256,
                                       .image = &images[k],
                                       .sampler = &sampler,
                                       .pipe = &pipe};
    }
    if (in_instance_create(module, &environment, NULL, &instance, &out.err) != MM_OK)
        return;
    for (size_t n = 0; n < in_module_kernel_count(module); n++) {
        const struct in_kernel_info *info = in_module_kernel(module, n);
        bool fits = info->argument_count <= 8;
        for (uint32_t a = 0; a < info->argument_count && fits; a++)
            fits = info->arguments[a].size <= 4096;
        struct in_launch launch = {.instance = instance,
                                   .kernel = n,
                                   .arguments = args,
                                   .dimensions = 1,
                                   .global_size = {4},
                                   .local_size = {2},
                                   .sub_group_size = 2,
                                   .schedule = (enum in_schedule)pick(3),
                                   .step_limit = 20000,
                                   .max_findings = 20,
                                   .checks = true,
                                   .uninitialized = pick(2) == 0};
        struct in_run *run = NULL;
        bool done = !fits || in_run_create(&launch, &run, &out.err) != MM_OK;
        while (!done)
            in_run_step(run, 0, &done, &out.err);
        in_run_destroy(run);
    }
    in_pipe_clear(&pipe);
    in_instance_destroy(instance);
}

static void test_mutations(void **state)
{
    uint32_t rounds = getenv("REFCL_FUZZ_ROUNDS") ? (uint32_t)atoi(getenv("REFCL_FUZZ_ROUNDS")) : 4000;
    uint32_t loaded = 0;
    (void)state;
    state_ = getenv("REFCL_FUZZ_SEED") ? (uint64_t)atoll(getenv("REFCL_FUZZ_SEED")) : 1;
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
        struct rt_binary binary = clr_compile(sources[s], "-cl-std=CL3.0");
        struct mm_error err = {.message = ""};
        uint32_t *copy = malloc(binary.size), words = (uint32_t)(binary.size / 4);
        for (uint32_t round = 0; round < rounds / 4; round++) {
            memcpy(copy, binary.data, binary.size);
            for (uint32_t n = 1 + pick(2); n > 0 && round > 0; n--) {
                uint32_t at = 5 + pick(words - 5), how = pick(4);
                copy[at] = how == 0   ? copy[at] ^ 1u << pick(32)
                           : how == 1 ? copy[5 + pick(words - 5)]
                           : how == 2 ? copy[at] + pick(5) - 2
                                      : pick(200);
            }
            struct in_module *module = NULL;
            struct in_module_options options = {.name = "fuzz"};
            if (in_module_create(copy, binary.size, &options, &module, NULL, &err) == MM_OK) {
                loaded++;
                try_run(module);
                in_module_release(module);
            }
        }
        free(copy);
        mm_free(binary.data);
    }
    print_message("# %u of %u changed modules load\n", loaded, rounds);
    assert_true(loaded > rounds / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
