/* Pages into which reports are written. */
#include "spec-xref/xref.h"
#include "tests/fuzz/reader.h"

static bool read_template(const uint8_t *data, size_t size)
{
    static const char *entry = "clFinish";
    static struct xr_clause clauses[] = {{.id = "XY 5.13 R1",
                                          .document = "XY",
                                          .section = "5.13",
                                          .label = "R1",
                                          .kind = "rule",
                                          .text = "</script><!-- \t \xff",
                                          .note = "",
                                          .versions = "",
                                          .untested = "",
                                          .code = "",
                                          .entries = &entry,
                                          .entry_count = 1}};
    static const struct xr_database database = {.clauses = clauses, .clause_count = 1};
    static const struct xr_citations citations;
    static struct xr_links links;
    static FILE *nowhere;
    struct xr_matrix matrix = {.db = &database, .citations = &citations, .links = &links};
    struct mm_error err = {0};
    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    return nowhere != NULL &&
           xr_site_write(&matrix, NULL, 0, fuzz_file(data, size), "prefix/", nowhere, &err) == MM_OK;
}

const struct fuzz_reader fuzz_template = {"template", read_template, NULL};
