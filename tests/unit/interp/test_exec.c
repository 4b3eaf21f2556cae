/* Control flow, memory, barriers, atomics, schedules, recording and findings of the interpreter. */
#include "spv.h"

#define ITEM                                                                                                 \
    "%g = OpLoad %v3u64 %gid Aligned 32\n%i = OpCompositeExtract %u64 %g 0\n%i32 = OpUConvert %u32 %i\n"     \
    "%li = OpLoad %v3u64 %lid Aligned 32\n%l = OpCompositeExtract %u64 %li 0\n%l32 = OpUConvert %u32 %l\n"
#define KERNEL SPV_HEAD SPV_ENTRY "%file = OpString \"t.cl\"\n" SPV_BUILTINS SPV_TYPES
#define BODY   "%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%entry = OpLabel\n"
#define END    "OpReturn\nOpFunctionEnd\n"

struct events {
    struct mm_event list[4096];
    size_t count;
    uint64_t hash;
    unsigned sources, allocations, findings;
    uint32_t line_of[256];
};

static enum mm_class on_record(void *context, const struct mm_record *record)
{
    struct events *e = context;
    if (record->type == MM_RECORD_EVENT && e->count < 4096)
        e->list[e->count++] = record->event;
    if (record->type == MM_RECORD_SOURCE) {
        e->sources++;
        if (record->source.id < 256)
            e->line_of[record->source.id] = record->source.line;
    }
    e->allocations += record->type == MM_RECORD_ALLOCATION;
    e->findings += record->type == MM_RECORD_FINDING;
    return MM_OK;
}

static enum mm_class run_recorded(const char *text, struct in_launch *launch, struct in_object *buffers,
                                  uint32_t count, struct spv_run *out, struct events *events)
{
    struct mm_sink sink = {.context = events, .record = on_record};
    memset(events, 0, sizeof *events);
    launch->recorder = mm_recorder_create(&sink);
    assert_non_null(launch->recorder);
    enum mm_class result = spv_execute(text, launch, buffers, count, out);
    mm_recorder_destroy(launch->recorder);
    launch->recorder = NULL;
    return result;
}

static enum mm_class run_one(const char *text, uint32_t *data, size_t bytes, uint64_t global, uint32_t local,
                             enum in_schedule schedule, struct spv_run *out)
{
    struct in_object buffer = spv_buffer(data, bytes, 1);
    struct in_launch launch = {
        .global_size = {global}, .local_size = {local}, .schedule = schedule, .seed = 7};
    return spv_execute(text, &launch, &buffer, 1, out);
}

/* ---- control flow ------------------------------------------------------------------------ */

/* Phis that swap: (a, b) = (b, a + b), n times. */
static void test_phi_parallel(void **state)
{
    static const char text[] =
        KERNEL BODY ITEM "OpBranch %loop\n%loop = OpLabel\n"
                         "%a = OpPhi %u32 %c0 %entry %b %loop\n%b = OpPhi %u32 %c1 %entry %s %loop\n"
                         "%n = OpPhi %u32 %c0 %entry %m %loop\n"
                         "%s = OpIAdd %u32 %a %b\n%m = OpIAdd %u32 %n %c1\n%t = OpULessThan %bool %m %i32\n"
                         "OpLoopMerge %done %loop None\nOpBranchConditional %t %loop %done\n%done = OpLabel\n"
                         "%p = OpInBoundsPtrAccessChain %pu32 %out %i\nOpStore %p %b Aligned 4\n" END;
    uint32_t data[12] = {0};
    struct spv_run out;
    (void)state;
    assert_int_equal(run_one(text, data, sizeof data, 12, 12, IN_SEQUENTIAL, &out), MM_OK);
    for (uint32_t k = 1; k < 12; k++) {
        uint32_t a = 0, b = 1;
        for (uint32_t n = 0; n + 1 < k; n++) {
            uint32_t s = a + b;
            a = b;
            b = s;
        }
        assert_int_equal(data[k], b);
    }
}

