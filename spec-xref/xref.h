/* spec-xref: the clauses of the specification, with their implementations and checks in this repository.
 *
 * It joins three sources: sentences of a specification file (never stored, known by the hash of their
 * normalized words), clauses in our own words (clauses/ *.json), and citations of clauses in code,
 * models, litmus tests and tests.  Depends on memmodel and cJSON. */
#ifndef SPEC_XREF_XREF_H
#define SPEC_XREF_XREF_H

#include "memmodel/memmodel.h"

#include <stdio.h>

/* ---- specification text ------------------------------------------------------------------- */

/* Why a sentence counts as normative, or not. */
enum xr_marker {
    XR_PLAIN,     /* not normative */
    XR_MUST,      /* must, shall, required */
    XR_FORBIDDEN, /* cannot, not allowed, mutually exclusive */
    XR_UNDEFINED,
    XR_GUARANTEED,
    XR_IMPLEMENTATION, /* implementation-defined */
    XR_ERROR,          /* an error code and its condition */
    XR_LIMIT,          /* minimum and maximum values */
    XR_SHOULD,
    XR_ITEM,    /* part of a list that such a sentence opens */
    XR_SECTION, /* in a section that counts as a whole: the memory model */
    XR_MARKER_COUNT
};
const char *xr_marker_name(enum xr_marker marker);

struct xr_sentence {
    uint64_t hash;       /* of the normalized text */
    const char *section; /* "5.2.1", "A", "synchronizes-with" */
    const char *heading; /* nearest heading */
    const char *entry;   /* API calls that it is about, blank-separated, or "" */
    const char *code;    /* error code that it gives a condition for, or "" */
    const char *subject; /* first cell of its table row, or "" */
    const char *text;
    unsigned line; /* in the file, from 1 */
    enum xr_marker marker;
};

struct xr_section {
    const char *number, *title;
    unsigned line;
};

/* A parsed specification. */
struct xr_text {
    struct mm_arena *arena;
    const char *document; /* "CL", "CLC", "CL env" or "VKMM" */
    struct xr_sentence *sentences;
    size_t sentence_count;
    struct xr_section *sections;
    size_t section_count;
};

/* Reads an HTML, asciidoc or plain-text specification. */
enum mm_class xr_text_read(const char *path, struct xr_text *text, struct mm_error *err);
/* The same from LENGTH bytes in memory; NAME is used in messages only. */
enum mm_class xr_text_parse(const char *name, const char *bytes, size_t length, struct xr_text *text,
                            struct mm_error *err);
void xr_text_free(struct xr_text *text);

/* 64-bit FNV-1a of the words of TEXT: lower case, without punctuation and markup. */
uint64_t xr_hash(const char *text);

/* ---- clauses ------------------------------------------------------------------------------ */

struct xr_clause {
    const char *id;       /* "CL 3.3.6 G17", "CL 5.2.1 E3", "VKMM synchronizes-with 2" */
    const char *document; /* as xr_text.document */
    const char *section;  /* "3.3.6" */
    const char *label;    /* "G17" */
    const char *kind;     /* "edge", "error", ... */
    const char *text;     /* in our own words */
    const char *note;     /* what is unclear, "" */
    const char *versions; /* how versions differ, "" */
    const char *untested; /* why an error condition has no test, "" */
    const char *code;     /* error conditions: CL_INVALID_VALUE, "" */
    const char **entries; /* API calls it is about */
    size_t entry_count;
    const char **errors; /* of a rule of valid usage: the error conditions that answer its violation */
    size_t error_count;
    const uint64_t *sources; /* hashes of the sentences that it represents */
    size_t source_count;
};
/* Kinds that a finite execution can confirm or refute. */
bool xr_clause_checkable(const struct xr_clause *clause);

/* A section that may be cited as a whole.  A document without clauses here ("SPIRV") has sections alone. */
struct xr_known_section {
    const char *document, *number, *title;
};

