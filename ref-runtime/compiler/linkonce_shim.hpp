/* Definitions with one name in several modules [SPIRV 2.8, cl_khr_spirv_linkonce_odr]. */
#ifndef REF_RUNTIME_COMPILER_LINKONCE_SHIM_HPP
#define REF_RUNTIME_COMPILER_LINKONCE_SHIM_HPP

#include <cstdint>
#include <set>
#include <string>
#include <vector>

/* A name that two of MODULES export, which do not link; empty: none.  The linker notices only names that a
 * third module imports. */
std::string rt_defined_twice(std::vector<std::vector<uint32_t>> &modules);
/* Of each name that modules define with LinkOnceODR one definition is exported, and the others import it; all
 * do where a module exports the name.  The names of the definitions that are exported now. */
std::set<std::string> rt_choose_definitions(std::vector<std::vector<uint32_t>> &modules);
/* What MODULE exports with one of NAMES becomes LinkOnceODR again: a library may be linked with others. */
void rt_restore_linkonce(std::vector<uint32_t> &module, const std::set<std::string> &names);

#endif