static void test_switch_and_call(void **state)
{
    static const char text[] = KERNEL
        "%ufn = OpTypeFunction %u32 %u32 %u32\n%pf = OpTypePointer Function %u32\n%c9 = OpConstant %u32 9\n"
        "%twice = OpFunction %u32 None %ufn\n%x = OpFunctionParameter %u32\n%y = OpFunctionParameter %u32\n"
        "%te = OpLabel\n%v = OpVariable %pf Function\nOpStore %v %x Aligned 4\n%v1 = OpLoad %u32 %v Aligned "
        "4\n"
        "%v2 = OpIAdd %u32 %v1 %y\nOpStore %v %v2 Aligned 4\n%v3 = OpLoad %u32 %v Aligned 4\n"
        "%v4 = OpIAdd %u32 %v1 %v3\nOpReturnValue %v4\nOpFunctionEnd\n" BODY ITEM
        "OpSelectionMerge %m None\nOpSwitch %i32 %d 1 %one 2 %two 7 %two\n"
        "%one = OpLabel\n%r1 = OpFunctionCall %u32 %twice %c3 %c2\nOpBranch %m\n"
        "%two = OpLabel\n%r2a = OpFunctionCall %u32 %twice %i32 %i32\n"
        "%r2 = OpFunctionCall %u32 %twice %r2a %c1\nOpBranch %m\n"
        "%d = OpLabel\nOpBranch %m\n%m = OpLabel\n%r = OpPhi %u32 %r1 %one %r2 %two %c9 %d\n"
        "%p = OpInBoundsPtrAccessChain %pu32 %out %i\nOpStore %p %r Aligned 4\n" END;
    uint32_t data[8] = {0};
    struct spv_run out;
    (void)state;
    assert_int_equal(run_one(text, data, sizeof data, 8, 4, IN_FAIR, &out), MM_OK);
    const uint32_t expected[8] = {9, 8, 13, 9, 9, 9, 9, 43};
    for (int k = 0; k < 8; k++)
        assert_int_equal(data[k], expected[k]);
}

/* A private array indexed dynamically, and a private struct copied whole. */
static void test_private_memory(void **state)
{
    static const char text[] =
        KERNEL "%c4 = OpConstant %u32 4\n%arr = OpTypeArray %u32 %c4\n%parr = OpTypePointer Function %arr\n"
               "%pf = OpTypePointer Function %u32\n" BODY
               "%a = OpVariable %parr Function\n%b = OpVariable %parr Function\n" ITEM
               "%a0 = OpInBoundsAccessChain %pf %a %c0\n%a1 = OpInBoundsAccessChain %pf %a %c1\n"
               "OpStore %a0 %i32 Aligned 4\n%sq = OpIMul %u32 %i32 %i32\nOpStore %a1 %sq Aligned 4\n"
               "OpCopyMemory %b %a\n%w = OpBitwiseAnd %u32 %i32 %c1\n%bw = OpInBoundsAccessChain %pf %b %w\n"
               "%r = OpLoad %u32 %bw Aligned 4\n"
               "%p = OpInBoundsPtrAccessChain %pu32 %out %i\nOpStore %p %r Aligned 4\n" END;
    uint32_t data[6] = {0};
    struct spv_run out;
    (void)state;
    assert_int_equal(run_one(text, data, sizeof data, 6, 3, IN_RANDOM, &out), MM_OK);
    for (uint32_t k = 0; k < 6; k++)
        assert_int_equal(data[k], k % 2 == 1 ? k * k : k);
}

