/* The collector: internal interface. */
#ifndef SPEC_XREF_COLLECT_INTERNAL_H
#define SPEC_XREF_COLLECT_INTERNAL_H

#include "spec-xref/xref.h"

struct xr_collector {
    const struct xr_database *db;
    struct xr_citations *out;
    const char *file; /* relative to the root, in the arena */
    unsigned line;
    enum xr_role role;
    bool failed;
};

/* Adds the references in TEXT, which starts on LINE; returns how many there are. */
size_t xr_collect_text(struct xr_collector *c, const char *text, size_t length, unsigned line,
                       enum xr_role role);
void xr_collect_error_tests(struct xr_collector *c, const char *bytes, size_t length);
void xr_collect_model(struct xr_collector *c, const char *bytes, size_t length);

#endif
