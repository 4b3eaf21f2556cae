/* The layout of trace files, shared by writer and reader (docs/format.md#file).  Chunks can be decoded
 * independently of each other: the predictions that events are coded against start at zero in each. */
#ifndef MEMMODEL_TRACE_TRACE_H
#define MEMMODEL_TRACE_TRACE_H

#include "memmodel/memmodel.h"

#define MM_TRACE_MAGIC "refcltrc"
enum {
    /* 1: sources have no caller; 2: no launches to be executed again; 3: no elements; 4: no fences of
     *    asynchronous copies; 5: no layouts */
    MM_TRACE_VERSION = 6,
    MM_TRACE_FILE_HEADER = 16,
    MM_TRACE_CHUNK_HEADER = 40,
    MM_TRACE_CHUNK_MAGIC = 0x6b684352,  /* "RChk" */
    MM_TRACE_CHUNK_TARGET = 256 * 1024, /* bytes of records after which a chunk is written */
    MM_TRACE_CHUNK_EVENTS =
        64 * 1024, /* events likewise: in runs they take few bytes, and the reader waits */
    MM_TRACE_CHUNK_MAX = 16 * 1024 * 1024,
    MM_TRACE_EVENT_MAX = 112,                    /* bytes of one coded event */
    MM_TRACE_BYTES_MAX = MM_TRACE_CHUNK_MAX / 2, /* of one record of content, program or replay */
    MM_TRACE_PREDICTORS = 64
};
enum mm_trace_codec { MM_TRACE_RAW, MM_TRACE_ZSTD, MM_TRACE_END };

struct mm_trace_chunk {
    uint32_t codec;
    uint32_t stored; /* bytes of payload in the file */
    uint32_t raw;    /* bytes of records */
    uint64_t first_event;
    uint64_t checksum; /* of the stored payload */
};
void mm_trace_chunk_put(unsigned char out[MM_TRACE_CHUNK_HEADER], const struct mm_trace_chunk *chunk);
/* False if magic or checksum of the header do not match, or a number is out of range. */
bool mm_trace_chunk_get(const unsigned char in[MM_TRACE_CHUNK_HEADER], struct mm_trace_chunk *chunk);

/* The mask of a coded event: which fields differ from the predicted ones (docs/format.md#events). */
enum {
    MM_TRACE_F_SOURCE = 1 << 0,
    MM_TRACE_F_SHAPE = 1 << 1, /* kind, order, scopes, flags, attributes, semantics */
    MM_TRACE_F_COMMAND = 1 << 2,
    MM_TRACE_F_INDEX = 1 << 3,
    MM_TRACE_F_ALLOCATION = 1 << 4,
    MM_TRACE_F_SIZE = 1 << 5,
    MM_TRACE_F_SITE = 1 << 6,
    MM_TRACE_F_INSTANCE = 1 << 7,
    MM_TRACE_F_OFFSET = 1 << 8,
    MM_TRACE_F_VALUES = 1 << 9,
    MM_TRACE_F_ALL = (1 << 10) - 1,
    MM_TRACE_F_RUN = 1 << 10, /* no fields: the low byte is a number of events that are as predicted */
    MM_TRACE_F_EVENT = 1 << 15
};
struct mm_trace_predictor {  /* of the last event with a source, by source modulo MM_TRACE_PREDICTORS */
    uint64_t offset, stride; /* of the event; its difference from the one before in this slot */
    uint32_t next;           /* source of the event after it */
    uint32_t step;           /* difference of its index from that of the event before it */
    struct mm_event event;   /* the other fields */
};
struct mm_trace_state {
    uint32_t source; /* of the last event */
    struct mm_agent agent;
    bool without_values; /* writer: they are left out */
    bool runs;           /* writer: predicted events are coded as runs */
    uint8_t run;         /* events of the current run: writer: so far, reader: that are left */
    uint64_t used;       /* which of the following may differ from zero */
    struct mm_trace_predictor by_source[MM_TRACE_PREDICTORS];
};
_Static_assert(MM_TRACE_PREDICTORS == 64, "as many as bits of USED");

/* The predictions of a new chunk. */
static inline void mm_trace_restart(struct mm_trace_state *state)
{
    for (uint64_t left = state->used; left; left &= left - 1)
        state->by_source[__builtin_ctzll(left)] = (struct mm_trace_predictor){0};
    state->used = 0;
    state->run = 0;
    state->source = 0;
    state->agent = (struct mm_agent){0};
}

static inline struct mm_trace_predictor *mm_trace_predictor(struct mm_trace_state *state, uint32_t source)
{
    return &state->by_source[source % MM_TRACE_PREDICTORS];
}

/* After an event that was not as predicted: its prediction LIKE changes, and that of the event before. */
static inline void mm_trace_learn(struct mm_trace_state *state, struct mm_trace_predictor *like,
                                  uint32_t source, uint64_t offset, struct mm_agent agent)
{
    mm_trace_predictor(state, state->source)->next = source;
    state->used |= UINT64_C(1) << state->source % MM_TRACE_PREDICTORS;
    state->used |= UINT64_C(1) << source % MM_TRACE_PREDICTORS;
    like->step = agent.index - state->agent.index;
    like->stride = offset - like->offset;
    like->offset = offset;
    state->source = source;
    state->agent = agent;
}

/* Whether the predicted event is the last one, by the next work-item. */
static inline bool mm_trace_in_row(struct mm_trace_state *state)
{
    const struct mm_trace_predictor *last = mm_trace_predictor(state, state->source);
    return last->next == state->source && last->step == 1 && last->stride == 0;
}

/* Appends EVENT to OUT, which has room for MM_TRACE_EVENT_MAX bytes; returns the bytes used. */
size_t mm_trace_encode_event(struct mm_trace_state *state, const struct mm_event *event, unsigned char *out);
/* Adds those of COUNT events that are as predicted to the run that ends at END; returns how many. */
size_t mm_trace_extend_run(struct mm_trace_state *state, const struct mm_event *events, size_t count,
                           unsigned char *end);
/* Adds up to COUNT events of successive work-items to the run that ends at END, which are the last event but
 * for the agent's index; returns how many. */
uint32_t mm_trace_extend_row(struct mm_trace_state *state, uint32_t count, unsigned char *end);
/* The most bytes that RECORD can take, and its coding.  Not for events. */
size_t mm_trace_record_bound(const struct mm_record *record);
size_t mm_trace_encode_record(const struct mm_record *record, unsigned char *out);

struct mm_trace_cursor {
    const unsigned char *at, *end;
    const char *problem; /* why the input is not valid, NULL while it is */
    unsigned version;    /* of the format */
    bool runs;           /* they are accepted */
};
/* Decodes the next record; false at a problem.  Strings point into the payload. */
bool mm_trace_decode_event(struct mm_trace_cursor *cursor, struct mm_trace_state *state,
                           struct mm_event *event); /* in a run, or where the next byte has its top bit set */
/* Decodes up to MOST more events of the current run; returns how many. */
size_t mm_trace_decode_run(struct mm_trace_cursor *cursor, struct mm_trace_state *state,
                           struct mm_event *events, size_t most);
bool mm_trace_decode(struct mm_trace_cursor *cursor, struct mm_trace_state *state, mm_event_id next_event,
                     struct mm_record *record);

#endif
