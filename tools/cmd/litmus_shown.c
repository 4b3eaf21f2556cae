/* Output of executions by `refcl litmus check`: events and relations, as text, JSON and graphs. */
#include "tools/cmd/litmus_shown.h"
#include "memmodel/base/escape.h"
#include "tools/tool.h"
#include "tools/witness/witness.h"

#include <limits.h>

static int write_graph(struct litmus_shown *shown, const struct ck_program *program,
                       const struct ck_execution *x, const char *file, char path[PATH_MAX])
{
    int code = witness_path(shown->folder, file, ++shown->written, x, "dot", path);
    FILE *out = code ? NULL : tool_open_output(path);
    if (!out)
        return code ? code : EXIT_USAGE;
    witness_print_dot(program, x, out);
    return tool_close_output(out, path);
}

int litmus_show(struct litmus_shown *shown, const struct ck_program *program,
                const struct ck_verdict *verdict, const char *file, cJSON *json, FILE *out)
{
    cJSON *array = json ? cJSON_AddArrayToObject(json, "witnesses") : NULL;
    int code = 0;
    for (size_t i = 0; i < verdict->shown_count && !code; i++) {
        const struct ck_execution *x = &verdict->shown[i];
        char what[WITNESS_TEXT], path[PATH_MAX] = "";
        if (shown->folder)
            code = write_graph(shown, program, x, file, path);
        witness_describe(program, x, what);
        mm_print(out, "    witness of %s:%s%s%s%s\n", witness_kind(x), *what == ' ' ? "" : " ", what,
                 *path ? ", in " : "", path);
        if (shown->text)
            witness_print(program, x, out);
        if (array)
            cJSON_AddItemToArray(array, witness_execution_json(program, x));
    }
    return code;
}
