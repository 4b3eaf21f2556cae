/* Buffers and sub-buffers: creation, destruction, queries [CL 5.2.1, 5.5.1, 5.5.5]. */
#include "ref-runtime/callback.h"
#include "ref-runtime/device.h"
#include "ref-runtime/memory/external.h"

#include <string.h>

enum {
    DEVICE_ACCESS = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY,
    HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
    HOST_ACCESS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS
};

static bool at_most_one(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

/* Immutable objects must have no flags for writing [cl_ext_immutable_memory_objects]. */
bool rt_mem_flags_valid(cl_mem_flags flags)
{
    const cl_mem_flags known = DEVICE_ACCESS | HOST_POINTER | HOST_ACCESS | CL_MEM_IMMUTABLE_EXT;
    const cl_mem_flags writes = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
    return !(flags & ~known) && !((flags & CL_MEM_IMMUTABLE_EXT) && (flags & writes)) &&
           at_most_one(flags & DEVICE_ACCESS) && at_most_one(flags & HOST_ACCESS) &&
           !((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)));
}

bool rt_mem_has_contents(cl_mem_flags flags)
{
    return !(flags & CL_MEM_IMMUTABLE_EXT) || (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR));
}

struct rt_mem *rt_mem_create(struct rt_context *context, cl_mem_object_type type, cl_mem_flags flags,
                             size_t size)
{
    struct rt_mem *mem = rt_object_create(RT_MEM, sizeof *mem);
    if (!mem)
        return NULL;
    rt_object_retain(context);
    mem->context = context;
    mem->mem_type = type;
    mem->given_flags = flags;
    mem->flags = flags & (DEVICE_ACCESS | CL_MEM_IMMUTABLE_EXT) ? flags : flags | CL_MEM_READ_WRITE;
    mem->size = size;
    snprintf(mem->name, sizeof mem->name, "%s %u",
             type == CL_MEM_OBJECT_BUFFER ? "buffer"
             : type == CL_MEM_OBJECT_PIPE ? "pipe"
                                          : "image",
             mem->base.number);
    return mem;
}

/* A recording shows every copy from the call that created the buffer on. */
static bool allocate_recorded(struct rt_mem *mem)
{
    for (cl_uint i = 0; rt_recorder() && !mem->shared && i < mem->context->device_count; i++)
        if (!rt_storage(mem, (int)i))
            return false;
    int map_place = rt_storage_map_place(mem);
    return !rt_recorder() || rt_storage(mem, map_place);
}

/* Initial contents: the application's memory is the latest version, or was copied to the first device. */
static bool initialize_storage(struct rt_mem *mem, void *host_ptr)
{
    if (mem->flags & CL_MEM_USE_HOST_PTR) {
        const struct rt_svm *svm = rt_svm_find(mem->context, host_ptr);
        mem->host_ptr = host_ptr;
        mem->shared = svm != NULL;
        if (!allocate_recorded(mem) || !rt_storage(mem, RT_HOST_VIEW) ||
            !rt_storage_written(mem, 0, mem->size, RT_HOST_VIEW))
            return false;
        rt_record_host_write(rt_storage_allocation(mem, RT_HOST_VIEW), mem->size, NULL);
        return true;
    }
    if (!allocate_recorded(mem))
        return false;
    if (mem->flags & CL_MEM_COPY_HOST_PTR) {
        unsigned char *data = rt_storage(mem, 0);
        if (!data || !rt_storage_written(mem, 0, mem->size, 0))
            return false;
        memcpy(data, host_ptr, mem->size);
        rt_record_host_write(rt_storage_allocation(mem, 0), mem->size, NULL);
    }
    return true;
}

bool rt_mem_set_properties(struct rt_mem *mem, const struct rt_mem_request *r)
{
    if (r->count) {
        mem->property_count = r->count;
        mem->properties = mm_alloc(r->count * sizeof *r->properties);
        if (mem->properties)
            memcpy(mem->properties, r->properties, r->count * sizeof *r->properties);
    }
    return !r->count || mem->properties;
}

