/* Decoding of records from trace files (docs/format.md#records).  Nothing in the input is trusted: every number is checked
 * against its range, every string against the end of the payload. */
#include "memmodel/trace/trace.h"

#include <string.h>

static bool problem(struct mm_trace_cursor *c, const char *what)
{
    if (!c->problem)
        c->problem = what;
    c->at = c->end;
    return false;
}

static uint64_t take_long_varint(struct mm_trace_cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (c->at == c->end)
            break;
        unsigned char byte = *c->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    problem(c, "a number is cut short or too long");
    return 0;
}

static inline uint64_t take_varint(struct mm_trace_cursor *c)
{
    if (c->at != c->end && *c->at < 0x80)
        return *c->at++;
    return take_long_varint(c);
}

static inline uint64_t take_delta(struct mm_trace_cursor *c, uint64_t base)
{
    uint64_t coded = take_varint(c);
    uint64_t sign = (uint64_t)0 - (coded & 1);
    return base + (coded >> 1 ^ sign);
}

static uint64_t take_at_most(struct mm_trace_cursor *c, uint64_t value, uint64_t limit)
{
    if (value <= limit)
        return value;
    problem(c, "a number is out of range");
    return 0;
}

static uint32_t take_u32(struct mm_trace_cursor *c)
{
    return (uint32_t)take_at_most(c, take_varint(c), UINT32_MAX);
}

static uint32_t take_id(struct mm_trace_cursor *c)
{
    uint32_t id = take_u32(c);
    if (!id)
        problem(c, "an id is 0");
    return id;
}

static uint64_t take_low_bytes(struct mm_trace_cursor *c, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        problem(c, "a value is cut short");
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)*c->at++ << 8 * i;
    return value;
}

static const char *take_string(struct mm_trace_cursor *c)
{
    uint64_t length = take_varint(c);
    const char *s = (const char *)c->at;
    if (length >= (uint64_t)(c->end - c->at) || memchr(s, 0, (size_t)length + 1) != s + length) {
        problem(c, "a string is cut short");
        return "";
    }
    c->at += length + 1;
    return s;
}

/* ---- events ------------------------------------------------------------------------------- */

static void set_shape(struct mm_event *e, uint64_t shape)
{
    e->kind = (uint8_t)shape;
    e->order = (uint8_t)(shape >> 8);
    e->scope = (uint8_t)(shape >> 16);
    e->effective_scope = (uint8_t)(shape >> 24);
    e->fence_flags = (uint8_t)(shape >> 32);
    e->attributes = (uint8_t)(shape >> 40);
    e->semantics = (uint16_t)(shape >> 48);
}

static bool shape_in_range(const struct mm_event *e)
{
    return e->kind < MM_KIND_COUNT && e->order < MM_ORDER_COUNT && e->scope < MM_SCOPE_COUNT &&
           e->effective_scope < MM_SCOPE_COUNT && e->fence_flags < 8;
}

static void take_values(struct mm_trace_cursor *c, struct mm_event *e)
{
    unsigned lengths = (unsigned)take_low_bytes(c, 1);
    if ((lengths & 15) > 8 || lengths >> 4 > 8) {
        problem(c, "a value is too long");
        return;
    }
    e->value_read = take_low_bytes(c, lengths & 15);
    e->value_written = take_low_bytes(c, lengths >> 4);
}

/* What rarely differs between events of one source. */
static void take_rare(struct mm_trace_cursor *c, unsigned mask, struct mm_event *e)
{
    if (mask & MM_TRACE_F_ALLOCATION)
        e->allocation = take_u32(c);
    if (mask & MM_TRACE_F_SIZE)
        e->size = take_u32(c);
    if (mask & MM_TRACE_F_SITE)
        e->site = take_u32(c);
    if (mask & MM_TRACE_F_INSTANCE)
        e->instance = take_u32(c);
}

enum {
    RARE = MM_TRACE_F_ALLOCATION | MM_TRACE_F_SIZE | MM_TRACE_F_SITE | MM_TRACE_F_INSTANCE,
    UNKNOWN = ~(unsigned)(MM_TRACE_F_EVENT | MM_TRACE_F_ALL) & 0xffff
};

