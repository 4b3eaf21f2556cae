/* Pipes: packets, reservations of work-items, work-groups and sub-groups, order of commits, findings. */
#include "clrun.h"

struct rig {
    struct in_pipe pipe;
    struct in_object ring;
    int32_t packets[8];
};

static void rig_up(struct rig *r, uint32_t max_packets)
{
    memset(r, 0, sizeof *r);
    r->ring = spv_buffer(r->packets, max_packets * 4, 50);
    r->ring.region = MM_PIPE;
    r->pipe = (struct in_pipe){.packet_size = 4, .max_packets = max_packets, .object = &r->ring};
}

static enum mm_class go(const char *source, const char *kernel, struct rig *r, int32_t *out, size_t size,
                        uint64_t global, uint32_t local, struct spv_run *run)
{
    struct in_object o = spv_buffer(out, size, 51);
    struct clr_launch l = {
        .kernel = kernel, .args = {{.pipe = &r->pipe}, clr_buffer(&o)}, .global = {global}, .local = {local}};
    return clr_once(source, &l, run);
}

#define WRITER                                                                                               \
    "kernel void w(write_only pipe int p, global int *o) {\n"                                                \
    "  int v = 10 + get_global_id(0); o[get_global_id(0)] = write_pipe(p, &v); }\n"

static void test_packets(void **state)
{
    static const char source[] =
        WRITER "kernel void r(read_only pipe int p, global int *o) {\n"
               "  o[0] = get_pipe_num_packets(p); o[1] = get_pipe_max_packets(p);\n"
               "  for (int i = 0; i < 5; i++) { int v = -7; int e = read_pipe(p, &v); o[2 + 2 * i] = e; "
               "o[3 + 2 * i] = v; } }\n";
    struct rig r;
    struct spv_run run;
    int32_t out[12] = {0};
    (void)state;
    rig_up(&r, 4);
    for (int round = 0; round < 3; round++) { /* the ring wraps around */
        assert_int_equal(go(source, "w", &r, out, sizeof out, 5, 5, &run), MM_OK);
        for (int k = 0; k < 5; k++)
            assert_true(k < 4 ? out[k] == 0 : out[k] < 0); /* full */
        assert_int_equal(go(source, "r", &r, out, sizeof out, 1, 1, &run), MM_OK);
        const int32_t expected[2] = {4, 4};
        assert_memory_equal(out, expected, sizeof expected);
        for (int k = 0; k < 4; k++)
            assert_true(out[2 + 2 * k] == 0 && out[3 + 2 * k] == 10 + k);
        assert_true(out[10] < 0 && out[11] == -7); /* empty */
    }
    in_pipe_clear(&r.pipe);
}

static void test_reservations(void **state)
{
    static const char source[] =
        "kernel void w(write_only pipe int p, global int *o) {\n"
        "  reserve_id_t a = reserve_write_pipe(p, 2), b = reserve_write_pipe(p, 1);\n"
        "  int v = 3; o[0] = write_pipe(p, b, 0, &v);\n"
        "  commit_write_pipe(p, b); o[1] = get_pipe_num_packets(p);\n"
        "  v = 4; int last = write_pipe(p, &v); o[2] = get_pipe_num_packets(p);\n"
        "  v = 1; write_pipe(p, a, 0, &v); v = 2; write_pipe(p, a, 1, &v); commit_write_pipe(p, a);\n"
        "  o[3] = get_pipe_num_packets(p); o[4] = is_valid_reserve_id(a);\n"
        "  o[5] = is_valid_reserve_id(reserve_write_pipe(p, 9)); o[6] = last; }\n"
        "kernel void r(read_only pipe int p, global int *o) {\n"
        "  reserve_id_t a = reserve_read_pipe(p, 3); int v = 0;\n"
        "  read_pipe(p, &v); o[0] = v;\n"
        "  for (int i = 2; i >= 0; i--) { read_pipe(p, a, i, &v); o[3 - i] = v; }\n"
        "  o[4] = is_valid_reserve_id(reserve_read_pipe(p, 1)); o[5] = get_pipe_num_packets(p);\n"
        "  commit_read_pipe(p, a); o[6] = get_pipe_num_packets(p); }\n";
    struct rig r;
    struct spv_run run;
    int32_t out[8] = {0};
    (void)state;
    rig_up(&r, 5);
    assert_int_equal(go(source, "w", &r, out, sizeof out, 1, 1, &run), MM_OK);
    const int32_t written[7] = {0, 0, 0, 4, 1, 0, 0};
    assert_memory_equal(out, written, sizeof written);
    assert_int_equal(go(source, "r", &r, out, sizeof out, 1, 1, &run), MM_OK);
    const int32_t read[7] = {4, 3, 2, 1, 0, 4, 0};
    assert_memory_equal(out, read, sizeof read);
    in_pipe_clear(&r.pipe);
}

