/* Executions found by refcl explore, with their launch. */
#include "tools/witness/witness.h"
#include "tools/explore/image/image.h"
#include "tools/explore/inputs/inputs.h"
#include "tools/explore/memory/memory.h"
#include "tools/explore/module/module.h"
#include "tools/verdict_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const witness_kinds[] = {[CK_SHOWS_STATE] = "state",
                                     [CK_SHOWS_FLAG] = "flag",
                                     [CK_SHOWS_OUT_OF_BOUNDS] = "out_of_bounds",
                                     [CK_SHOWS_DIVERGENCE] = "divergence",
                                     [CK_SHOWS_HANG] = "termination",
                                     NULL};
const char *const witness_ends[] = {
    [CK_ENDS] = "ends", [CK_FAULTS] = "out_of_bounds", [CK_WAITS] = "waits", [CK_IS_LEFT] = "left", NULL};

/* ---- the launch ----------------------------------------------------------------------------------- */

/* The value of specialization constant ID in the exploration, or the length of the array in local memory that
 * it determines. */
static uint64_t constant_value(const struct ex *ex, uint32_t id)
{
    uint64_t value;
    for (uint32_t i = 0; i < ex->build.place_count; i++) {
        const struct ex_place *p = &ex->build.places[i];
        if (p->storage == SpvStorageClassWorkgroup && p->pointee->opcode == SpvOpTypeArray &&
            ex_definition(ex, p->pointee->id)->operands[1] == id)
            return ex->program->objects[p->object].size / p->pointee->stride;
    }
    ex_constant(ex, id, 0, &value);
    return value;
}

static bool find_constants(struct witness *w, const struct ex *ex)
{
    struct in_spec_constant *constants = mm_arena_alloc(w->arena, (ex->module.bound + 1) * sizeof *constants);
    if (!constants)
        return false;
    w->options.constants = constants;
    for (uint32_t i = 0; i < ex->module.bound; i++) {
        const struct in_id *id = in_spirv_id(ex->module.decoded, i);
        if (id->kind == IN_ID_CONSTANT && id->spec_id != IN_UNDECORATED)
            constants[w->options.constant_count++] =
                (struct in_spec_constant){id->spec_id, ex_scalar_size(id->ty), constant_value(ex, i)};
    }
    return true;
}

enum mm_class witness_load(struct witness *w, struct mm_error *err)
{
    enum mm_class r = MM_INVALID; /* try OpenCL, which most modules are for, then any environment */
    w->options.name = w->file;
    for (int any = 0; any < 2 && r; any++) {
        w->options.any_environment = any == 1;
        r = in_module_create(w->words, w->word_count * sizeof *w->words, &w->options, &w->module, NULL, err);
    }
    if (r)
        return r;
    *err = (struct mm_error){0}; /* of the first attempt */
    w->kernel = in_module_find_kernel(w->module, w->program->name);
    if (w->kernel == SIZE_MAX)
        return mm_fail(err, MM_INVALID, "witness.kernel", "the module has no kernel '%s'", w->program->name);
    w->info = in_module_kernel(w->module, w->kernel);
    w->arguments = mm_arena_alloc(w->arena, (w->info->argument_count + 1) * sizeof *w->arguments);
    return w->arguments ? MM_OK : mm_out_of_memory(err);
}

enum mm_class witness_open(struct witness *w, const struct ex *ex, struct mm_error *err)
{
    *w = (struct witness){.arena = mm_arena_create(),
                          .file = ex->module.file,
                          .source = ex->module.text,
                          .words = ex->module.words,
                          .word_count = ex->module.word_count,
                          .program = ex->program,
                          .vulkan = ex->module.vulkan,
                          .sub_group = ex->config.launch.sub_group,
                          .conditions = ex->config.outputs,
                          .condition_count = ex->config.output_count};
    if (!w->arena || !find_constants(w, ex))
        return mm_out_of_memory(err);
    memcpy(w->global, ex->config.launch.global, sizeof w->global);
    memcpy(w->local, ex->config.launch.local, sizeof w->local);
    return witness_load(w, err);
}

void witness_close(struct witness *w)
{
    if (w->module)
        in_module_release(w->module);
    ck_program_destroy(w->own_program);
    mm_arena_destroy(w->arena);
    *w = (struct witness){0};
}

/* ---- arguments ------------------------------------------------------------------------------------ */

static const struct ex_place *place_of(const struct ex *ex, uint32_t id)
{
    for (uint32_t i = 0; i < ex->build.place_count; i++)
        if (ex->build.places[i].id == id && ex->build.places[i].storage != SpvStorageClassFunction)
            return &ex->build.places[i];
    return NULL;
}

/* The id behind argument K: a parameter of the kernel, or a descriptor of a shader, in the module's order. */
static uint32_t id_of_argument(const struct ex *ex, uint32_t k)
{
    const struct in_function *f = in_spirv_function(ex->module.decoded, ex->entry->function);
    if (!ex->module.vulkan)
        return k < f->param_count ? f->params[k] : 0;
    for (const struct in_inst *i = ex->module.insts; i->opcode != SpvOpFunction; i++)
        if (i->opcode == SpvOpVariable &&
            (i->operands[0] == SpvStorageClassStorageBuffer || i->operands[0] == SpvStorageClassUniform ||
             i->operands[0] == SpvStorageClassPushConstant) &&
            k-- == 0)
            return i->result;
    return 0;
}

