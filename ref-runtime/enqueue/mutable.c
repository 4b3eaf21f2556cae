/* Recorded kernels whose arguments and sizes change between runs [cl_khr_command_buffer_mutable_dispatch].
 *
 * A handle has a private kernel object with the arguments of the recording.  An update sets the new arguments
 * in a copy of it, makes a new pattern, and exchanges both once all configurations are valid.  Runs that were
 * enqueued before keep the pattern that they have. */
#include "ref-runtime/enqueue/mutable.h"

#include "ref-runtime/enqueue/launch.h"

#include <string.h>

enum {
    ALL_FIELDS = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
                 CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
                 CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
    OFFSET = 0,
    GLOBAL,
    LOCAL,
    SIZES
};
struct rt_mutable {
    struct rt_object base;
    struct rt_command_buffer *buffer; /* holds this handle */
    size_t index;                     /* in BUFFER */
    struct rt_kernel *recorded;       /* held */
    cl_properties *properties;
    size_t property_count; /* elements, the zero included */
    cl_bitfield fields;    /* that may change */
    cl_uint dimensions;
    /* Under rt_lock: */
    struct rt_kernel *kernel; /* held: with the arguments of the command */
    size_t sizes[SIZES][3];   /* as given */
    bool given[SIZES];
};

/* ---- recording ---- */

/* *FIELDS: the fields that PROPERTIES name, by default all; *PARTIAL: arguments are named explicitly. */
static cl_int parse_properties(const cl_properties *properties, cl_bitfield *fields, bool *partial,
                               bool *no_more_groups, size_t *count)
{
    bool seen[2] = {false};
    size_t n = 0;
    for (; properties && properties[n]; n += 2) {
        bool asserts = properties[n] == CL_MUTABLE_DISPATCH_ASSERTS_KHR;
        cl_properties value = properties[n + 1];
        if ((!asserts && properties[n] != CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR) || seen[asserts])
            return CL_INVALID_VALUE;
        if (asserts && (value & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR))
            return CL_INVALID_VALUE;
        if (!asserts && (value & ~(cl_properties)ALL_FIELDS))
            return CL_INVALID_OPERATION;
        seen[asserts] = true;
        if (asserts)
            *no_more_groups |= value != 0;
        else
            *fields = value;
    }
    *count = properties ? n + 1 : 0;
    *partial = seen[0] && (*fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR);
    return CL_SUCCESS;
}

/* A copy of KERNEL without references of the application; NULL: no memory. */
static struct rt_kernel *copy_of_kernel(struct rt_kernel *kernel)
{
    struct rt_kernel *made = (struct rt_kernel *)rt_clCloneKernel((cl_kernel)kernel, NULL);
    if (made) {
        rt_object_retain(made);
        rt_api_release(made, RT_KERNEL);
    }
    return made;
}

static struct rt_mutable *make_handle(struct rt_kernel *kernel, const cl_properties *properties, size_t count,
                                      cl_bitfield fields)
{
    struct rt_mutable *m = rt_object_create(RT_MUTABLE_COMMAND, sizeof *m);
    if (!m)
        return NULL;
    rt_object_retain(kernel);
    m->recorded = kernel;
    m->fields = fields;
    m->kernel = copy_of_kernel(kernel);
    m->properties = count ? mm_alloc(count * sizeof *properties) : NULL;
    if (!m->kernel || (count && !m->properties)) {
        rt_object_release(m);
        return NULL;
    }
    if (count)
        memcpy(m->properties, properties, count * sizeof *properties);
    m->property_count = count;
    return m;
}

void rt_mutable_destroy(struct rt_mutable *m)
{
    rt_object_release_held(m->recorded);
    rt_object_release_held(m->kernel);
    mm_free(m->properties);
}

void rt_mutable_place(struct rt_mutable *m, struct rt_command_buffer *buffer, size_t index)
{
    m->buffer = buffer;
    m->index = index;
}

