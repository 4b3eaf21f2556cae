/* Internal to module: validation, which precedes all decoding. */
#ifndef INTERP_MODULE_VALIDATE_H
#define INTERP_MODULE_VALIDATE_H

#include "module.h"

enum { IN_MAX_BOUND = 4 << 20 }; /* the universal limit on ids [SPIRV 2.17] */

/* Converts the library's diagnostic, TEXT or NULL, to ERR with RULE. */
enum mm_class in_diagnose(struct in_module *module, const char *text, const char *rule, struct mm_error *err);
/* Validates the module's words; WARNINGS (may be NULL) receives the tolerated findings. */
enum mm_class in_validate(struct in_module *module, char **warnings, struct mm_error *err);

#endif
