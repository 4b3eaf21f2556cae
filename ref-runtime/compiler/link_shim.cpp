/* Linking SPIR-V modules with spvtools::Linker, and validating the result [SPIRV 2.8, CL 5.8.5].
 *
 * The linker gives modules disjoint ids by adding the bounds of all modules before, but leaves the ids in
 * OpLine as they are, so that source lines of all modules but the first would name anything.  These ids are
 * moved beforehand to where the linker moves everything else.  All modules are linked in one step: pairwise
 * linking processes the first module as often as there are others. */
#include "ref-runtime/compiler/helper.h"
#include "ref-runtime/compiler/linkonce_shim.hpp"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/linker.hpp>
#include <spirv-tools/optimizer.hpp>
#include <spirv/unified1/spirv.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace
{

using Words = std::vector<uint32_t>;
constexpr size_t header_words = 5, bound_word = 3;

bool well_formed(const Words &module)
{
    if (module.size() < header_words || module[0] != SpvMagicNumber)
        return false;
    size_t at = header_words;
    while (at < module.size() && module[at] >> 16)
        at += module[at] >> 16;
    return at == module.size();
}

void move_lines(Words &module, uint32_t shift)
{
    for (size_t at = header_words; at < module.size(); at += module[at] >> 16)
        if ((module[at] & 0xffff) == SpvOpLine && module[at] >> 16 > 1)
            module[at + 1] += shift;
}

std::vector<Words> with_moved_lines(std::vector<Words> modules)
{
    uint32_t shift = 0;
    for (Words &m : modules) {
        move_lines(m, shift);
        shift += m[bound_word] - 1;
    }
    return modules;
}

/* Messages of one attempt; only the last attempt's messages reach the log. */
struct attempt {
    spvtools::Context context{SPV_ENV_UNIVERSAL_1_5};
    spvtools::SpirvTools tools{SPV_ENV_UNIVERSAL_1_5};
    std::string messages;

    attempt()
    {
        auto consumer = [this](spv_message_level_t level, const char *, const spv_position_t &,
                               const char *message) {
            messages += level <= SPV_MSG_ERROR ? "error: " : "warning: ";
            messages += message;
            messages += "\n";
        };
        context.SetMessageConsumer(consumer);
        tools.SetMessageConsumer(consumer);
    }
    bool link(const std::vector<Words> &modules, bool library, bool partial, Words &linked)
    {
        spvtools::LinkerOptions options;
        options.SetCreateLibrary(library);
        options.SetAllowPartialLinkage(partial);
        linked.clear();
        return spvtools::Link(context, modules, &linked, options) == SPV_SUCCESS && !linked.empty() &&
               tools.Validate(linked);
    }
};

bool link_all(const std::vector<Words> &modules, bool library, Words &linked, std::string &messages)
{
    attempt moved;
    if (modules.size() > 1 && moved.link(with_moved_lines(modules), library, library, linked))
        return true;
    attempt plain; /* for a linker that moves the ids in OpLine itself, and for the messages */
    bool ok = plain.link(modules, library, library, linked);
    messages = plain.messages;
    return ok;
}

} // namespace

enum mm_class rt_spirv_link(const struct rt_binary *modules, size_t count, bool library, struct rt_text *log,
                            struct rt_binary *binary)
{
    std::vector<Words> inputs(count);
    for (size_t i = 0; i < count; i++) {
        inputs[i].resize(modules[i].size / 4);
        memcpy(inputs[i].data(), modules[i].data, inputs[i].size() * 4);
        if (!well_formed(inputs[i])) {
            rt_text_add_string(log, "error: an input of the linker is no SPIR-V module\n");
            return MM_INVALID;
        }
        size_t kept = rt_helper_drop_debug(inputs[i].data(), inputs[i].size());
        if (kept && count == 1 && !library) /* exports that no other module imports */
            kept = rt_helper_drop_unreachable(inputs[i].data(), kept);
        if (!kept)
            return MM_LIMIT;
        inputs[i].resize(kept);
    }
    const std::string twice = rt_defined_twice(inputs);
    if (!twice.empty()) {
        const std::string message = "error: '" + twice + "' is defined more than once\n";
        rt_text_add(log, message.data(), message.size());
        return MM_INVALID;
    }
    const std::set<std::string> chosen = rt_choose_definitions(inputs);
    std::string messages;
    Words linked;
    bool ok = count > 0 && link_all(inputs, library, linked, messages);
    if (!ok) {
        rt_text_add(log, messages.data(), messages.size());
        return MM_INVALID;
    }
    if (library)
        rt_restore_linkonce(linked, chosen);
    binary->size = linked.size() * 4;
    binary->data = mm_alloc(binary->size);
    if (!binary->data)
        return MM_LIMIT;
    memcpy(binary->data, linked.data(), binary->size);
    return MM_OK;
}

/* The translator gives samplers in constants a second type beside that of parameters. */
static bool has_two_sampler_types(const uint32_t *words, size_t count)
{
    int found = 0;
    for (size_t at = header_words; at < count && (words[at] >> 16) && found < 2; at += words[at] >> 16)
        found += (words[at] & 0xffff) == SpvOpTypeSampler;
    return found > 1;
}

enum mm_class rt_spirv_merge_types(struct rt_binary *binary)
{
    const auto *words = static_cast<const uint32_t *>(binary->data);
    if (!has_two_sampler_types(words, binary->size / 4))
        return MM_OK;
    spvtools::Optimizer optimizer(SPV_ENV_UNIVERSAL_1_3);
    spvtools::OptimizerOptions options;
    Words merged;
    options.set_run_validator(false);
    optimizer.RegisterPass(spvtools::CreateRemoveDuplicatesPass());
    if (!optimizer.Run(words, binary->size / 4, &merged, options))
        return MM_OK; /* as it is: the validator will say what is wrong */
    void *data = mm_alloc(merged.size() * 4);
    if (!data)
        return MM_LIMIT;
    memcpy(data, merged.data(), merged.size() * 4);
    mm_free(binary->data);
    binary->data = data;
    binary->size = merged.size() * 4;
    return MM_OK;
}
