/* Coding of records for trace files (docs/format.md#records). */
#include "memmodel/trace/trace.h"

#include <stddef.h>
#include <string.h>

static inline unsigned char *put_varint(unsigned char *p, uint64_t value)
{
    while (value >= 0x80) {
        *p++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *p++ = (unsigned char)value;
    return p;
}

static inline unsigned char *put_delta(unsigned char *p, uint64_t value, uint64_t base)
{
    uint64_t difference = value - base;
    uint64_t sign = (uint64_t)0 - (difference >> 63);
    return put_varint(p, difference << 1 ^ sign);
}

static unsigned significant_bytes(uint64_t value)
{
    return value ? (71u - (unsigned)__builtin_clzll(value)) / 8u : 0;
}

static unsigned char *put_low_bytes(unsigned char *p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *p++ = (unsigned char)(value >> 8 * i);
    return p;
}

static unsigned char *put_u64(unsigned char *p, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
#else
    return put_low_bytes(p, value, sizeof value);
#endif
}

static unsigned char *put_values(unsigned char *p, const struct mm_event *event)
{
    unsigned read = significant_bytes(event->value_read), written = significant_bytes(event->value_written);
    *p++ = (unsigned char)(read | written << 4);
    p = put_low_bytes(p, event->value_read, read);
    return put_low_bytes(p, event->value_written, written);
}

static uint64_t shape_of(const struct mm_event *e)
{
    return (uint64_t)e->kind | (uint64_t)e->order << 8 | (uint64_t)e->scope << 16 |
           (uint64_t)e->effective_scope << 24 | (uint64_t)e->fence_flags << 32 |
           (uint64_t)e->attributes << 40 | (uint64_t)e->semantics << 48;
}

/* Fields that rarely differ from those of the event before. */
enum {
    RARE = MM_TRACE_F_SHAPE | MM_TRACE_F_COMMAND | MM_TRACE_F_ALLOCATION | MM_TRACE_F_SIZE | MM_TRACE_F_SITE |
           MM_TRACE_F_INSTANCE
};

/* Whether none of them differs: but for the command they are neighbors, and compared together. */
static inline bool is_common(const struct mm_event *event, const struct mm_trace_state *state,
                             const struct mm_event *like)
{
    enum {
        FIRST = offsetof(struct mm_event, allocation),
        END = offsetof(struct mm_event, semantics) + sizeof event->semantics
    };
    return event->agent.command == state->agent.command &&
           memcmp((const char *)event + FIRST, (const char *)like + FIRST, END - FIRST) == 0;
}

static unsigned rare_difference(const struct mm_event *event, const struct mm_trace_state *state,
                                const struct mm_event *like)
{
    unsigned mask = 0;
    mask |= shape_of(event) != shape_of(like) ? MM_TRACE_F_SHAPE : 0u;
    mask |= event->agent.command != state->agent.command ? MM_TRACE_F_COMMAND : 0u;
    mask |= event->allocation != like->allocation ? MM_TRACE_F_ALLOCATION : 0u;
    mask |= event->size != like->size ? MM_TRACE_F_SIZE : 0u;
    mask |= event->site != like->site ? MM_TRACE_F_SITE : 0u;
    mask |= event->instance != like->instance ? MM_TRACE_F_INSTANCE : 0u;
    return mask;
}

static inline unsigned event_difference(const struct mm_event *event, const struct mm_trace_state *state,
                                        const struct mm_trace_predictor *like)
{
    unsigned mask = MM_TRACE_F_EVENT;
    mask |= event->source != state->source ? MM_TRACE_F_SOURCE : 0u;
    mask |= event->agent.index != state->agent.index ? MM_TRACE_F_INDEX : 0u;
    mask |= event->offset != like->offset ? MM_TRACE_F_OFFSET : 0u;
    if (!state->without_values && (event->value_read | event->value_written))
        mask |= MM_TRACE_F_VALUES;
    return is_common(event, state, &like->event) ? mask : mask | rare_difference(event, state, &like->event);
}

static unsigned char *put_rare(unsigned char *p, unsigned mask, const struct mm_event *event)
{
    if (mask & MM_TRACE_F_ALLOCATION)
        p = put_varint(p, event->allocation);
    if (mask & MM_TRACE_F_SIZE)
        p = put_varint(p, event->size);
    if (mask & MM_TRACE_F_SITE)
        p = put_varint(p, event->site);
    if (mask & MM_TRACE_F_INSTANCE)
        p = put_varint(p, event->instance);
    return p;
}

static size_t encode_difference(struct mm_trace_state *state, const struct mm_event *event,
                                unsigned char *out)
{
    struct mm_trace_predictor *like = mm_trace_predictor(state, event->source);
    unsigned mask = event_difference(event, state, like);
    unsigned char *p = out;
    *p++ = (unsigned char)(mask >> 8);
    *p++ = (unsigned char)mask;
    if (mask & MM_TRACE_F_SOURCE)
        p = put_delta(p, event->source, state->source);
    if (mask & MM_TRACE_F_SHAPE)
        p = put_u64(p, shape_of(event));
    if (mask & MM_TRACE_F_COMMAND)
        p = put_varint(p, event->agent.command);
    if (mask & MM_TRACE_F_INDEX)
        p = put_delta(p, event->agent.index, state->agent.index);
    if (mask & RARE)
        p = put_rare(p, mask, event);
    if (mask & MM_TRACE_F_OFFSET)
        p = put_delta(p, event->offset, like->offset);
    if (mask & MM_TRACE_F_VALUES)
        p = put_values(p, event);
    mm_trace_learn(state, like, event->source, event->offset, event->agent);
    if (mask & RARE || like->event.source != event->source)
        like->event = *event;
    return (size_t)(p - out);
}

/* Whether EVENT is as predicted: its source comes after the last one as it did before, and index and offset
 * change as they did then.  It becomes the last event if so. */
static inline bool follow_prediction(struct mm_trace_state *state, const struct mm_event *event)
{
    uint32_t source = mm_trace_predictor(state, state->source)->next;
    struct mm_trace_predictor *like = mm_trace_predictor(state, source);
    uint64_t offset = like->offset + like->stride;
    uint32_t index = state->agent.index + like->step;
    bool without_values = state->without_values || !(event->value_read | event->value_written);
    if (event->source != source || event->offset != offset || event->agent.index != index ||
        !without_values || !is_common(event, state, &like->event))
        return false;
    like->offset = offset;
    state->source = source;
    state->agent.index = index;
    return true;
}

size_t mm_trace_encode_event(struct mm_trace_state *state, const struct mm_event *event, unsigned char *out)
{
    state->run = 0;
    if (!state->runs || !follow_prediction(state, event))
        return encode_difference(state, event, out);
    out[0] = (unsigned char)((MM_TRACE_F_EVENT | MM_TRACE_F_RUN) >> 8);
    out[1] = state->run = 1;
    return 2;
}

size_t mm_trace_extend_run(struct mm_trace_state *state, const struct mm_event *events, size_t count,
                           unsigned char *end)
{
    uint8_t run = state->run;
    size_t n = 0;
    if (run == 0)
        return 0;
    while (n < count && run < UINT8_MAX && follow_prediction(state, &events[n])) {
        n++;
        run++;
    }
    end[-1] = state->run = run;
    return n;
}

uint32_t mm_trace_extend_row(struct mm_trace_state *state, uint32_t count, unsigned char *end)
{
    uint32_t room = UINT8_MAX - state->run, added = count < room ? count : room;
    if (state->run == 0 || !mm_trace_in_row(state))
        return 0;
    end[-1] = state->run = (uint8_t)(state->run + added);
    state->agent.index += added;
    return added;
}

/* ---- everything else ---------------------------------------------------------------------- */

/* Strings are length, bytes and a NUL, so that a reader can point at them.  Longer ones are cut. */
enum { NAME_MAX_BYTES = 1 << 16, TEXT_MAX_BYTES = MM_TRACE_CHUNK_MAX / 2, FIXED_MAX = 256 };

static size_t string_bound(const char *s)
{
    return (s ? strnlen(s, NAME_MAX_BYTES) : 0) + 11;
}

static unsigned char *encode_string(unsigned char *p, const char *s, size_t limit)
{
    size_t length = s ? strnlen(s, limit) : 0;
    p = put_varint(p, length);
    if (length)
        memcpy(p, s, length);
    p[length] = 0;
    return p + length + 1;
}

static unsigned char *put_bytes(unsigned char *p, const void *bytes, size_t size)
{
    if (size)
        memcpy(p, bytes, size);
    return p + size;
}

#define RECORD(TYPE, member, version)                                                                        \
    case MM_RECORD_##TYPE: {                                                                                 \
        const struct mm_##member *r = &record->member;
#define END                                                                                                  \
    break;                                                                                                   \
    }
