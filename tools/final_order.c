/* See final_order.h. */
#include "tools/final_order.h"
#include "memmodel/base/memory.h"

#include <stdio.h>
#include <string.h>

static bool has_let(const struct mm_cat_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->let_count; i++)
        if (strcmp(model->lets[i].name, name) == 0)
            return true;
    return false;
}

char *tool_with_final_order(const struct mm_cat_model *model, const char *text, bool z3)
{
    static const struct {
        const char *let, *order;
    } orders[] = {{"locord", "locord"},
                  {"location-ordered", "location-ordered"},
                  {"ihb", "(ghb | lhb | ihb)"},
                  {"ghb", "(ghb | lhb)"},
                  {"hb", "hb"}};
    char line[200];
    size_t k = 0, size = strlen(text);
    while (k < sizeof orders / sizeof *orders && !has_let(model, orders[k].let))
        k++;
    int n = snprintf(line, sizeof line,
                     z3 ? "\nacyclic (co | ((W * W) & loc & (po | %s))) as final-order\n"
                        : "\nflag ~empty ((W * W) & loc & (po | %s)) as final-order\n",
                     k < sizeof orders / sizeof *orders ? orders[k].order : "po");
    char *longer = mm_alloc(size + (size_t)n + 1);
    if (longer) {
        memcpy(longer, text, size);
        memcpy(longer + size, line, (size_t)n + 1);
    }
    return longer;
}
