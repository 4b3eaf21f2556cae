/* Prints the worst error of each mathematical function found over special and random inputs, beside the bound
 * of OpenCL's full profile.  Usage: ulp [random inputs per function and type] [seed] */
#include "math_reference.h"

static void print_cell(const struct reference *ref, int type, unsigned count, bool *good)
{
    struct measured m = measure(ref, type, count);
    bool fits = ref->bound[type] < 0 || m.error <= ref->bound[type];
    char bound[16] = "-";
    if (ref->bound[type] >= 0)
        snprintf(bound, sizeof bound, "%g", ref->bound[type]);
    printf("  %10.4f /%5s%s", m.error, bound, fits ? " " : "!");
    *good &= fits;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 20000;
    random_state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    bool good = true;
    printf("%-16s  %18s  %18s  %18s\n", "worst error, ulp", "half / bound", "float / bound",
           "double / bound");
    for (unsigned i = 0; i < REFERENCE_COUNT; i++) {
        printf("%-16s", in_ext_find(references[i].opcode)->name);
        for (int type = 0; type < 3; type++)
            print_cell(&references[i], type, count, &good);
        printf("\n");
        fflush(stdout);
    }
    return good ? 0 : 1;
}
