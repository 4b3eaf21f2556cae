/* The text of a SPIR-V module: instructions, constants, structured control flow, types and variables.
 * Accesses of the frame around a test are private, except those of local memory: commands before and after a
 * launch order them. */
#include "litmus/vulkan/vulkan.h"
#include "memmodel/base/array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ID = 100 };

uint32_t lt_vk_id(struct lt_vk_module *m)
{
    return FIRST_ID + m->next_id++;
}

uint32_t lt_vk_op(struct lt_vk_module *m, const char *format, ...)
{
    va_list arguments;
    uint32_t id = lt_vk_id(m);
    fprintf(m->body, "%%%u = ", id);
    va_start(arguments, format);
    vfprintf(m->body, format, arguments);
    va_end(arguments);
    fputc('\n', m->body);
    return id;
}

void lt_vk_do(struct lt_vk_module *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(m->body, format, arguments);
    va_end(arguments);
    fputc('\n', m->body);
}

void lt_vk_label(struct lt_vk_module *m, uint32_t id)
{
    fprintf(m->body, "%%%u = OpLabel\n", id);
}

uint32_t lt_vk_binary(struct lt_vk_module *m, const char *op, uint32_t a, uint32_t b)
{
    return lt_vk_op(m, "%s %%uint %%%u %%%u", op, a, b);
}

uint32_t lt_vk_compare(struct lt_vk_module *m, const char *op, uint32_t a, uint32_t b)
{
    return lt_vk_op(m, "%s %%bool %%%u %%%u", op, a, b);
}

const char *lt_vk_type(uint8_t size)
{
    return size == 8 ? "ulong" : "uint";
}

uint32_t lt_vk_constant(struct lt_vk_module *m, uint64_t value, uint8_t size)
{
    if (size < 8)
        value &= UINT32_MAX;
    for (uint32_t i = 0; i < m->constant_count; i++)
        if (m->constants[i].value == value && m->constants[i].size == size)
            return m->constants[i].id;
    if (!mm_append(&m->constants, &m->constant_count,
                   &((struct lt_vk_constant){.value = value, .size = size, .id = lt_vk_id(m)}))) {
        m->failed = true;
        return 0;
    }
    return m->constants[m->constant_count - 1].id;
}

uint32_t lt_vk_uint(struct lt_vk_module *m, uint32_t value)
{
    return lt_vk_constant(m, value, 4);
}

/* ---- control flow ------------------------------------------------------------------------------------ */

uint32_t lt_vk_if(struct lt_vk_module *m, uint32_t condition)
{
    uint32_t then = lt_vk_id(m), merge = lt_vk_id(m);
    lt_vk_do(m, "OpSelectionMerge %%%u None\nOpBranchConditional %%%u %%%u %%%u", merge, condition, then,
             merge);
    lt_vk_label(m, then);
    return merge;
}

void lt_vk_end_if(struct lt_vk_module *m, uint32_t merge)
{
    lt_vk_do(m, "OpBranch %%%u", merge);
    lt_vk_label(m, merge);
}

struct lt_vk_loop lt_vk_for(struct lt_vk_module *m, uint32_t variable, uint32_t first, uint32_t limit,
                            uint32_t step)
{
    struct lt_vk_loop loop = {.variable = variable, .step = step};
    uint32_t test = lt_vk_id(m), body = lt_vk_id(m);
    loop.head = lt_vk_id(m);
    loop.next = lt_vk_id(m);
    loop.merge = lt_vk_id(m);
    lt_vk_do(m, "OpStore %%%u %%%u\nOpBranch %%%u", variable, first, loop.head);
    lt_vk_label(m, loop.head);
    lt_vk_do(m, "OpLoopMerge %%%u %%%u None\nOpBranch %%%u", loop.merge, loop.next, test);
    lt_vk_label(m, test);
    loop.index = lt_vk_op(m, "OpLoad %%uint %%%u", variable);
    uint32_t within = lt_vk_compare(m, "OpULessThan", loop.index, limit);
    lt_vk_do(m, "OpBranchConditional %%%u %%%u %%%u", within, body, loop.merge);
    lt_vk_label(m, body);
    return loop;
}