#define ID(field)                    NUMBER(r->field)
#define U32(field)                   NUMBER(r->field)
#define U64(field)                   NUMBER(r->field)
#define I16(field)                   NUMBER((uint16_t)r->field)
#define U32_SINCE(version, field)    NUMBER(r->field)
#define STRING_SINCE(version, field) STRING(field)
#define AT_MOST(field, type, limit)  NUMBER(r->field)

size_t mm_trace_record_bound(const struct mm_record *record)
{
    size_t bound = FIXED_MAX;
    switch (record->type) {
#define NUMBER(value)        (void)(value); /* FIXED_MAX includes it */
#define STRING(field)        bound += string_bound(r->field);
#define LONG_STRING(field)   bound += r->field ? strnlen(r->field, TEXT_MAX_BYTES) : 0;
#define BYTES(size)          bound += r->size;
#define OPTIONAL_BYTES(size) bound += r->bytes ? (size_t)r->size : 0;
#include "memmodel/trace/records.def"
#undef NUMBER
#undef STRING
#undef LONG_STRING
#undef BYTES
#undef OPTIONAL_BYTES
    case MM_RECORD_EVENT:
        break;
    }
    return bound;
}

size_t mm_trace_encode_record(const struct mm_record *record, unsigned char *out)
{
    unsigned char *p = out;
    *p++ = (unsigned char)record->type;
    switch (record->type) {
#define NUMBER(value)      p = put_varint(p, value);
#define STRING(field)      p = encode_string(p, r->field, NAME_MAX_BYTES);
#define LONG_STRING(field) p = encode_string(p, r->field, TEXT_MAX_BYTES);
#define BYTES(size)        p = put_bytes(p, r->bytes, r->size);
#define OPTIONAL_BYTES(size)                                                                                 \
    *p++ = r->bytes != NULL;                                                                                 \
    p = put_bytes(p, r->bytes, r->bytes ? (size_t)r->size : 0);
#include "memmodel/trace/records.def"
    case MM_RECORD_EVENT:
        return 0;
    }
    return (size_t)(p - out);
}
