/* Source locations of host code: from module and offset to file and line; texts of files that kernels
 * include. */
#ifndef TOOLS_SESSION_PLACES_H
#define TOOLS_SESSION_PLACES_H

#include "memmodel/memmodel.h"

struct session_places {
    char *strings[3]; /* owned strings of the last place found */
    char **files;     /* the files whose text was recorded */
    size_t file_count;
    struct session_module *modules; /* read so far */
    size_t module_count;
    bool hidden; /* no location is reported */
};
/* If RECORD is a source of the form (module, "@0xOFFSET"), gives it the file, line and function that the
 * debug information says.  TEXT becomes a record with the file's text the first time, else its type is 0.
 * Both live until the next call. */
bool session_places_find(struct session_places *places, struct mm_record *record, struct mm_record *text);
/* The same as a function for ck_detector_options.locate; CONTEXT is a struct session_places.  For a source
 * that has a line already, only TEXT is filled. */
void session_places_locate(void *context, struct mm_source *source, struct mm_text *text);
void session_places_clear(struct session_places *places);

#endif
