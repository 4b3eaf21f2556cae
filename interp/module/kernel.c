/* Kernel properties for clGetKernelArgInfo and clGetKernelWorkGroupInfo. [CL 5.9.3, 5.9.4] */
#include "interp/exec/exec.h"
#include "interp/image/image.h"
#include "module.h"
#include <stdio.h>
#include <string.h>

static enum in_argument_kind opaque_kind(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpTypeImage:
        return IN_ARG_IMAGE;
    case SpvOpTypeSampler:
        return IN_ARG_SAMPLER;
    case SpvOpTypePipe:
        return IN_ARG_PIPE;
    case SpvOpTypeQueue:
        return IN_ARG_QUEUE;
    default:
        return IN_ARG_VALUE;
    }
}

static void type_name(const struct in_module *m, const struct in_ty *ty, char *text, size_t size)
{
    static const char *const ints[] = {"char", "short", "int", "long"};
    switch (ty->kind) {
    case IN_TY_BOOL:
        snprintf(text, size, "bool");
        break;
    case IN_TY_INT:
        snprintf(text, size, "%s", ints[ty->width == 8 ? 0 : ty->width == 16 ? 1 : ty->width == 32 ? 2 : 3]);
        break;
    case IN_TY_FLOAT:
        snprintf(text, size, "%s", ty->width == 16 ? "half" : ty->width == 32 ? "float" : "double");
        break;
    case IN_TY_VECTOR: {
        char inner[64];
        type_name(m, ty->element, inner, sizeof inner);
        snprintf(text, size, "%s%u", inner, ty->count);
        break;
    }
    case IN_TY_POINTER:
        if (ty->element)
            type_name(m, ty->element, text, size);
        if (strlen(text) + 2 < size)
            strcat(text, "*");
        break;
    default:
        snprintf(text, size, "%s", m->ids[ty->id].name);
        if (strncmp(text, "struct.", 7) == 0)
            memmove(text, text + 7, strlen(text + 7) + 1);
        break;
    }
}

/* The text after "PREFIX.NAME." in the first OpString that begins so; NULL if there is none. */
static const char *source_string(const struct in_module *m, const char *prefix, const char *kernel)
{
    size_t n = strlen(kernel);
    const struct in_names notes = in_names_with(&m->strings, prefix, kernel, n, '.');
    const struct in_name *first = notes.count > 0 ? notes.list : NULL;
    for (uint32_t k = 1; k < notes.count; k++)
        first = notes.list[k].id < first->id ? &notes.list[k] : first;
    return first ? first->text + strlen(prefix) + n + 1 : NULL;
}

/* "PREFIX.NAME.entry,entry," has the source's information about the arguments: their types with prefix
 * kernel_arg_type, their qualifiers with kernel_arg_type_qual. */
static const char *source_entry(const struct in_module *m, const char *prefix, const char *kernel,
                                uint32_t index, uint32_t *length)
{
    const char *p = source_string(m, prefix, kernel);
    for (uint32_t k = 0; k < index && p; k++)
        p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL;
    if (!p || !strchr(p, ','))
        return NULL;
    *length = (uint32_t)(strchr(p, ',') - p);
    return p;
}

bool in_spirv_is_union(const struct in_module *m, const struct in_ty *ty)
{
    return ty->kind == IN_TY_STRUCT && strncmp(m->ids[ty->id].name, "union.", 6) == 0;
}

/* The scalar that all of TY consists of; .size is 0 if there are several, pointers or unions. */
static struct mm_scalar scalar_of(const struct in_module *m, const struct in_ty *ty)
{
    if (ty->kind == IN_TY_ARRAY || ty->kind == IN_TY_VECTOR)
        return scalar_of(m, ty->element);
    if (ty->kind == IN_TY_FLOAT)
        return (struct mm_scalar){(uint32_t)ty->size, MM_SCALAR_FLOAT};
    if (ty->kind == IN_TY_INT)
        return (struct mm_scalar){(uint32_t)ty->size, ty->is_signed ? MM_SCALAR_SIGNED : MM_SCALAR_UNSIGNED};
    struct mm_scalar first = {0};
    for (uint32_t i = 0; ty->kind == IN_TY_STRUCT && !in_spirv_is_union(m, ty) && i < ty->count; i++) {
        struct mm_scalar member = scalar_of(m, ty->members[i]);
        if (!member.size || (i && (member.size != first.size || member.kind != first.kind)))
            return (struct mm_scalar){0};
        first = member;
    }
    return first;
}

