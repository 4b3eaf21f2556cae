/* Lists of findings that are not to be reported. */
#include "checker/checker.h"
#include "tests/fuzz/reader.h"

static bool read_suppressions(const uint8_t *data, size_t size)
{
    struct ck_detector *detector = ck_detector_create(&(struct ck_detector_options){.races = true});
    char *text = fuzz_text(data, size);
    struct mm_error err = {0};
    bool good = detector != NULL && ck_detector_suppress(detector, text, "fuzz", &err) == MM_OK;
    mm_free(text);
    ck_detector_destroy(detector);
    return good;
}

const struct fuzz_reader fuzz_suppressions = {"suppressions", read_suppressions, NULL};