cl_int rt_mutable_begin(struct rt_submission *s, const cl_properties *properties, const size_t *local,
                        cl_kernel handle, bool wanted)
{
    cl_bitfield fields = ALL_FIELDS;
    bool no_more_groups = s->buffer->no_more_groups;
    size_t count;
    cl_int error = parse_properties(properties, &fields, &s->partial, &no_more_groups, &count);
    if (error)
        return error;
    if (no_more_groups && !local)
        return CL_INVALID_VALUE;
    struct rt_kernel *kernel = rt_kernel(handle);
    if (!kernel || !wanted)
        return kernel ? CL_SUCCESS : CL_INVALID_KERNEL;
    s->handle = make_handle(kernel, properties, count, fields);
    return s->handle ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Sets the sizes that the caller gives; NULL keeps the previous ones. */
static void set_sizes(struct rt_mutable *m, const size_t *const sizes[SIZES])
{
    for (int i = 0; i < SIZES; i++) {
        m->given[i] |= sizes[i] != NULL;
        for (cl_uint d = 0; sizes[i] && d < m->dimensions; d++)
            m->sizes[i][d] = sizes[i][d];
    }
}

cl_int rt_mutable_end(const struct rt_submission *s, cl_int error, cl_uint dimensions,
                      const size_t *const sizes[SIZES], cl_mutable_command_khr *handle)
{
    if (error)
        rt_object_release(s->handle);
    if (error || !s->handle)
        return error;
    mm_mutex_lock(&rt_lock);
    s->handle->dimensions = dimensions;
    set_sizes(s->handle, sizes);
    mm_mutex_unlock(&rt_lock);
    *handle = (cl_mutable_command_khr)s->handle;
    return CL_SUCCESS;
}

static struct rt_queue *queue_of(const struct rt_mutable *m)
{
    return m->buffer->queues[m->buffer->commands[m->index].queue];
}

/* ---- updates ---- */

/* The new state of one command, which takes effect once all configurations are valid. */
struct update {
    struct rt_mutable *command;
    struct rt_kernel *kernel;
    struct rt_command *pattern;
    const size_t *sizes[SIZES]; /* as given */
};

static cl_int check_config(const struct rt_command_buffer *buffer, const struct rt_mutable_config *c)
{
    const struct rt_mutable *m = rt_object_check(c->command, RT_MUTABLE_COMMAND);
    if (!m || m->buffer != buffer)
        return CL_INVALID_MUTABLE_COMMAND_KHR;
    if ((c->num_args == 0) != !c->arg_list || (c->num_svm_args == 0) != !c->arg_svm_list ||
        (c->num_exec_infos == 0) != !c->exec_info_list)
        return CL_INVALID_VALUE;
    cl_bitfield changed = (c->global_work_offset ? CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR : 0) |
                          (c->global_work_size ? CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR : 0) |
                          (c->local_work_size ? CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR : 0) |
                          (c->num_args || c->num_svm_args ? CL_MUTABLE_DISPATCH_ARGUMENTS_KHR : 0) |
                          (c->num_exec_infos ? CL_MUTABLE_DISPATCH_EXEC_INFO_KHR : 0);
    return (changed & ~m->fields) || (c->work_dim && c->work_dim != m->dimensions) ? CL_INVALID_OPERATION
                                                                                   : CL_SUCCESS;
}

static cl_int set_arguments(cl_kernel kernel, const struct rt_mutable_config *c)
{
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; !error && i < c->num_args; i++)
        error = rt_clSetKernelArg(kernel, c->arg_list[i].index, c->arg_list[i].size, c->arg_list[i].value);
    for (cl_uint i = 0; !error && i < c->num_svm_args; i++)
        error = rt_clSetKernelArgSVMPointer(kernel, c->arg_svm_list[i].index, c->arg_svm_list[i].value);
    for (cl_uint i = 0; !error && i < c->num_exec_infos; i++)
        error = rt_clSetKernelExecInfo(kernel, c->exec_info_list[i].name, c->exec_info_list[i].size,
                                       c->exec_info_list[i].value);
    return error;
}

/* Whether all work-groups of the launch have the same size. */
static bool is_uniform(const struct rt_command *command)
{
    const struct rt_kernel_command *k = (const void *)command->payload;
    for (int d = 0; d < 3; d++)
        if (k->global_size[d] % k->local_size[d])
            return false;
    return true;
}

/* Initializes U from the latest of the DONE earlier updates of the same command, or from the command. */
static void begin_update(const struct update *updates, size_t done, struct update *u,
                         struct rt_kernel **kernel, const struct rt_command **pattern)
{
    const struct rt_mutable *m = u->command;
    *kernel = m->kernel;
    *pattern = m->buffer->commands[m->index].pattern;
    for (int i = 0; i < SIZES; i++)
        u->sizes[i] = m->given[i] ? m->sizes[i] : NULL;
    for (size_t k = 0; k < done; k++) {
        if (updates[k].command != m)
            continue;
        *kernel = updates[k].kernel;
        *pattern = updates[k].pattern;
        memcpy(u->sizes, updates[k].sizes, sizeof u->sizes);
    }
}

