/* The environment variables of the runtime: setting.def lists them.  An empty variable is as good as none. */
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

/* As given; OTHERWISE if it is not. */
const char *rt_setting_text(enum rt_setting setting, const char *otherwise);
bool rt_setting_given(enum rt_setting setting);
/* Whether WORD is among the words given. */
bool rt_setting_has(enum rt_setting setting, const char *word);
/* Whether WORD is what is given for the device. */
bool rt_setting_is(enum rt_setting setting, int device, const char *word);
/* Within the variable's bounds; OTHERWISE if no number is given.  DEVICE: 0 where there are no lists. */
uint64_t rt_setting_number(enum rt_setting setting, int device, uint64_t otherwise);
/* Reports on standard error the variables with invalid values, and the values that are valid. */
void rt_settings_check(void);

#endif