/* A passage of the specification that is unclear or known to be wrong, and the tests that depend on it. */
struct xr_ambiguity {
    const char *id, *topic, *text, *reading; /* reading: refcl's interpretation */
    const char *switch_name;                 /* model switch with the other readings, "" */
    const char **clauses, **tests;
    size_t clause_count, test_count;
};

/* How a revision words a clause: a sentence of its section, which may have another number than the
 * clause's. */
struct xr_wording {
    const char *revision, *section, *clause; /* "3.1.1", "5.2.2", "CL 5.2.2 E7" */
    uint64_t hash;
};

/* Why a normative sentence needs no clause: what no test could find violated here. */
enum xr_listing {
    XR_DEFINITION,   /* names or describes something */
    XR_ADVICE,       /* recommends, to applications or implementations */
    XR_REFERENCE,    /* says where another passage applies */
    XR_UNOBSERVABLE, /* no program can observe whether it holds */
    XR_OTHER_DEVICE, /* of other devices, versions, profiles or operating systems */
    XR_NOT_OFFERED,  /* of an extension that is not offered: ref-runtime/docs/extensions.md says why */
    XR_LISTING_COUNT
};
const char *xr_listing_name(enum xr_listing listing);

struct xr_listed {
    const char *document, *section;
    uint64_t hash;
    enum xr_listing listing;
    const char *reason;
};

struct xr_database {
    struct mm_arena *arena;
    struct xr_listed *listed;
    size_t listed_count;
    struct xr_clause *clauses;
    size_t clause_count;
    struct xr_wording *wordings;
    size_t wording_count;
    struct xr_known_section *sections;
    size_t section_count;
    struct xr_ambiguity *ambiguities;
    size_t ambiguity_count;
    size_t *by_id; /* indices of clauses, in order of id */
};

/* Loads every JSON file in FOLDER. */
enum mm_class xr_database_load(const char *folder, struct xr_database *db, struct mm_error *err);
void xr_database_free(struct xr_database *db);
/* NULL if there is none. */
const struct xr_clause *xr_database_clause(const struct xr_database *db, const char *id);
const struct xr_known_section *xr_database_section(const struct xr_database *db, const char *document,
                                                   const char *number);
/* True if the clause represents SENTENCE: of the same section, and for error conditions of the same call. */
bool xr_clause_represents(const struct xr_clause *clause, const char *document,
                          const struct xr_sentence *sentence);
/* The first clause that does, or that a revision words so. */
const struct xr_clause *xr_database_sentence(const struct xr_database *db, const char *document,
                                             const struct xr_sentence *sentence);
/* The first clause of DOCUMENT that represents a sentence with this hash, whatever its section. */
const struct xr_clause *xr_database_hash(const struct xr_database *db, const char *document,
                                         const struct xr_sentence *sentence);
/* Why the sentence needs no clause; NULL if it needs one. */
const struct xr_listed *xr_database_listed(const struct xr_database *db, const char *document,
                                           const struct xr_sentence *sentence);

/* ---- citations ---------------------------------------------------------------------------- */

enum xr_role {
    XR_IMPLEMENTS, /* code, models */
    XR_CHECKS,     /* tests, litmus tests */
    XR_GENERATED,  /* litmus tests whose clauses and verdicts the generator wrote */
    XR_REPORTS,    /* rule ids of errors and findings */
    XR_MENTIONS,   /* documents */
    XR_ROLE_COUNT
};
const char *xr_role_name(enum xr_role role);

/* One clause or section, cited at one place. */
struct xr_citation {
    const char *document, *section;
    const char *label; /* "" cites the section */
    const char *file;  /* relative to the root */
    unsigned line;
    enum xr_role role;
    const struct xr_clause *clause;               /* NULL if it is a section, or unknown */
    const struct xr_known_section *known_section; /* NULL if unknown */
};