void lt_vk_end_for(struct lt_vk_module *m, const struct lt_vk_loop *loop)
{
    lt_vk_do(m, "OpBranch %%%u", loop->next);
    lt_vk_label(m, loop->next);
    uint32_t sum = lt_vk_binary(m, "OpIAdd", loop->index, loop->step);
    lt_vk_do(m, "OpStore %%%u %%%u\nOpBranch %%%u", loop->variable, sum, loop->head);
    lt_vk_label(m, loop->merge);
}

void lt_vk_work_group_barrier(struct lt_vk_module *m)
{
    /* AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible */
    lt_vk_do(m, "OpControlBarrier %%%u %%%u %%%u", lt_vk_uint(m, 2), lt_vk_uint(m, 2),
             lt_vk_uint(m, 0x8 | 0x100 | 0x2000 | 0x4000));
}

/* ---- memory ------------------------------------------------------------------------------------------ */

uint32_t lt_vk_element(struct lt_vk_module *m, uint32_t binding, uint8_t size, uint32_t index)
{
    return lt_vk_op(m, "OpAccessChain %%ptr_%s %%buffer_%u %%%u %%%u", lt_vk_type(size), binding,
                    lt_vk_uint(m, 0), index);
}

/* A pointer to the element: in the buffer bound for the object, or at the address that this buffer holds. */
uint32_t lt_vk_object_element(struct lt_vk_module *m, uint32_t object, uint32_t index)
{
    uint8_t size = m->program->objects[object].element_size;
    if (!m->kernel->pointers)
        return lt_vk_element(m, LT_VK_OBJECTS + object, size, index);
    uint32_t start =
        lt_vk_op(m, "OpLoad %%ulong %%%u", lt_vk_element(m, LT_VK_OBJECTS + object, 8, lt_vk_uint(m, 0)));
    uint32_t wide = lt_vk_op(m, "OpUConvert %%ulong %%%u", index);
    uint32_t offset = lt_vk_op(m, "OpIMul %%ulong %%%u %%%u", wide, lt_vk_constant(m, size, 8));
    uint32_t address = lt_vk_op(m, "OpIAdd %%ulong %%%u %%%u", start, offset);
    return lt_vk_op(m, "OpConvertUToPtr %%physical_%s %%%u", lt_vk_type(size), address);
}

const char *lt_vk_operands(const struct lt_vk_module *m, uint32_t object, const char *mask, uint32_t scope,
                           char text[96])
{
    bool aligned = m->kernel->pointers && !lt_vk_is_local(m, object);
    char alignment[8] = "", id[16] = "";
    if (aligned)
        snprintf(alignment, sizeof alignment, " %u", m->program->objects[object].element_size);
    if (scope)
        snprintf(id, sizeof id, " %%%u", scope);
    if (!aligned && !*mask)
        *text = '\0';
    else
        snprintf(text, 96, " %s%s%s%s%s", aligned ? "Aligned" : "", aligned && *mask ? "|" : "", mask,
                 alignment, id);
    return text;
}

uint32_t lt_vk_local_element(struct lt_vk_module *m, uint32_t object, uint32_t index)
{
    return lt_vk_op(m, "OpAccessChain %%local_ptr_%s %%local_%u %%%u",
                    lt_vk_type(m->program->objects[object].element_size), object, index);
}

uint32_t lt_vk_place(struct lt_vk_module *m, uint32_t object, uint32_t instance)
{
    uint32_t root = m->program->objects[object].alias_of;
    if (root & 1)
        instance = lt_vk_binary(m, "OpIMul", instance, m->knobs[LT_K_scatter]);
    uint32_t masked = lt_vk_binary(m, "OpBitwiseAnd", instance, m->knobs[LT_K_mask]);
    uint32_t at = lt_vk_binary(m, "OpIMul", masked, m->knobs[LT_K_stride]);
    uint32_t elements = lt_elements(&m->program->objects[root]);
    return elements == 1 ? at : lt_vk_binary(m, "OpIMul", at, lt_vk_uint(m, elements));
}

