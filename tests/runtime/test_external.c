/* Memory and semaphores that are shared with other contexts and another process, by file descriptors
 * [cl_khr_external_memory, cl_khr_external_semaphore]. */
#include "command_test.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { WORDS = 1024 };
extern char **environ;
static const char *const source = "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }\n";
static cl_program program;
static cl_kernel twice;

static int open_all(void **state)
{
    if (open_extensions(state))
        return -1;
    program = build_source(source, NULL);
    twice = clCreateKernel(program, "twice", &err);
    return err;
}

static int close_all(void **state)
{
    return clReleaseKernel(twice) || clReleaseProgram(program) || close_device(state);
}

/* ---- memory ---- */

static int words_file(void)
{
    int fd = memfd_create("words", 0);
    assert_true(fd >= 0);
    cl_int words[WORDS];
    for (int i = 0; i < WORDS; i++)
        words[i] = i;
    assert_int_equal(pwrite(fd, words, sizeof words, 0), sizeof words);
    return fd;
}

static void assert_words(int fd, int factor)
{
    cl_int words[WORDS];
    assert_int_equal(pread(fd, words, sizeof words, 0), sizeof words);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(words[i], i * factor);
}

/* An import takes its descriptor over. */
static cl_mem import(cl_context c, int fd, cl_mem_flags flags)
{
    int own = dup(fd);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)own,
                                            0};
    cl_mem m = clCreateBufferWithProperties(c, properties, flags, WORDS * sizeof(cl_int), NULL, &err);
    OK(err);
    assert_int_equal(fcntl(own, F_GETFD), -1);
    return m;
}

static void acquire(cl_command_queue q, cl_mem m)
{
    OK(p_clEnqueueAcquireExternalMemObjectsKHR(q, 1, &m, 0, NULL, NULL));
}

static void release(cl_command_queue q, cl_mem m)
{
    OK(p_clEnqueueReleaseExternalMemObjectsKHR(q, 1, &m, 0, NULL, NULL));
}

static void double_words(cl_command_queue q, cl_kernel kernel, cl_mem m)
{
    const size_t count = WORDS;
    OK(clSetKernelArg(kernel, 0, sizeof m, &m));
    OK(clEnqueueNDRangeKernel(q, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
}

/* What a kernel writes is in the file, and what is written to the file is in the buffer. */
static void memory(void **unused)
{
    (void)unused;
    /* [CL 5.2.1 R171, CL 5.5.1.1 R106, R107, CL 5.5.2.1 R103] */
    int fd = words_file();
    cl_mem m = import(context, fd, 0);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    OK(clFinish(queue));
    assert_words(fd, 2);
    const cl_int seven = 7;
    assert_int_equal(pwrite(fd, &seven, sizeof seven, 0), sizeof seven);
    cl_int first = 0;
    acquire(queue, m);
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof first, &first, 0, NULL, NULL));
    assert_int_equal(first, 7);
    cl_int *mapped =
        clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE, 0, sizeof first, 0, NULL, NULL, &err);
    OK(err);
    *mapped = 0;
    OK(clEnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL));
    release(queue, m);
    OK(clFinish(queue));
    assert_words(fd, 2);
    OK(clReleaseMemObject(m));
    assert_words(fd, 2);
    close(fd);
}