static enum mm_class take_argument(struct witness *w, struct ex *ex, uint32_t k, struct mm_error *err)
{
    const struct in_argument_info *info = &w->info->arguments[k];
    uint32_t id = id_of_argument(ex, k);
    const struct ex_place *place = place_of(ex, id);
    const struct ex_input *input = ex_input_of(ex, id);
    struct witness_argument *a = &w->arguments[k];
    *a = (struct witness_argument){.object = place ? place->object : CK_NO_OBJECT,
                                   .size = place ? ex->program->objects[place->object].size : info->size,
                                   .constant = place && (place->storage == SpvStorageClassPushConstant ||
                                                         place->storage == SpvStorageClassUniformConstant)};
    if (input && input->null)
        a->size = 0;
    if (input && input->image)
        a->image = &ex->build.images[input->image - 1].description;
    if (input)
        a->sampler = input->sampler;
    if (info->kind != IN_ARG_VALUE)
        return MM_OK;
    uint8_t *bytes = mm_arena_alloc(w->arena, a->size + 1);
    if (!bytes)
        return mm_out_of_memory(err);
    a->bytes = bytes;
    return ex_argument_bytes(ex, id, w->execution, bytes, a->size)
               ? MM_OK
               : mm_fail(err, MM_LIMIT, "witness.argument", "no value for argument %u", k);
}

enum mm_class witness_take(struct witness *w, struct ex *ex, const struct ck_execution *execution,
                           struct mm_error *err)
{
    enum mm_class r = MM_OK;
    w->execution = execution;
    for (uint32_t k = 0; k < w->info->argument_count && !r; k++)
        r = take_argument(w, ex, k, err);
    return r;
}

/* ---- words ---------------------------------------------------------------------------------------- */

const char *witness_kind(const struct ck_execution *execution)
{
    return witness_kinds[execution->shows == CK_SHOWS_OUT_OF_BOUNDS ? CK_SHOWS_FLAG : execution->shows];
}

void witness_describe(const struct ck_program *program, const struct ck_execution *execution,
                      char text[WITNESS_TEXT])
{
    static const char *const names[] = {[CK_SHOWS_STATE] = "the end",
                                        [CK_SHOWS_OUT_OF_BOUNDS] = "out_of_bounds",
                                        [CK_SHOWS_DIVERGENCE] = "divergence",
                                        [CK_SHOWS_HANG] = "non-termination"};
    if (execution->shows == CK_SHOWS_STATE && program->observed_count)
        verdict_state_text(program, execution->values, text, WITNESS_TEXT);
    else
        snprintf(text, WITNESS_TEXT, "%s",
                 execution->shows == CK_SHOWS_FLAG ? execution->flag : names[execution->shows]);
}

static cJSON *event_json(const struct ck_program *program, const struct ck_event *h, size_t number)
{
    cJSON *json = cJSON_CreateObject();
    char value[MM_SCALAR_TEXT];
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
        verdict_value_text(&program->objects[h->object], h->offset, h->value, h->size, value);
        cJSON_AddStringToObject(json, "text", value);
    }
    if (h->source != CK_NO_EVENT)
        cJSON_AddNumberToObject(json, "from", h->source);
    if (h->last)
        cJSON_AddBoolToObject(json, "stays", true);
    if (h->line)
        cJSON_AddNumberToObject(json, "line", h->line);
    return json;
}

cJSON *witness_execution_json(const struct ck_program *program, const struct ck_execution *execution)
{
    char text[WITNESS_TEXT];
    cJSON *json = cJSON_CreateObject();
    witness_describe(program, execution, text);
    cJSON_AddStringToObject(json, "shows", witness_kind(execution));
    cJSON_AddStringToObject(json, "what", text);
    cJSON *between = execution->between[0] == CK_NO_EVENT ? NULL : cJSON_AddArrayToObject(json, "between");
    for (int i = 0; between && i < 2 && execution->between[i] != CK_NO_EVENT; i++)
        cJSON_AddItemToArray(between, cJSON_CreateNumber(execution->between[i]));
    cJSON *items = cJSON_AddArrayToObject(json, "ends"), *threads = cJSON_AddArrayToObject(json, "threads");
    for (uint32_t t = 0; t < program->thread_count; t++) {
        cJSON_AddItemToArray(items, cJSON_CreateString(witness_ends[execution->ends[t]]));
        cJSON_AddItemToArray(threads, cJSON_CreateString(program->threads[t].name));
    }
    cJSON *events = cJSON_AddArrayToObject(json, "events");
    for (size_t i = 0; i < execution->count; i++)
        cJSON_AddItemToArray(events, event_json(program, &execution->events[i], i));
    return json;
}
