/* Reports.  With an argument (text, json, sarif, junit, each also with "-clean" or "-unknown") the program
 * prints such a report, which test_report.py checks. */
#include "checker/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mm_sink sink;

static void record(struct mm_record r)
{
    sink.record(sink.context, &r);
}

static struct ck_detector *example(const char *what)
{
    size_t limit = strstr(what, "-unknown") ? 5000 : 0;
    struct ck_detector *d = ck_detector_create(
        &(struct ck_detector_options){.races = true, .memory = true, .memory_limit = limit});
    ck_detector_sink(d, &sink);
    record((struct mm_record){
        .type = MM_RECORD_TEXT,
        .text = {"k.cl", "kernel void k(global int *out)\n{\n\tout[0] = 1;\n    int a = out[17];\n}\n"}});
    record((struct mm_record){.type = MM_RECORD_COMMAND,
                              .command = {.id = 1,
                                          .dimensions = 1,
                                          .global_size = {8, 1, 1},
                                          .local_size = {4, 1, 1},
                                          .kind = "clEnqueueNDRangeKernel",
                                          .kernel = "k"}});
    record((struct mm_record){
        .type = MM_RECORD_ALLOCATION,
        .allocation = {
            .id = 1, .region = MM_GLOBAL, .origin = MM_ORIGIN_BUFFER, .size = 256, .name = "buffer 3"}});
    record((struct mm_record){
        .type = MM_RECORD_ARGUMENT,
        .argument = {.command = 1, .allocation = 1, .element_size = 4, .name = "out", .type_name = "int*"}});
    record((struct mm_record){
        .type = MM_RECORD_SOURCE,
        .source = {.id = 1, .line = 3, .column = 9, .file = "k.cl", .function = "k", .opcode = "OpStore"}});
    record((struct mm_record){.type = MM_RECORD_SOURCE,
                              .source = {.id = 2,
                                         .line = 4,
                                         .column = 13,
                                         .file = "k.cl",
                                         .function = "k",
                                         .opcode = "OpLoad",
                                         .caller = 3}});
    record((struct mm_record){.type = MM_RECORD_SOURCE,
                              .source = {.id = 3,
                                         .line = 1,
                                         .column = 2,
                                         .file = "k.cl",
                                         .function = "outer",
                                         .opcode = "OpFunctionCall"}});
    struct mm_event e = {
        .kind = MM_WRITE, .agent = {1, 0}, .allocation = 1, .offset = 68, .size = 4, .source = 1};
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    if (strstr(what, "-clean") || limit)
        return d;
    e.kind = MM_READ;
    e.agent.index = 1;
    e.source = 2;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    e.attributes = MM_ATOMIC;
    e.order = MM_ACQ_REL;
    e.scope = MM_SCOPE_WORK_GROUP;
    e.kind = MM_RMW;
    e.offset = 128;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    e.agent.index = 5;
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = e});
    record((struct mm_record){.type = MM_RECORD_FINDING,
                              .finding = {.kind = "out-of-bounds",
                                          .clause = "CLC 6.3",
                                          .source = 2,
                                          .allocation = 1,
                                          .message = "read \"past\" <the> end & \x80\xff so on",
                                          .agent = {1, 2},
                                          .offset = 300,
                                          .size = 4}});
    record((struct mm_record){.type = MM_RECORD_FINDING,
                              .finding = {.kind = "api", .clause = "", .message = "wrong"}});
    return d;
}

static void print(const char *what, FILE *out)
{
    struct ck_detector *d = example(what);
    struct ck_report_options options = {.command_line = "refcl run -- ./app \"x\" <y>"};
    if (strncmp(what, "json", 4) == 0)
        ck_report_json(d, &options, out);
    else if (strncmp(what, "sarif", 5) == 0)
        ck_report_sarif(d, &options, out);
    else if (strncmp(what, "junit", 5) == 0)
        ck_report_junit(d, &options, out);
    else
        ck_report_text(d, &options, out);
    ck_detector_destroy(d);
}

static char *text_of(const char *what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    print(what, out);
    fclose(out);
    return text;
}

static void text_reads_like_a_compiler(void **state)
{
    (void)state;
    char *text = text_of("text");
    static const char *const parts[] = {
        "k.cl:4:13: error: data race on argument 'out' (buffer 3, element 17) between a read by work-item "
        "(1,0,0) and "
        "a write by work-item (0,0,0) [CL 3.3.6 G17]\n",
        "     4 |     int a = out[17];\n       |             ^\n",
        ("note: later: a read by work-item (1,0,0) of kernel 'k' (command 1), local id (1,0,0), work-group "
         "(0,0,0)\n"),
        "k.cl:3:9: note: earlier: a write by work-item (0,0,0)",
        "     3 | \tout[0] = 1;\n       | \t       ^\n",
        "note: no synchronization orders the two accesses\n",
        "scope race on argument 'out' (buffer 3, element 32)",
        "memory_order_acq_rel, memory_scope_work_group",
        "both atomics have scope work_group, but the work-items are in different work-groups",
        "refcl: 4 findings\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text, parts[i]))
            print_message("# missing: %s# in: %s", parts[i], text);
        assert_non_null(strstr(text, parts[i]));
    }
    free(text);
    text = text_of("text-clean");
    assert_string_equal(text, "refcl: no findings\n");
    free(text);
    text = text_of("text-unknown");
    assert_non_null(strstr(text, "refcl: unknown: limit reached: memory"));
    assert_null(strstr(text, "no findings"));
    free(text);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        print(argv[1], stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_reads_like_a_compiler)};
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