void lt_vk_load_knobs(struct lt_vk_module *m)
{
    for (uint32_t k = 0; k < LT_KNOB_COUNT; k++) {
        uint32_t pointer =
            lt_vk_op(m, "OpAccessChain %%push_uint %%push %%%u %%%u", lt_vk_uint(m, 0), lt_vk_uint(m, k));
        m->knobs[k] = lt_vk_op(m, "OpLoad %%uint %%%u", pointer);
    }
}

static uint32_t load_pushed(struct lt_vk_module *m, uint32_t member)
{
    uint32_t pointer = lt_vk_op(m, "OpAccessChain %%push_uint %%push %%%u", lt_vk_uint(m, member));
    return lt_vk_op(m, "OpLoad %%uint %%%u", pointer);
}

uint32_t lt_vk_seed(struct lt_vk_module *m)
{
    return load_pushed(m, 1);
}

uint32_t lt_vk_launch_family(struct lt_vk_module *m)
{
    return load_pushed(m, 2);
}

/* ---- the whole module -------------------------------------------------------------------------------- */

static const char head[] = "OpCapability Shader\n"
                           "OpCapability VulkanMemoryModel\n";
static const char decorations[] = "OpDecorate %group_id BuiltIn WorkgroupId\n"
                                  "OpDecorate %group_count BuiltIn NumWorkgroups\n"
                                  "OpDecorate %local_index BuiltIn LocalInvocationIndex\n"
                                  "OpDecorate %local_size SpecId 0\n"
                                  "OpDecorate %slots SpecId 1\n"
                                  "OpDecorate %group_size BuiltIn WorkgroupSize\n"
                                  "OpDecorate %knob_array ArrayStride 4\n"
                                  "OpMemberDecorate %push_block 0 Offset 0\n"
                                  "OpDecorate %push_block Block\n"
                                  "OpDecorate %runtime_uint ArrayStride 4\n"
                                  "OpMemberDecorate %block_uint 0 Offset 0\n"
                                  "OpDecorate %block_uint Block\n";
static const char types[] = "%void = OpTypeVoid\n"
                            "%bool = OpTypeBool\n"
                            "%uint = OpTypeInt 32 0\n"
                            "%uint3 = OpTypeVector %uint 3\n"
                            "%void_function = OpTypeFunction %void\n"
                            "%stress_function = OpTypeFunction %void %uint %uint %uint %uint\n"
                            "%input_uint3 = OpTypePointer Input %uint3\n"
                            "%input_uint = OpTypePointer Input %uint\n"
                            "%group_id = OpVariable %input_uint3 Input\n"
                            "%group_count = OpVariable %input_uint3 Input\n"
                            "%local_index = OpVariable %input_uint Input\n"
                            "%one = OpConstant %uint 1\n"
                            "%local_size = OpSpecConstant %uint 1\n"
                            "%slots = OpSpecConstant %uint 1\n"
                            "%group_size = OpSpecConstantComposite %uint3 %local_size %one %one\n"
                            "%runtime_uint = OpTypeRuntimeArray %uint\n"
                            "%block_uint = OpTypeStruct %runtime_uint\n"
                            "%buffer_ptr_uint = OpTypePointer StorageBuffer %block_uint\n"
                            "%ptr_uint = OpTypePointer StorageBuffer %uint\n"
                            "%local_ptr_uint = OpTypePointer Workgroup %uint\n"
                            "%var_uint = OpTypePointer Function %uint\n"
                            "%push_uint = OpTypePointer PushConstant %uint\n";
