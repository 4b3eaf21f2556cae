/* The page is one file: template and script from tools/viewer, embedded in the executable, and the data as
 * JSON. */
#include "tools/page.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "tools/tool.h"

#include <string.h>

__asm__(".section .rodata\n"
        "viewer_begin:\n"
        ".incbin \"tools/viewer/page.html\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char viewer_begin[];

int tool_write_page(cJSON *data, const char *name)
{
    static const char mark[] = "@DATA@";
    const char *at = strstr(viewer_begin, mark);
    char *json = data ? cJSON_PrintUnformatted(data) : NULL;
    cJSON_Delete(data);
    FILE *out = json && at ? tool_open_output(name) : NULL;
    if (!out) {
        cJSON_free(json);
        return json ? EXIT_USAGE : tool_error(EXIT_TOOL, "no memory for the page");
    }
    fwrite(viewer_begin, 1, (size_t)(at - viewer_begin), out);
    mm_put_json(json, true, out);
    fputs(at + sizeof mark - 1, out);
    cJSON_free(json);
    return tool_close_output(out, name);
}

int tool_write_verdict_page(const cJSON *verdict, const char *name)
{
    cJSON *data = cJSON_CreateObject(), *texts = cJSON_AddObjectToObject(data, "texts"), *test;
    char *printed = cJSON_PrintUnformatted(verdict); /* tests may be text that another process printed */
    cJSON *copy = printed ? cJSON_Parse(printed) : NULL;
    cJSON_free(printed);
    cJSON_AddItemToObject(data, "verdict", copy);
    cJSON_ArrayForEach(test, cJSON_GetObjectItem(copy, "tests"))
    {
        const char *file = cJSON_GetStringValue(cJSON_GetObjectItem(test, "file"));
        char *text;
        size_t size;
        if (!file || cJSON_HasObjectItem(texts, file) ||
            mm_input_read(MM_INPUT_SOURCE, file, &text, &size, NULL) != MM_OK)
            continue;
        cJSON_AddStringToObject(texts, file, text);
        mm_free(text);
    }
    return tool_write_page(data, name);
}
