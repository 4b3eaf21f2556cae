/* Programs, kernels and launches, which are recorded for the footprint analysis (launch.h) [CL 5.8-5.10]. */
#include "memmodel/base/array.h"
#include "tools/layer/launch.h"
#include "tools/layer/layer.h"

#include <string.h>

struct program {
    struct ly_object object;
    uint32_t kind; /* enum ly_program_kind */
    char *text;    /* source or IL */
    size_t size;
    char *options;
    uint32_t record; /* id of its record, 0: none yet */
};
struct kernel {
    struct ly_object object;
    struct program *program;
    char *name;
    struct ly_argument *arguments;
    struct ly_mem **mems; /* of the arguments */
    size_t count, capacity, mem_capacity;
};

void ly_program_destroy(void *object)
{
    struct program *program = object;
    mm_free(program->text);
    mm_free(program->options);
}

void ly_kernel_destroy(void *object)
{
    struct kernel *kernel = object;
    for (size_t i = 0; i < kernel->count; i++)
        ly_object_unuse(kernel->mems[i]);
    ly_object_unuse(kernel->program);
    mm_free(kernel->arguments);
    mm_free(kernel->mems);
    mm_free(kernel->name);
}

/* ---- programs ------------------------------------------------------------------------------------ */

static cl_program add_program(cl_program handle, enum ly_program_kind kind, char *text, size_t size)
{
    pthread_mutex_lock(&ly_lock);
    struct program *program = handle ? ly_object_add(LY_PROGRAM, handle, sizeof *program) : NULL;
    if (program) {
        program->kind = (uint32_t)(text || kind == LY_PROGRAM_OTHER ? kind : LY_PROGRAM_OTHER);
        program->text = text;
        program->size = size;
    } else {
        mm_free(text);
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}

static cl_program CL_API_CALL layer_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **strings, const size_t *lengths,
                                                              cl_int *code)
{
    cl_program handle = ly_next.clCreateProgramWithSource(context, count, strings, lengths, code);
    size_t size = 0, used = 0;
    for (cl_uint i = 0; handle && i < count; i++)
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    char *text = handle ? mm_alloc(size + 1) : NULL;
    for (cl_uint i = 0; text && i < count; i++) {
        size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(text + used, strings[i], n);
        used += n;
    }
    if (text)
        text[size] = 0;
    return add_program(handle, LY_PROGRAM_SOURCE, text, size);
}
LY_EXPORT(clCreateProgramWithSource)

cl_program ly_program_add_il(cl_program handle, const void *il, size_t size)
{
    char *copy = handle ? mm_alloc(size) : NULL;
    if (copy)
        memcpy(copy, il, size);
    return add_program(handle, LY_PROGRAM_IL, copy, size);
}

static cl_program CL_API_CALL layer_clCreateProgramWithIL(cl_context context, const void *il, size_t size,
                                                          cl_int *code)
{
    return ly_program_add_il(ly_next.clCreateProgramWithIL(context, il, size, code), il, size);
}
LY_EXPORT(clCreateProgramWithIL)

static cl_program CL_API_CALL layer_clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices,
                                                              const size_t *sizes,
                                                              const unsigned char **binaries, cl_int *status,
                                                              cl_int *code)
{
    return add_program(
        ly_next.clCreateProgramWithBinary(context, count, devices, sizes, binaries, status, code),
        LY_PROGRAM_OTHER, NULL, 0);
}
LY_EXPORT(clCreateProgramWithBinary)

static cl_program CL_API_CALL layer_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count,
                                                                      const cl_device_id *devices,
                                                                      const char *names, cl_int *code)
{
    return add_program(ly_next.clCreateProgramWithBuiltInKernels(context, count, devices, names, code),
                       LY_PROGRAM_OTHER, NULL, 0);
}
LY_EXPORT(clCreateProgramWithBuiltInKernels)

static cl_program CL_API_CALL layer_clLinkProgram(cl_context context, cl_uint count,
                                                  const cl_device_id *devices, const char *options,
                                                  cl_uint parts, const cl_program *list,
                                                  void(CL_CALLBACK *notify)(cl_program, void *), void *data,
                                                  cl_int *code)
{
    return add_program(
        ly_next.clLinkProgram(context, count, devices, options, parts, list, notify, data, code),
        LY_PROGRAM_OTHER, NULL, 0);
}
LY_EXPORT(clLinkProgram)

/* The analysis uses the default values of specialization constants, so a program that sets others is not
 * analyzed. */
static cl_int CL_API_CALL layer_clSetProgramSpecializationConstant(cl_program handle, cl_uint id, size_t size,
                                                                   const void *value)
{
    cl_int code = ly_next.clSetProgramSpecializationConstant(handle, id, size, value);
    pthread_mutex_lock(&ly_lock);
    struct program *program = ly_object_find(LY_PROGRAM, handle);
    if (program && code == CL_SUCCESS) {
        program->kind = LY_PROGRAM_OTHER;
        program->size = 0;
    }
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clSetProgramSpecializationConstant)

