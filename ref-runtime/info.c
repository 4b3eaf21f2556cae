/* Info queries: one set of size and null rules for every clGet*Info [CL 4.1, 4.2, 5.1 ff.]. */
#include "ref-runtime/device.h"

#include <string.h>

/* Answers a query; OUT may have no buffer, or one that is large enough: otherwise CL_INVALID_VALUE. */
cl_int rt_info_put(const struct rt_info_out *out, const void *data, size_t size)
{
    if (out->value && out->size < size)
        return CL_INVALID_VALUE;
    if (out->value && size > 0)
        memcpy(out->value, data, size);
    if (out->size_ret)
        *out->size_ret = size;
    return CL_SUCCESS;
}

cl_int rt_info_string(const struct rt_info_out *out, const char *text)
{
    return rt_info_put(out, text, strlen(text) + 1);
}

cl_int rt_info_uint(const struct rt_info_out *out, cl_uint value)
{
    return rt_info_put(out, &value, sizeof value);
}

cl_int rt_info_bool(const struct rt_info_out *out, bool value)
{
    return rt_info_uint(out, value ? CL_TRUE : CL_FALSE);
}

cl_int rt_info_ulong(const struct rt_info_out *out, cl_ulong value)
{
    return rt_info_put(out, &value, sizeof value);
}

cl_int rt_info_size(const struct rt_info_out *out, size_t value)
{
    return rt_info_put(out, &value, sizeof value);
}

cl_int rt_info_handle(const struct rt_info_out *out, const void *handle)
{
    return rt_info_put(out, &handle, sizeof handle);
}

cl_int rt_info_references(const void *object, const struct rt_info_out *out)
{
    return rt_info_uint(out, rt_api_refs(object));
}

cl_int rt_info_query(const struct rt_info_row *rows, size_t count, const void *object, cl_uint param,
                     size_t size, void *value, size_t *size_ret)
{
    const struct rt_info_out out = {value, size, size_ret};
    for (size_t i = 0; i < count && rt_version_has_query(param); i++) {
        if (rows[i].param != param)
            continue;
        if (rows[i].get)
            return rows[i].get(object, &out);
        return rt_info_put(&out, (const char *)object + rows[i].offset, rows[i].size);
    }
    return CL_INVALID_VALUE;
}
