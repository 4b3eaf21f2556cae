/* Families: combinations of shapes, placements, regions, scopes and mechanisms, each made as strong as it
 * can be. */
#include "litmus/generate/generate.h"
#include "memmodel/base/nearest.h"

#include <ctype.h>
#include <string.h>

enum { SHAPE, PLACE, REGION, SCOPE, MECHANISM, DATA, FLAGS, ORDER, AXES };

struct choice {
    const char *text[AXES], *list[AXES]; /* LIST: that TEXT is an item of */
    size_t at[AXES];                     /* where it begins there */
    char buffer[AXES][32];
};

/* The I-th word of a comma-separated list in BUFFER, NULL if there are fewer; AT: where it begins. */
static const char *list_word(const char *list, unsigned i, char buffer[32], size_t *at)
{
    const char *whole = list;
    while (i && (list = strchr(list, ','))) {
        list++;
        i--;
    }
    if (!list || !*list)
        return NULL;
    size_t length = strcspn(list, ",");
    snprintf(buffer, 32, "%.*s", (int)(length < 31 ? length : 31), list);
    *at = (size_t)(list - whole);
    return buffer;
}

static char letter_at(const char *letters, unsigned i)
{
    size_t length = strlen(letters);
    return !length ? '\0' : letters[i < length ? i : length - 1];
}

/* Values of each option: one of a list of words, or a letter for each thread or location. */
static const struct {
    const char *option, *words, *letters;
} axes[AXES] = {[SHAPE] = {.option = "shapes"},
                [PLACE] = {.option = "places", .words = "dev wg sg split"},
                [REGION] = {.option = "regions", .letters = LT_CYCLE_REGIONS},
                [SCOPE] = {.option = "scopes", .words = "sg wg dev all"},
                [MECHANISM] = {.option = "mechanisms", .letters = "afms"},
                [DATA] = {.option = "data", .words = "atomic plain"},
                [FLAGS] = {.option = "flags", .words = "g l gl"},
                [ORDER] = {.option = "orders", .words = "sc ar rlx"}};

/* The error is at the item of the list of the option. */
static enum mm_class fail_word(const struct choice *choice, unsigned axis, const char *words,
                               struct mm_error *err)
{
    char copy[200], shown[400], *rest = copy;
    const char *list[32], *option = axes[axis].option, *nearest;
    size_t count = 0;
    snprintf(shown, sizeof shown, "--%s %s", option, choice->list[axis]);
    snprintf(copy, sizeof copy, "%s", words);
    while (count < sizeof list / sizeof *list && (list[count] = strsep(&rest, " ")))
        count++;
    nearest = mm_nearest(choice->text[axis], list, count);
    return mm_fail_at(err, MM_INVALID, "litmus.cycle", shown, 0,
                      (unsigned)(strlen(option) + 4 + choice->at[axis]), "'%s' is none of: %s%s%s%s",
                      choice->text[axis], words, nearest ? "; did you mean " : "", nearest ? nearest : "",
                      nearest ? "?" : "");
}

static bool is_word(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (; length && words; words = strchr(words, ' ')) {
        words += *words == ' ';
        if (strcspn(words, " ") == length && strncmp(words, text, length) == 0)
            return true;
    }
    return false;
}

static enum mm_class check_choice(const struct choice *choice, struct mm_error *err)
{
    for (unsigned axis = 0; axis < AXES; axis++) {
        const char *text = choice->text[axis], *words = axes[axis].words, *letters = axes[axis].letters;
        if (words && !is_word(words, text))
            return fail_word(choice, axis, words, err);
        if (letters && (!*text || strspn(text, letters) != strlen(text)))
            return mm_fail(err, MM_INVALID, "litmus.cycle", "--%s: '%s' has letters other than %s",
                           axes[axis].option, text, letters);
    }
    return MM_OK;
}

static void place_threads(struct lt_cycle *c, const char *how)
{
    bool split = strcmp(how, "split") == 0, apart = strcmp(how, "dev") == 0, one = strcmp(how, "wg") == 0;
    for (unsigned i = 0; i < LT_CYCLE_MAX; i++) {
        c->work_group[i] = (uint8_t)(apart ? i : split ? i > 0 : 0);
        c->sub_group[i] = (uint8_t)(one || split ? i : 0);
    }
}

/* Accesses next to a reads-from edge synchronize; without such an edge, all accesses do. */
static bool event_synchronizes(const struct lt_cycle *c, unsigned i)
{
    bool any = false;
    for (unsigned k = 0; k < c->length; k++)
        any |= c->edges[k].kind == LT_E_RF || c->edges[k].kind == LT_E_BARRIER;
    const struct lt_cycle_edge *before = &c->edges[(i + c->length - 1) % c->length], *after = &c->edges[i];
    return !any || before->kind == LT_E_RF || after->kind == LT_E_RF;
}