static cl_int CL_API_CALL layer_clBuildProgram(cl_program handle, cl_uint count, const cl_device_id *devices,
                                               const char *options,
                                               void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    pthread_mutex_lock(&ly_lock);
    struct program *program = ly_object_find(LY_PROGRAM, handle);
    if (program) {
        mm_free(program->options);
        program->options = mm_strdup(options ? options : "");
        program->record = 0;
    }
    pthread_mutex_unlock(&ly_lock);
    return ly_next.clBuildProgram(handle, count, devices, options, notify, data);
}
LY_EXPORT(clBuildProgram)

/* Records PROGRAM unless it is recorded already; returns the id of its record, 0: out of memory. */
static uint32_t record_program(struct program *program)
{
    static uint32_t ids;
    const char *options = program->options ? program->options : "";
    struct ly_program_head head = {LY_PROGRAM_MAGIC, program->kind};
    size_t extra = program->kind == LY_PROGRAM_SOURCE ? strlen(options) + 1 : 0;
    size_t size = sizeof head + extra + program->size + 1;
    char *bytes = program->record ? NULL : mm_alloc_zero(1, size);
    if (!bytes)
        return program->record;
    memcpy(bytes, &head, sizeof head);
    if (extra)
        memcpy(bytes + sizeof head, options, extra);
    if (program->size)
        memcpy(bytes + sizeof head + extra, program->text, program->size);
    program->record = ++ids;
    struct mm_record record = {
        .type = MM_RECORD_PROGRAM,
        .program = {program->record, (uint32_t)(program->kind == LY_PROGRAM_IL ? size - 1 : size), bytes}};
    if (size < 8u << 20) /* the largest record */
        mm_recorder_record(ly_recorder(), &record);
    mm_free(bytes);
    return program->record;
}

/* ---- kernels ------------------------------------------------------------------------------------- */

static void add_kernel(cl_kernel handle, cl_program program, const char *name)
{
    struct kernel *kernel = ly_object_add(LY_KERNEL, handle, sizeof *kernel);
    if (!kernel)
        return;
    kernel->name = mm_strdup(name);
    if (kernel->name)
        kernel->program = ly_object_find(LY_PROGRAM, program);
    ly_object_use(kernel->program);
}

static cl_kernel CL_API_CALL layer_clCreateKernel(cl_program program, const char *name, cl_int *code)
{
    cl_kernel kernel = ly_next.clCreateKernel(program, name, code);
    pthread_mutex_lock(&ly_lock);
    if (kernel)
        add_kernel(kernel, program, name);
    pthread_mutex_unlock(&ly_lock);
    return kernel;
}
LY_EXPORT(clCreateKernel)

static cl_int CL_API_CALL layer_clCreateKernelsInProgram(cl_program program, cl_uint count,
                                                         cl_kernel *kernels, cl_uint *count_ret)
{
    cl_uint made = 0;
    cl_int code = ly_next.clCreateKernelsInProgram(program, count, kernels, &made);
    for (cl_uint i = 0; code == CL_SUCCESS && kernels && i < made; i++) {
        char name[1024] = "";
        ly_next.clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        pthread_mutex_lock(&ly_lock);
        add_kernel(kernels[i], program, name);
        pthread_mutex_unlock(&ly_lock);
    }
    if (count_ret)
        *count_ret = made;
    return code;
}
LY_EXPORT(clCreateKernelsInProgram)

static void set_argument(struct kernel *kernel, cl_uint index, const struct ly_argument *argument,
                         struct ly_mem *mem)
{
    if (index >= 1024 || !mm_reserve(&kernel->arguments, &kernel->capacity, (size_t)index + 1) ||
        !mm_reserve(&kernel->mems, &kernel->mem_capacity, (size_t)index + 1))
        return;
    for (; kernel->count <= index; kernel->count++) {
        kernel->arguments[kernel->count] = (struct ly_argument){0};
        kernel->mems[kernel->count] = NULL;
    }
    ly_object_use(mem);
    ly_object_unuse(kernel->mems[index]);
    kernel->mems[index] = mem;
    kernel->arguments[index] = *argument;
}

static cl_kernel CL_API_CALL layer_clCloneKernel(cl_kernel source, cl_int *code)
{
    cl_kernel handle = ly_next.clCloneKernel(source, code);
    pthread_mutex_lock(&ly_lock);
    const struct kernel *from = handle ? ly_object_find(LY_KERNEL, source) : NULL;
    struct kernel *to = from ? ly_object_add(LY_KERNEL, handle, sizeof *to) : NULL;
    if (to) {
        to->name = mm_strdup(from->name ? from->name : "");
        to->program = to->name ? from->program : NULL;
        ly_object_use(to->program);
        for (size_t i = 0; i < from->count; i++)
            set_argument(to, (cl_uint)i, &from->arguments[i], from->mems[i]);
    }
    pthread_mutex_unlock(&ly_lock);
    return handle;
}
LY_EXPORT(clCloneKernel)