/* The event that the prediction comes from becomes the event itself. */
bool mm_trace_decode_event(struct mm_trace_cursor *c, struct mm_trace_state *state, struct mm_event *event)
{
    if (c->end - c->at < 2)
        return problem(c, "an event is cut short");
    unsigned mask = (unsigned)c->at[0] << 8 | c->at[1];
    c->at += 2;
    if (mask & UNKNOWN)
        return problem(c, "an event has unknown fields");
    if (mask & MM_TRACE_F_SOURCE)
        state->source = (uint32_t)take_at_most(c, take_delta(c, state->source), UINT32_MAX);
    struct mm_event *e = &state->by_source[state->source % MM_TRACE_PREDICTORS];
    e->source = state->source;
    if (mask & MM_TRACE_F_SHAPE) {
        set_shape(e, take_low_bytes(c, 8));
        if (!shape_in_range(e))
            problem(c, "a field of an event is out of range");
    }
    if (mask & MM_TRACE_F_COMMAND)
        state->agent.command = take_u32(c);
    if (mask & MM_TRACE_F_INDEX)
        state->agent.index = (uint32_t)take_at_most(c, take_delta(c, state->agent.index), UINT32_MAX);
    e->agent = state->agent;
    if (mask & RARE)
        take_rare(c, mask, e);
    if (mask & MM_TRACE_F_OFFSET)
        e->offset = take_delta(c, e->offset);
    e->value_read = e->value_written = 0;
    if (mask & MM_TRACE_F_VALUES)
        take_values(c, e);
    if (e->offset + e->size < e->offset)
        problem(c, "a field of an event is out of range");
    *event = *e;
    return !c->problem;
}

/* ---- everything else ---------------------------------------------------------------------- */

/* An edge comes before its target event and after its source; only reads-from and modification order
 * may point against record order, and both ends are then known or the event to come. */
static void take_edge(struct mm_trace_cursor *c, mm_event_id next, struct mm_edge *e)
{
    e->from = take_varint(c);
    e->to = take_varint(c);
    e->kind = take_u32(c);
    e->first_byte = take_u32(c);
    e->byte_count = take_u32(c);
    bool value_order = e->kind == MM_EDGE_RF || e->kind == MM_EDGE_CO;
    if (e->kind >= MM_EDGE_COUNT)
        problem(c, "an edge is of unknown kind");
    else if (e->from == e->to || e->from > next || e->to > next || (!value_order && e->to != next))
        problem(c, "an edge names an event that it cannot");
}

static void take_allocation(struct mm_trace_cursor *c, struct mm_allocation *a)
{
    a->id = take_id(c);
    a->object = take_u32(c);
    a->region = (uint8_t)take_at_most(c, take_varint(c), MM_REGION_COUNT - 1);
    a->origin = (uint8_t)take_at_most(c, take_varint(c), MM_ORIGIN_COUNT - 1);
    a->device = (int16_t)(uint16_t)take_at_most(c, take_varint(c), UINT16_MAX);
    a->command = take_u32(c);
    a->address = take_varint(c);
    a->size = take_varint(c);
    a->flags = take_varint(c);
    a->name = take_string(c);
}

static void take_source(struct mm_trace_cursor *c, struct mm_source *s)
{
    s->id = take_id(c);
    s->line = take_u32(c);
    s->column = take_u32(c);
    s->file = take_string(c);
    s->function = take_string(c);
    s->opcode = take_string(c);
    s->caller = c->version > 1 ? take_u32(c) : 0;
}

static void take_command(struct mm_trace_cursor *c, struct mm_command *cmd)
{
    cmd->id = take_id(c);
    cmd->queue = take_u32(c);
    cmd->device = take_u32(c);
    cmd->context = take_u32(c);
    cmd->parent = take_u32(c);
    cmd->dimensions = (uint32_t)take_at_most(c, take_varint(c), 3);
    cmd->sub_group_size = take_u32(c);
    for (int d = 0; d < 3; d++) {
        cmd->global_size[d] = take_varint(c);
        cmd->global_offset[d] = take_varint(c);
        cmd->local_size[d] = take_u32(c);
    }
    cmd->kind = take_string(c);
    cmd->kernel = take_string(c);
}

static void take_argument(struct mm_trace_cursor *c, struct mm_argument *a)
{
    a->command = take_id(c);
    a->index = take_u32(c);
    a->allocation = take_u32(c);
    a->offset = take_varint(c);
    a->element_size = take_u32(c);
    a->name = take_string(c);
    a->type_name = take_string(c);
}

