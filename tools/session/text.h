/* Edits program sources: inserts words before a line, and replaces included files. */
#ifndef TOOLS_SESSION_TEXT_H
#define TOOLS_SESSION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A statement may begin where LINE of TEXT does: in a block, behind the end of another statement or of a
 * block's begin or end. */
bool session_text_may_begin(const char *text, uint32_t line);
/* TEXT with "WORDS; " before its line LINE, which it has. */
char *session_text_insert(const char *text, uint32_t line, const char *words);
/* Program TEXT, called NAME, with CONTENTS in place of the directive that includes FILE, whether it stands
 * there or in a file that is included itself; lines keep their names.  NULL: there is none. */
char *session_text_include(const char *text, const char *name, const char *file, const char *contents);
/* The folder that NAME is in, "." if it names none.  SIZE bytes. */
void session_text_folder(const char *name, char *folder, uint32_t size);

#endif