/* NAME without the number that LLVM appends to a second variable of the same name. */
static size_t name_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) ? (size_t)(dot - name)
                                                                             : strlen(name);
}

struct mm_scalar in_spirv_scalar(const struct in_module *m, const char *name, const struct in_ty *type)
{
    static const char prefix[] = "variable_type.";
    struct mm_scalar scalar = scalar_of(m, type);
    size_t before = sizeof prefix - 1, length = name_length(name);
    bool is_signed = false, is_unsigned = false;
    const struct in_names notes = in_names_with(&m->strings, prefix, name, length, '.');
    for (uint32_t k = 0; k < notes.count && scalar.kind == MM_SCALAR_UNSIGNED; k++) {
        struct mm_scalar source = mm_scalar_named(notes.list[k].text + before + length + 1);
        is_signed |= source.kind == MM_SCALAR_SIGNED && source.size == scalar.size;
        is_unsigned |= source.kind == MM_SCALAR_UNSIGNED;
    }
    if (is_signed && !is_unsigned)
        scalar.kind = MM_SCALAR_SIGNED;
    return scalar;
}

/* The text of the only note "PREFIX.NAME.TEXT"; "" if there is none, or several that differ. */
static const char *only_note(const struct in_module *m, const char *prefix, const char *name, size_t length)
{
    const struct in_names notes = in_names_with(&m->strings, prefix, name, length, '.');
    if (notes.count == 0 || strcmp(notes.list[0].text, notes.list[notes.count - 1].text) != 0)
        return "";
    return notes.list[0].text + strlen(prefix) + length + 1;
}

const char *in_spirv_layout(const struct in_module *m, const char *name)
{
    return only_note(m, "variable_layout.", name, name_length(name));
}

const char *in_spirv_argument_layout(const struct in_module *m, const char *kernel, const char *name)
{
    char whole[512];
    int length = snprintf(whole, sizeof whole, "%s.%s", kernel, name);
    return length > 0 && (size_t)length < sizeof whole
               ? only_note(m, "argument_layout.", whole, (size_t)length)
               : "";
}

bool in_spirv_source_type(const struct in_module *m, const char *kernel, uint32_t index, char *text,
                          size_t size)
{
    uint32_t length = 0;
    const char *source = source_entry(m, "kernel_arg_type.", kernel, index, &length);
    if (!source || length >= size)
        return false;
    memcpy(text, source, length);
    text[length] = 0;
    return true;
}

/* Qualifiers of pointers that SPIR-V itself does not keep, such as const. */
static uint32_t source_qualifiers(const struct in_module *m, const char *kernel, uint32_t index)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } words[] = {{"const", IN_QUAL_CONST}, {"restrict", IN_QUAL_RESTRICT}, {"volatile", IN_QUAL_VOLATILE}};
    char text[64];
    uint32_t length = 0, q = 0;
    const char *entry = source_entry(m, "kernel_arg_type_qual.", kernel, index, &length);
    if (!entry || length >= sizeof text)
        return 0;
    memcpy(text, entry, length);
    text[length] = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i].word))
            q |= words[i].flag;
    return q;
}

static uint32_t type_qualifiers(const struct in_id *id)
{
    uint32_t q = id->volatile_ ? IN_QUAL_VOLATILE : 0;
    if (id->restrict_ || (id->attributes & 1u << SpvFunctionParameterAttributeNoAlias))
        q |= IN_QUAL_RESTRICT;
    if (id->constant || (id->attributes & 1u << SpvFunctionParameterAttributeNoWrite))
        q |= IN_QUAL_CONST;
    return q;
}

