/* Growing texts of the compiler helper. */
#include "ref-runtime/compiler/helper.h"

#include <string.h>

bool rt_text_add(struct rt_text *text, const void *data, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = (text->size + size + 1) * 2;
        char *grown = mm_realloc(text->data, capacity);
        if (!grown)
            return false;
        text->data = grown;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
    return true;
}

bool rt_text_add_string(struct rt_text *text, const char *string)
{
    return rt_text_add(text, string, strlen(string));
}
