/* The cat language: what models written for other tools expect: their library files, reduced to the parts
 * that apply to programs of refcl and written with its base names; synonyms of sets and relations; words
 * that are rejected, with the reason. */
#include "memmodel/cat/parser.h"

#include <string.h>

#define FILTERS                                                                                              \
    "let RR(r) = r & (R * R)\nlet RW(r) = r & (R * W)\nlet WR(r) = r & (W * R)\nlet WW(r) = r & (W * W)\n"   \
    "let RM(r) = r & (R * M)\nlet WM(r) = r & (W * M)\nlet MR(r) = r & (M * R)\nlet MW(r) = r & (M * W)\n"   \
    "let MM(r) = r & (M * M)\n"
#define FUNCTIONS                                                                                            \
    "let imply(A, B) = ~A | B\nlet nodetour(R1, R2, R3) = R1 \\ (R2; R3)\n"                                  \
    "let singlestep(r) = nodetour(r, r, r)\n"

static const struct {
    const char *file, *text;
} files[] = {
    {"stdlib.cat", FUNCTIONS},
    {"filters.cat", FILTERS},
    {"basic.cat", FUNCTIONS FILTERS},
    /* its functions are known to cat/orders.c */
    {"cross.cat", ""},
    /* co is a base name here; the definitions below are its part that holds in every execution and the
     * part implied by the values that one thread reads */
    {"cos.cat", "let invrf = rf^-1\nlet co0 = loc & (IW * (W \\ IW))\n"
                "let obsco = (po-loc & (W * W)) | (rf; (po-loc & (R * W))) |\n"
                "            (((po-loc & (W * R)); invrf) \\ id) | ((rf; (po-loc & (R * R)); invrf) \\ id)\n"
                "let cobase = obsco | co0\n"},
    {"c11_cos.cat", "let co0 = loc & (IW * (W \\ IW))\nlet mo = co\n"},
    /* mutexes: OpenCL has none */
    {"c11_los.cat", "let LK = emptyset\nlet UL = emptyset\nlet LS = emptyset\nlet lo = 0\n"},
    /* fences of machines: no program of refcl has them */
    {"fences.cat", "let mfence = 0 and lfence = 0 and sfence = 0 and sync = 0 and lwsync = 0 and eieio = 0\n"
                   "let isync = 0 and dmb = 0 and dmb.st = 0 and dmb.ld = 0 and dsb = 0 and dsb.st = 0\n"
                   "let dsb.ld = 0 and isb = 0\n"},
    /* if a read-modify-write is one event: no write comes between its halves [CL 3.3.6 A17] */
    {CAT_ONE_EVENT, "empty rmw & ((rf^-1; co); co) as rmw-is-one-event\n"},
};

const char *cat_library_text(const char *file)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].file, file) == 0)
            return files[i].text;
    return NULL;
}

struct pair {
    const char *name, *other;
};

static const char *look_up(const struct pair *pairs, size_t count, const struct cat_token *name)
{
    for (size_t i = 0; i < count && name->kind == CAT_NAME; i++)
        if (cat_is_name(name, pairs[i].name))
            return pairs[i].other;
    return NULL;
}

const char *cat_library_alias(const struct cat_token *name)
{
    static const struct pair aliases[] = {
        {"I", "IW"},           {"G", "GLOBAL"},        {"L", "LOCAL"},        {"wi", "int"},
        {"sg", "ssg"},         {"wg", "swg"},          {"dv", "sdv"},         {"dev", "sdv"},
        {"same_B", "syncbar"}, {"entry_fence", "BEN"}, {"exit_fence", "BEX"},
    };

    return look_up(aliases, sizeof aliases / sizeof *aliases, name);
}

const char *cat_library_reason(const struct cat_token *name)
{
    static const char tags[] = "tags of scopes and events are sets here: SG, WG, DV, ALL, ACQ, REL, SC";
    static const struct pair reasons[] = {
        {"tag2scope", tags},
        {"tag2events", tags},
        {"forall", "forall goes over single sets or orders, which this reader does not have"},
        {"match", "match takes sets of sets apart, which only definitions for 'with' do"},
        {"fun", "functions without a name are only known in definitions for 'with'"},
    };

    if (name->kind == CAT_TAG)
        return tags;
    return look_up(reasons, sizeof reasons / sizeof *reasons, name);
}
