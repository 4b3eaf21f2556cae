/* Bytes as text. [RFC 4648 4] */

#include "memmodel/base/base64.h"
#include "memmodel/base/memory.h"
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *mm_base64_encode(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    char *text = size < SIZE_MAX / 2 ? mm_alloc((size + 2) / 3 * 4 + 1) : NULL, *out = text;
    for (size_t i = 0; text && i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t bits = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                        (left > 2 ? bytes[i + 2] : 0);
        for (unsigned d = 0; d < 4; d++)
            *out++ = d <= left ? digits[bits >> (18 - 6 * d) & 63] : '=';
    }
    if (text)
        *out = '\0';
    return text;
}

void *mm_base64_decode(const char *text, size_t *size)
{
    size_t length = strlen(text), pads = 0;
    while (pads < 2 && pads < length && text[length - 1 - pads] == '=')
        pads++;
    *size = length / 4 * 3 - pads;
    unsigned char *bytes = length % 4 == 0 ? mm_alloc(length / 4 * 3 + 1) : NULL;
    for (size_t i = 0; bytes && i < length; i += 4) {
        uint32_t bits = 0;
        for (size_t d = i; d < i + 4; d++) {
            const char *digit = d < length - pads ? strchr(digits, text[d]) : digits;
            if (!digit) {
                mm_free(bytes);
                return NULL;
            }
            bits = bits << 6 | (uint32_t)(digit - digits);
        }
        for (size_t b = 0; b < 3; b++)
            bytes[i / 4 * 3 + b] = (unsigned char)(bits >> (16 - 8 * b));
    }
    return bytes;
}