const struct in_ty *in_spirv_named_structure(const struct in_module *m, const char *type)
{
    static const char tag[] = "struct ";
    type += strncmp(type, tag, sizeof tag - 1) == 0 ? sizeof tag - 1 : 0;
    size_t length = strcspn(type, "*");
    if (length == 0 || strcmp(type + length, "*") != 0)
        return NULL;
    const struct in_names found = in_names_with(&m->structures, "struct.", type, length, '\0');
    return found.count > 0 ? m->ids[found.list[0].id].ty : NULL;
}

static void pointer_argument(const struct in_id *id, const struct in_ty *ty, struct in_argument_info *a)
{
    a->kind = ty->storage == SpvStorageClassWorkgroup         ? IN_ARG_LOCAL
              : ty->storage == SpvStorageClassUniformConstant ? IN_ARG_CONSTANT
                                                              : IN_ARG_GLOBAL;
    a->element_size = ty->element && ty->element->size > 0 ? (uint32_t)ty->element->size : 1;
    bool by_value = ty->storage == SpvStorageClassFunction;
    if (by_value && ty->element) {
        a->kind = IN_ARG_VALUE;
        a->size = (uint32_t)ty->element->size;
        a->align = (uint32_t)ty->element->align;
    }
    if (a->kind == IN_ARG_CONSTANT)
        a->qualifiers |= IN_QUAL_CONST;
    (void)id;
}

enum { DIM = 1, DEPTH, ARRAYED, ACCESS = 7 }; /* operands of OpTypeImage [SPIRV 3.49.6] */

enum in_image_kind in_image_type_kind(const struct in_inst *type)
{
    uint32_t dim = type->operands[DIM];
    bool array = type->operands[ARRAYED] != 0;
    return dim == SpvDim1D       ? (array ? IN_IMAGE_1D_ARRAY : IN_IMAGE_1D)
           : dim == SpvDim2D     ? (array ? IN_IMAGE_2D_ARRAY : IN_IMAGE_2D)
           : dim == SpvDim3D     ? IN_IMAGE_3D
           : dim == SpvDimBuffer ? IN_IMAGE_1D_BUFFER
                                 : IN_IMAGE_KINDS;
}

static void image_argument(const struct in_inst *type, struct in_argument_info *a)
{
    a->image_kind = in_image_type_kind(type);
    a->depth_image = type->operands[DEPTH] == 1;
    uint32_t access = type->operand_count > ACCESS ? type->operands[ACCESS] : SpvAccessQualifierReadOnly;
    a->access = (enum in_access)(IN_READ_ONLY + access);
}

static void opaque_argument(const struct in_module *m, const struct in_ty *ty, struct in_argument_info *a)
{
    struct in_inst type;
    in_inst_at(m, m->ids[ty->id].word, &type);
    a->kind = opaque_kind(ty->opcode);
    if (a->kind == IN_ARG_IMAGE)
        image_argument(&type, a);
    if (a->kind == IN_ARG_PIPE) {
        a->access = (enum in_access)(IN_READ_ONLY + type.operands[0]);
        a->qualifiers |= IN_QUAL_PIPE;
    }
}

/* TY: of a value, or what a pointer points to; may be NULL. */
static void describe_numbers(const struct in_ty *ty, struct in_argument_info *a)
{
    const struct in_ty *number = ty && ty->kind == IN_TY_VECTOR ? ty->element : ty;
    if (!number || (number->kind != IN_TY_INT && number->kind != IN_TY_FLOAT))
        return;
    a->number_size = (uint32_t)number->size;
    a->number_count = number == ty ? 1 : ty->count;
    a->is_real = number->kind == IN_TY_FLOAT;
}

