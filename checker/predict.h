/* Prediction, inside: windows of a recorded execution and questions about them. */
#ifndef CHECKER_PREDICT_H
#define CHECKER_PREDICT_H

#include "checker/checker.h"

/* Memory that events of a window touch: what overlaps is one object. */
struct ck_predict_place {
    uint32_t allocation, group; /* GROUP: of local memory, else 0 */
    uint64_t from, to;
    bool shared; /* by two work-items at least, one of which writes */
};
struct ck_predict_event {
    struct mm_event event;
    uint32_t item;   /* index in the window's work-items */
    uint32_t writer; /* read: the event that it reads, UINT32_MAX: what was there before */
    uint64_t before; /* what was there before the window, if KNOWN */
    uint32_t place;  /* index, UINT32_MAX: left out */
    bool known;
};
struct ck_predict_item {
    uint32_t index, group; /* as in mm_agent; work-group */
    uint32_t count;        /* of its events */
    uint32_t *events;      /* indices in the window */
};
struct ck_predict_window {
    struct ck_predict_window *next;
    struct mm_command command;
    struct ck_predict_event *events;
    uint32_t count, capacity;
    bool atomics; /* at least two work-items use atomic operations */
    uint32_t atomic_item;
    /* made for the questions */
    struct ck_predict_item *items;
    uint32_t item_count;
    struct ck_predict_place *places;
    uint32_t place_count;
};
/* Two accesses, and how far each work-item has come when they race. */
struct ck_predict_pair {
    uint32_t a, b; /* events */
    uint32_t *cut; /* per work-item: events that happen */
};

struct ck_predictor {
    const struct mm_cat_model *model;
    struct ck_predict_options options;
    struct ck_predict_window *windows;
    struct mm_allocation *allocations; /* by id */
    uint32_t allocation_count;
    struct mm_command *commands; /* by id */
    uint32_t command_count;
    struct ck_predict_value {
        uint64_t key, value;
        bool known;
    } * values; /* what memory holds: a hash table by allocation and offset */
    size_t value_count, value_capacity;
    struct ck_predict_seen {
        uint32_t first, second, tries;
    } * seen; /* pairs of sources */
    size_t seen_count;
    struct ck_prediction *found;
    size_t found_count;
    size_t questions, unknown;
};
struct ck_prediction {
    struct mm_event later, earlier;
    char *execution; /* the order of events, one line each; NULL: none that interleaves */
};

/* predict_pair.c: who must have come how far; false if the two cannot both be reached. */
bool ck_predict_close(const struct ck_predict_window *window, struct ck_predict_pair *pair);
/* Marks the events that matter to the question; returns how many. */
uint32_t ck_predict_select(const struct ck_predict_window *window, const struct ck_predict_pair *pair,
                           bool *kept);
/* What PLACE holds before the window, byte by byte; a byte that is not known is unlike any that is read. */
void ck_predict_initial(const struct ck_predict_window *window, uint32_t place, uint8_t *bytes);
/* The program of what happens up to the pair; NULL: too large, or no memory. */
struct ck_program *ck_predict_program(const struct ck_predictor *p, const struct ck_predict_window *window,
                                      const struct ck_predict_pair *pair);
/* predict_order.c: an interleaving in which the two race, as events in order; 0: none was found. */
uint32_t ck_predict_order(const struct ck_predictor *p, const struct ck_predict_window *window,
                          const struct ck_predict_pair *pair, uint32_t *order);
/* race_report.c: a finding of another execution. */
void ck_finding_predicted(struct ck_detector *d, const struct ck_prediction *prediction);

#endif
