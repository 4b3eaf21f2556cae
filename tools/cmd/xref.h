/* refcl xref: shared by its subcommands. */
#ifndef TOOLS_CMD_XREF_H
#define TOOLS_CMD_XREF_H

#include "spec-xref/xref.h"
#include "tools/tool.h"

#include <limits.h>

enum { XREF_DRIVERS_MAX = 8 };

/* Options of several subcommands, for the members ROOT and JUDGEMENTS of TYPE. */
#define XREF_ROOT_OPTION(type)                                                                               \
    {                                                                                                        \
        "root", 'r', "DIR", "REFCL_XREF_ROOT",                                                               \
            "root of the repository (default: searched upwards from the current directory)",                 \
            TOOL_TO(type, root)                                                                              \
    }
#define XREF_JUDGEMENT_OPTION(type)                                                                          \
    {                                                                                                        \
        "judgement", 'd', "FILE", NULL,                                                                      \
            "add a driver's column, from `refcl litmus judge --json`; may be repeated",                      \
            TOOL_TO(type, judgements)                                                                        \
    }

/* Database, citations and matrix of the repository. */
struct xref_context {
    char root[PATH_MAX];
    struct xr_database db;
    struct xr_citations citations;
    struct xr_matrix matrix;
    struct xr_driver drivers[XREF_DRIVERS_MAX];
    size_t driver_count;
};
int xref_load_database(const char *given_root, struct xref_context *context);
int xref_load(const char *given_root, const struct tool_texts *judgements, struct xref_context *context);
void xref_free(struct xref_context *context);
/* Writes TEXT (freed with mm_free) and a newline to NAME. */
int xref_write(const char *name, char *text);

#endif
