/* Text for findings: accesses, agents, memory. */
#ifndef CHECKER_RACE_WORDS_H
#define CHECKER_RACE_WORDS_H

#include "checker/checker.h"

/* "a write", "an atomic read", ...; "an access" if the event's kind is none of these */
const char *ck_words_access(const struct mm_event *event);
/* "write", "read", "atomic-read", ...: for JSON */
const char *ck_words_access_kind(const struct mm_event *event);
/* "work-item (0,0,0)", with "of kernel 'k' (command 2)" where WITH_COMMAND; "host thread 1"; "the
 * asynchronous copy of work-group (0,0,0)"; ... */
void ck_words_agent(const struct ck_access *access, bool with_command, char *buf, size_t size);
/* The number of the element of SIZE bytes (0: 1) that has byte OFFSET, which may be negative. */
int64_t ck_words_element(int64_t offset, uint32_t size);
/* Writes the designator of the place in OpenCL C, such as "tile[3].y", to BUF (CK_DESIGNATOR bytes);
 * false: it is an element of an array of scalars, or its type is unknown. */
enum { CK_DESIGNATOR = 200 };
bool ck_words_designator(const struct ck_finding *finding, char *buf, size_t size);
/* "argument 'out' (buffer 3, element 17)", "local memory 'tile' (element 3)", "local memory 'k.tile'
 * (tile[3].y)" */
void ck_words_location(const struct ck_finding *finding, char *buf, size_t size);
/* A bit for an unordered pair of access kinds. */
uint32_t ck_pair_bit(const struct mm_event *a, const struct mm_event *b);
/* The kinds in PAIRS, at most MAX (15 are possible); returns how many. */
size_t ck_words_pairs(uint32_t pairs, const char *names[][2], size_t max);

#endif