/* A value of the size of a handle is treated as the object with this handle, if there is one: the types of
 * parameters are unknown. */
static cl_int CL_API_CALL layer_clSetKernelArg(cl_kernel handle, cl_uint index, size_t size,
                                               const void *value)
{
    cl_int code = ly_next.clSetKernelArg(handle, index, size, value);
    if (code != CL_SUCCESS)
        return code;
    pthread_mutex_lock(&ly_lock);
    struct kernel *kernel = ly_object_find(LY_KERNEL, handle);
    void *given = NULL;
    if (value && size == sizeof given)
        memcpy(&given, value, sizeof given);
    struct ly_mem *mem = given ? ly_object_find(LY_MEM, given) : NULL;
    const struct ly_sampler *sampler = given ? ly_object_find(LY_SAMPLER, given) : NULL;
    struct ly_argument argument = {.kind = value ? LY_ARGUMENT_VALUE : LY_ARGUMENT_LOCAL, .size = size};
    if (mem) {
        argument = (struct ly_argument){.kind = mem->image ? LY_ARGUMENT_IMAGE : LY_ARGUMENT_MEMORY,
                                        .allocation = mem->allocation,
                                        .offset = mem->offset,
                                        .size = mem->size};
        const struct ly_image image = {
            mem->element,   mem->width,       mem->height, mem->depth,
            mem->row_pitch, mem->slice_pitch, mem->levels, mem->level_at - mem->layers};
        memcpy(argument.value, &image, sizeof image);
    } else if (sampler) {
        argument.kind = LY_ARGUMENT_SAMPLER;
        memcpy(argument.value, &sampler->state, sizeof sampler->state);
    } else if (given && ly_object_find(LY_QUEUE, given)) {
        argument.kind = LY_ARGUMENT_QUEUE;
    } else if (value && size <= LY_VALUE_BYTES) {
        memcpy(argument.value, value, size);
    }
    if (kernel)
        set_argument(kernel, index, &argument, mem);
    pthread_mutex_unlock(&ly_lock);
    return code;
}
LY_EXPORT(clSetKernelArg)

static cl_int CL_API_CALL layer_clSetKernelArgSVMPointer(cl_kernel handle, cl_uint index, const void *value)
{
    cl_int code = ly_next.clSetKernelArgSVMPointer(handle, index, value);
    if (code == CL_SUCCESS)
        ly_kernel_set_svm(handle, index, value);
    return code;
}
LY_EXPORT(clSetKernelArgSVMPointer)

void ly_kernel_set_svm(cl_kernel handle, cl_uint index, const void *value)
{
    pthread_mutex_lock(&ly_lock);
    struct kernel *kernel = ly_object_find(LY_KERNEL, handle);
    const struct ly_svm *svm = ly_svm_find(value);
    struct ly_argument argument = {.kind = LY_ARGUMENT_MEMORY};
    if (svm) {
        argument.allocation = svm->allocation;
        argument.offset = (uintptr_t)value - svm->begin;
        argument.size = svm->size - argument.offset;
    }
    if (kernel)
        set_argument(kernel, index, &argument, NULL);
    pthread_mutex_unlock(&ly_lock);
}

/* ---- launches ------------------------------------------------------------------------------------ */

static void describe_kernel(struct ly_command *command, const struct kernel *kernel)
{
    const struct mm_command *shape = &command->record;
    struct ly_launch_head head = {
        .magic = LY_LAUNCH_MAGIC, .arguments = (uint32_t)kernel->count, .dimensions = shape->dimensions};
    memcpy(head.local_size, shape->local_size, sizeof head.local_size);
    memcpy(head.global_size, shape->global_size, sizeof head.global_size);
    memcpy(head.global_offset, shape->global_offset, sizeof head.global_offset);
    size_t arguments = kernel->count * sizeof *kernel->arguments,
           size = sizeof head + arguments + strlen(kernel->name) + 1;
    char *bytes = kernel->program ? mm_alloc(size) : NULL;
    for (size_t i = 0; i < kernel->count; i++)
        ly_command_hold(command, kernel->mems[i]);
    if (!bytes)
        return;
    memcpy(bytes, &head, sizeof head);
    if (arguments)
        memcpy(bytes + sizeof head, kernel->arguments, arguments);
    memcpy(bytes + sizeof head + arguments, kernel->name, strlen(kernel->name) + 1);
    command->launch = bytes;
    command->record.kernel = bytes + sizeof head + arguments;
    command->launch_size = (uint32_t)size;
    command->program = record_program(kernel->program);
}

