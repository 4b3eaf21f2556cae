/* Prints build/gen/opcodes.h from the SPIR-V core grammar: IN_SPIRV_OPCODES(X) expands X(Name, value) once
 * for each opcode number, in ascending order; aliases keep the first name of their number.  Of the opcodes
 * that interp/lower/entries.h does not list, those of extensions become foreign, and declarations become
 * none. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return NULL;
    long size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, f) != (size_t)size)
        return NULL;
    text[size] = 0;
    fclose(f);
    return text;
}

/* The names of extensions end in a vendor's tag, of capital letters. */
static bool is_of_extension(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && isupper((unsigned char)name[n - 1]) && isupper((unsigned char)name[n - 2]);
}

/* Instructions of these classes declare or annotate: nothing to execute. */
static bool is_declaration(const char *class)
{
    static const char *const classes[] = {
        "Type-Declaration", "Constant-Creation", "Annotation", "Mode-Setting", "Debug", "Extension"};
    for (size_t i = 0; class && i < sizeof classes / sizeof *classes; i++)
        if (strcmp(class, classes[i]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static const char *names[65536], *classes[65536];
    char path[4096];
    snprintf(path, sizeof path, "%s/spirv.core.grammar.json", argc > 1 ? argv[1] : ".");
    char *text = read_file(path);
    cJSON *root = text ? cJSON_Parse(text) : NULL;
    cJSON *list = cJSON_GetObjectItem(root, "instructions");
    if (!cJSON_IsArray(list)) {
        fprintf(stderr, "%s: no instructions\n", path);
        return 1;
    }
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        int code = cJSON_GetObjectItem(item, "opcode")->valueint;
        if (code >= 0 && code < 65536 && !names[code]) {
            names[code] = cJSON_GetObjectItem(item, "opname")->valuestring;
            classes[code] = cJSON_GetStringValue(cJSON_GetObjectItem(item, "class"));
        }
    }
    puts("/* Generated from spirv.core.grammar.json. */\n#define IN_SPIRV_OPCODES(X) \\");
    for (int i = 0; i < 65536; i++)
        if (names[i])
            printf("    X(%s, %d) \\\n", names[i], i);
    puts("");
    for (int i = 0; i < 65536; i++)
        if (names[i] && (is_of_extension(names[i]) || is_declaration(classes[i])))
            printf("#ifndef IN_ENTRY_%s\n#define IN_ENTRY_%s %s\n#endif\n", names[i], names[i],
                   is_of_extension(names[i]) ? "foreign" : "none");
    cJSON_Delete(root);
    free(text);
    return 0;
}