static void take_finding(struct mm_trace_cursor *c, struct mm_finding *f)
{
    f->agent.command = take_u32(c);
    f->agent.index = take_u32(c);
    f->source = take_u32(c);
    f->allocation = take_u32(c);
    f->offset = take_varint(c);
    f->size = take_u32(c);
    f->kind = take_string(c);
    f->clause = take_string(c);
    f->message = take_string(c);
}

/* They stay in the payload. */
static const void *take_bytes(struct mm_trace_cursor *c, uint64_t size)
{
    const unsigned char *bytes = c->at;
    if (size > (uint64_t)(c->end - c->at) || size > MM_TRACE_BYTES_MAX) {
        problem(c, "bytes are cut short");
        return NULL;
    }
    c->at += size;
    return bytes;
}

static void take_content(struct mm_trace_cursor *c, struct mm_content *content)
{
    content->allocation = take_id(c);
    content->offset = take_varint(c);
    content->size = take_varint(c);
    bool given = take_at_most(c, take_low_bytes(c, 1), 1);
    content->bytes = given ? take_bytes(c, content->size) : NULL;
    if (content->size == 0 || content->offset + content->size < content->offset)
        problem(c, "content is out of range");
}

static void take_program(struct mm_trace_cursor *c, struct mm_program *program)
{
    program->id = take_id(c);
    program->size = take_u32(c);
    program->bytes = take_bytes(c, program->size);
}

static void take_replay(struct mm_trace_cursor *c, struct mm_replay *replay)
{
    replay->command = take_id(c);
    replay->program = take_id(c);
    replay->size = take_u32(c);
    replay->bytes = take_bytes(c, replay->size);
}

static void take_term(struct mm_trace_cursor *c, struct mm_term *t)
{
    t->op = (uint8_t)take_at_most(c, take_varint(c), MM_TERM_COUNT - 1);
    t->size = (uint8_t)take_at_most(c, take_varint(c), 8);
    t->agent.command = take_id(c);
    t->agent.index = take_u32(c);
    t->id = take_u32(c);
    t->a = take_u32(c);
    t->b = take_u32(c);
    t->c = take_u32(c);
    t->value = take_varint(c);
    bool earlier = t->id == 0 || (t->a < t->id && t->b < t->id && t->c < t->id);
    if (!earlier || t->size == 0 || (t->size & (t->size - 1)) != 0 ||
        (t->op == MM_TERM_UPDATE && t->value >= MM_UPDATE_COUNT))
        problem(c, "a term is out of range");
}

static void take_replayed(struct mm_trace_cursor *c, struct mm_record *record)
{
    if (c->version < 3)
        problem(c, "a record is of unknown type");
    else if (record->type == MM_RECORD_CONTENT)
        take_content(c, &record->content);
    else if (record->type == MM_RECORD_PROGRAM)
        take_program(c, &record->program);
    else
        take_replay(c, &record->replay);
}

bool mm_trace_decode(struct mm_trace_cursor *c, struct mm_trace_state *state, mm_event_id next_event,
                     struct mm_record *record)
{
    if (c->at == c->end)
        return problem(c, "a record is missing");
    if (*c->at & 0x80) {
        record->type = MM_RECORD_EVENT;
        return mm_trace_decode_event(c, state, &record->event);
    }
    record->type = (enum mm_record_type) * c->at++;
    switch (record->type) {
    case MM_RECORD_EDGE:
        take_edge(c, next_event, &record->edge);
        break;
    case MM_RECORD_ALLOCATION:
        take_allocation(c, &record->allocation);
        break;
    case MM_RECORD_SOURCE:
        take_source(c, &record->source);
        break;
    case MM_RECORD_COMMAND:
        take_command(c, &record->command);
        break;
    case MM_RECORD_ARGUMENT:
        take_argument(c, &record->argument);
        break;
    case MM_RECORD_TEXT:
        record->text.file = take_string(c);
        record->text.text = take_string(c);
        break;
    case MM_RECORD_FINDING:
        take_finding(c, &record->finding);
        break;
    case MM_RECORD_CONTENT:
    case MM_RECORD_PROGRAM:
    case MM_RECORD_REPLAY:
        take_replayed(c, record);
        break;
    case MM_RECORD_TERM:
        take_term(c, &record->term);
        break;
    default:
        return problem(c, "a record is of unknown type");
    }
    return !c->problem;
}
