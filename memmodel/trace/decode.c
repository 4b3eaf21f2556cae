/* Decoding of records from trace files (docs/format.md#records).  Nothing in the input is trusted: every
 * number is checked against its range, every string against the end of the payload. */
#include "memmodel/trace/trace.h"

#include <string.h>

static bool decode_problem(struct mm_trace_cursor *c, const char *what)
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
    decode_problem(c, "a number is cut short or too long");
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
    decode_problem(c, "a number is out of range");
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
        decode_problem(c, "an id is 0");
    return id;
}

static uint64_t take_low_bytes(struct mm_trace_cursor *c, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        decode_problem(c, "a value is cut short");
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
        decode_problem(c, "a string is cut short");
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
        decode_problem(c, "a value is too long");
        return;
    }
    e->value_read = take_low_bytes(c, lengths & 15);
    e->value_written = take_low_bytes(c, lengths >> 4);
}

/* Decodes the fields that rarely differ between events of one source. */
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

/* The next event of a run.  Here and in decode_fields() no load covers several recent stores, for which it
 * would wait. */
static inline void predict_event(struct mm_trace_state *state, struct mm_event *event)
{
    uint32_t source = mm_trace_predictor(state, state->source)->next;
    struct mm_trace_predictor *like = mm_trace_predictor(state, source);
    *event = like->event;
    event->source = state->source = source;
    event->offset = like->offset = like->offset + like->stride;
    uint32_t index = state->agent.index = state->agent.index + like->step;
    event->agent = (struct mm_agent){state->agent.command, index};
}

/* Decodes the fields in MASK, which differ from the prediction. */
static void decode_fields(struct mm_trace_cursor *c, struct mm_trace_state *state, unsigned mask,
                          struct mm_event *event)
{
    uint32_t source = state->source;
    struct mm_agent agent = state->agent;
    if (mask & MM_TRACE_F_SOURCE)
        source = (uint32_t)take_at_most(c, take_delta(c, source), UINT32_MAX);
    struct mm_trace_predictor *like = mm_trace_predictor(state, source);
    *event = like->event;
    event->offset = like->offset;
    event->source = source;
    if (mask & MM_TRACE_F_SHAPE) {
        set_shape(event, take_low_bytes(c, 8));
        if (!shape_in_range(event))
            decode_problem(c, "a field of an event is out of range");
    }
    if (mask & MM_TRACE_F_COMMAND)
        agent.command = take_u32(c);
    if (mask & MM_TRACE_F_INDEX)
        agent.index = (uint32_t)take_at_most(c, take_delta(c, agent.index), UINT32_MAX);
    event->agent = agent;
    if (mask & RARE)
        take_rare(c, mask, event);
    if (mask & MM_TRACE_F_OFFSET)
        event->offset = take_delta(c, like->offset);
    if (mask & (RARE | MM_TRACE_F_SHAPE))
        like->event = *event;
    mm_trace_learn(state, like, source, event->offset, agent);
    if (mask & MM_TRACE_F_VALUES)
        take_values(c, event);
}

static inline bool is_in_range(struct mm_trace_cursor *c, const struct mm_event *event)
{
    if (event->offset + event->size < event->offset)
        decode_problem(c, "a field of an event is out of range");
    return !c->problem;
}

size_t mm_trace_decode_run(struct mm_trace_cursor *c, struct mm_trace_state *state, struct mm_event *events,
                           size_t most)
{
    size_t n = state->run < most ? state->run : most, i = 0;
    while (i < n) {
        predict_event(state, &events[i]);
        if (!is_in_range(c, &events[i]))
            break;
        i++;
    }
    state->run -= (uint8_t)i;
    return i;
}

bool mm_trace_decode_event(struct mm_trace_cursor *c, struct mm_trace_state *state, struct mm_event *event)
{
    unsigned mask = MM_TRACE_F_RUN;
    if (state->run == 0) {
        if (c->end - c->at < 2)
            return decode_problem(c, "an event is cut short");
        mask = (unsigned)c->at[0] << 8 | c->at[1];
        c->at += 2;
        if (c->runs && mask & MM_TRACE_F_RUN)
            state->run = (uint8_t)mask;
        if (mask & UNKNOWN && (state->run == 0 || mask & UNKNOWN & ~(unsigned)MM_TRACE_F_RUN))
            return decode_problem(c, "an event has unknown fields");
    }
    if (mask & MM_TRACE_F_RUN) {
        state->run--;
        predict_event(state, event);
    } else {
        decode_fields(c, state, mask, event);
    }
    return is_in_range(c, event);
}

