/* SPIR-V text to a module. */
#include "tools/assemble_spirv.h"

#include <spirv-tools/libspirv.h>
#include <string.h>

static enum mm_class fail(struct mm_error *err, const char *file, const char *rule, spv_diagnostic diagnostic)
{
    return mm_fail_at(err, MM_BUG, rule, file, 0, 0, "the module for Vulkan is not valid: line %u: %s",
                      diagnostic ? (unsigned)diagnostic->position.line + 1 : 0,
                      diagnostic ? diagnostic->error : "unknown");
}

static enum mm_class take_words(const struct spv_binary_t *binary, void **words, size_t *size,
                                struct mm_error *err)
{
    *size = binary->wordCount * sizeof(uint32_t);
    *words = mm_alloc(*size);
    if (!*words)
        return mm_fail(err, MM_LIMIT, "litmus.memory", "out of memory");
    memcpy(*words, binary->code, *size);
    return MM_OK;
}

enum mm_class tool_assemble_vulkan(const char *file, const char *source, void **words, size_t *size,
                                   struct mm_error *err)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_1);
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    enum mm_class cls = MM_OK;
    *words = NULL;
    if (spvTextToBinary(context, source, strlen(source), &binary, &diagnostic) != SPV_SUCCESS) {
        cls = fail(err, file, "SPIRV 2.2", diagnostic);
    } else {
        spv_const_binary_t module = {binary->code, binary->wordCount};
        spvDiagnosticDestroy(diagnostic);
        diagnostic = NULL;
        if (spvValidate(context, &module, &diagnostic) != SPV_SUCCESS)
            cls = fail(err, file, "SPIRV 2.16", diagnostic);
    }
    if (cls == MM_OK)
        cls = take_words(binary, words, size, err);
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return cls;
}

enum mm_class tool_assemble(const char *file, const char *source, void **words, size_t *size,
                            struct mm_error *err)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_3);
    spv_diagnostic diagnostic = NULL;
    spv_binary binary = NULL;
    *words = NULL;
    bool good = spvTextToBinary(context, source, strlen(source), &binary, &diagnostic) == SPV_SUCCESS;
    enum mm_class cls = good ? take_words(binary, words, size, err)
                             : mm_fail_at(err, MM_INVALID, "SPIRV 2.2", file,
                                          diagnostic ? (uint32_t)diagnostic->position.line + 1 : 0,
                                          diagnostic ? (uint32_t)diagnostic->position.column + 1 : 0, "%s",
                                          diagnostic ? diagnostic->error : "no SPIR-V text");
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return cls;
}