static cl_int make_update(struct update *updates, size_t done, const struct rt_mutable_config *c)
{
    struct update *u = &updates[done];
    struct rt_mutable *m = u->command = (struct rt_mutable *)c->command;
    const size_t *const sizes[SIZES] = {c->global_work_offset, c->global_work_size, c->local_work_size};
    struct rt_kernel *kernel;
    const struct rt_command *pattern;
    begin_update(updates, done, u, &kernel, &pattern);
    for (int i = 0; i < SIZES; i++)
        u->sizes[i] = sizes[i] ? sizes[i] : u->sizes[i];
    u->kernel = copy_of_kernel(kernel);
    if (!u->kernel)
        return CL_OUT_OF_HOST_MEMORY;
    const struct rt_kernel_call call = {.queue = queue_of(m),
                                        .type = CL_COMMAND_NDRANGE_KERNEL,
                                        .name = "clCommandNDRangeKernelKHR",
                                        .kernel = u->kernel,
                                        .partial = rt_pattern_incomplete(pattern),
                                        .dimensions = m->dimensions,
                                        .sizes = u->sizes};
    cl_int error = set_arguments((cl_kernel)u->kernel, c);
    error = error ? error : rt_kernel_command(&call, &u->pattern);
    if (error)
        return error;
    rt_pattern_begin(u->pattern);
    bool resized = c->global_work_size || c->local_work_size;
    return resized && is_uniform(pattern) != is_uniform(u->pattern) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

/* Swaps the states of the commands with those in the updates. */
static void commit_updates(struct update *updates, size_t count)
{
    mm_mutex_lock(&rt_lock);
    for (size_t i = 0; i < count; i++) {
        struct rt_mutable *m = updates[i].command;
        struct rt_command **pattern = &m->buffer->commands[m->index].pattern, *old = *pattern;
        struct rt_kernel *kernel = m->kernel;
        *pattern = updates[i].pattern;
        m->kernel = updates[i].kernel;
        updates[i].pattern = old;
        updates[i].kernel = kernel;
        set_sizes(m, updates[i].sizes);
    }
    mm_mutex_unlock(&rt_lock);
}

static cl_int update_commands(struct rt_command_buffer *buffer, cl_uint count, const cl_uint *types,
                              const void **configs)
{
    struct update *updates = mm_alloc_zero(count + 1u, sizeof *updates);
    cl_int error = updates ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; !error && i < count; i++) {
        if (types[i] != CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR || !configs[i])
            error = CL_INVALID_VALUE;
        error = error ? error : check_config(buffer, configs[i]);
        error = error ? error : make_update(updates, i, configs[i]);
    }
    if (!error)
        commit_updates(updates, count);
    for (cl_uint i = 0; updates && i < count; i++) {
        if (updates[i].pattern)
            rt_pattern_release(updates[i].pattern, false);
        rt_object_release(updates[i].kernel);
    }
    mm_free(updates);
    return error;
}

cl_int CL_API_CALL rt_clUpdateMutableCommandsKHR(cl_command_buffer_khr handle, cl_uint num_configs,
                                                 const cl_uint *config_types, const void **configs)
{
    static struct mm_mutex updating = MM_MUTEX;
    struct rt_command_buffer *buffer = rt_object_check(handle, RT_COMMAND_BUFFER);
    if (!buffer)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    mm_mutex_lock(&rt_lock);
    bool is_open = !buffer->finalized;
    mm_mutex_unlock(&rt_lock);
    if (is_open || !(buffer->flags & CL_COMMAND_BUFFER_MUTABLE_KHR))
        return CL_INVALID_OPERATION;
    if ((num_configs == 0) != !config_types || (num_configs == 0) != !configs)
        return CL_INVALID_VALUE;
    mm_mutex_lock(&updating);
    cl_int error = update_commands(buffer, num_configs, config_types, configs);
    mm_mutex_unlock(&updating);
    return error;
}

/* ---- queries [CL 5.17.8 R103] ---- */

RT_ANSWER(get_queue, handle, struct rt_mutable, m, queue_of(m))
RT_ANSWER(get_type, uint, void, unused, CL_COMMAND_NDRANGE_KERNEL)

RT_ANSWER_LIST(get_properties, struct rt_mutable, properties, property_count)

static cl_int put_sizes(const struct rt_mutable *m, int which, const struct rt_info_out *out)
{
    size_t sizes[3];
    mm_mutex_lock(&rt_lock);
    memcpy(sizes, m->sizes[which], sizeof sizes);
    mm_mutex_unlock(&rt_lock);
    return rt_info_put(out, sizes, m->dimensions * sizeof *sizes);
}

static cl_int get_offset(const void *object, const struct rt_info_out *out)
{
    return put_sizes(object, OFFSET, out);
}

static cl_int get_global(const void *object, const struct rt_info_out *out)
{
    return put_sizes(object, GLOBAL, out);
}

static cl_int get_local(const void *object, const struct rt_info_out *out)
{
    return put_sizes(object, LOCAL, out);
}

static const struct rt_info_row rows[] = {
    RT_INFO_GET(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, get_queue),
    RT_INFO_FIELD(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR, struct rt_mutable, buffer),
    RT_INFO_GET(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR, get_type),
    RT_INFO_GET(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, get_properties),
    RT_INFO_FIELD(CL_MUTABLE_DISPATCH_KERNEL_KHR, struct rt_mutable, recorded),
    RT_INFO_FIELD(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR, struct rt_mutable, dimensions),
    RT_INFO_GET(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR, get_offset),
    RT_INFO_GET(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, get_global),
    RT_INFO_GET(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR, get_local),
};

RT_INFO_CALL(MutableCommandInfoKHR, cl_mutable_command_khr, cl_mutable_command_info_khr,
             rt_object_check(handle, RT_MUTABLE_COMMAND), CL_INVALID_MUTABLE_COMMAND_KHR, rows)
