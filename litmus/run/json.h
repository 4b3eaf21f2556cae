/* Values in JSON, for the runner and for those that read its files. */
#ifndef LITMUS_RUN_JSON_H
#define LITMUS_RUN_JSON_H

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* VALUE as an item that loses no digits, a string beyond 2^53. */
static inline cJSON *lt_value_json(int64_t value)
{
    char text[24];
    if (value > -(INT64_C(1) << 53) && value < INT64_C(1) << 53)
        return cJSON_CreateNumber((double)value);
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_CreateString(text);
}

/* The value of such an item, 0 if it is none. */
static inline int64_t lt_json_value(const cJSON *item)
{
    if (cJSON_IsString(item))
        return strtoll(item->valuestring, NULL, 10);
    double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    return value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

/* The number KEY of OBJECT, -1 if there is none from 0 to 2^20 - 1. */
static inline int lt_json_count(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1 << 20 ? item->valueint
                                                                                         : -1;
}

/* The string KEY of OBJECT; "" if there is none. */
static inline const char *lt_json_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItem(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

#endif
