/* Growing texts of the compiler helper. */
#include "ref-runtime/compiler/helper.h"

#include "memmodel/base/array.h"

#include <string.h>

bool rt_text_add(struct rt_text *text, const void *data, size_t size)
{
    if (!mm_reserve(&text->data, &text->capacity, text->size + size + 1))
        return false;
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
    return true;
}

bool rt_text_add_string(struct rt_text *text, const char *string)
{
    return rt_text_add(text, string, strlen(string));
}
