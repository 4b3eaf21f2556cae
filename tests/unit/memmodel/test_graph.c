/* Event graphs: lookup of recorded objects, work-item coordinates, and the dumps. */
#include "memmodel/graph/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mm_graph *graph;
static struct mm_sink sink;

static void record(struct mm_record r)
{
    assert_int_equal(sink.record(sink.context, &r), MM_OK);
}

static int fill(void **state)
{
    (void)state;
    graph = mm_graph_create();
    mm_graph_sink(graph, 8, &sink);
    record((struct mm_record){.type = MM_RECORD_COMMAND,
                              .command = {.id = 2,
                                          .dimensions = 1,
                                          .global_size = {8, 1, 1},
                                          .local_size = {4, 1, 1},
                                          .kind = "clEnqueueNDRangeKernel",
                                          .kernel = "reduce"}});
    record((struct mm_record){
        .type = MM_RECORD_ALLOCATION,
        .allocation = {
            .id = 7, .region = MM_GLOBAL, .origin = MM_ORIGIN_BUFFER, .size = 256, .name = "buffer 3"}});
    record((struct mm_record){
        .type = MM_RECORD_ARGUMENT,
        .argument = {.command = 2, .allocation = 7, .offset = 16, .element_size = 4, .name = "out"}});
    record((struct mm_record){
        .type = MM_RECORD_SOURCE,
        .source = {
            .id = 5, .line = 12, .column = 3, .file = "r.cl", .function = "reduce", .opcode = "OpStore"}});
    record((struct mm_record){.type = MM_RECORD_EVENT, .event = {.agent = {0, 1}, .kind = MM_API_CALL}});
    record((struct mm_record){.type = MM_RECORD_EDGE, .edge = {.from = 0, .to = 1, .kind = MM_EDGE_ENQUEUE}});
    record((struct mm_record){.type = MM_RECORD_EVENT,
                              .event = {.agent = {2, MM_INDEX_RUNTIME}, .kind = MM_COMMAND_START}});
    record((struct mm_record){.type = MM_RECORD_EVENT,
                              .event = {.agent = {2, 3},
                                        .kind = MM_WRITE,
                                        .allocation = 7,
                                        .offset = 84,
                                        .size = 4,
                                        .source = 5,
                                        .value_written = 9}});
    record((struct mm_record){.type = MM_RECORD_EVENT,
                              .event = {.agent = {2, 5},
                                        .kind = MM_READ,
                                        .allocation = 7,
                                        .offset = 84,
                                        .size = 4,
                                        .source = 5,
                                        .value_read = 9}});
    return 0;
}

static int clear(void **state)
{
    (void)state;
    mm_graph_destroy(graph);
    return 0;
}

static void what_was_recorded_can_be_found(void **state)
{
    (void)state;
    assert_int_equal(graph->event_count, 4);
    assert_int_equal(graph->events[2].offset, 84);
    assert_int_equal(graph->edge_count, 1);
    assert_int_equal(graph->edges[0].kind, MM_EDGE_ENQUEUE);
    assert_string_equal(mm_graph_source(graph, 5)->file, "r.cl");
    assert_null(mm_graph_source(graph, 6));
    assert_null(mm_graph_source(graph, 0));
    assert_string_equal(mm_graph_command(graph, 2)->kernel, "reduce");
    assert_string_equal(mm_graph_allocation(graph, 7)->name, "buffer 3");
}

static void its_size_is_bounded(void **state)
{
    (void)state;
    struct mm_event events[5];
    memset(events, 0, sizeof events);
    assert_int_equal(sink.events(sink.context, events, 5), MM_LIMIT);
    assert_int_equal(sink.events(sink.context, events, 4), MM_OK);
    assert_int_equal(graph->event_count, 8);
}

static char *dump(void (*how)(const struct mm_graph *, FILE *))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    how(graph, out);
    fclose(out);
    return text;
}