/* A pointer stored in memory refers to its object again when it is loaded. */
static void test_pointer_through_memory(void **state)
{
    static const char text[] =
        KERNEL "%ppf = OpTypePointer Function %pu32\n%pf8 = OpTypePointer Function %u64\n%c5 = OpConstant "
               "%u32 5\n" BODY "%v = OpVariable %ppf Function\n" ITEM
               "%p = OpInBoundsPtrAccessChain %pu32 %out %i\n%alias = OpBitcast %pf8 %v\n"
               "%n = OpConvertPtrToU %u64 %p\nOpStore %alias %n Aligned 8\n"
               "%q = OpLoad %pu32 %v Aligned 8\nOpStore %q %c5 Aligned 4\n"
               "%past = OpInBoundsPtrAccessChain %pu32 %q %l1\nOpStore %past %c5 Aligned 4\n" END;
    uint32_t data[5] = {0, 0, 0, 0, 77};
    struct spv_run out;
    (void)state;
    assert_int_equal(run_one(text, data, 16, 4, 4, IN_SEQUENTIAL, &out), MM_UNDEFINED);
    assert_string_equal(out.kind, "out-of-bounds");
    assert_int_equal(out.work_item, 0); /* no find_object: the pointer's object is unknown */
}

/* ---- findings ---------------------------------------------------------------------------- */

static void expect_finding(const char *text, const char *kind, uint32_t work_item)
{
    uint32_t data[8] = {0};
    struct spv_run out;
    assert_int_equal(run_one(text, data, sizeof data, 16, 8, IN_SEQUENTIAL, &out), MM_UNDEFINED);
    assert_string_equal(out.kind, kind);
    assert_int_equal(out.findings, 1);
    assert_int_equal(out.work_item, work_item);
    assert_int_equal(out.line, 42);
}

#define LINE "OpLine %file 42 7\n"
static void test_findings(void **state)
{
    (void)state;
    expect_finding(KERNEL BODY ITEM "%p = OpInBoundsPtrAccessChain %pu32 %out %i\n" LINE
                                    "OpStore %p %c1 Aligned 4\n" END,
                   "out-of-bounds", 8);
    expect_finding(KERNEL "%null = OpConstantNull %pu32\n" BODY LINE "%x = OpLoad %u32 %null Aligned 4\n" END,
                   "null-pointer", 0);
    expect_finding(KERNEL BODY ITEM "%d = OpISub %u32 %c3 %i32\n" LINE "%x = OpUDiv %u32 %c1 %d\n" END,
                   "division-by-zero", 3);
    expect_finding(KERNEL "%c5 = OpConstant %u64 2\n%pu8 = OpTypePointer CrossWorkgroup %u8\n" BODY
                          "%b = OpBitcast %pu8 %out\n%o = OpInBoundsPtrAccessChain %pu8 %b %c5\n"
                          "%q = OpBitcast %pu32 %o\n" LINE "%x = OpLoad %u32 %q Aligned 4\n" END,
                   "misaligned", 0);
    expect_finding(KERNEL BODY LINE "OpUnreachable\nOpFunctionEnd\n", "unreachable", 0);
    expect_finding(KERNEL
                   "%pc = OpTypePointer UniformConstant %u32\n%cv = OpVariable %pc UniformConstant %c3\n" BODY
                   "%b = OpConvertPtrToU %u64 %cv\n%q = OpConvertUToPtr %pu32 %b\n" LINE
                   "OpStore %q %c1 Aligned 4\n" END,
                   "write-to-constant", 0);
}

static void test_step_limit(void **state)
{
    static const char text[] = KERNEL BODY "OpBranch %loop\n%loop = OpLabel\nOpLoopMerge %done %loop None\n"
                                           "OpBranch %loop\n%done = OpLabel\n" END;
    uint32_t data[1] = {0};
    struct spv_run out;
    struct in_object buffer = spv_buffer(data, 4, 1);
    struct in_launch launch = {.global_size = {2}, .local_size = {2}, .step_limit = 100000};
    (void)state;
    assert_int_equal(spv_execute(text, &launch, &buffer, 1, &out), MM_LIMIT);
    assert_string_equal(out.kind, "step-limit");
}

/* ---- barriers and schedules -------------------------------------------------------------- */