static void test_groups(void **state)
{
    static const char source[] =
        "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
        "kernel void w(write_only pipe int p, global int *o) {\n"
        "  int l = get_local_id(0), v = 100 * get_group_id(0) + l;\n"
        "  reserve_id_t id = work_group_reserve_write_pipe(p, 4);\n"
        "  o[get_global_id(0)] = is_valid_reserve_id(id);\n"
        "  if (is_valid_reserve_id(id)) { write_pipe(p, id, l, &v);\n"
        "    work_group_commit_write_pipe(p, id); } }\n"
        "kernel void r(read_only pipe int p, global int *o) {\n"
        "  int v = -1; reserve_id_t id = sub_group_reserve_read_pipe(p, 4);\n"
        "  if (is_valid_reserve_id(id)) { read_pipe(p, id, 3 - get_sub_group_local_id(), &v);\n"
        "    sub_group_commit_read_pipe(p, id); }\n"
        "  o[get_global_id(0)] = v; }\n";
    struct rig r;
    struct spv_run run;
    int32_t out[12] = {0};
    (void)state;
    rig_up(&r, 8);
    assert_int_equal(go(source, "w", &r, out, sizeof out, 12, 4, &run), MM_OK);
    for (int k = 0; k < 12; k++)
        assert_int_equal(out[k], k < 8); /* no room for the third group */
    assert_int_equal(go(source, "r", &r, out, sizeof out, 12, 12, &run), MM_OK);
    const int32_t read[12] = {3, 2, 1, 0, 103, 102, 101, 100, -1, -1, -1, -1};
    assert_memory_equal(out, read, sizeof read);
    in_pipe_clear(&r.pipe);
}

static void test_findings(void **state)
{
    static const char source[] =
        "kernel void w(write_only pipe int p, global int *o) {\n"
        "  reserve_id_t a = reserve_write_pipe(p, 1); int v = 0; write_pipe(p, a, 1, &v); }\n"
        "kernel void c(write_only pipe int p, global int *o) {\n"
        "  reserve_id_t a = reserve_write_pipe(p, 1); commit_write_pipe(p, a); commit_write_pipe(p, a); }\n"
        "kernel void s(write_only pipe char p, global int *o) { char v = 1; write_pipe(p, &v); }\n";
    struct rig r;
    struct spv_run run;
    int32_t out[1] = {0};
    (void)state;
    rig_up(&r, 4);
    assert_int_equal(go(source, "w", &r, out, sizeof out, 1, 1, &run), MM_UNDEFINED);
    assert_string_equal(run.kind, "out-of-bounds");
    assert_int_equal(go(source, "c", &r, out, sizeof out, 1, 1, &run), MM_UNDEFINED);
    assert_string_equal(run.kind, "invalid-reservation");
    assert_int_equal(go(source, "s", &r, out, sizeof out, 1, 1, &run), MM_UNDEFINED);
    assert_string_equal(run.kind, "pipe-packet-size");
    in_pipe_clear(&r.pipe);
}

/* A pipe of program scope: written and read by the same kernel. */
static void test_pipe_storage(void **state)
{
    static const char text[] =
        "OpCapability Pipes\nOpCapability PipeStorage\n" SPV_HEAD SPV_ENTRY SPV_BUILTINS SPV_TYPES
        "%storage = OpTypePipeStorage\n%wo = OpTypePipe WriteOnly\n%ro = OpTypePipe ReadOnly\n"
        "%ps = OpConstantPipeStorage %storage 4 4 3\n%pps = OpTypePointer CrossWorkgroup %storage\n"
        "%var = OpVariable %pps CrossWorkgroup %ps\n%c4 = OpConstant %u32 4\n%c7 = OpConstant %u32 7\n"
        "%pf = OpTypePointer Function %u32\n%pg = OpTypePointer Generic %u32\n"
        "%k = OpFunction %void None %kfn\n%out = OpFunctionParameter %pu32\n%e = OpLabel\n"
        "%v = OpVariable %pf Function\nOpStore %v %c7 Aligned 4\n%g = OpPtrCastToGeneric %pg %v\n"
        "%s = OpLoad %storage %var Aligned 8\n%w = OpCreatePipeFromPipeStorage %wo %s\n"
        "%r = OpCreatePipeFromPipeStorage %ro %s\n%x = OpWritePipe %u32 %w %g %c4 %c4\n"
        "OpStore %v %c0 Aligned 4\n%y = OpReadPipe %u32 %r %g %c4 %c4\n%z = OpLoad %u32 %v Aligned 4\n"
        "%n = OpGetMaxPipePackets %u32 %r %c4 %c4\n%t = OpIAdd %u32 %z %n\n%t2 = OpIAdd %u32 %t %x\n"
        "%t3 = OpIAdd %u32 %t2 %y\nOpStore %out %t3 Aligned 4\nOpReturn\nOpFunctionEnd\n";
    uint32_t data[1] = {0};
    struct spv_run out;
    struct in_object buffer = spv_buffer(data, 4, 1);
    struct in_launch launch = {.global_size = {1}, .local_size = {1}};
    (void)state;
    assert_int_equal(spv_execute(text, &launch, &buffer, 1, &out), MM_OK);
    assert_int_equal(data[0], 10);
}

static void test_opcodes_covered(void **state)
{
    static const char *const opcodes[] = {"OpReadPipe",
                                          "OpWritePipe",
                                          "OpReservedReadPipe",
                                          "OpReservedWritePipe",
                                          "OpReserveReadPipePackets",
                                          "OpReserveWritePipePackets",
                                          "OpCommitReadPipe",
                                          "OpCommitWritePipe",
                                          "OpIsValidReserveId",
                                          "OpGetNumPipePackets",
                                          "OpGetMaxPipePackets",
                                          "OpGroupReserveReadPipePackets",
                                          "OpGroupReserveWritePipePackets",
                                          "OpGroupCommitReadPipe",
                                          "OpGroupCommitWritePipe"};
    (void)state;
    clr_must_have_seen(opcodes, sizeof opcodes / sizeof *opcodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets),      cmocka_unit_test(test_reservations),
        cmocka_unit_test(test_groups),       cmocka_unit_test(test_findings),
        cmocka_unit_test(test_pipe_storage), cmocka_unit_test(test_opcodes_covered)};
    return cmocka_run_group_tests(tests, clr_find_helper, NULL);
}
