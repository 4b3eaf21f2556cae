/* The site: one page that holds its data, its style and its script. */
#include "memmodel/base/escape.h"
#include "memmodel/base/input.h"
#include "spec-xref/xref.h"

#include <string.h>

/* "</" would end the script that holds the data. */
static void put_json(const char *json, FILE *out)
{
    for (const char *p = json; *p; p++) {
        if (p[0] == '<' && (p[1] == '/' || p[1] == '!')) {
            fputs("\\u003c", out);
            continue;
        }
        /* No indentation. */
        if (*p == '\t' || *p == '\n')
            continue;
        fputc(*p, out);
    }
}

enum mm_class xr_site_write(const struct xr_matrix *matrix, const struct xr_driver *drivers,
                            size_t driver_count, const char *template_path, const char *prefix, FILE *out,
                            struct mm_error *err)
{
    static const char data_mark[] = "/*DATA*/null", prefix_mark[] = "/*PREFIX*/\"\"";
    char *page, *json;
    size_t length;
    enum mm_class c = mm_input_read(MM_INPUT_LINES, template_path, &page, &length, err);
    if (c != MM_OK)
        return c;
    const char *data = strstr(page, data_mark), *root = strstr(page, prefix_mark);
    if (!data || !root || root < data) {
        mm_free(page);
        return mm_fail_at(err, MM_INVALID, "xref.site", template_path, 0, 0,
                          "the page has no place for the data");
    }
    json = xr_json(matrix, drivers, driver_count, NULL, 0);
    if (!json) {
        mm_free(page);
        return mm_out_of_memory(err);
    }
    fwrite(page, 1, (size_t)(data - page), out);
    put_json(json, out);
    data += sizeof data_mark - 1;
    fwrite(data, 1, (size_t)(root - data), out);
    mm_put_json_string(prefix, true, out);
    fputs(root + sizeof prefix_mark - 1, out);
    mm_free(json);
    mm_free(page);
    return MM_OK;
}