static enum mm_class describe_argument(struct in_module *m, const struct in_kernel *k, uint32_t index,
                                       uint32_t param, struct in_argument_info *a)
{
    const struct in_id *id = &m->ids[param];
    const struct in_ty *ty = id->ty;
    char text[128] = "";
    *a = (struct in_argument_info){
        .size = (uint32_t)ty->size, .align = (uint32_t)ty->align, .element_size = 1};
    a->qualifiers = type_qualifiers(id) | source_qualifiers(m, k->info.name, index);
    if (ty->kind == IN_TY_POINTER) {
        pointer_argument(id, ty, a);
    } else if (ty->kind == IN_TY_OPAQUE) {
        opaque_argument(m, ty, a);
    }
    if (!in_spirv_source_type(m, k->info.name, index, text, sizeof text))
        type_name(m, ty->kind == IN_TY_POINTER && a->kind == IN_ARG_VALUE ? ty->element : ty, text,
                  sizeof text);
    a->name = id->name;
    a->layout = ty->kind == IN_TY_POINTER ? in_spirv_argument_layout(m, k->info.name, id->name) : "";
    a->type_name = mm_arena_strdup(m->arena, text);
    if (a->kind == IN_ARG_PIPE && strlen(text) + 1 < sizeof text)
        strcat(text, "*"); /* a pipe to its packets */
    const struct in_ty *structure = a->kind == IN_ARG_VALUE ? NULL : in_spirv_named_structure(m, text);
    if (structure)
        a->element_size = (uint32_t)structure->size;
    else
        describe_numbers(ty->kind == IN_TY_POINTER ? ty->element : ty, a);
    return a->type_name ? MM_OK : MM_LIMIT;
}

/* Size of what the arrays in a descriptor hold. */
static uint32_t innermost_size(const struct in_ty *ty)
{
    for (;;) {
        if (ty->kind == IN_TY_STRUCT && ty->count == 1)
            ty = ty->members[0];
        else if (ty->kind == IN_TY_ARRAY)
            ty = ty->element;
        else
            return ty->size > 0 ? (uint32_t)ty->size : 1;
    }
}

/* Descriptors and push constants of a compute shader are its arguments. */
static enum mm_class add_descriptors(struct in_module *m, struct in_argument_info *list)
{
    for (uint32_t k = 0; k < m->global_count; k++) {
        const struct in_global *g = &m->globals[k];
        const struct in_id *id = &m->ids[g->id];
        char name[32];
        if (g->argument == UINT32_MAX)
            continue;
        snprintf(name, sizeof name, "%%%u", g->id);
        list[g->argument] = (struct in_argument_info){.kind = IN_ARG_GLOBAL,
                                                      .size = 8,
                                                      .align = 8,
                                                      .element_size = innermost_size(g->ty),
                                                      .name = id->name,
                                                      .type_name = "",
                                                      .is_descriptor = true};
        if (id->name[0] == 0)
            list[g->argument].name = mm_arena_strdup(m->arena, name);
        if (!list[g->argument].name)
            return MM_LIMIT;
    }
    return MM_OK;
}

static enum mm_class describe_kernel(struct in_module *m, struct in_kernel *k, struct mm_error *err)
{
    const struct in_id *id = &m->ids[k->entry_id];
    if (k->entry_id >= m->bound || id->kind != IN_ID_FUNCTION || !m->functions[id->index].has_body)
        return mm_fail_at(err, MM_INVALID, "SPIRV 2.16.1", m->name, 0, 0, "entry point %s is not a function",
                          k->info.name);
    const struct in_function *f = &m->functions[id->index];
    k->function = id->index;
    bool shader = m->target.logical && f->param_count == 0;
    uint32_t n = shader ? m->descriptor_count : f->param_count;
    struct in_argument_info *list = mm_arena_alloc(m->arena, (n + 1) * sizeof *list);
    if (!list)
        return mm_out_of_memory(err);
    if (shader && add_descriptors(m, list) != MM_OK)
        return mm_out_of_memory(err);
    for (uint32_t p = 0; p < f->param_count; p++)
        if (!m->ids[f->params[p]].ty || describe_argument(m, k, p, f->params[p], &list[p]) != MM_OK)
            return mm_out_of_memory(err);
    k->info.argument_count = n;
    k->info.arguments = list;
    const char *attributes = source_string(m, "kernel_attributes.", k->info.name);
    k->info.attributes = attributes ? attributes : "";
    return MM_OK;
}

