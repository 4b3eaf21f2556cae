/* Links from the board: to the playground with a test in the address, and to clauses. */
#include "tools/store/site.h"

#include "memmodel/base/base64.h"
#include "memmodel/base/escape.h"
#include "memmodel/base/memory.h"

#include <string.h>

/* DEFLATE (RFC 1951) without compression: blocks of up to 65,535 bytes, each after its length and
 * complement. */
static size_t deflate_stored(const char *text, size_t size, unsigned char *to)
{
    size_t used = 0;
    do {
        size_t part = size < 0xffff ? size : 0xffff;
        const unsigned char head[] = {part == size, (unsigned char)part, (unsigned char)(part >> 8),
                                      (unsigned char)~part, (unsigned char)(~part >> 8)};
        memcpy(to + used, head, sizeof head);
        memcpy(to + used + sizeof head, text, part);
        used += sizeof head + part;
        text += part, size -= part;
    } while (size);
    return used;
}

/* The playground's state in the format of tools/web/page/state.mjs; to be freed with cJSON_free(), NULL
 * without memory. */
static char *playground_state(const char *test, const char *variant)
{
    bool vulkan = strncmp(variant, "Vulkan", 6) == 0;
    cJSON *state = cJSON_CreateObject(), *side = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(state, "s"), side);
    cJSON_AddStringToObject(side, "t", test);
    cJSON_AddStringToObject(side, "m", vulkan ? "vulkan.cat" : "opencl.cat");
    cJSON *switches = cJSON_AddObjectToObject(side, "w");
    if (strcmp(variant, STORE_CHAINS) == 0)
        cJSON_AddStringToObject(switches, "chains", "on");
    char *text = cJSON_PrintUnformatted(state);
    cJSON_Delete(state);
    return text;
}

void site_link_playground(const struct site *site, const char *test, const char *variant, FILE *out)
{
    if (!site->options->playground || !*test)
        return;
    char *state = playground_state(test, variant);
    size_t size = state ? strlen(state) : 0;
    unsigned char *packed = state ? mm_alloc(size + 5 * (size / 0xffff + 1)) : NULL;
    char *encoded = packed ? mm_base64_encode(packed, deflate_stored(state, size, packed)) : NULL;
    if (encoded) {
        fputs("<p><a href=\"", out);
        mm_put_html(site->options->playground, out);
        fputs("#z", out);
        for (const char *c = encoded; *c && *c != '='; c++)
            fputc(*c == '+' ? '-' : *c == '/' ? '_' : *c, out);
        fputs("\">open the test in the playground</a></p>\n", out);
    }
    mm_free(encoded);
    mm_free(packed);
    cJSON_free(state);
}

void site_link_clause(const struct site *site, const char *clause, FILE *out)
{
    size_t length = strcspn(clause, ":");
    if (!site->options->xref || !clause[length]) {
        mm_put_html(clause, out);
        return;
    }
    fputs("<a href=\"", out);
    mm_put_html(site->options->xref, out);
    fputs("#c=", out);
    for (size_t i = 0; i < length; i++)
        fprintf(out, strchr("\"<>&%#' ", clause[i]) ? "%%%02X" : "%c", (unsigned char)clause[i]);
    fputs("\">", out);
    mm_put_html(clause, out);
    fputs("</a>", out);
}
