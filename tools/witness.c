/* Executions that exploring found, for people and as JSON. */
#include "tools/replay.h"
#include "tools/verdict_json.h"

#include <inttypes.h>
#include <stdio.h>

void replay_describe(const struct ck_program *program, const struct ck_execution *execution,
                     char text[REPLAY_TEXT])
{
    static const char *const names[] = {[CK_SHOWS_STATE] = "the end",
                                        [CK_SHOWS_OUT_OF_BOUNDS] = "out_of_bounds",
                                        [CK_SHOWS_DIVERGENCE] = "divergence",
                                        [CK_SHOWS_HANG] = "non-termination"};
    if (execution->shows == CK_SHOWS_STATE && program->observed_count)
        verdict_state_text(program, execution->values, text, REPLAY_TEXT);
    else
        snprintf(text, REPLAY_TEXT, "%s",
                 execution->shows == CK_SHOWS_FLAG ? execution->flag : names[execution->shows]);
}

static cJSON *happening_json(const struct ck_program *program, const struct ck_happening *h, size_t number)
{
    cJSON *json = cJSON_CreateObject();
    char value[32];
    cJSON_AddNumberToObject(json, "event", (double)number);
    cJSON_AddStringToObject(json, "kind", mm_kind_name((enum mm_kind)h->kind));
    if (h->thread < program->thread_count)
        cJSON_AddNumberToObject(json, "work_item", h->thread);
    if (h->order)
        cJSON_AddStringToObject(json, "order", mm_order_name((enum mm_order)h->order));
    if (h->object < program->object_count) {
        cJSON_AddStringToObject(json, "object", program->objects[h->object].name);
        cJSON_AddNumberToObject(json, "offset", h->offset);
        cJSON_AddNumberToObject(json, "size", h->size);
        snprintf(value, sizeof value, "%" PRIu64, h->value);
        cJSON_AddRawToObject(json, "value", value);
    }
    if (h->source != UINT32_MAX)
        cJSON_AddNumberToObject(json, "from", h->source);
    if (h->last)
        cJSON_AddBoolToObject(json, "stays", true);
    if (h->line)
        cJSON_AddNumberToObject(json, "line", h->line);
    return json;
}

cJSON *replay_json(const struct ck_program *program, const struct ck_execution *execution, bool replayed,
                   const char *why)
{
    static const char *const ends[] = {
        [CK_ENDS] = "ends", [CK_FAULTS] = "out_of_bounds", [CK_WAITS] = "waits", [CK_IS_LEFT] = "left"};
    static const char *const shows[] = {[CK_SHOWS_STATE] = "state",
                                        [CK_SHOWS_FLAG] = "flag",
                                        [CK_SHOWS_OUT_OF_BOUNDS] = "flag",
                                        [CK_SHOWS_DIVERGENCE] = "divergence",
                                        [CK_SHOWS_HANG] = "termination"};
    char text[REPLAY_TEXT];
    cJSON *json = cJSON_CreateObject();
    replay_describe(program, execution, text);
    cJSON_AddStringToObject(json, "shows", shows[execution->shows]);
    cJSON_AddStringToObject(json, "what", text);
    cJSON_AddBoolToObject(json, "replayed", replayed);
    if (!replayed)
        cJSON_AddStringToObject(json, "why", why);
    cJSON *items = cJSON_AddArrayToObject(json, "ends");
    for (uint32_t t = 0; t < program->thread_count; t++)
        cJSON_AddItemToArray(items, cJSON_CreateString(ends[execution->ends[t]]));
    cJSON *events = cJSON_AddArrayToObject(json, "events");
    for (size_t i = 0; i < execution->count; i++)
        cJSON_AddItemToArray(events, happening_json(program, &execution->happenings[i], i));
    return json;
}