static uint32_t constant_operand(const struct in_module *m, const struct in_inst *i, uint32_t at)
{
    uint64_t v = at < i->operand_count ? i->operands[at] : 0;
    if (i->opcode == SpvOpExecutionModeId || i->opcode == SpvOpDecorateId)
        in_constant_u64(m, (uint32_t)v, &v);
    return (uint32_t)v;
}

/* OpExecutionMode: operands are the entry point, the mode, its values. [SPIRV 3.6] */
static void execution_mode(const struct in_module *m, const struct in_inst *i, struct in_kernel *k)
{
    switch (i->operands[1]) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        for (uint32_t d = 0; d < 3; d++)
            k->info.required_local_size[d] = constant_operand(m, i, 2 + d);
        break;
    case SpvExecutionModeLocalSizeHint:
    case SpvExecutionModeLocalSizeHintId:
        for (uint32_t d = 0; d < 3; d++)
            k->info.local_size_hint[d] = constant_operand(m, i, 2 + d);
        break;
    case SpvExecutionModeSubgroupSize:
        k->info.required_sub_group_size = constant_operand(m, i, 2);
        break;
    case SpvExecutionModeSubgroupsPerWorkgroup:
    case SpvExecutionModeSubgroupsPerWorkgroupId:
        k->info.required_sub_groups = constant_operand(m, i, 2);
        break;
    case SpvExecutionModeInitializer:
    case SpvExecutionModeFinalizer:
        k->info.use = i->operands[1] == SpvExecutionModeInitializer ? IN_INITIALIZER : IN_FINALIZER;
        break;
    default:
        break;
    }
}

/* Rejects unsupported modes that would change results, and parameters of initializers and finalizers. */
static enum mm_class check_mode(const struct in_module *m, const struct in_inst *i, const struct in_kernel *k,
                                struct mm_error *err)
{
    uint32_t mode = i->operands[1];
    if (mode == SpvExecutionModeDenormFlushToZero || mode == SpvExecutionModeRoundingModeRTZ)
        return mm_fail_at(err, MM_INVALID, "SPIRV 3.6", m->name, 0, 0,
                          "kernel %s requires denormals flushed or results rounded toward zero",
                          k->info.name);
    if (k->info.use >= IN_INITIALIZER && k->info.argument_count > 0)
        return mm_fail_at(err, MM_INVALID, "SPIRV 3.6", m->name, 0, 0,
                          "initializer or finalizer %s has parameters", k->info.name);
    return MM_OK;
}

/* OpDecorate: operands are the parameter, the decoration, its value. [SPIRV 3.20] */
static void apply_decoration(const struct in_module *m, const struct in_inst *i, struct in_kernel *k)
{
    if (i->operands[1] != SpvDecorationMaxByteOffset && i->operands[1] != SpvDecorationMaxByteOffsetId)
        return;
    const struct in_function *f = &m->functions[k->function];
    struct in_argument_info *arguments = (struct in_argument_info *)(uintptr_t)k->info.arguments;
    for (uint32_t p = 0; p < f->param_count; p++)
        if (f->params[p] == i->operands[0])
            arguments[p].most_bytes = constant_operand(m, i, 2);
}

uint32_t in_kernel_of(const struct in_module *m, uint32_t index)
{
    for (uint32_t k = 0; k < m->kernel_count; k++) {
        uint32_t id = m->kernels[k].entry_id;
        if (id >= m->bound || m->ids[id].kind != IN_ID_FUNCTION)
            continue;
        if (m->ids[id].index == index || in_kernel_function(m, m->ids[id].index) == index)
            return k;
    }
    return m->kernel_count;
}