static uint8_t access_order(const struct lt_cycle_event *e, bool sc, bool relaxed)
{
    return relaxed ? MM_RELAXED : sc ? MM_SEQ_CST : e->rmw ? MM_ACQ_REL : e->write ? MM_RELEASE : MM_ACQUIRE;
}

static bool apply_choice(struct lt_cycle *c, const struct choice *choice)
{
    uint8_t scope = MM_SCOPE_NONE,
            flags = (uint8_t)((strchr(choice->text[FLAGS], 'g') ? MM_FENCE_GLOBAL : 0) |
                              (strchr(choice->text[FLAGS], 'l') ? MM_FENCE_LOCAL : 0));
    bool plain = strcmp(choice->text[DATA], "plain") == 0, sc = strcmp(choice->text[ORDER], "sc") == 0,
         relaxed = strcmp(choice->text[ORDER], "rlx") == 0;
    lt_cycle_find_scope(choice->text[SCOPE], &scope);
    place_threads(c, choice->text[PLACE]);
    for (unsigned l = 0; l < LT_CYCLE_MAX; l++)
        c->region[l] = letter_at(choice->text[REGION], l);
    for (unsigned i = 0; i < c->length; i++) {
        struct lt_cycle_event *e = &c->events[i];
        struct lt_cycle_edge *edge = &c->edges[i];
        char how = letter_at(choice->text[MECHANISM], e->thread);
        bool sync = event_synchronizes(c, i);
        e->rmw = how == 'm' && sync;
        e->scope = scope;
        e->order = plain && !sync ? MM_ORDER_NONE : how == 'f' ? MM_RELAXED : access_order(e, sc, relaxed);
        if (how == 'f' && edge->kind == LT_E_PO && !edge->same)
            edge->kind = LT_E_FENCE;
        if (edge->kind != LT_E_FENCE && edge->kind != LT_E_BARRIER)
            continue;
        edge->order = sc ? MM_SEQ_CST : MM_ACQ_REL;
        edge->scope = scope;
        edge->flags = flags;
        edge->sub_group = edge->kind == LT_E_BARRIER && how == 's';
    }
    return lt_cycle_settle(c);
}

/* Local memory belongs to one work-group [CLC 6.7.2]. */
static bool makes_sense(const struct lt_cycle *c)
{
    for (unsigned i = 0; i < c->length; i++)
        for (unsigned k = 0; k < i; k++)
            if (c->events[i].location == c->events[k].location &&
                tolower((unsigned char)c->region[c->events[i].location]) == 'l' &&
                c->work_group[c->events[i].thread] != c->work_group[c->events[k].thread])
                return false;
    return true;
}

static enum mm_class generate_choice(struct lt_generator *g, const struct choice *choice,
                                     struct mm_error *err)
{
    struct lt_cycle c;
    const char *edges = lt_shape(choice->text[SHAPE]);
    if (!edges) {
        char names[200];
        lt_shape_names(names, sizeof names);
        return fail_word(choice, SHAPE, names, err);
    }
    enum mm_class cls = check_choice(choice, err);
    if (cls == MM_OK)
        cls = lt_cycle_parse(edges, &c, err);
    if (cls != MM_OK)
        return cls;
    if (!apply_choice(&c, choice))
        return mm_fail(err, MM_INVALID, "litmus.cycle", "'%s' is not a cycle with places %s",
                       choice->text[SHAPE], choice->text[PLACE]);
    return makes_sense(&c) ? lt_generate(g, &c) : MM_OK;
}

enum mm_class lt_generate_family(struct lt_generator *g, const struct lt_family *family, struct mm_error *err)
{
    const char *lists[AXES] = {family->shapes,     family->places, family->regions, family->scopes,
                               family->mechanisms, family->data,   family->flags,   family->orders};
    unsigned index[AXES] = {0};
    enum mm_class cls = MM_OK;
    for (;;) {
        struct choice choice;
        int axis = 0;
        for (; axis < AXES; axis++) {
            choice.text[axis] = list_word(lists[axis], index[axis], choice.buffer[axis], &choice.at[axis]);
            choice.list[axis] = lists[axis];
            if (!choice.text[axis])
                break;
        }
        if (axis == AXES) {
            cls = generate_choice(g, &choice, err);
            if (cls != MM_OK)
                return cls;
            axis = AXES - 1;
        } else {
            for (int k = axis; k < AXES; k++)
                index[k] = 0;
            if (--axis < 0)
                return cls;
        }
        index[axis]++;
    }
}
