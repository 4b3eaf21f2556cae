/* Models in the cat language: parsed and prepared for evaluation. */
#include "memmodel/cat/cat.h"
#include "memmodel/cat/eval.h"
#include "tests/fuzz/reader.h"

static bool read_cat(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct mm_cat_model *model = NULL;
    struct mm_error err = {0};
    bool good = mm_cat_parse(text, "fuzz/fuzz.cat", NULL, &model, &err) == MM_OK;
    if (good) {
        mm_cat_eval_destroy(mm_cat_eval_create(model, &err));
        mm_cat_destroy(model);
    }
    mm_free(text);
    return good;
}

const struct fuzz_reader fuzz_cat = {"cat", read_cat, NULL};
