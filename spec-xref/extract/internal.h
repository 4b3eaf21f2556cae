/* Specification text: shared by the readers of the three formats. */
#ifndef SPEC_XREF_EXTRACT_INTERNAL_H
#define SPEC_XREF_EXTRACT_INTERNAL_H

#include "spec-xref/xref.h"

enum { XR_BLOCK_MAX = 1 << 16, XR_LIST_MAX = 16 };

/* The state of a reader: it fills a block of text and marks where blocks end. */
struct xr_reader {
    struct xr_text *text;
    struct mm_error *err;
    const char *name;
    const char *section, *heading, *subject;
    const char *entry;      /* of the latest prototypes */
    const char *list_entry; /* of the sentence that opened the list of errors */
    unsigned line;          /* of the block's start */
    size_t length;
    int depth;                            /* list nesting of the block, 0: no list */
    enum xr_marker lead[XR_LIST_MAX + 1]; /* what opened the list at each depth */
    bool fresh_prototypes, failed;
    bool defines; /* the block is the name of a query, property or value that the table defines */
    bool whole;   /* every sentence of the section counts */
    char block[XR_BLOCK_MAX];
};

/* Adds a byte to the block; runs of blanks become one. */
void xr_reader_put(struct xr_reader *r, char c, unsigned line);
/* Ends the block as a paragraph or list item. */
void xr_reader_paragraph(struct xr_reader *r);
/* Ends the block as a heading: "5.2.1. Title", "Appendix A: Title" or an unnumbered one; SLUG may be NULL. */
void xr_reader_heading(struct xr_reader *r, const char *slug);
/* Ends the block as program text: remembers the API calls it declares. */
void xr_reader_code(struct xr_reader *r);

void xr_read_html(struct xr_reader *r, const char *bytes, size_t length);
void xr_read_asciidoc(struct xr_reader *r, const char *bytes, size_t length);
/* The sources of OpenCL's specifications. */
void xr_read_opencl(struct xr_reader *r, const char *bytes, size_t length);
void xr_read_plain(struct xr_reader *r, const char *bytes, size_t length);

/* Replaces lines "include::FILE[]" of the text in *BYTES (mm_free), which PATH holds, by the files, where
 * they are there: generated ones are not. */
enum mm_class xr_expand_includes(const char *path, char **bytes, size_t *length, struct mm_error *err);

/* Sentence of the block that starts at TEXT: its length, without the blank that follows. */
size_t xr_sentence_length(const char *text);
enum xr_marker xr_sentence_marker(const char *text);
/* The error code whose condition the sentence gives, "" if none. */
void xr_sentence_code(const char *text, char *code, size_t size);
/* API calls named before "return(s)" in TEXT, blank-separated; "" if it does not say what a call returns. */
void xr_sentence_entries(const char *text, char *entries, size_t size);
/* Whether sections of this number count as a whole. */
bool xr_section_whole(const char *document, const char *section);

#endif