static const char *kernel_name(cl_kernel handle)
{
    const struct kernel *kernel = ly_object_find(LY_KERNEL, handle);
    return kernel && kernel->name ? kernel->name : "";
}

void ly_launch_describe(struct ly_command *command, cl_kernel handle)
{
    const struct kernel *kernel = ly_object_find(LY_KERNEL, handle);
    if (kernel)
        describe_kernel(command, kernel);
    else
        ly_not_checked("launches of kernels of unknown origin");
}

struct mm_command ly_launch_shape(cl_uint dimensions, const size_t *offset, const size_t *global,
                                  const size_t *local)
{
    struct mm_command shape = {.dimensions = dimensions, .kernel = ""};
    for (cl_uint d = 0; d < 3; d++) {
        shape.global_size[d] = d < dimensions && global ? global[d] : 1;
        shape.global_offset[d] = d < dimensions && offset ? offset[d] : 0;
        shape.local_size[d] = d < dimensions && local ? (uint32_t)local[d] : d < dimensions ? 0 : 1;
    }
    return shape;
}

/* ---- captured launches ---------------------------------------------------------------------------- */

static char *copy_bytes(const void *bytes, size_t size)
{
    char *copy = bytes ? mm_alloc(size + 1) : NULL;
    if (copy) {
        memcpy(copy, bytes, size);
        copy[size] = 0;
    }
    return copy;
}

bool ly_kernel_view(cl_kernel handle, struct ly_kernel_view *view)
{
    *view = (struct ly_kernel_view){.count = 0};
    pthread_mutex_lock(&ly_lock);
    const struct kernel *kernel = ly_object_find(LY_KERNEL, handle);
    const struct program *program = kernel ? kernel->program : NULL;
    if (program) {
        view->name = mm_strdup(kernel->name);
        view->text = program->kind == LY_PROGRAM_OTHER ? NULL : copy_bytes(program->text, program->size);
        view->text_size = program->size;
        view->il = program->kind == LY_PROGRAM_IL;
        view->options = program->options ? mm_strdup(program->options) : NULL;
        view->arguments = mm_alloc_zero(kernel->count + 1, sizeof *view->arguments);
        view->mems = mm_alloc_zero(kernel->count + 1, sizeof *view->mems);
    }
    bool good = view->name && view->arguments && view->mems;
    for (size_t i = 0; good && i < kernel->count; i++) {
        view->arguments[i] = kernel->arguments[i];
        view->mems[i] = kernel->mems[i];
        ly_object_use(view->mems[i]);
        view->count++;
    }
    pthread_mutex_unlock(&ly_lock);
    if (!good)
        ly_kernel_view_clear(view);
    return good;
}

void ly_kernel_view_clear(struct ly_kernel_view *view)
{
    pthread_mutex_lock(&ly_lock);
    for (size_t i = 0; i < view->count; i++)
        ly_object_unuse(view->mems[i]);
    pthread_mutex_unlock(&ly_lock);
    mm_free(view->name);
    mm_free(view->text);
    mm_free(view->options);
    mm_free(view->arguments);
    mm_free(view->mems);
}

static void record_launch(const struct ly_call *call, cl_kernel handle, const struct mm_command *shape)
{
    ly_enter();
    struct mm_command named = *shape;
    named.kernel = kernel_name(handle);
    struct ly_command *command = ly_command_create(call, &named);
    if (command) {
        ly_launch_describe(command, handle);
        ly_command_submit(command, call);
    }
    ly_leave();
}

static cl_int CL_API_CALL layer_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const size_t *offset,
                                                       const size_t *global, const size_t *local,
                                                       cl_uint count, const cl_event *list, cl_event *event)
{
    const struct ly_call call = LY_CALL(.list = list, .event = event);
    const struct mm_command shape = ly_launch_shape(dimensions, offset, global, local);
    ly_capture(&call, kernel, &shape);
    cl_int code =
        ly_next.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, list, event);
    if (code == CL_SUCCESS)
        record_launch(&call, kernel, &shape);
    return code;
}
LY_EXPORT(clEnqueueNDRangeKernel)

static cl_int CL_API_CALL layer_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count,
                                              const cl_event *list, cl_event *event)
{
    const struct mm_command shape = {.dimensions = 1, .global_size = {1, 1, 1}, .local_size = {1, 1, 1}};
    const struct ly_call call = LY_CALL(.list = list, .event = event);
    ly_capture(&call, kernel, &shape);
    cl_int code = ly_next.clEnqueueTask(queue, kernel, count, list, event);
    if (code == CL_SUCCESS)
        record_launch(&call, kernel, &shape);
    return code;
}
LY_EXPORT(clEnqueueTask)