static const char long_types[] = "%ulong = OpTypeInt 64 0\n"
                                 "%runtime_ulong = OpTypeRuntimeArray %ulong\n"
                                 "%block_ulong = OpTypeStruct %runtime_ulong\n"
                                 "%buffer_ptr_ulong = OpTypePointer StorageBuffer %block_ulong\n"
                                 "%ptr_ulong = OpTypePointer StorageBuffer %ulong\n"
                                 "%local_ptr_ulong = OpTypePointer Workgroup %ulong\n"
                                 "%var_ulong = OpTypePointer Function %ulong\n";

static bool has_aliases(const struct lt_vk_module *m, uint32_t object)
{
    const struct ck_program *p = m->program;
    for (uint32_t o = 0; o < p->object_count; o++)
        if (o != object && p->objects[o].alias_of == p->objects[object].alias_of)
            return true;
    return false;
}

static void print_images(const struct lt_vk_module *m, FILE *out)
{
    fputs("%uint4 = OpTypeVector %uint 4\n"
          "%image = OpTypeImage %uint Buffer 0 0 0 2 R32ui\n"
          "%image_ptr = OpTypePointer UniformConstant %image\n"
          "%texel_ptr = OpTypePointer Image %uint\n",
          out);
    for (uint32_t o = 0; o < m->program->object_count; o++)
        if (lt_vk_is_image(m, o))
            fprintf(out, "%%image_%u = OpVariable %%image_ptr UniformConstant\n", o);
}

static void print_capabilities(const struct lt_vk_module *m, FILE *out)
{
    const struct lt_kernel *k = m->kernel;
    fputs(head, out);
    fputs("OpCapability VulkanMemoryModelDeviceScope\n", out);
    if (k->sub_groups)
        fputs("OpCapability GroupNonUniform\n", out);
    if (lt_uses_region(m->program, MM_IMAGE))
        fputs("OpCapability ImageBuffer\n", out);
    if (k->uses_long || k->pointers)
        fputs("OpCapability Int64\n", out);
    if (k->uses_long)
        fputs("OpCapability Int64Atomics\n", out);
    if (k->pointers)
        fputs("OpCapability PhysicalStorageBufferAddresses\n"
              "OpExtension \"SPV_KHR_physical_storage_buffer\"\n",
              out);
    fprintf(out, "OpExtension \"SPV_KHR_vulkan_memory_model\"\nOpMemoryModel %s Vulkan\n",
            k->pointers ? "PhysicalStorageBuffer64" : "Logical");
    fprintf(out,
            "OpEntryPoint GLCompute %%run \"run\" %%group_id %%local_index%s\n"
            "OpEntryPoint GLCompute %%collect \"collect\" %%group_id %%group_count %%local_index\n"
            "OpExecutionMode %%run LocalSize 1 1 1\n"
            "OpExecutionMode %%collect LocalSize 1 1 1\n",
            k->sub_groups ? " %sub_group_id" : "");
}

static void print_decorations(const struct lt_vk_module *m, FILE *out)
{
    const struct lt_kernel *k = m->kernel;
    fputs(decorations, out);
    fprintf(out, "OpMemberDecorate %%push_block 1 Offset %d\nOpMemberDecorate %%push_block 2 Offset %d\n",
            4 * LT_KNOB_COUNT, 4 * LT_KNOB_COUNT + 4);
    if (k->uses_long || k->pointers)
        fputs("OpDecorate %runtime_ulong ArrayStride 8\nOpMemberDecorate %block_ulong 0 Offset 0\n"
              "OpDecorate %block_ulong Block\n",
              out);
    if (k->sub_groups)
        fputs("OpDecorate %sub_group_id BuiltIn SubgroupId\n", out);
    for (uint32_t o = 0; o < m->program->object_count; o++)
        if (lt_vk_is_image(m, o))
            fprintf(out, "OpDecorate %%image_%u DescriptorSet 0\nOpDecorate %%image_%u Binding %u\n", o, o,
                    LT_VK_IMAGES + o);
    for (uint32_t b = 0; b < LT_VK_OBJECTS + m->program->object_count; b++) {
        if (b >= LT_VK_OBJECTS && lt_vk_is_local(m, b - LT_VK_OBJECTS))
            continue;
        fprintf(out, "OpDecorate %%buffer_%u DescriptorSet 0\nOpDecorate %%buffer_%u Binding %u\n", b, b, b);
        if (b >= LT_VK_OBJECTS && !k->pointers && has_aliases(m, b - LT_VK_OBJECTS))
            fprintf(out, "OpDecorate %%buffer_%u Aliased\n", b);
    }
}