/* ---- everything else ---------------------------------------------------------------------- */

/* Returns SIZE bytes of the payload, which the record points into. */
static const void *take_bytes(struct mm_trace_cursor *c, uint64_t size)
{
    const unsigned char *bytes = c->at;
    if (size > (uint64_t)(c->end - c->at) || size > MM_TRACE_BYTES_MAX) {
        decode_problem(c, "bytes are cut short");
        return NULL;
    }
    c->at += size;
    return bytes;
}

/* An edge comes before its target event and after its source; only reads-from and modification order
 * may point against record order, and both ends are then known or the event to come. */
static void check_edge(struct mm_trace_cursor *c, mm_event_id next, const struct mm_edge *e)
{
    bool value_order = e->kind == MM_EDGE_RF || e->kind == MM_EDGE_CO;
    if (e->kind >= MM_EDGE_COUNT)
        decode_problem(c, "an edge is of unknown kind");
    else if (e->from == e->to || e->from > next || e->to > next || (!value_order && e->to != next))
        decode_problem(c, "an edge names an event that it cannot");
}

static void check_term(struct mm_trace_cursor *c, const struct mm_term *t)
{
    bool earlier = t->id == 0 || (t->a < t->id && t->b < t->id && t->c < t->id);
    if (!earlier || t->size == 0 || (t->size & (t->size - 1)) != 0 ||
        (t->op == MM_TERM_UPDATE && t->value >= MM_UPDATE_COUNT))
        decode_problem(c, "a term is out of range");
}

bool mm_trace_decode(struct mm_trace_cursor *c, struct mm_trace_state *state, mm_event_id next_event,
                     struct mm_record *record)
{
    if (c->at == c->end && state->run == 0)
        return decode_problem(c, "a record is missing");
    if (state->run > 0 || *c->at & 0x80) {
        record->type = MM_RECORD_EVENT;
        return mm_trace_decode_event(c, state, &record->event);
    }
    record->type = (enum mm_record_type) * c->at++;
    switch (record->type) {
#define RECORD(TYPE, member, since)                                                                          \
    case MM_RECORD_##TYPE: {                                                                                 \
        struct mm_##member *r = &record->member;                                                             \
        if (c->version < since)                                                                              \
            return decode_problem(c, "a record is of unknown type");
#define END                                                                                                  \
    break;                                                                                                   \
    }
#define ID(field)                   r->field = take_id(c);
#define U32(field)                  r->field = take_u32(c);
#define U64(field)                  r->field = take_varint(c);
#define I16(field)                  r->field = (int16_t)(uint16_t)take_at_most(c, take_varint(c), UINT16_MAX);
#define U32_SINCE(since, field)     r->field = c->version >= since ? take_u32(c) : 0;
#define STRING_SINCE(since, field)  r->field = c->version >= since ? take_string(c) : "";
#define AT_MOST(field, type, limit) r->field = (type)take_at_most(c, take_varint(c), limit);
#define STRING(field)               r->field = take_string(c);
#define LONG_STRING(field)          r->field = take_string(c);
#define BYTES(size)                 r->bytes = take_bytes(c, r->size);
#define OPTIONAL_BYTES(size)                                                                                 \
    r->bytes = take_at_most(c, take_low_bytes(c, 1), 1) ? take_bytes(c, r->size) : NULL;
#include "memmodel/trace/records.def"
    default:
        return decode_problem(c, "a record is of unknown type");
    }
    if (record->type == MM_RECORD_EDGE)
        check_edge(c, next_event, &record->edge);
    else if (record->type == MM_RECORD_ALLOCATION &&
             (record->allocation.element.size > 8 || record->allocation.element.kind > MM_SCALAR_FLOAT))
        decode_problem(c, "a scalar is of unknown type");
    else if (record->type == MM_RECORD_TERM)
        check_term(c, &record->term);
    else if (record->type == MM_RECORD_RETIRED && record->retired.event >= next_event)
        decode_problem(c, "an event is retired before it is recorded");
    else if (record->type == MM_RECORD_CONTENT &&
             (record->content.size == 0 ||
              record->content.offset + record->content.size < record->content.offset))
        decode_problem(c, "content is out of range");
    return !c->problem;
}
