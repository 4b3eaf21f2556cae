/* Escaping of untrusted text for terminals, XML, HTML and JSON; no other file does it.
 *
 * Names come from anywhere: they may hold control bytes, bytes that are no UTF-8, and characters that change
 * the direction of the text around them.  What a format cannot hold is shown, never passed on. */
#ifndef MEMMODEL_BASE_ESCAPE_H
#define MEMMODEL_BASE_ESCAPE_H

#include "memmodel/base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the well-formed UTF-8 character at S, 0 if there is none; *CODE is its code point. */
size_t mm_utf8(const char *s, uint32_t *code);
/* N bytes of S for a terminal: control characters (line ends, too), bytes that are no UTF-8, and invisible
 * characters that control direction are written as \xNN and \u{NNNN}. */
void mm_put_terminal(const char *s, size_t n, FILE *out);
/* fprintf for terminals: FORMAT is written as it is, what %s and %c insert as mm_put_terminal does. */
void mm_print(FILE *out, const char *format, ...) MM_PRINTF(2, 3);
void mm_vprint(FILE *out, const char *format, va_list arguments);
/* Text or an attribute's value in XML 1.0; what XML cannot hold becomes U+FFFD.  NULL is "". */
void mm_put_xml(const char *s, FILE *out);
/* The same in HTML, where direction controls are shown. */
void mm_put_html(const char *s, FILE *out);
/* S as a JSON string, in quotes; what is no UTF-8 becomes U+FFFD.  SCRIPT: as of mm_put_json. */
void mm_put_json_string(const char *s, bool script, FILE *out);
/* JSON that a printer made of any strings: what is no UTF-8 in it becomes U+FFFD.  SCRIPT: it stands within
 * an HTML script element, which it must not end. */
void mm_put_json(const char *json, bool script, FILE *out);

#endif
