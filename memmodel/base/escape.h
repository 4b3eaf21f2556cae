/* Escaping of untrusted text for terminals, XML, HTML and JSON; no other file does it.
 *
 * Names come from anywhere: they may hold control bytes, bytes that are no UTF-8, and characters that
 * change the direction of the text around them.  Characters that a format cannot represent are replaced by
 * a visible form, never written as they are. */
#ifndef MEMMODEL_BASE_ESCAPE_H
#define MEMMODEL_BASE_ESCAPE_H

#include "memmodel/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* N bytes of S for a terminal: control characters (line ends, too), bytes that are no UTF-8, and invisible
 * characters that control direction are written as \xNN and \u{NNNN}. */
void mm_put_terminal(const char *s, size_t n, FILE *out);
/* fprintf for terminals: FORMAT is written as it is; strings inserted by %s and %c are escaped like
 * mm_put_terminal does. */
void mm_print(FILE *out, const char *format, ...) MM_PRINTF(2, 3);
void mm_vprint(FILE *out, const char *format, va_list arguments);
/* Writes S as text or attribute value in XML 1.0; characters that XML does not permit become U+FFFD.  NULL
 * is "". */
void mm_put_xml(const char *s, FILE *out);
/* The same for HTML; direction controls become visible. */
void mm_put_html(const char *s, FILE *out);
/* False if S holds bytes that are not UTF-8, which JSON cannot represent. */
bool mm_is_utf8(const char *s);
/* Writes S as a JSON string, in quotes; bytes that are not UTF-8 become U+FFFD.  SCRIPT: see mm_put_json. */
void mm_put_json_string(const char *s, bool script, FILE *out);
/* Writes JSON text whose strings may hold any bytes: bytes that are not UTF-8 become U+FFFD.  SCRIPT: the
 * text is inside an HTML script element, and '<' is escaped so that it cannot end the element. */
void mm_put_json(const char *json, bool script, FILE *out);

#endif