static enum mm_class add_block(struct in_module *m, uint32_t id, struct mm_error *err)
{
    if (id >= m->bound || m->ids[id].kind != IN_ID_FUNCTION)
        return MM_OK;
    uint32_t k = in_kernel_of(m, m->ids[id].index);
    if (k == m->kernel_count) { /* an invoke function that is no entry point */
        struct in_kernel *list = mm_realloc(m->kernels, (m->kernel_count + 1) * sizeof *list);
        if (!list)
            return mm_out_of_memory(err);
        m->kernels = list;
        list[m->kernel_count++] = (struct in_kernel){.entry_id = id, .info = {.name = m->ids[id].name}};
    }
    m->kernels[k].info.use = IN_FOR_KERNELS;
    return MM_OK;
}

/* Invoke functions of blocks are kernels, for the device alone. [CLC 6.15.19] */
static enum mm_class add_blocks(struct in_module *m, struct mm_error *err)
{
    for (struct in_inst i = {0}; in_spirv_next(m, &i);) {
        uint32_t place;
        switch (i.opcode) {
        case SpvOpEnqueueKernel:
            place = 6;
            break;
        case SpvOpGetKernelNDrangeSubGroupCount:
        case SpvOpGetKernelNDrangeMaxSubGroupSize:
        case SpvOpGetKernelLocalSizeForSubgroupCount:
            place = 1;
            break;
        case SpvOpGetKernelWorkGroupSize:
        case SpvOpGetKernelPreferredWorkGroupSizeMultiple:
        case SpvOpGetKernelMaxNumSubgroups:
            place = 0;
            break;
        default:
            continue;
        }
        if (place < i.operand_count && add_block(m, i.operands[place], err) != MM_OK)
            return MM_LIMIT;
    }
    return MM_OK;
}

static enum mm_class entry_points(struct in_module *m, struct mm_error *err)
{
    m->kernels = mm_alloc_zero(m->entry_count + 1, sizeof *m->kernels);
    if (!m->kernels)
        return mm_out_of_memory(err);
    for (; m->kernel_count < m->entry_count; m->kernel_count++) {
        const struct in_entry *e = &m->entries[m->kernel_count];
        /* [CL env 4 R1] */
        if (e->model != SpvExecutionModelKernel &&
            !(m->decoding.options->any_environment && e->model == SpvExecutionModelGLCompute))
            return mm_fail_at(err, MM_INVALID, "SPIRV 3.3", m->name, 0, 0,
                              "the execution model of entry point %s is not Kernel", e->name);
        m->kernels[m->kernel_count] = (struct in_kernel){.entry_id = e->function, .info = {.name = e->name}};
    }
    return MM_OK;
}

enum mm_class in_kernels(struct in_module *m, struct mm_error *err)
{
    enum mm_class listed = entry_points(m, err);
    if (listed != MM_OK)
        return listed;
    if (add_blocks(m, err) != MM_OK)
        return MM_LIMIT;
    for (uint32_t k = 0; k < m->kernel_count; k++) {
        enum mm_class result = describe_kernel(m, &m->kernels[k], err);
        if (result != MM_OK)
            return result;
    }
    for (struct in_inst i = {0}; in_spirv_next(m, &i) && i.opcode != SpvOpFunction;) {
        bool mode = i.opcode == SpvOpExecutionMode || i.opcode == SpvOpExecutionModeId;
        bool decorates = i.opcode == SpvOpDecorate || i.opcode == SpvOpDecorateId;
        for (uint32_t k = 0; (mode || decorates) && i.operand_count >= 2 && k < m->kernel_count; k++) {
            if (decorates)
                apply_decoration(m, &i, &m->kernels[k]);
            else if (m->kernels[k].entry_id == i.operands[0]) {
                execution_mode(m, &i, &m->kernels[k]);
                if (check_mode(m, &i, &m->kernels[k], err) != MM_OK)
                    return MM_INVALID;
            }
        }
    }
    return MM_OK;
}
