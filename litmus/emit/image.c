/* Images: the elements of a location are texels of an image that is made from the location's buffer, one
 * texel for each element of each instance [CL 5.3.1].  Reads and writes become calls of built-in functions,
 * which name no pointer. */
#include "litmus/emit/emit.h"

static const char not_an_element[] = "an image of which more is used than elements with constant indices";

/* The parameter that X is an element of, if that is an image, with its index; else NULL. */
static const struct lt_param *image_element(const struct emitter *e, const struct lt_thread *thread,
                                            const struct lt_expr *x, uint32_t *object, uint64_t *element)
{
    bool indexed = x->kind == LT_INDEX && x->b->kind == LT_CONST;
    const struct lt_expr *base = indexed || x->kind == LT_DEREF ? x->a : NULL;
    const struct lt_param *p = base && base->kind == LT_NAME ? lt_find_param(thread, base->name) : NULL;
    if (!p || p->type.region != MM_IMAGE)
        return NULL;
    *object = ck_program_find_object(e->program, p->name);
    *element = indexed ? x->b->value : 0;
    return *object == CK_NO_OBJECT ? NULL : p;
}

/* The texel of ELEMENT in the image of OBJECT. */
static void print_texel(const struct emitter *e, uint32_t object, uint64_t element, char *text, size_t size)
{
    snprintf(text, size, "refcl_m%u, (int)(REFCL_AT(refcl_i, %u) * %uu + %uu)", object, object,
             lt_elements(&e->program->objects[object]), (unsigned)element);
}

/* Replaces X by a name with the text TEXT. */
static void become_text(struct emitter *e, struct lt_expr *x, const char *text)
{
    const char *copy = mm_arena_strdup(e->test->arena, text);
    e->failed |= !copy;
    *x = (struct lt_expr){.kind = LT_NAME, .name = copy ? copy : "", .pos = x->pos, .depth = 1};
}

static void fit_reads(struct emitter *e, const struct lt_thread *thread, struct lt_expr *x)
{
    uint32_t object;
    uint64_t element;
    char texel[100], text[160];
    if (!x)
        return;
    const struct lt_param *read = image_element(e, thread, x, &object, &element);
    if (read) {
        print_texel(e, object, element, texel, sizeof texel);
        snprintf(text, sizeof text, "(%s)read_image%s(%s).x", lt_emit_type(4, read->type.base->is_signed),
                 e->program->objects[object].is_signed ? "i" : "ui", texel);
        become_text(e, x, text);
        return;
    }
    const struct lt_param *p = x->kind == LT_NAME ? lt_find_param(thread, x->name) : NULL;
    if (p && p->type.region == MM_IMAGE)
        lt_emit_cannot(e, not_an_element);
    fit_reads(e, thread, x->a);
    fit_reads(e, thread, x->b);
    fit_reads(e, thread, x->c);
}

void lt_emit_image_access(struct emitter *e, const struct lt_thread *thread, struct lt_stmt *s)
{
    uint32_t object;
    uint64_t element;
    char texel[100], text[180];
    fit_reads(e, thread, s->value);
    if (s->kind != LT_ASSIGN || !image_element(e, thread, s->target, &object, &element)) {
        fit_reads(e, thread, s->target);
        return;
    }
    struct lt_stmt *write = mm_arena_alloc(e->test->arena, sizeof *write);
    struct lt_expr *call = lt_emit_node(e, LT_NAME, NULL, NULL);
    if (s->op)
        lt_emit_cannot(e, "an image that one operator reads and writes");
    if (!write || !call) {
        e->failed = true;
        return;
    }
    const char *type = e->program->objects[object].is_signed ? "int" : "uint";
    print_texel(e, object, element, texel, sizeof texel);
    snprintf(text, sizeof text, "write_image%s(%s, (%s4)((%s)refcl_texel, 0, 0, 0))",
             *type == 'i' ? "i" : "ui", texel, type, type);
    become_text(e, call, text);
    become_text(e, s->target, "refcl_texel");
    *write = (struct lt_stmt){.kind = LT_EVAL, .pos = s->pos, .value = call, .next = s->next};
    s->next = write;
}

/* True if S, of the head of a loop, writes an image: there is no room for a second statement. */
bool lt_emit_writes_image(const struct emitter *e, const struct lt_thread *thread, const struct lt_stmt *s)
{
    uint32_t object;
    uint64_t element;
    return s && s->kind == LT_ASSIGN && image_element(e, thread, s->target, &object, &element);
}
