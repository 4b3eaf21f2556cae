/* Edits program sources: inserts words before a line, and replaces included files. */
#ifndef TOOLS_SESSION_TEXT_H
#define TOOLS_SESSION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* True if a statement may begin at LINE of TEXT: in a block, after the end of a statement or after a
 * brace. */
bool session_text_may_begin(const char *text, uint32_t line);
/* TEXT with "WORDS; " inserted before line LINE, which must exist. */
char *session_text_insert(const char *text, uint32_t line, const char *words);
/* Program TEXT, called NAME, with CONTENTS in place of the directive that includes FILE, in TEXT or in a file
 * that it includes; line directives keep file names and line numbers.  NULL if no directive includes FILE. */
char *session_text_include(const char *text, const char *name, const char *file, const char *contents);
/* The folder that NAME is in, "." if it names none.  SIZE bytes. */
void session_text_folder(const char *name, char *folder, uint32_t size);

#endif
