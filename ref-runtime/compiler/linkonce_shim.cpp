/* Names that modules export [SPIRV 2.8]; LinkOnceODR for a linker that knows exports and imports alone
 * [cl_khr_spirv_linkonce_odr]. */
#include "ref-runtime/compiler/linkonce_shim.hpp"

#include <spirv-tools/libspirv.h>
#include <spirv/unified1/spirv.h>

#include <cstring>

namespace
{

using Words = std::vector<uint32_t>;
constexpr size_t header_words = 5;

/* The name in a decoration with linkage attributes; empty if the instruction at AT is none. */
std::string linked_name(const Words &module, size_t at)
{
    const size_t end = at + (module[at] >> 16);
    if ((module[at] & 0xffff) != SpvOpDecorate || end - at < 5 ||
        module[at + 2] != SpvDecorationLinkageAttributes)
        return std::string();
    const char *text = reinterpret_cast<const char *>(module.data() + at + 3);
    const size_t size = (end - 1 - at - 3) * 4, length = strnlen(text, size);
    return length < size ? std::string(text, length) : std::string();
}

template <typename Visit> void each_linkage(Words &module, Visit visit)
{
    for (size_t at = header_words; at < module.size(); at += module[at] >> 16) {
        const std::string name = linked_name(module, at);
        if (!name.empty())
            visit(name, module[at + 1], module[at + (module[at] >> 16) - 1]);
    }
}

/* What becomes a declaration: the functions and variables IDS lose their bodies and initializers. */
struct stripper {
    const std::set<uint32_t> &ids;
    std::set<uint32_t> gone; /* ids that the bodies define */
    Words out;
    bool inside = false; /* a function of IDS */
    bool body = false;

    static spv_result_t visit(void *self, const spv_parsed_instruction_t *i)
    {
        static_cast<stripper *>(self)->note(*i);
        return SPV_SUCCESS;
    }
    void note(const spv_parsed_instruction_t &i)
    {
        if (i.opcode == SpvOpFunction)
            inside = ids.count(i.result_id) > 0;
        if (inside && i.opcode == SpvOpLabel)
            body = true;
        if (i.opcode == SpvOpFunctionEnd)
            inside = body = false;
        if (body && i.result_id)
            gone.insert(i.result_id);
    }
    /* With GONE known. */
    void copy(const Words &module)
    {
        out.assign(module.begin(), module.begin() + header_words);
        for (size_t at = header_words; at < module.size(); at += module[at] >> 16) {
            const uint32_t length = module[at] >> 16, opcode = module[at] & 0xffff;
            if (opcode == SpvOpFunction)
                inside = ids.count(module[at + 2]) > 0;
            if (inside && opcode == SpvOpLabel)
                body = true;
            if (opcode == SpvOpFunctionEnd)
                inside = body = false;
            const bool names = opcode == SpvOpName || opcode == SpvOpDecorate || opcode == SpvOpDecorateId;
            if (body || (names && gone.count(module[at + 1])))
                continue;
            const bool variable = opcode == SpvOpVariable && length > 4 && ids.count(module[at + 2]);
            const uint32_t kept = variable ? 4 : length;
            out.push_back(kept << 16 | opcode);
            out.insert(out.end(), module.begin() + long(at) + 1, module.begin() + long(at) + kept);
        }
    }
};

void strip(Words &module, const std::set<uint32_t> &ids)
{
    stripper s{ids, {}, {}};
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_5);
    const bool parsed = spvBinaryParse(context, &s, module.data(), module.size(), nullptr, stripper::visit,
                                       nullptr) == SPV_SUCCESS;
    spvContextDestroy(context);
    if (!parsed)
        return; /* the linker reports what is wrong */
    s.copy(module);
    module = s.out;
}

} // namespace

std::string rt_defined_twice(std::vector<Words> &modules)
{
    std::set<std::string> names;
    std::string twice;
    for (Words &m : modules)
        each_linkage(m, [&](const std::string &name, uint32_t, uint32_t type) {
            if (type == SpvLinkageTypeExport && !names.insert(name).second && twice.empty())
                twice = name;
        });
    return twice;
}

std::set<std::string> rt_choose_definitions(std::vector<Words> &modules)
{
    std::set<std::string> defined, chosen;
    for (Words &m : modules)
        each_linkage(m, [&](const std::string &name, uint32_t, uint32_t type) {
            if (type == SpvLinkageTypeExport)
                defined.insert(name);
        });
    for (Words &m : modules) {
        std::set<uint32_t> declared;
        each_linkage(m, [&](const std::string &name, uint32_t id, uint32_t &type) {
            if (type != SpvLinkageTypeLinkOnceODR)
                return;
            const bool first = defined.insert(name).second;
            type = first ? SpvLinkageTypeExport : SpvLinkageTypeImport;
            if (first)
                chosen.insert(name);
            else
                declared.insert(id);
        });
        if (!declared.empty())
            strip(m, declared);
    }
    return chosen;
}

void rt_restore_linkonce(Words &module, const std::set<std::string> &names)
{
    each_linkage(module, [&](const std::string &name, uint32_t, uint32_t &type) {
        if (type == SpvLinkageTypeExport && names.count(name))
            type = SpvLinkageTypeLinkOnceODR;
    });
}