/* The evidence that an error condition is answered with its code, weakest first. */
enum xr_evidence {
    XR_UNTESTED,
    XR_REASONED, /* not producible here: the clause says why */
    XR_ANSWERED, /* not producible here, as the clause says: only REFCL_FAIL answers so, before the call does anything */
    XR_NEEDLESS,  /* not producible here: a test shows that the call uses no limited resource */
    XR_INJECTED,  /* a failure below the API: of an allocation, or of a device that is lost */
    XR_TRIGGERED, /* the cause that the condition names */
    XR_EVIDENCE_COUNT
};
/* The column: "triggered", "injected", "not producible", "untested". */
const char *xr_evidence_name(enum xr_evidence evidence);
/* Why CLAUSE's condition is not producible; "" for the others. */
const char *xr_evidence_reason(const struct xr_clause *clause, enum xr_evidence evidence);

enum { XR_TEST_CLAUSES = 6 };

/* A test that expects a code of an API call.  Code "": the test shows that the call uses none of the
 * resources that its clauses name. */
struct xr_error_test {
    const char *entry, *code, *file;
    unsigned line;
    enum xr_evidence evidence;
    const struct xr_clause *clauses[XR_TEST_CLAUSES]; /* cited in the statement or the comment before it */
    size_t clause_count;
};

/* An axiom or definition of a model, and whether a comment before it cites a clause. */
struct xr_axiom {
    const char *name, *file;
    unsigned line;
    size_t citation_count;
    bool required; /* the model implements a specification */
};

struct xr_citations {
    struct mm_arena *arena;
    struct xr_citation *citations;
    struct xr_error_test *error_tests;
    struct xr_axiom *axioms;
    size_t citation_count, error_test_count, axiom_count, file_count;
};

typedef enum mm_class xr_on_reference(void *context, const char *document, const char *section,
                                      const char *label);
/* Calls back for each clause and section in TEXT ("CL 3.3.6 G8-G10, H1; SPIRV 3.49.18"); words are skipped.
 * DB has the labels and sections that a range includes. */
enum mm_class xr_cite_parse(const struct xr_database *db, const char *text, xr_on_reference *on,
                            void *context);

/* Walks the folders of ROOT that hold code, models and tests. */
enum mm_class xr_collect(const char *root, const struct xr_database *db, struct xr_citations *out,
                         struct mm_error *err);
/* The same for one file given as text. */
enum mm_class xr_collect_file(const char *path, const char *bytes, size_t length,
                              const struct xr_database *db, struct xr_citations *out, struct mm_error *err);
void xr_citations_free(struct xr_citations *citations);

/* ---- the matrix --------------------------------------------------------------------------- */

enum xr_gap_kind {
    XR_GAP_UNKNOWN,      /* a citation of an unknown clause */
    XR_GAP_AXIOM,        /* an axiom without a clause */
    XR_GAP_NO_CHECK,     /* a checkable clause of the memory model, or one of the language, without a test */
    XR_GAP_ONE_CHECK,    /* with a single one */
    XR_GAP_NO_RULE,      /* the same without axiom or code */
    XR_GAP_ERROR,        /* an error condition without test and reason */
    XR_GAP_NOT_RUN,      /* a check in a file that no test run reaches */
    XR_GAP_TEST_MISSING, /* an ambiguity that names a missing test or clause */
    XR_GAP_COUNT
};
const char *xr_gap_name(enum xr_gap_kind kind);
/* Whether a gap of this kind is an error rather than a listed gap. */
bool xr_gap_is_error(enum xr_gap_kind kind);

struct xr_gap {
    enum xr_gap_kind kind;
    const char *subject; /* clause id, axiom, citation */
    const char *file;    /* "" if none */
    unsigned line;
};

/* Implementations and checks of a clause. */
struct xr_links {
    const struct xr_citation **citations;
    size_t citation_count;
    size_t implements, checks, reports; /* direct; checks without those of generated tests */
    size_t generated;                   /* checks by generated tests */
    size_t section_code;                /* code that cites the whole section */
    enum xr_evidence evidence;          /* for its code: the weakest among its calls */
};

struct xr_matrix {
    struct mm_arena *arena;
    const struct xr_database *db;
    const struct xr_citations *citations;
    struct xr_links *links; /* one per clause */
    struct xr_gap *gaps;
    size_t gap_count;
};

