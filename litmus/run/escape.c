/* Escapes texts of drivers and plans for terminals and results.  A copy of what memmodel has, as the runner
 * does not link it. */
#include "run.h"

#include <string.h>

/* Bytes of the well-formed UTF-8 character at S, 0 if there is none. */
static size_t utf8_length(const unsigned char *s, uint32_t *code)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    *code = n == 1 ? s[0] : n ? s[0] & (0x7fu >> n) : 0;
    for (size_t i = 1; i < n; i++) {
        if (s[i] >> 6 != 2)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return n && (*code < lowest[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) ? 0 : n;
}

/* Control characters but for line ends and tabs, and those without a shape that change direction. */
static bool is_obeyed(uint32_t code)
{
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           code == 0xfeff || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f);
}

char *lt_shown(char *text)
{
    for (char *p = text; *p;) {
        uint32_t code;
        size_t bytes = utf8_length((const unsigned char *)p, &code), n = bytes ? bytes : 1;
        if (!bytes || is_obeyed(code))
            memset(p, '?', n);
        p += n;
    }
    return text;
}