static void dumps_speak_the_users_words(void **state)
{
    (void)state;
    char *text = dump(mm_dump_text);
    assert_non_null(strstr(
        text,
        "2 work-item (3,0,0) of reduce#2: write 4 bytes of argument 'out'[17] writes 0x9 at r.cl:12:3\n"));
    assert_non_null(strstr(text, "0 host thread 1: api-call\n"));
    assert_non_null(strstr(text, "edge 0 -> 1 enqueue\n"));
    free(text);
    text = dump(mm_dump_json);
    assert_non_null(strstr(text, "\"location\": \"argument 'out'[17]\""));
    free(text);
    text = dump(mm_dump_dot);
    assert_non_null(strstr(text, "label=\"work-item (3,0,0) of reduce#2\""));
    assert_non_null(strstr(text, "e2 -> e3 [label=\"rf\""));
    assert_non_null(strstr(text, "e0 -> e1 [label=\"enqueue\""));
    free(text);
}

/* Every work-item of a launch has different coordinates, all within the range: checked by an independent
 * traversal of the range, also if the local size does not divide it. */
static void check_range(const struct mm_command *c)
{
    uint64_t groups[3], size = 1;
    for (int k = 0; k < 3; k++) {
        groups[k] = (c->global_size[k] + c->local_size[k] - 1) / c->local_size[k];
        size *= c->local_size[k];
    }
    for (uint64_t z = 0; z < c->global_size[2]; z++) {
        for (uint64_t y = 0; y < c->global_size[1]; y++) {
            for (uint64_t x = 0; x < c->global_size[0]; x++) {
                const uint64_t at[3] = {x, y, z};
                uint64_t group[3], local[3], actual[3], g[3], w[3], l[3];
                for (int k = 0; k < 3; k++) {
                    group[k] = at[k] / c->local_size[k];
                    local[k] = at[k] % c->local_size[k];
                    uint64_t left = c->global_size[k] - group[k] * c->local_size[k];
                    actual[k] = left < c->local_size[k] ? left : c->local_size[k];
                }
                uint64_t linear_group = (group[2] * groups[1] + group[1]) * groups[0] + group[0];
                uint64_t linear = (local[2] * actual[1] + local[1]) * actual[0] + local[0];
                mm_agent_coordinates(c, (struct mm_agent){c->id, (uint32_t)(linear_group * size + linear)}, g,
                                     w, l);
                for (int k = 0; k < 3; k++) {
                    assert_int_equal(g[k], at[k] + c->global_offset[k]);
                    assert_int_equal(w[k], group[k]);
                    assert_int_equal(l[k], local[k]);
                }
            }
        }
    }
}

static void coordinates_of_work_items(void **state)
{
    (void)state;
    check_range(
        &(struct mm_command){.id = 1, .dimensions = 3, .global_size = {6, 4, 2}, .local_size = {3, 2, 2}});
    check_range(&(struct mm_command){.id = 1,
                                     .dimensions = 3,
                                     .global_size = {7, 5, 3},
                                     .local_size = {3, 2, 2},
                                     .global_offset = {10, 0, 5}});
    check_range(
        &(struct mm_command){.id = 1, .dimensions = 2, .global_size = {10, 3, 1}, .local_size = {4, 4, 1}});
    uint64_t g[3], w[3], l[3]; /* nonsense from a damaged trace */
    mm_agent_coordinates(&(struct mm_command){.dimensions = 3}, (struct mm_agent){1, 4000000000u}, g, w, l);
    mm_agent_coordinates(&(struct mm_command){.dimensions = 3,
                                              .global_size = {1, 1, 1},
                                              .local_size = {4000000000u, 4000000000u, 4000000000u}},
                         (struct mm_agent){1, 4000000000u}, g, w, l);
    mm_agent_coordinates(&(struct mm_command){.dimensions = 3,
                                              .global_size = {1, 1, 1},
                                              .local_size = {1u << 31, 1u << 31, 4}}, /* 0 of 64 bits */
                         (struct mm_agent){1, 4000000000u}, g, w, l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_recorded_can_be_found, fill, clear),
        cmocka_unit_test_setup_teardown(its_size_is_bounded, fill, clear),
        cmocka_unit_test_setup_teardown(dumps_speak_the_users_words, fill, clear),
        cmocka_unit_test(coordinates_of_work_items),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
