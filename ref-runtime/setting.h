/* The environment variables of the runtime: setting.def lists them.  An empty variable counts as unset. */
#ifndef REF_RUNTIME_SETTING_H
#define REF_RUNTIME_SETTING_H

#include <stdbool.h>
#include <stdint.h>

enum rt_setting {
#define RT_SETTING(id, variable, kind, words, least, most, readers) RT_SET_##id,
#include "ref-runtime/setting.def"
#undef RT_SETTING
    RT_SETTINGS
};

/* The value; OTHERWISE if the variable is unset. */
const char *rt_setting_text(enum rt_setting setting, const char *otherwise);
bool rt_setting_given(enum rt_setting setting);
/* True if WORD is among the words of the value. */
bool rt_setting_has(enum rt_setting setting, const char *word);
/* True if WORD is the value for the device. */
bool rt_setting_is(enum rt_setting setting, int device, const char *word);
/* The number, within the variable's bounds; OTHERWISE if the variable is unset.  DEVICE: 0 for variables that
 * are no lists. */
uint64_t rt_setting_number(enum rt_setting setting, int device, uint64_t otherwise);
/* Reports on standard error the variables with invalid values, and the values that are valid. */
void rt_settings_check(void);

#endif