static void print_constants(const struct lt_vk_module *m, FILE *out)
{
    for (uint32_t i = 0; i < m->constant_count; i++)
        fprintf(out, "%%%u = OpConstant %%%s %" PRIu64 "\n", m->constants[i].id,
                lt_vk_type(m->constants[i].size), m->constants[i].value);
}

static void print_variables(struct lt_vk_module *m, FILE *out)
{
    const struct ck_program *p = m->program;
    fprintf(out,
            "%%knob_count = OpConstant %%uint %d\n%%knob_array = OpTypeArray %%uint %%knob_count\n"
            "%%push_block = OpTypeStruct %%knob_array %%uint %%uint\n"
            "%%push_pointer = OpTypePointer PushConstant %%push_block\n"
            "%%push = OpVariable %%push_pointer PushConstant\n",
            LT_KNOB_COUNT);
    if (m->kernel->sub_groups)
        fputs("%sub_group_id = OpVariable %input_uint Input\n", out);
    if (m->kernel->bins <= 1024)
        fprintf(out,
                "%%bin_count = OpConstant %%uint %u\n%%bin_array = OpTypeArray %%uint %%bin_count\n"
                "%%bin_pointer = OpTypePointer Workgroup %%bin_array\n"
                "%%bins = OpVariable %%bin_pointer Workgroup\n",
                m->kernel->bins);
    if (lt_uses_region(m->program, MM_IMAGE))
        print_images(m, out);
    for (uint32_t b = 0; b < LT_VK_OBJECTS; b++)
        fprintf(out, "%%buffer_%u = OpVariable %%buffer_ptr_%s StorageBuffer\n", b,
                lt_vk_type(b == LT_VK_OUT && m->kernel->wide ? 8 : 4));
    for (uint32_t o = 0; o < p->object_count; o++) {
        const char *type = lt_vk_type(p->objects[o].element_size);
        if (lt_vk_is_local(m, o))
            fprintf(out,
                    "%%elements_%u = OpConstant %%uint %u\n"
                    "%%length_%u = OpSpecConstantOp %%uint IMul %%slots %%elements_%u\n"
                    "%%array_%u = OpTypeArray %%%s %%length_%u\n"
                    "%%array_ptr_%u = OpTypePointer Workgroup %%array_%u\n"
                    "%%local_%u = OpVariable %%array_ptr_%u Workgroup\n",
                    o, lt_elements(&p->objects[o]), o, o, o, type, o, o, o, o, o);
        else
            fprintf(out, "%%buffer_%u = OpVariable %%buffer_ptr_%s StorageBuffer\n", LT_VK_OBJECTS + o,
                    m->kernel->pointers ? "ulong" : type);
    }
}

char *lt_vk_finish(struct lt_vk_module *m, const char *body)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    print_capabilities(m, out);
    print_decorations(m, out);
    fputs(types, out);
    if (m->kernel->uses_long || m->kernel->pointers)
        fputs(long_types, out);
    if (m->kernel->pointers)
        fputs("%physical_uint = OpTypePointer PhysicalStorageBuffer %uint\n"
              "%physical_ulong = OpTypePointer PhysicalStorageBuffer %ulong\n",
              out);
    print_constants(m, out);
    print_variables(m, out);
    fputs(body, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
