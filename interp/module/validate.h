/* Inside module: validation before anything else is read. */
#ifndef INTERP_MODULE_VALIDATE_H
#define INTERP_MODULE_VALIDATE_H

#include "module.h"

enum { IN_MAX_BOUND = 4 << 20 }; /* the universal limit on ids [SPIRV 2.17] */

/* What the library says, TEXT or NULL, becomes ERR, against RULE. */
enum mm_class in_diagnose(struct in_module *module, const char *text, const char *rule, struct mm_error *err);
/* The module's words; WARNINGS (may be NULL) receives what was let pass. */
enum mm_class in_validate(struct in_module *module, char **warnings, struct mm_error *err);

#endif
