/* Coding of records for trace files (docs/format.md#records). */
#include "memmodel/trace/trace.h"

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

static unsigned difference(const struct mm_event *event, const struct mm_trace_state *state,
                           const struct mm_event *like)
{
    unsigned mask = MM_TRACE_F_EVENT;
    mask |= event->source != state->source ? MM_TRACE_F_SOURCE : 0u;
    mask |= shape_of(event) != shape_of(like) ? MM_TRACE_F_SHAPE : 0u;
    mask |= event->agent.command != state->agent.command ? MM_TRACE_F_COMMAND : 0u;
    mask |= event->agent.index != state->agent.index ? MM_TRACE_F_INDEX : 0u;
    mask |= event->allocation != like->allocation ? MM_TRACE_F_ALLOCATION : 0u;
    mask |= event->size != like->size ? MM_TRACE_F_SIZE : 0u;
    mask |= event->site != like->site ? MM_TRACE_F_SITE : 0u;
    mask |= event->instance != like->instance ? MM_TRACE_F_INSTANCE : 0u;
    mask |= event->offset != like->offset ? MM_TRACE_F_OFFSET : 0u;
    if ((event->value_read | event->value_written) && !state->without_values)
        mask |= MM_TRACE_F_VALUES;
    return mask;
}

/* What rarely differs from the event before it. */
enum {
    RARE = MM_TRACE_F_SHAPE | MM_TRACE_F_COMMAND | MM_TRACE_F_ALLOCATION | MM_TRACE_F_SIZE | MM_TRACE_F_SITE |
           MM_TRACE_F_INSTANCE
};

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

size_t mm_trace_encode_event(struct mm_trace_state *state, const struct mm_event *event, unsigned char *out)
{
    struct mm_event *like = &state->by_source[event->source % MM_TRACE_PREDICTORS];
    unsigned mask = difference(event, state, like);
    unsigned char *p = out;
    *p++ = (unsigned char)(mask >> 8);
    *p++ = (unsigned char)mask;
    if (mask & MM_TRACE_F_SOURCE)
        p = put_delta(p, event->source, state->source);
    if (mask & MM_TRACE_F_SHAPE)
        p = put_low_bytes(p, shape_of(event), 8);
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
    state->source = event->source;
    state->agent = event->agent;
    if (mask & RARE)
        *like = *event;
    else
        like->offset = event->offset;
    return (size_t)(p - out);
}

/* ---- everything else ---------------------------------------------------------------------- */

/* Strings are length, bytes and a NUL, so that a reader can point at them.  Longer ones are cut. */
enum { NAME_MAX_BYTES = 1 << 16, TEXT_MAX_BYTES = MM_TRACE_CHUNK_MAX / 2, FIXED_MAX = 256 };

static size_t string_bound(const char *s)
{
    return (s ? strnlen(s, NAME_MAX_BYTES) : 0) + 11;
}

static unsigned char *put_long_string(unsigned char *p, const char *s, size_t limit)
{
    size_t length = s ? strnlen(s, limit) : 0;
    p = put_varint(p, length);
    if (length)
        memcpy(p, s, length);
    p[length] = 0;
    return p + length + 1;
}

static unsigned char *encode_string(unsigned char *p, const char *s)
{
    return put_long_string(p, s, NAME_MAX_BYTES);
}

size_t mm_trace_record_bound(const struct mm_record *record)
{
    switch (record->type) {
    case MM_RECORD_ALLOCATION:
        return FIXED_MAX + string_bound(record->allocation.name);
    case MM_RECORD_SOURCE:
        return FIXED_MAX + string_bound(record->source.file) + string_bound(record->source.function) +
               string_bound(record->source.opcode);
    case MM_RECORD_COMMAND:
        return FIXED_MAX + string_bound(record->command.kind) + string_bound(record->command.kernel);
    case MM_RECORD_ARGUMENT:
        return FIXED_MAX + string_bound(record->argument.name) + string_bound(record->argument.type_name);
    case MM_RECORD_TEXT:
        return FIXED_MAX + string_bound(record->text.file) +
               (record->text.text ? strnlen(record->text.text, TEXT_MAX_BYTES) : 0);
    case MM_RECORD_FINDING:
        return FIXED_MAX + string_bound(record->finding.kind) + string_bound(record->finding.clause) +
               string_bound(record->finding.message);
    case MM_RECORD_CONTENT:
        return FIXED_MAX + (record->content.bytes ? (size_t)record->content.size : 0);
    case MM_RECORD_PROGRAM:
        return FIXED_MAX + record->program.size;
    case MM_RECORD_REPLAY:
        return FIXED_MAX + record->replay.size;
    default:
        return FIXED_MAX;
    }
}