/* One payload in two contexts, and twice in one. */
static void several_imports(void **unused)
{
    (void)unused;
    /* [CL 5.5.2.1 R101, R102] */
    int fd = words_file();
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_command_queue away = clCreateCommandQueueWithProperties(other, device, NULL, &err);
    cl_program built = clCreateProgramWithSource(other, 1, (const char **)(uintptr_t)&source, NULL, &err);
    OK(clBuildProgram(built, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(built, "twice", &err);
    cl_mem m[3] = {import(context, fd, 0), import(context, fd, 0), import(other, fd, 0)};
    assert_ptr_not_equal(m[0], m[1]);
    for (int i = 0; i < 3; i++) {
        acquire(i < 2 ? queue : away, m[i]);
        double_words(i < 2 ? queue : away, i < 2 ? twice : kernel, m[i]);
        release(i < 2 ? queue : away, m[i]);
        OK(clFinish(i < 2 ? queue : away));
        OK(clReleaseMemObject(m[i]));
    }
    assert_words(fd, 8);
    close(fd);
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(built));
    OK(clReleaseCommandQueue(away));
    OK(clReleaseContext(other));
}

/* Images lie in the memory row by row, with the pitch that is given. */
static void images(void **unused)
{
    (void)unused;
    /* [CL 5.3.1 R171] */
    int fd = words_file(), own = dup(fd);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)own,
                                            0};
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3, .image_row_pitch = 64};
    const size_t origin[3] = {1, 2, 0}, one[3] = {1, 1, 1};
    cl_mem m = clCreateImageWithProperties(context, properties, 0, &format, &desc, NULL, &err);
    OK(err);
    cl_int texel = 0, fill[4] = {-5};
    acquire(queue, m);
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, one, 0, 0, &texel, 0, NULL, NULL));
    assert_int_equal(texel, 2 * 16 + 1);
    OK(clEnqueueFillImage(queue, m, fill, origin, one, 0, NULL, NULL));
    release(queue, m);
    OK(clFinish(queue));
    assert_int_equal(pread(fd, &texel, sizeof texel, (2 * 16 + 1) * sizeof texel), sizeof texel);
    assert_int_equal(texel, -5);
    OK(clReleaseMemObject(m));
    const cl_image_desc large = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WORDS, .image_height = 2};
    const cl_mem_properties again[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, 0};
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE,
                clCreateImageWithProperties(context, again, 0, &format, &large, NULL, &err));
    close(fd); /* still the application's */
}