/* out[i] = local[7 - l], written before the barrier by another work-item. */
#define REVERSE                                                                                              \
    KERNEL "%c8 = OpConstant %u32 8\n%l7 = OpConstant %u64 7\n%arr = OpTypeArray %u32 %c8\n"                 \
           "%parr = OpTypePointer Workgroup %arr\n%pl = OpTypePointer Workgroup %u32\n"                      \
           "%sh = OpVariable %parr Workgroup\n" BODY ITEM                                                    \
           "%q = OpInBoundsAccessChain %pl %sh %l\nOpStore %q %i32 Aligned 4\n"                              \
           "OpControlBarrier %c2 %c2 %seqall\n%o = OpISub %u64 %l7 %l\n"                                     \
           "%r = OpInBoundsAccessChain %pl %sh %o\n%x = OpLoad %u32 %r Aligned 4\n"                          \
           "%p = OpInBoundsPtrAccessChain %pu32 %out %i\nOpStore %p %x Aligned 4\n" END

static void test_barrier(void **state)
{
    (void)state;
    for (int schedule = IN_SEQUENTIAL; schedule <= IN_FAIR; schedule++) {
        uint32_t data[32] = {0};
        struct spv_run out;
        assert_int_equal(run_one(REVERSE, data, sizeof data, 32, 8, (enum in_schedule)schedule, &out), MM_OK);
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(data[k], k / 8 * 8 + 7 - k % 8);
    }
}

/* Only the first work-item reaches the barrier. */
#define DIVERGENT                                                                                            \
    KERNEL BODY ITEM "%t = OpULessThan %bool %l %l1\nOpSelectionMerge %m None\nOpBranchConditional %t %a "   \
                     "%m\n%a = OpLabel\n"                                                                    \
                     "OpControlBarrier %c2 %c2 %seqall\nOpBranch %m\n%m = OpLabel\n" END

static void test_divergence(void **state)
{
    uint32_t data[4] = {0};
    struct spv_run out;
    (void)state;
    assert_int_equal(run_one(DIVERGENT, data, sizeof data, 4, 4, IN_SEQUENTIAL, &out), MM_UNDEFINED);
    assert_string_equal(out.kind, "barrier-divergence");
    assert_int_equal(out.work_item, 0);
}

/* Each work-item waits until all others of all groups have arrived: progress requires every group to be
 * resident. */
static void test_spin_between_groups(void **state)
{
    static const char text[] = KERNEL
        "%all = OpConstant %u32 24\n" BODY ITEM "%old = OpAtomicIAdd %u32 %out %c1 %seqall %c1\n"
        "OpBranch %loop\n%loop = OpLabel\n%v = OpAtomicLoad %u32 %out %c1 %seqall\n"
        "%t = OpULessThan %bool %v %all\nOpLoopMerge %done %loop None\nOpBranchConditional %t %loop %done\n"
        "%done = OpLabel\n" END;
    (void)state;
    for (int schedule = IN_SEQUENTIAL; schedule <= IN_FAIR; schedule++) {
        uint32_t data[1] = {0};
        struct spv_run out;
        assert_int_equal(run_one(text, data, sizeof data, 24, 2, (enum in_schedule)schedule, &out), MM_OK);
        assert_int_equal(data[0], 24);
    }
}

/* ---- recording --------------------------------------------------------------------------- */