static unsigned char *put_allocation(unsigned char *p, const struct mm_allocation *a)
{
    const uint64_t fields[] = {a->id,      a->object,  a->region, a->origin, (uint16_t)a->device,
                               a->command, a->address, a->size,   a->flags};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    return encode_string(p, a->name);
}

static unsigned char *put_command(unsigned char *p, const struct mm_command *c)
{
    const uint64_t fields[] = {c->id,     c->queue,      c->device,        c->context,
                               c->parent, c->dimensions, c->sub_group_size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    for (int d = 0; d < 3; d++) {
        p = put_varint(p, c->global_size[d]);
        p = put_varint(p, c->global_offset[d]);
        p = put_varint(p, c->local_size[d]);
    }
    p = encode_string(p, c->kind);
    return encode_string(p, c->kernel);
}

static unsigned char *put_finding(unsigned char *p, const struct mm_finding *f)
{
    const uint64_t fields[] = {f->agent.command, f->agent.index, f->source,
                               f->allocation,    f->offset,      f->size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    p = encode_string(p, f->kind);
    p = encode_string(p, f->clause);
    return encode_string(p, f->message);
}

static unsigned char *put_argument(unsigned char *p, const struct mm_argument *a)
{
    const uint64_t fields[] = {a->command, a->index, a->allocation, a->offset, a->element_size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    p = encode_string(p, a->name);
    return encode_string(p, a->type_name);
}

static unsigned char *put_edge(unsigned char *p, const struct mm_edge *e)
{
    const uint64_t fields[] = {e->from, e->to, e->kind, e->first_byte, e->byte_count};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    return p;
}

static unsigned char *put_source(unsigned char *p, const struct mm_source *s)
{
    p = put_varint(p, s->id);
    p = put_varint(p, s->line);
    p = put_varint(p, s->column);
    p = encode_string(p, s->file);
    p = encode_string(p, s->function);
    p = encode_string(p, s->opcode);
    return put_varint(p, s->caller);
}

static unsigned char *put_bytes(unsigned char *p, const void *bytes, size_t size)
{
    if (size)
        memcpy(p, bytes, size);
    return p + size;
}

static unsigned char *put_content(unsigned char *p, const struct mm_content *c)
{
    p = put_varint(p, c->allocation);
    p = put_varint(p, c->offset);
    p = put_varint(p, c->size);
    *p++ = c->bytes != NULL;
    return put_bytes(p, c->bytes, c->bytes ? (size_t)c->size : 0);
}

static unsigned char *put_program(unsigned char *p, const struct mm_program *program)
{
    p = put_varint(p, program->id);
    p = put_varint(p, program->size);
    return put_bytes(p, program->bytes, program->size);
}

static unsigned char *put_replay(unsigned char *p, const struct mm_replay *r)
{
    p = put_varint(p, r->command);
    p = put_varint(p, r->program);
    p = put_varint(p, r->size);
    return put_bytes(p, r->bytes, r->size);
}

static unsigned char *put_term(unsigned char *p, const struct mm_term *t)
{
    const uint64_t fields[] = {t->op, t->size, t->agent.command, t->agent.index, t->id, t->a,
                               t->b,  t->c,    t->value};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        p = put_varint(p, fields[i]);
    return p;
}

size_t mm_trace_encode_record(const struct mm_record *record, unsigned char *out)
{
    unsigned char *p = out;
    *p++ = (unsigned char)record->type;
    switch (record->type) {
    case MM_RECORD_EDGE:
        p = put_edge(p, &record->edge);
        break;
    case MM_RECORD_ALLOCATION:
        p = put_allocation(p, &record->allocation);
        break;
    case MM_RECORD_SOURCE:
        p = put_source(p, &record->source);
        break;
    case MM_RECORD_COMMAND:
        p = put_command(p, &record->command);
        break;
    case MM_RECORD_ARGUMENT:
        p = put_argument(p, &record->argument);
        break;
    case MM_RECORD_TEXT:
        p = encode_string(p, record->text.file);
        p = put_long_string(p, record->text.text, TEXT_MAX_BYTES);
        break;
    case MM_RECORD_FINDING:
        p = put_finding(p, &record->finding);
        break;
    case MM_RECORD_CONTENT:
        p = put_content(p, &record->content);
        break;
    case MM_RECORD_PROGRAM:
        p = put_program(p, &record->program);
        break;
    case MM_RECORD_REPLAY:
        p = put_replay(p, &record->replay);
        break;
    case MM_RECORD_TERM:
        p = put_term(p, &record->term);
        break;
    case MM_RECORD_EVENT:
        return 0;
    }
    return (size_t)(p - out);
}
