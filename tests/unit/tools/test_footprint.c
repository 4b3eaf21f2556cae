/* Accesses that the analysis of a launch must not treat as certain: those that it passes on, for kernels in
 * SPIR-V. */
#include "interp/spirv.h"
#include "tests/unit/interp/spv.h"
#include "tools/footprint/footprint.h"
#include "tools/layer/launch.h"

enum { BUFFER = 7, SIZE = 4096 };

struct seen {
    struct mm_event certain[16], possible[16];
    size_t certain_count, possible_count;
    uint64_t retired;
};

static enum mm_class see(void *context, const struct mm_record *record)
{
    struct seen *seen = context;
    if (record->type != MM_RECORD_EVENT)
        return MM_OK;
    bool possible = record->event.attributes & MM_POSSIBLE;
    size_t *count = possible ? &seen->possible_count : &seen->certain_count;
    assert_true(*count < 16);
    (possible ? seen->possible : seen->certain)[(*count)++] = record->event;
    return MM_OK;
}

static void see_retired(void *context, mm_event_id id)
{
    ((struct seen *)context)->retired = id;
}

/* The records of a program and of its launch with one work-item, whose arguments are ARGUMENTS. */
static void pass_words(struct mm_sink *sink, const uint32_t *words, size_t size,
                       const struct ly_argument *arguments, uint32_t count)
{
    struct ly_program_head program = {LY_PROGRAM_MAGIC, LY_PROGRAM_IL};
    struct ly_launch_head head = {LY_LAUNCH_MAGIC, count, 1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    size_t program_size = sizeof program + size,
           launch_size = sizeof head + count * sizeof *arguments + sizeof "k";
    char *bytes = malloc(program_size), *launch = malloc(launch_size);
    assert_true(bytes && launch);
    memcpy(mempcpy(bytes, &program, sizeof program), words, size);
    memcpy(mempcpy(mempcpy(launch, &head, sizeof head), arguments, count * sizeof *arguments), "k",
           sizeof "k");
    struct mm_record record = {.type = MM_RECORD_PROGRAM, .program = {1, (uint32_t)program_size, bytes}};
    assert_int_equal(sink->record(sink->context, &record), MM_OK);
    record = (struct mm_record){.type = MM_RECORD_REPLAY, .replay = {1, 1, (uint32_t)launch_size, launch}};
    assert_int_equal(sink->record(sink->context, &record), MM_OK);
    free(launch);
    free(bytes);
}

static void pass_launch(struct mm_sink *sink, const char *text, const struct ly_argument *arguments,
                        uint32_t count)
{
    size_t size;
    uint32_t *words = spv_assemble(text, &size);
    pass_words(sink, words, size, arguments, count);
    free(words);
}

static struct seen launch(const char *text, const struct ly_argument *arguments, uint32_t count)
{
    struct seen seen = {0};
    struct mm_sink to = {.context = &seen, .record = see}, sink;
    struct footprint *footprint = footprint_create(&to, true);
    assert_non_null(footprint);
    footprint_sink(footprint, &sink);
    pass_launch(&sink, text, arguments, count);
    assert_string_equal(footprint_not_checked(footprint), "");
    footprint_destroy(footprint);
    return seen;
}

static const struct ly_argument MEMORY = {.kind = LY_ARGUMENT_MEMORY, .allocation = BUFFER, .size = SIZE};

/* A kernel with a pointer to the buffer, %a, and PARAMETER of type %t. */
static const char *kernel_text(const char *declarations, const char *parameter, const char *code)
{
    static char text[1 << 16];
    const char *imports = strstr(SPV_HEAD, "OpExtension"), *more = *parameter ? "%t" : "";
    const char *by_value = strstr(parameter, "ByVal") ? "OpDecorate %b FuncParamAttr ByVal\n" : "";
    int length = snprintf(
        text, sizeof text,
        "%.*sOpCapability Pipes\nOpCapability ImageBasic\nOpCapability AtomicFloat32AddEXT\n"
        "OpExtension \"SPV_EXT_shader_atomic_float_add\"\n%sOpEntryPoint Kernel %%k \"k\"\n%s"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%u32 = OpTypeInt 32 0\n%%u64 = OpTypeInt 64 0\n"
        "%%v2 = OpTypeVector %%u32 2\n%%c0 = OpConstant %%u32 0\n%%c1 = OpConstant %%u32 1\n"
        "%%c4 = OpConstant %%u32 4\n%%acquire = OpConstant %%u32 514\n%%l1 = OpConstant %%u64 1\n%%p = OpTypePointer CrossWorkgroup %%u32\n"
        "%%pf = OpTypePointer Function %%u32\n%%plf = OpTypePointer Function %%u64\n%s"
        "%%fn = OpTypeFunction %%void %%p %s\n%%k = OpFunction %%void None %%fn\n"
        "%%a = OpFunctionParameter %%p\n%s%%entry = OpLabel\n%s"
        "OpReturn\nOpFunctionEnd\n",
        (int)(imports - SPV_HEAD), SPV_HEAD, imports, by_value, declarations, more, parameter, code);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return text;
}

/* A store to a[%i] is certain at byte OFFSET, or, if that is UNKNOWN, only possible. */
#define STORE "%at = OpInBoundsPtrAccessChain %p %a %i\nOpStore %at %c1 Aligned 4\n"
enum { UNKNOWN = -1 };
static void assert_store(const struct seen *seen, long offset)
{
    size_t writes = 0;
    for (size_t i = 0; i < seen->certain_count; i++) {
        if (seen->certain[i].kind != MM_WRITE)
            continue;
        writes++;
        assert_int_equal(seen->certain[i].allocation, BUFFER);
        assert_int_equal(seen->certain[i].offset, offset);
    }
    assert_int_equal(writes, offset != UNKNOWN);
    if (offset == UNKNOWN)
        assert_true(seen->possible_count == 1 && seen->possible[0].kind == MM_WRITE);
}

static void loop_with_unknown_trips(void **state)
{
    (void)state;
    /* do i++; while (a[0]); a[i] = 1 */
    struct seen seen =
        launch(kernel_text("", "",
                           "OpBranch %body\n%body = OpLabel\n%n = OpPhi %u32 %c0 %entry %i %body\n"
                           "%i = OpIAdd %u32 %n %c1\n%x = OpLoad %u32 %a Aligned 4\n"
                           "%again = OpINotEqual %bool %x %c0\nOpBranchConditional %again %body %end\n"
                           "%end = OpLabel\n" STORE),
               &MEMORY, 1);
    assert_store(&seen, UNKNOWN);
}

static void branch_without_loop(void **state)
{
    (void)state;
    /* i = 1; if (a[0]) barrier(); a[i] = 1 */
    struct seen seen = launch(kernel_text("", "",
                                          "%i = OpIAdd %u32 %c0 %c1\n%x = OpLoad %u32 %a Aligned 4\n"
                                          "%y = OpINotEqual %bool %x %c0\nOpBranchConditional %y %then %end\n"
                                          "%then = OpLabel\nOpBranch %end\n%end = OpLabel\n" STORE),
                              &MEMORY, 1);
    assert_store(&seen, 4);
}

static void many_phis_are_parallel(void **state)
{
    (void)state;
    /* Two iterations of a loop with 40 phis, of which the last two swap. */
    char code[8192], *at = code;
    at = stpcpy(at, "OpBranch %head\n%head = OpLabel\n%n = OpPhi %u32 %c0 %entry %m %head\n");
    for (int i = 0; i < 40; i++)
        at += sprintf(at, "%%f%d = OpPhi %%u32 %%c0 %%entry %%n %%head\n", i);
    stpcpy(at, "%x = OpPhi %u32 %c1 %entry %i %head\n%i = OpPhi %u32 %c4 %entry %x %head\n"
               "%m = OpIAdd %u32 %n %c1\n%again = OpULessThan %bool %m %c4\n"
               "OpBranchConditional %again %head %end\n%end = OpLabel\n" STORE);
    struct seen seen = launch(kernel_text("", "", code), &MEMORY, 1);
    assert_store(&seen, 4); /* it swapped three times */
}

static void scalar_as_vector(void **state)
{
    (void)state;
    struct ly_image shape = {4, 8, 8, 1, 32, 256, 1, 0};
    struct ly_argument arguments[2] = {MEMORY,
                                       {.kind = LY_ARGUMENT_IMAGE, .allocation = BUFFER + 1, .size = 256}};
    memcpy(arguments[1].value, &shape, sizeof shape);
    struct seen seen =
        launch(kernel_text("%t = OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly\n%v4 = OpTypeVector %u32 4\n"
                           "%far = OpConstant %u64 8589934593\n%z = OpConstantNull %v4\n",
                           "%b = OpFunctionParameter %t\n",
                           "%l = OpIMul %u64 %far %l1\n%at = OpBitcast %v2 %l\nOpImageWrite %b %at %z\n"),
               arguments, 2);
    assert_int_equal(seen.certain_count, 0); /* not texel (1, 0) */
    assert_int_equal(seen.possible_count, 1);
}

static void initial_bytes_are_overwritten(void **state)
{
    (void)state;
    /* The upper half of the structure comes from a store of both halves. */
    struct ly_argument arguments[2] = {MEMORY, {.kind = LY_ARGUMENT_VALUE, .size = 8}};
    struct seen seen = launch(
        kernel_text("%s = OpTypeStruct %u32 %u32\n%t = OpTypePointer Function %s\n"
                    "%both = OpConstant %u64 21474836480\n",
                    "%b = OpFunctionParameter %t ; ByVal\n",
                    "%whole = OpBitcast %plf %b\nOpStore %whole %both Aligned 8\n"
                    "%low = OpInBoundsAccessChain %pf %b %c0\nOpStore %low %c1 Aligned 4\n"
                    "%high = OpInBoundsAccessChain %pf %b %c1\n%i = OpLoad %u32 %high Aligned 4\n" STORE),
        arguments, 2);
    assert_store(&seen, UNKNOWN); /* not a[0] */
}

static void pipe_writes_private_memory(void **state)
{
    (void)state;
    struct ly_argument arguments[2] = {MEMORY,
                                       {.kind = LY_ARGUMENT_MEMORY, .allocation = BUFFER + 1, .size = 64}};
    struct seen seen =
        launch(kernel_text("%t = OpTypePipe ReadOnly\n", "%b = OpFunctionParameter %t\n",
                           "%v = OpVariable %pf Function\nOpStore %v %c1 Aligned 4\n"
                           "%r = OpReadPipe %u32 %b %v %c4 %c4\n%i = OpLoad %u32 %v Aligned 4\n" STORE),
               arguments, 2);
    size_t writes = 0;
    for (size_t i = 0; i < seen.possible_count; i++)
        writes += seen.possible[i].kind == MM_WRITE && seen.possible[i].allocation == BUFFER;
    assert_int_equal(seen.certain_count, 0);
    assert_int_equal(writes, 1);
}

static void float_atomics_synchronize(void **state)
{
    (void)state;
    /* Accesses after an acquire operation may be ordered after other agents. */
    struct seen seen =
        launch(kernel_text("%f32 = OpTypeFloat 32\n%pf32 = OpTypePointer CrossWorkgroup %f32\n"
                           "%one = OpConstant %f32 1\n",
                           "",
                           "%f = OpBitcast %pf32 %a\n%x = OpAtomicFAddEXT %f32 %f %c1 %acquire %one\n"
                           "%i = OpIAdd %u32 %c0 %c1\n" STORE),
               &MEMORY, 1);
    assert_int_equal(seen.certain_count, 1);
    assert_int_equal(seen.certain[0].kind, MM_RMW);
    assert_store(&seen, UNKNOWN);
}

static void deep_calls_may_synchronize(void **state)
{
    (void)state;
    enum { DEPTH = 40 }; /* more than are evaluated; the innermost function acquires */
    char code[1 << 13],
        *at = stpcpy(code, "%v = OpFunctionCall %void %f0 %a\n%i = OpIAdd %u32 %c0 %c1\n" STORE);
    for (int k = 0; k < DEPTH; k++) {
        at += sprintf(at, "OpReturn\nOpFunctionEnd\n%%f%d = OpFunction %%void None %%fn\n", k);
        at += sprintf(at, "%%a%d = OpFunctionParameter %%p\n%%e%d = OpLabel\n", k, k);
        at += k + 1 < DEPTH ? sprintf(at, "%%call%d = OpFunctionCall %%void %%f%d %%a%d\n", k, k + 1, k)
                            : sprintf(at, "%%x = OpAtomicLoad %%u32 %%a%d %%c1 %%acquire\n", k);
    }
    struct seen seen = launch(kernel_text("", "", code), &MEMORY, 1);
    assert_store(&seen, UNKNOWN);
}

static void more_objects_than_the_limit(void **state)
{
    (void)state;
    static char declarations[1 << 15];
    char *at = stpcpy(declarations, "%pc = OpTypePointer UniformConstant %u32\n");
    for (int i = 0; i < 600; i++)
        at += sprintf(at, "%%g%d = OpVariable %%pc UniformConstant %%c0\n", i);
    struct seen seen = launch(kernel_text(declarations, "", "%i = OpIAdd %u32 %c0 %c0\n" STORE), &MEMORY, 1);
    assert_store(&seen, UNKNOWN);
}

static void program_with_a_large_number(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct mm_sink to = {.context = &seen, .record = see, .retire = see_retired}, sink;
    struct footprint *footprint = footprint_create(&to, false);
    footprint_sink(footprint, &sink);
    struct ly_program_head other = {LY_PROGRAM_MAGIC, LY_PROGRAM_OTHER};
    struct mm_record record = {.type = MM_RECORD_PROGRAM, .program = {UINT32_MAX, sizeof other, &other}};
    assert_int_equal(sink.record(sink.context, &record), MM_OK);
    record = (struct mm_record){.type = MM_RECORD_EVENT, .event = {.kind = MM_API_CALL}};
    assert_int_equal(sink.record(sink.context, &record), MM_OK); /* event 0 */
    pass_launch(&sink, kernel_text("", "", "%i = OpIAdd %u32 %c0 %c0\n" STORE), &MEMORY, 1);
    assert_int_equal(seen.certain_count, 2);
    assert_int_equal(sink.record(sink.context, &record), MM_OK); /* event 1, passed on as 2 */
    sink.retire(sink.context, 1);
    assert_int_equal(seen.retired, 2);
    footprint_destroy(footprint);
}

static void invalid_module(void **state)
{
    (void)state;
    struct seen seen = {0};
    struct mm_sink to = {.context = &seen, .record = see}, sink;
    struct footprint *footprint = footprint_create(&to, true);
    footprint_sink(footprint, &sink);
    size_t size;
    uint32_t *words = spv_assemble(kernel_text("", "", "%i = OpIAdd %u32 %c0 %c0\n" STORE), &size);
    uint32_t *pointer =
        words + size / sizeof *words - 6; /* of the store, before OpReturn and OpFunctionEnd */
    assert_int_equal(pointer[-1], 5 << 16 | SpvOpStore);
    *pointer = INT32_MAX;
    pass_words(&sink, words, size, &MEMORY, 1);
    assert_string_equal(footprint_not_checked(footprint),
                        "what launches of programs that cannot be analyzed touch");
    assert_int_equal(seen.possible_count, 1);
    free(words);
    footprint_destroy(footprint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_with_unknown_trips),
        cmocka_unit_test(branch_without_loop),
        cmocka_unit_test(many_phis_are_parallel),
        cmocka_unit_test(scalar_as_vector),
        cmocka_unit_test(initial_bytes_are_overwritten),
        cmocka_unit_test(pipe_writes_private_memory),
        cmocka_unit_test(float_atomics_synchronize),
        cmocka_unit_test(deep_calls_may_synchronize),
        cmocka_unit_test(more_objects_than_the_limit),
        cmocka_unit_test(program_with_a_large_number),
        cmocka_unit_test(invalid_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