static void test_events(void **state)
{
    struct events *e = malloc(sizeof *e);
    uint32_t data[8] = {0};
    struct spv_run out;
    struct in_object buffer = spv_buffer(data, sizeof data, 9);
    struct in_launch launch = {.global_size = {8}, .local_size = {8}};
    (void)state;
    assert_non_null(e);
    assert_int_equal(run_recorded(REVERSE, &launch, &buffer, 1, &out, e), MM_OK);
    assert_int_equal(e->count, 8 * 5); /* write, entry, exit, read, write */
    assert_int_equal(e->allocations, 1);
    assert_int_equal(e->sources, 4);
    unsigned entries = 0, exits = 0;
    for (size_t k = 0; k < e->count; k++) {
        const struct mm_event *v = &e->list[k];
        entries += v->kind == MM_BARRIER_ENTRY;
        exits += v->kind == MM_BARRIER_EXIT;
        if (v->kind == MM_BARRIER_ENTRY || v->kind == MM_BARRIER_EXIT) {
            assert_int_equal(v->instance, 1);
            assert_int_equal(v->site, 1);
            assert_int_equal(v->fence_flags, MM_FENCE_LOCAL | MM_FENCE_GLOBAL);
            assert_int_equal(v->order, MM_SEQ_CST);
            assert_int_equal(v->scope, MM_SCOPE_WORK_GROUP);
        }
        if (v->kind == MM_WRITE && v->allocation == 9)
            assert_int_equal(v->offset, v->agent.index * 4);
        if (v->kind == MM_READ)
            assert_int_equal(v->value_read, 7 - v->agent.index);
    }
    assert_int_equal(entries, 8);
    assert_int_equal(exits, 8);
    assert_int_equal(run_recorded(DIVERGENT, &launch, &buffer, 1, &out, e), MM_UNDEFINED);
    assert_int_equal(e->count, 1);
    assert_int_equal(e->list[0].kind, MM_BARRIER_ENTRY);
    free(e);
}

static void test_atomic_events(void **state)
{
    /* relaxed work-group through a named address space: a legacy atomic; through generic: C11. */
    static const char text[] = KERNEL
        "%pg = OpTypePointer Generic %u32\n%acq = OpConstant %u32 2\n%l2 = OpConstant %u64 2\n" BODY ITEM
        "%a = OpAtomicIAdd %u32 %out %c2 %c0 %c3\n%gp = OpPtrCastToGeneric %pg %out\n"
        "%b = OpAtomicIAdd %u32 %gp %c2 %c0 %c3\n"
        "%c = OpAtomicLoad %u32 %gp %c0 %acq\n"
        "%d = OpAtomicCompareExchange %u32 %gp %c1 %acq %c0 %c1 %c1\n"
        "OpMemoryBarrier %c1 %seqall\n" END;
    struct events *e = malloc(sizeof *e);
    uint32_t data[1] = {10};
    struct spv_run out;
    struct in_object buffer = spv_buffer(data, sizeof data, 9);
    struct in_launch launch = {.global_size = {1}, .local_size = {1}};
    (void)state;
    assert_non_null(e);
    assert_int_equal(run_recorded(text, &launch, &buffer, 1, &out, e), MM_OK);
    assert_int_equal(e->count, 5);
    assert_int_equal(data[0], 16);
    assert_int_equal(e->list[0].kind, MM_RMW);
    assert_int_equal(e->list[0].scope, MM_SCOPE_DEVICE);
    assert_int_equal(e->list[0].value_read, 10);
    assert_int_equal(e->list[0].value_written, 13);
    assert_int_equal(e->list[1].scope, MM_SCOPE_WORK_GROUP);
    assert_int_equal(e->list[1].order, MM_RELAXED);
    assert_int_equal(e->list[2].kind, MM_READ);
    assert_int_equal(e->list[2].scope, MM_SCOPE_ALL_SVM_DEVICES);
    assert_int_equal(e->list[2].effective_scope, MM_SCOPE_DEVICE);
    assert_int_equal(e->list[2].order, MM_ACQUIRE);
    assert_int_equal(e->list[3].kind, MM_READ);
    assert_true(e->list[3].attributes & MM_FAILED_CAS);
    assert_int_equal(e->list[3].order, MM_RELAXED);
    assert_int_equal(e->list[4].kind, MM_FENCE);
    assert_int_equal(e->list[4].order, MM_SEQ_CST);
    free(e);
}

