/* spec-xref: the clauses of the specification, and what in this repository stands for each.
 *
 * Three sources meet here: sentences of a specification file (never stored, known by the hash of their
 * normalised words), clauses in our own words (clauses/ *.json), and citations of clauses in code,
 * models, litmus tests and tests.  Depends on memmodel and cJSON. */
#ifndef XREF_H
#define XREF_H

#include "memmodel/memmodel.h"

#include <stdio.h>

/* ---- specification text ------------------------------------------------------------------- */

/* Why a sentence counts as normative, or not. */
enum xr_marker {
    XR_PLAIN,     /* it does not */
    XR_MUST,      /* must, shall, required */
    XR_FORBIDDEN, /* cannot, not allowed, mutually exclusive */
    XR_UNDEFINED,
    XR_GUARANTEED,
    XR_IMPLEMENTATION, /* implementation-defined */
    XR_ERROR,          /* an error code and its condition */
    XR_LIMIT,          /* minimum and maximum values */
    XR_SHOULD,
    XR_ITEM,    /* part of a list that such a sentence opens */
    XR_SECTION, /* in a section that counts as a whole: the memory model */
    XR_MARKER_COUNT
};
const char *xr_marker_name(enum xr_marker marker);

struct xr_sentence {
    uint64_t hash;       /* of the normalised text */
    const char *section; /* "5.2.1", "A", "synchronizes-with" */
    const char *heading; /* nearest heading */
    const char *entry;   /* API calls that it is about, blank-separated, or "" */
    const char *code;    /* error code that it gives a condition for, or "" */
    const char *subject; /* first cell of its table row, or "" */
    const char *text;
    unsigned line; /* in the file, from 1 */
    enum xr_marker marker;
};

struct xr_section {
    const char *number, *title;
    unsigned line;
};

/* A specification, taken apart. */
struct xr_text {
    struct mm_arena *arena;
    const char *document; /* "CL" or "VK" */
    struct xr_sentence *sentences;
    size_t sentence_count;
    struct xr_section *sections;
    size_t section_count;
};

/* Reads an HTML, asciidoc or plain-text specification. */
enum mm_class xr_text_read(const char *path, struct xr_text *text, struct mm_error *err);
/* The same from LENGTH bytes in memory; NAME decides nothing but messages. */
enum mm_class xr_text_parse(const char *name, const char *bytes, size_t length, struct xr_text *text,
                            struct mm_error *err);
void xr_text_free(struct xr_text *text);

/* The whole file, with a zero byte behind it; at most LIMIT bytes.  The caller frees *BYTES. */
enum mm_class xr_file_read(const char *path, size_t limit, char **bytes, size_t *length,
                           struct mm_error *err);

/* 64-bit FNV-1a of the words of TEXT: lower case, without punctuation and markup. */
uint64_t xr_hash(const char *text);

#endif