cl_int rt_mem_fill_in(struct rt_mem *mem, const struct rt_mem_request *r, void *host_ptr)
{
    if (!rt_mem_set_properties(mem, r))
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (r->external)
        return rt_external_import(mem, r);
    return initialize_storage(mem, host_ptr) ? CL_SUCCESS : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

/* True if SIZE bytes at HOST_PTR begin in an SVM allocation and extend past its end. */
static bool past_svm(const struct rt_context *context, const void *host_ptr, size_t size)
{
    const struct rt_svm *svm = rt_svm_find(context, host_ptr);
    return svm && size > svm->size - (size_t)((const unsigned char *)host_ptr - svm->data);
}

static cl_mem create_buffer(cl_context handle, const cl_mem_properties *properties, cl_mem_flags flags,
                            size_t size, void *host_ptr, cl_int *errcode_ret)
{
    struct rt_context *context = rt_context(handle);
    if (rt_context_error(context))
        return rt_null(errcode_ret, rt_context_error(context));
    struct rt_mem_request r;
    cl_int error = rt_mem_parse_properties(context, true, properties, &r);
    if (!error && (!rt_mem_flags_valid(flags) || !(r.external || rt_mem_has_contents(flags))))
        error = CL_INVALID_VALUE;
    error = error ? error : rt_external_check(&r, flags);
    if (error)
        return rt_null(errcode_ret, error);
    if (size == 0 || size > rt_context_max_alloc(context, false))
        return rt_null(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (!host_ptr == !!(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return rt_null(errcode_ret, CL_INVALID_HOST_PTR);
    if (host_ptr && past_svm(context, host_ptr, size))
        return rt_null(errcode_ret, CL_INVALID_BUFFER_SIZE);
    struct rt_mem *mem = rt_mem_create(context, CL_MEM_OBJECT_BUFFER, flags, size);
    if (!mem)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    error = rt_mem_fill_in(mem, &r, host_ptr);
    if (!error && r.has_address && !rt_address_give(mem))
        error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    if (error)
        rt_object_release(mem);
    rt_null(errcode_ret, error);
    return error ? NULL : (cl_mem)mem;
}

cl_mem CL_API_CALL rt_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                     cl_int *errcode_ret)
{
    return create_buffer(context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem CL_API_CALL rt_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                                   cl_mem_flags flags, size_t size, void *host_ptr,
                                                   cl_int *errcode_ret)
{
    return create_buffer(context, properties, flags, size, host_ptr, errcode_ret);
}

/* ---- sub-buffers ---- */

void rt_mem_attach(struct rt_mem *mem, struct rt_mem *parent, size_t offset)
{
    rt_object_retain(parent);
    mem->parent = parent;
    mem->offset = offset;
    mem->shared = parent->shared;
    mem->host_ptr = parent->host_ptr ? (char *)parent->host_ptr + offset : NULL;
}

bool rt_mem_inherit_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
    cl_mem_flags f = *flags;
    if (!rt_mem_flags_valid(f) || (f & HOST_POINTER) ||
        ((parent & CL_MEM_WRITE_ONLY) && (f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))) ||
        ((parent & CL_MEM_READ_ONLY) && (f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))) ||
        ((parent & CL_MEM_IMMUTABLE_EXT) &&
         (f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY))) ||
        ((parent & CL_MEM_HOST_WRITE_ONLY) && (f & CL_MEM_HOST_READ_ONLY)) ||
        ((parent & CL_MEM_HOST_READ_ONLY) && (f & CL_MEM_HOST_WRITE_ONLY)) ||
        ((parent & CL_MEM_HOST_NO_ACCESS) && (f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))))
        return false;
    f |= parent & CL_MEM_IMMUTABLE_EXT;
    f |= f & DEVICE_ACCESS ? 0 : parent & DEVICE_ACCESS;
    f |= f & HOST_ACCESS ? 0 : parent & HOST_ACCESS;
    *flags = f | (parent & HOST_POINTER);
    return true;
}