static void test_replay(void **state)
{
    struct events *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    bool differs = false;
    (void)state;
    assert_non_null(a);
    assert_non_null(b);
    for (uint64_t seed = 1; seed < 6; seed++) {
        for (int twice = 0; twice < 2; twice++) {
            uint32_t data[32] = {0};
            struct spv_run out;
            struct in_object buffer = spv_buffer(data, sizeof data, 9);
            struct in_launch launch = {
                .global_size = {32}, .local_size = {8}, .schedule = IN_RANDOM, .seed = seed};
            assert_int_equal(run_recorded(REVERSE, &launch, &buffer, 1, &out, twice ? b : a), MM_OK);
        }
        assert_int_equal(a->count, b->count);
        for (size_t k = 0; k < a->count; k++) {
            assert_int_equal(a->list[k].agent.index, b->list[k].agent.index);
            assert_int_equal(a->list[k].kind, b->list[k].kind);
            assert_memory_equal(&a->list[k], &b->list[k], sizeof a->list[k]);
            differs |= k > 0 && a->list[k].agent.index < a->list[k - 1].agent.index && k < 8;
        }
    }
    assert_true(differs);
    free(a);
    free(b);
}

/* ---- modules ----------------------------------------------------------------------------- */

static void test_spec_constants(void **state)
{
    static const char text[] =
        SPV_HEAD SPV_ENTRY "OpDecorate %s SpecId 5\n" SPV_BUILTINS SPV_TYPES
                           "%s = OpSpecConstant %u32 6\n%t = OpSpecConstantOp %u32 IMul %s %c3\n"
                           "%u = OpSpecConstantOp %u32 IAdd %t %c1\n" BODY "OpStore %out %u Aligned 4\n" END;
    uint32_t data[1] = {0};
    struct spv_run out;
    struct mm_error err;
    struct in_module *module;
    (void)state;
    assert_int_equal(run_one(text, data, sizeof data, 1, 1, IN_SEQUENTIAL, &out), MM_OK);
    assert_int_equal(data[0], 19);
    assert_int_equal(spv_load(text, &module, &err), MM_OK);
    assert_int_equal(in_module_spec_constant_count(module), 1);
    assert_int_equal(in_module_spec_constant(module, 0)->id, 5);
    assert_int_equal(in_module_spec_constant(module, 0)->value, 6);
    in_module_release(module);
}

static void test_malformed(void **state)
{
    size_t size;
    uint32_t *words = spv_assemble(REVERSE, &size);
    struct mm_error err;
    struct in_module *module;
    (void)state;
    for (size_t cut = 0; cut < size; cut += 4)
        if (in_module_create(words, cut, NULL, &module, NULL, &err) == MM_OK)
            in_module_release(module); /* a prefix may be a module */
    assert_int_equal(in_module_create(words, size - 1, NULL, &module, NULL, &err), MM_INVALID);
    for (size_t k = 0; k < size / 4; k++) {
        uint32_t old = words[k];
        for (int bit = 0; bit < 3; bit++) {
            words[k] = bit == 0 ? old ^ 1 : bit == 1 ? old + 3 : 0xffffffff;
            if (in_module_create(words, size, NULL, &module, NULL, &err) == MM_OK)
                in_module_release(module);
        }
        words[k] = old;
    }
    for (size_t k = 0; k < size / 4; k++)
        words[k] = __builtin_bswap32(words[k]);
    if (in_module_create(words, size, NULL, &module, NULL, &err) != MM_OK)
        fail_msg("%s", err.message);
    assert_string_equal(in_module_kernel(module, 0)->name, "k");
    assert_int_equal(in_module_kernel(module, 0)->argument_count, 1);
    in_module_release(module);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phi_parallel),
        cmocka_unit_test(test_switch_and_call),
        cmocka_unit_test(test_private_memory),
        cmocka_unit_test(test_pointer_through_memory),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_spin_between_groups),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_atomic_events),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_spec_constants),
        cmocka_unit_test(test_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