static void memory_queries(void **unused)
{
    (void)unused;
    int fd = words_file();
    cl_external_memory_handle_type_khr types[4];
    size_t size = 0;
    /* [CL 4.1 R121, CL 4.2 R121] */
    OK(clGetPlatformInfo(platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types, types,
                         &size));
    assert_int_equal(size, sizeof *types);
    assert_int_equal(types[0], CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types, types,
                       &size));
    assert_int_equal(size, sizeof *types);
    assert_int_equal(types[0], CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    OK(clGetDeviceInfo(device, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR,
                       sizeof types, types, &size));
    assert_int_equal(size, sizeof *types);
    assert_int_equal(types[0], CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR);
    const cl_mem_properties properties[] = {
        CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd,
        CL_MEM_DEVICE_HANDLE_LIST_KHR,           (cl_mem_properties)(uintptr_t)device,
        CL_MEM_DEVICE_HANDLE_LIST_END_KHR,       0};
    cl_mem_properties given[8];
    void *pointer = &given;
    cl_bool svm = CL_TRUE;
    cl_event event;
    cl_command_type type;
    cl_mem m = clCreateBufferWithProperties(context, properties, CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT, 16,
                                            NULL, &err);
    OK(err);
    OK(clGetMemObjectInfo(m, CL_MEM_PROPERTIES, sizeof given, given, &size));
    assert_int_equal(size, sizeof properties);
    assert_memory_equal(given, properties, size);
    OK(clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
    assert_null(pointer);
    OK(clGetMemObjectInfo(m, CL_MEM_USES_SVM_POINTER, sizeof svm, &svm, NULL));
    assert_int_equal(svm, CL_FALSE);
    /* [CL 5.11.1 R121] */
    for (int i = 0; i < 2; i++) {
        OK(i ? p_clEnqueueReleaseExternalMemObjectsKHR(queue, 1, &m, 0, NULL, &event)
             : p_clEnqueueAcquireExternalMemObjectsKHR(queue, 1, &m, 0, NULL, &event));
        OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        assert_int_equal(type, i ? CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR
                                 : CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
        OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
        OK(i ? p_clEnqueueReleaseExternalMemObjectsKHR(queue, 0, NULL, 0, NULL, &event)
             : p_clEnqueueAcquireExternalMemObjectsKHR(queue, 0, NULL, 0, NULL, &event));
        OK(clWaitForEvents(1, &event));
        OK(clReleaseEvent(event));
    }
    OK(clReleaseMemObject(m));
}

static void expect_no_buffer(cl_int code, const cl_mem_properties *properties, cl_mem_flags flags,
                             size_t size, void *host)
{
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
    EXPECT_NULL(code, clCreateBufferWithProperties(context, properties, flags, size, host, &err));
    if (code != CL_INVALID_BUFFER_SIZE)
        EXPECT_NULL(code,
                    clCreateImageWithProperties(context, properties, flags, &format, &desc, host, &err));
}

static void memory_errors(void **unused)
{
    (void)unused;
    int fd = words_file(), read_only = open("/proc/self/exe", O_RDONLY), pipes[2];
    assert_int_equal(pipe(pipes), 0);
    const cl_mem_properties type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                            list = CL_MEM_DEVICE_HANDLE_LIST_KHR, file = (cl_mem_properties)fd;
    const cl_mem_properties good[] = {type, file, 0}, twice_given[] = {type, file, type, file, 0},
                            closed[] = {type, 9999, 0},
                            unwritable[] = {type, (cl_mem_properties)read_only, 0},
                            no_file[] = {type, (cl_mem_properties)pipes[0], 0},
                            other[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, file, 0},
                            alone[] = {list, (cl_mem_properties)(uintptr_t)device, 0, 0},
                            wrong[] = {type, file, list, 1234, 0, 0};
    cl_int word = 0;
    /* [CL 5.2.1 E172, CL 5.3.1 E172] */
    expect_no_buffer(CL_INVALID_PROPERTY, twice_given, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, closed, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, unwritable, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, no_file, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, other, 0, 16, NULL);
    /* [CL 5.2.1 E171, CL 5.3.1 E171] */
    expect_no_buffer(CL_INVALID_PROPERTY, alone, 0, 16, NULL);
    /* [CL 5.2.1 E173, CL 5.3.1 E173] */
    expect_no_buffer(CL_INVALID_DEVICE, wrong, 0, 16, NULL);
    /* [CL 5.2.1 E175, CL 5.3.1 E175] */
    expect_no_buffer(CL_INVALID_VALUE, good, CL_MEM_COPY_HOST_PTR, 16, &word);
    expect_no_buffer(CL_INVALID_VALUE, good, CL_MEM_USE_HOST_PTR, 16, &word);
    expect_no_buffer(CL_INVALID_VALUE, good, CL_MEM_ALLOC_HOST_PTR, 16, NULL);
    /* [CL 5.2.1 E176, CL 5.3.1 E176] */
    expect_no_buffer(CL_INVALID_HOST_PTR, good, 0, 16, &word);
    expect_no_buffer(CL_INVALID_BUFFER_SIZE, good, 0, 1 << 20, NULL);
    expect_no_buffer(CL_INVALID_BUFFER_SIZE, good, 0, 0, NULL);
    close(pipes[0]);
    close(pipes[1]);
    close(read_only);
    cl_mem m = import(context, fd, 0), plain = clCreateBuffer(context, 0, 16, NULL, &err), none = NULL;
    cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    cl_event alien = clCreateUserEvent(foreign, &err), failed = clCreateUserEvent(context, &err), event;
    for (int i = 0; i < 2; i++) {
        cl_int(CL_API_CALL * call)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
                                   cl_event *) =
            i ? p_clEnqueueReleaseExternalMemObjectsKHR : p_clEnqueueAcquireExternalMemObjectsKHR;
        /* [CL 5.5.1.1 E103] */
        assert_int_equal(call(NULL, 1, &m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        /* [CL 5.5.1.1 E101] */
        assert_int_equal(call(queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        assert_int_equal(call(queue, 0, &m, 0, NULL, NULL), CL_INVALID_VALUE);
        /* [CL 5.5.1.1 E102] */
        assert_int_equal(call(queue, 1, &plain, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        assert_int_equal(call(queue, 1, &none, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        /* [CL 5.5.1.1 E106] */
        assert_int_equal(call(queue, 1, &m, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(call(queue, 1, &m, 0, &alien, NULL), CL_INVALID_EVENT_WAIT_LIST);
        assert_int_equal(call(queue, 1, &m, 1, &alien, NULL), CL_INVALID_CONTEXT);
        if (i == 0)
            OK(clSetUserEventStatus(failed, -5));
        OK(call(queue, 1, &m, 1, &failed, &event));
        assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        /* [CL 5.5.1.1 E107] */
        assert_int_equal(status_of(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        OK(clReleaseEvent(event));
    }
    OK(clReleaseEvent(alien));
    OK(clReleaseEvent(failed));
    OK(clReleaseContext(foreign));
    OK(clReleaseMemObject(plain));
    OK(clReleaseMemObject(m));
    close(fd);
}

/* Memory for one of two devices is acquired in queues of that device alone. */
static void some_devices(void **unused)
{
    (void)unused;
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                   CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id parts[2];
    OK(clCreateSubDevices(device, halves, 2, parts, NULL));
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    cl_command_queue queues[2] = {clCreateCommandQueueWithProperties(both, parts[0], NULL, &err),
                                  clCreateCommandQueueWithProperties(both, parts[1], NULL, &err)};
    int fd = words_file();
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                            (cl_mem_properties)fd,
                                            CL_MEM_DEVICE_HANDLE_LIST_KHR,
                                            (cl_mem_properties)(uintptr_t)parts[1],
                                            0,
                                            0};
    cl_mem m = clCreateBufferWithProperties(both, properties, 0, 64, NULL, &err);
    OK(err);
    for (int i = 0; i < 2; i++) {
        cl_int(CL_API_CALL * call)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *,
                                   cl_event *) =
            i ? p_clEnqueueReleaseExternalMemObjectsKHR : p_clEnqueueAcquireExternalMemObjectsKHR;
        /* [CL 5.5.1.1 E104] */
        assert_int_equal(call(queues[0], 1, &m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        /* [CL 5.5.1.1 E105] */
        assert_int_equal(call(queue, 1, &m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        /* [CL 5.5.1.1 R105] */
        OK(call(queues[1], 1, &m, 0, NULL, NULL));
    }
    OK(clReleaseMemObject(m));
    for (int i = 0; i < 2; i++)
        OK(clReleaseCommandQueue(queues[i]));
    OK(clReleaseContext(both));
    for (int i = 0; i < 2; i++)
        OK(clReleaseDevice(parts[i]));
}

/* ---- semaphores ---- */

static const cl_semaphore_properties_khr opaque[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                     CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                     0},
                                         fences[] = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
                                                     CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                     CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR,
                                                     0};

static cl_semaphore_khr create(const cl_semaphore_properties_khr *properties)
{
    cl_semaphore_khr s = p_clCreateSemaphoreWithPropertiesKHR(context, properties, &err);
    OK(err);
    return s;
}

static cl_semaphore_khr imported(cl_external_semaphore_handle_type_khr type, int fd)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                                      type, (cl_semaphore_properties_khr)fd, 0};
    return create(properties);
}

static int exported(cl_semaphore_khr s, cl_external_semaphore_handle_type_khr type)
{
    int fd = -1;
    size_t size = 0;
    OK(p_clGetSemaphoreHandleForTypeKHR(s, device, type, sizeof fd, &fd, &size));
    assert_int_equal(size, sizeof fd);
    return fd;
}

static cl_ulong payload_of(cl_semaphore_khr s)
{
    cl_ulong payload = 77;
    OK(p_clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, NULL));
    return payload;
}

static void enqueue_signal(cl_command_queue q, cl_semaphore_khr s, cl_uint count, const cl_event *list)
{
    OK(p_clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, count, list, NULL));
}

static void enqueue_wait(cl_command_queue q, cl_semaphore_khr s, cl_event *event)
{
    OK(p_clEnqueueWaitSemaphoresKHR(q, 1, &s, NULL, 0, NULL, event));
}

/* Semaphores with one payload behave as one semaphore: each signal is used up by one wait, whichever semaphore they name. */
static void reference(void **unused)
{
    (void)unused;
    /* [CL 5.13.4 R101, CL 5.13.5 R101, CL 5.13.5.1 R101, R103] */
    cl_semaphore_khr s[2] = {create(opaque), NULL};
    s[1] = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, exported(s[0], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR));
    for (int i = 0; i < 4; i++) {
        cl_semaphore_khr from = s[i & 1], to = s[i < 2];
        cl_event gate = clCreateUserEvent(context, &err), waited;
        if (i == 3)
            enqueue_wait(unordered, to, &waited);
        enqueue_signal(queue, from, 1, &gate);
        if (i != 3)
            enqueue_wait(unordered, to, &waited);
        OK(clFlush(queue));
        OK(clFlush(unordered));
        assert_true(status_of(waited) > CL_COMPLETE);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clWaitForEvents(1, &waited));
        assert_int_equal(payload_of(from), 0);
        enqueue_signal(queue, from, 0, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(s[0]), 1);
        assert_int_equal(payload_of(s[1]), 1);
        enqueue_wait(queue, to, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(from), 0);
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(waited));
    }
    OK(p_clReleaseSemaphoreKHR(s[0]));
    enqueue_signal(queue, s[1], 0, NULL); /* the payload lives as long as a semaphore */
    enqueue_wait(queue, s[1], NULL);
    OK(clFinish(queue));
    OK(p_clReleaseSemaphoreKHR(s[1]));
}

/* A fence is a copy of the payload: exporting uses up the signal, and waits for the copy leave others alone. */
static void copies(void **unused)
{
    (void)unused;
    /* [CL 5.13.4 R102, CL 5.13.5.1 R102, CL 5.13.3 R101] */
    cl_semaphore_khr s = create(fences);
    cl_event gate = clCreateUserEvent(context, &err), waited;
    enqueue_signal(queue, s, 1, &gate);
    int fd = exported(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR), second = dup(fd);
    struct pollfd signaled = {.fd = second, .events = POLLIN};
    assert_int_equal(poll(&signaled, 1, 0), 0);
    cl_semaphore_khr copy = imported(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd);
    enqueue_wait(unordered, copy, &waited);
    OK(clFlush(unordered));
    assert_true(status_of(waited) > CL_COMPLETE);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &waited));
    assert_int_equal(poll(&signaled, 1, -1), 1);
    OK(clFinish(queue));
    assert_int_equal(payload_of(s), 0);
    assert_int_equal(payload_of(copy), 0);
    OK(clReleaseEvent(waited));
    /* Again into the same semaphore: a fence that has signaled, and the descriptor that means one. */
    for (int i = 0; i < 2; i++) {
        OK(p_clReImportSemaphoreSyncFdKHR(copy, NULL, i ? -1 : second));
        assert_int_equal(payload_of(copy), 1);
        enqueue_wait(queue, copy, NULL);
        OK(clFinish(queue));
        assert_int_equal(payload_of(copy), 0);
    }
    /* Afterwards it is a semaphore like others. */
    enqueue_signal(queue, copy, 0, NULL);
    enqueue_wait(queue, copy, NULL);
    enqueue_signal(queue, s, 0, NULL);
    OK(clFinish(queue));
    fd = exported(s, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    signaled.fd = fd;
    assert_int_equal(poll(&signaled, 1, 0), 1);
    assert_int_equal(payload_of(s), 0);
    close(fd);
    OK(clReleaseEvent(gate));
    OK(p_clReleaseSemaphoreKHR(copy));
    OK(p_clReleaseSemaphoreKHR(s));
}

static void semaphore_queries(void **unused)
{
    (void)unused;
    /* [CL 4.1 R122, CL 4.2 R122, CL 5.13.2 R121, CL 5.13.8 R121] */
    const cl_external_semaphore_handle_type_khr both[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                          CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
    const cl_platform_info of_platform[] = {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
    const cl_device_info of_device[] = {CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
                                        CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR};
    cl_external_semaphore_handle_type_khr types[4];
    size_t size;
    for (int i = 0; i < 2; i++) {
        OK(clGetPlatformInfo(platform, of_platform[i], sizeof types, types, &size));
        assert_int_equal(size, sizeof both);
        assert_memory_equal(types, both, size);
        memset(types, 0, sizeof types);
        OK(clGetDeviceInfo(device, of_device[i], sizeof types, types, &size));
        assert_int_equal(size, sizeof both);
        assert_memory_equal(types, both, size);
    }
    const cl_semaphore_properties_khr plain[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr s[3] = {create(plain), create(opaque), create(fences)};
    const cl_external_semaphore_handle_type_khr expected[] = {0, both[0], both[1]};
    cl_bool exportable;
    for (int i = 0; i < 3; i++) {
        OK(p_clGetSemaphoreInfoKHR(s[i], CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
        assert_int_equal(size, i ? sizeof *types : 0);
        if (i)
            assert_int_equal(types[0], expected[i]);
        OK(p_clGetSemaphoreInfoKHR(s[i], CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
        assert_int_equal(exportable, i == 1); /* a fence is that of a signal */
    }
    enqueue_signal(queue, s[2], 0, NULL);
    OK(p_clGetSemaphoreInfoKHR(s[2], CL_SEMAPHORE_EXPORTABLE_KHR, sizeof exportable, &exportable, NULL));
    assert_int_equal(exportable, CL_TRUE);
    OK(clFinish(queue));
    /* Asking for the size exports nothing. */
    OK(p_clGetSemaphoreHandleForTypeKHR(s[2], device, both[1], 0, NULL, &size));
    assert_int_equal(size, sizeof(int));
    assert_int_equal(payload_of(s[2]), 1);
    for (int i = 0; i < 3; i++)
        OK(p_clReleaseSemaphoreKHR(s[i]));
}

static void semaphore_errors(void **unused)
{
    (void)unused;
    const cl_semaphore_properties_khr type = CL_SEMAPHORE_TYPE_KHR, binary = CL_SEMAPHORE_TYPE_BINARY_KHR,
                                      fd_type = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                      sync = CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                      exports = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR;
    int fd = eventfd(0, 0), memory_fd = memfd_create("none", 0);
    const cl_semaphore_properties_khr good = (cl_semaphore_properties_khr)fd;
    const cl_semaphore_properties_khr two_types[] = {type, binary, exports, fd_type, sync, 0, 0},
                                      unknown[] = {type, binary, exports, 77, 0, 0},
                                      both[] = {type, binary, fd_type, good, exports, fd_type, 0, 0},
                                      two[] = {type, binary, fd_type, good, sync, good, 0},
                                      closed[] = {type, binary, fd_type, 9999, 0},
                                      other[] = {type, binary, fd_type,
                                                 (cl_semaphore_properties_khr)memory_fd, 0},
                                      minus[] = {type, binary, fd_type, (cl_semaphore_properties_khr)-1, 0},
                                      closed_fence[] = {type, binary, sync, 9999, 0};
    /* [CL 5.13.2 E122] */
    EXPECT_NULL(CL_INVALID_VALUE, p_clCreateSemaphoreWithPropertiesKHR(context, two_types, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, unknown, &err));
    EXPECT_NULL(CL_INVALID_OPERATION, p_clCreateSemaphoreWithPropertiesKHR(context, both, &err));
    /* [CL 5.13.2 E124] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, two, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, closed, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, other, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, minus, &err));
    /* [CL 5.13.2 E102] */
    EXPECT_NULL(CL_INVALID_PROPERTY, p_clCreateSemaphoreWithPropertiesKHR(context, closed_fence, &err));
    cl_semaphore_khr s = create(opaque), fence = create(fences),
                     from_fence = imported(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, -1);
    int out;
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(NULL, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_SEMAPHORE_KHR);
    /* [CL 5.13.3 E102] */
    assert_int_equal(
        p_clGetSemaphoreHandleForTypeKHR(s, NULL, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof out, &out, NULL),
        CL_INVALID_DEVICE);
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count;
    OK(clCreateSubDevices(device, halves, 64, parts, &count));
    /* [CL 5.13.3 E103] */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(s, parts[0], CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_DEVICE);
    for (cl_uint i = 0; i < count; i++)
        OK(clReleaseDevice(parts[i]));
    /* [CL 5.13.3 E104] */
    assert_int_equal(
        p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, sizeof out, &out, NULL),
        CL_INVALID_VALUE);
    /* [CL 5.13.3 E105] */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(s, device, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                                      sizeof out - 1, &out, NULL),
                     CL_INVALID_VALUE);
    /* No signal of which it would be the fence: an error that the specification does not name. */
    assert_int_equal(p_clGetSemaphoreHandleForTypeKHR(fence, device, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
                                                      sizeof out, &out, NULL),
                     CL_INVALID_OPERATION);
    /* [CL 5.13.5.1 E101] */
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(NULL, NULL, -1), CL_INVALID_SEMAPHORE_KHR);
    /* [CL 5.13.5.1 E102] */
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(s, NULL, -1), CL_INVALID_SEMAPHORE_KHR);
    assert_int_equal(p_clReImportSemaphoreSyncFdKHR(from_fence, NULL, 9999), CL_INVALID_VALUE);
    OK(p_clReleaseSemaphoreKHR(s));
    OK(p_clReleaseSemaphoreKHR(fence));
    OK(p_clReleaseSemaphoreKHR(from_fence));
    close(fd);
    close(memory_fd);
}

/* ---- another process ---- */

/* Doubles the words when the first semaphore is signaled, then signals the second; ends with its parent. */
static int double_in_child(char **descriptors)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || open_all(NULL))
        return 1;
    cl_mem m = import(context, atoi(descriptors[0]), 0);
    cl_semaphore_khr begin = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, atoi(descriptors[1])),
                     end = imported(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, atoi(descriptors[2]));
    enqueue_wait(queue, begin, NULL);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    enqueue_signal(queue, end, 0, NULL);
    OK(clFinish(queue));
    return clReleaseMemObject(m) || p_clReleaseSemaphoreKHR(begin) || p_clReleaseSemaphoreKHR(end) ||
           close_all(NULL);
}

static int inheritable(int fd)
{
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0);
    return fd;
}

static void another_process(void **unused)
{
    (void)unused;
    cl_semaphore_khr begin = create(opaque), end = create(opaque);
    int fds[3] = {words_file(), inheritable(exported(begin, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)),
                  inheritable(exported(end, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR))};
    char text[3][16];
    char *arguments[] = {"test_external", text[0], text[1], text[2], NULL};
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], "%d", fds[i]);
    pid_t child;
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    cl_mem m = import(context, fds[0], 0);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    enqueue_signal(queue, begin, 0, NULL);
    enqueue_wait(queue, end, NULL);
    acquire(queue, m);
    double_words(queue, twice, m);
    release(queue, m);
    OK(clFlush(queue));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    OK(clFinish(queue));
    assert_words(fds[0], 8);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    OK(clReleaseMemObject(m));
    OK(p_clReleaseSemaphoreKHR(begin));
    OK(p_clReleaseSemaphoreKHR(end));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory),
                                       cmocka_unit_test(several_imports),
                                       cmocka_unit_test(images),
                                       cmocka_unit_test(memory_queries),
                                       cmocka_unit_test(memory_errors),
                                       cmocka_unit_test(some_devices),
                                       cmocka_unit_test(reference),
                                       cmocka_unit_test(copies),
                                       cmocka_unit_test(semaphore_queries),
                                       cmocka_unit_test(semaphore_errors),
                                       cmocka_unit_test(another_process)};
    return argc == 4 ? double_in_child(argv + 1) : cmocka_run_group_tests(tests, open_all, close_all);
}