cl_mem CL_API_CALL rt_clCreateSubBuffer(cl_mem handle, cl_mem_flags flags, cl_buffer_create_type type,
                                        const void *info, cl_int *errcode_ret)
{
    struct rt_mem *parent = rt_mem(handle);
    if (!parent || parent->mem_type != CL_MEM_OBJECT_BUFFER || parent->parent)
        return rt_null(errcode_ret, CL_INVALID_MEM_OBJECT);
    if (rt_context_error(parent->context))
        return rt_null(errcode_ret, rt_context_error(parent->context));
    const cl_buffer_region *region = info;
    if (!rt_mem_inherit_flags(parent->flags, &flags) || type != CL_BUFFER_CREATE_TYPE_REGION || !region ||
        region->origin > parent->size || region->size > parent->size - region->origin)
        return rt_null(errcode_ret, CL_INVALID_VALUE);
    if (region->size == 0)
        return rt_null(errcode_ret, CL_INVALID_BUFFER_SIZE);
    if (region->origin % rt_context_alignment(parent->context))
        return rt_null(errcode_ret, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    struct rt_mem *mem = rt_mem_create(parent->context, CL_MEM_OBJECT_BUFFER, flags, region->size);
    if (!mem)
        return rt_null(errcode_ret, CL_OUT_OF_HOST_MEMORY);
    rt_mem_attach(mem, parent, region->origin);
    rt_null(errcode_ret, CL_SUCCESS);
    return (cl_mem)mem;
}

/* ---- lifetime ---- */

void rt_mem_destroy(struct rt_mem *mem)
{
    while (mem->destructors) {
        struct rt_callback *callback = mem->destructors;
        mem->destructors = callback->next;
        callback->mem_function((cl_mem)mem, callback->data);
        mm_free(callback);
    }
    rt_mapping_free_all(mem);
    if (mem->has_address)
        rt_address_take(mem);
    if (mem->external)
        rt_external_destroy(mem->external);
    else if (!mem->parent)
        rt_storage_destroy(mem);
    if (mem->pipe)
        rt_pipe_destroy(mem);
    mm_free(mem->image);
    mm_free(mem->properties);
    rt_object_release_held(mem->parent);
    rt_object_release_held(mem->context);
}

RT_REFERENCE_CALLS(MemObject, cl_mem, RT_MEM, CL_INVALID_MEM_OBJECT)

cl_int CL_API_CALL rt_clSetMemObjectDestructorCallback(cl_mem handle,
                                                       void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                                       void *user_data)
{
    struct rt_mem *mem = rt_mem(handle);
    if (!mem)
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return rt_callback_add(&mem->destructors,
                           &(struct rt_callback){.mem_function = pfn_notify, .data = user_data});
}

/* ---- queries ---- */

static cl_int get_map_count(const void *object, const struct rt_info_out *out)
{
    mm_mutex_lock(&rt_lock);
    cl_uint count = ((const struct rt_mem *)object)->map_count;
    mm_mutex_unlock(&rt_lock);
    return rt_info_uint(out, count);
}

RT_ANSWER_LIST(get_properties, struct rt_mem, properties, property_count)

/* CL_TRUE for buffers only: an image created from such a buffer does not use SVM. */
static cl_int get_uses_svm(const void *object, const struct rt_info_out *out)
{
    const struct rt_mem *mem = object, *root = mem;
    while (root->parent)
        root = root->parent;
    return rt_info_bool(out, mem->mem_type == CL_MEM_OBJECT_BUFFER && root->shared && !root->external);
}

RT_ANSWER(get_host_ptr, handle, struct rt_mem, mem, mem->flags &CL_MEM_USE_HOST_PTR ? mem->host_ptr : NULL)

static const struct rt_info_row mem_rows[] = {
    RT_INFO_FIELD(CL_MEM_TYPE, struct rt_mem, mem_type),
    RT_INFO_FIELD(CL_MEM_FLAGS, struct rt_mem, given_flags),
    RT_INFO_FIELD(CL_MEM_SIZE, struct rt_mem, size),
    RT_INFO_GET(CL_MEM_HOST_PTR, get_host_ptr),
    RT_INFO_GET(CL_MEM_MAP_COUNT, get_map_count),
    RT_INFO_GET(CL_MEM_REFERENCE_COUNT, rt_info_references),
    RT_INFO_FIELD(CL_MEM_CONTEXT, struct rt_mem, context),
    RT_INFO_FIELD(CL_MEM_ASSOCIATED_MEMOBJECT, struct rt_mem, parent),
    RT_INFO_FIELD(CL_MEM_OFFSET, struct rt_mem, offset),
    RT_INFO_GET(CL_MEM_USES_SVM_POINTER, get_uses_svm),
    RT_INFO_GET(CL_MEM_PROPERTIES, get_properties),
    RT_INFO_GET(CL_MEM_DEVICE_ADDRESS_EXT, rt_address_put),
};

RT_INFO_CALL(MemObjectInfo, cl_mem, cl_mem_info, rt_mem(handle), CL_INVALID_MEM_OBJECT, mem_rows)