enum mm_class xr_matrix_build(const struct xr_database *db, const struct xr_citations *citations,
                              const char *root, struct xr_matrix *matrix, struct mm_error *err);
void xr_matrix_free(struct xr_matrix *matrix);
/* Whether TEST is one of CLAUSE with ENTRY: it names the clause, or no other clause has its call and code. */
bool xr_test_is_of(const struct xr_database *db, const struct xr_error_test *test,
                   const struct xr_clause *clause, const char *entry);

/* ---- a specification against the database ------------------------------------------------- */

struct xr_chapter {
    const char *name; /* "3", "A", "VKMM" */
    size_t normative, mapped, listed[XR_LISTING_COUNT];
};

/* A sentence and its match in the database. */
struct xr_match {
    const struct xr_sentence *sentence;
    const struct xr_clause *clause; /* NULL if it has none */
    const struct xr_listed *listed; /* why it needs none, NULL */
    /* without a clause: the one whose sentence it seems to replace, or NULL */
    const struct xr_clause *touches;
};

struct xr_extract {
    struct mm_arena *arena;
    struct xr_match *matches; /* of the normative sentences */
    struct xr_chapter *chapters;
    const struct xr_clause **stale; /* clauses of the document's chapters that lost all or some sentences */
    size_t match_count, chapter_count, stale_count;
};

enum mm_class xr_extract_run(const struct xr_database *db, const struct xr_text *text, struct xr_extract *out,
                             struct mm_error *err);
void xr_extract_free(struct xr_extract *extract);

enum xr_change_kind { XR_ADDED, XR_REMOVED, XR_CHANGED, XR_MOVED };
const char *xr_change_name(enum xr_change_kind kind);

struct xr_change {
    enum xr_change_kind kind;
    const struct xr_sentence *before, *after; /* NULL where there is none */
    const struct xr_clause *clause;           /* the clause of BEFORE, else that of AFTER, or NULL */
    bool restated; /* an error condition added or removed: the other version has others of the same clause */
};

struct xr_diff {
    struct mm_arena *arena;
    struct xr_change *changes;
    size_t change_count;
};

enum mm_class xr_diff_run(const struct xr_database *db, const struct xr_text *before,
                          const struct xr_text *after, struct xr_diff *out, struct mm_error *err);
void xr_diff_free(struct xr_diff *diff);

/* ---- reports ------------------------------------------------------------------------------ */

/* Verdicts on the litmus tests of one driver, from `refcl litmus judge --json`. */
struct xr_driver {
    const char *name;
    struct xr_driver_test {
        const char *file, *verdict;
    } * tests;
    size_t test_count;
};
enum mm_class xr_driver_load(const char *path, struct mm_arena *arena, struct xr_driver *driver,
                             struct mm_error *err);
/* The driver's verdict on the test FILE, NULL if it did not run. */
const char *xr_driver_verdict(const struct xr_driver *driver, const char *file);

/* Everything as one JSON text (tools/schema/xref.schema.json); the caller frees it with mm_free.
 * IDS: only these clauses, NULL for all.  NULL on failure. */
char *xr_json(const struct xr_matrix *matrix, const struct xr_driver *drivers, size_t driver_count,
              const char *const *ids, size_t id_count);
char *xr_json_ambiguities(const struct xr_database *db);
char *xr_json_extract(const struct xr_extract *extract, const struct xr_text *text, bool with_text);
char *xr_json_diff(const struct xr_diff *diff, bool with_text);
/* OBJECT, which is deleted, as text. */
struct cJSON;
char *xr_print_json(struct cJSON *object);
bool xr_ends_with(const char *name, const char *end);
/* A self-contained page: TEMPLATE with the JSON and PREFIX (from the page to the root) put in. */
enum mm_class xr_site_write(const struct xr_matrix *matrix, const struct xr_driver *drivers,
                            size_t driver_count, const char *template_path, const char *prefix, FILE *out,
                            struct mm_error *err);

#endif
