/* Memory that is shared with other contexts, by file descriptors [cl_khr_external_memory]. */
#include "tests/runtime/memory/external_test.h"

/* The file has what a kernel writes, and the buffer has what is written to the file. */
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

/* Images are stored row by row, with the given pitch. */
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
    /* [CL 5.3.1.2 R162] */
    const cl_image_desc dense = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
    const cl_mem_properties dense_properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                                  (cl_mem_properties)dup(fd), 0};
    m = clCreateImageWithProperties(context, dense_properties, 0, &format, &dense, NULL, &err);
    OK(err);
    acquire(queue, m);
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, one, 0, 0, &texel, 0, NULL, NULL));
    assert_int_equal(texel, 2 * 4 + 1);
    release(queue, m);
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
    const cl_image_desc large = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WORDS, .image_height = 2};
    const cl_mem_properties again[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, (cl_mem_properties)fd, 0};
    EXPECT_NULL(CL_INVALID_IMAGE_SIZE,
                clCreateImageWithProperties(context, again, 0, &format, &large, NULL, &err));
    const cl_image_desc endless = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                   .image_width = 4,
                                   .image_height = 4,
                                   .image_row_pitch = SIZE_MAX / 4 + 1};
    EXPECT_NULL(CL_INVALID_IMAGE_DESCRIPTOR,
                clCreateImageWithProperties(context, again, 0, &format, &endless, NULL, &err));
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
    int fd = words_file(), read_only = open("/proc/self/exe", O_RDONLY), pipes[2],
        sealed = memfd_create("sealed", MFD_ALLOW_SEALING);
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(ftruncate(sealed, 4096), 0);
    assert_int_equal(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
    const cl_mem_properties type = CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                            list = CL_MEM_DEVICE_HANDLE_LIST_KHR, file = (cl_mem_properties)fd;
    const cl_mem_properties good[] = {type, file, 0}, twice_given[] = {type, file, type, file, 0},
                            closed[] = {type, 9999, 0}, wide[] = {type, file | (UINT64_C(1) << 32), 0},
                            unwritable[] = {type, (cl_mem_properties)read_only, 0},
                            no_file[] = {type, (cl_mem_properties)pipes[0], 0},
                            constant[] = {type, (cl_mem_properties)sealed, 0},
                            other[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, file, 0},
                            alone[] = {list, (cl_mem_properties)(uintptr_t)device, 0, 0},
                            wrong[] = {type, file, list, 1234, 0, 0};
    cl_int word = 0;
    /* [CL 5.2.1 E172, CL 5.3.1 E172] */
    expect_no_buffer(CL_INVALID_PROPERTY, twice_given, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, closed, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, wide, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, unwritable, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, no_file, 0, 16, NULL);
    expect_no_buffer(CL_INVALID_PROPERTY, constant, 0, 16, NULL);
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
    close(sealed);
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

/* Uses one object twice without acquiring it, and another one correctly. */
static int use_in_child(void)
{
    if (open_all(NULL))
        return 1;
    for (int acquired = 0; acquired < 2; acquired++) {
        int fd = words_file();
        cl_mem m = import(context, fd, 0);
        if (acquired)
            acquire(queue, m);
        double_words(queue, twice, m);
        double_words(queue, twice, m);
        if (acquired)
            release(queue, m);
        OK(clFinish(queue));
        OK(clReleaseMemObject(m));
        close(fd);
    }
    return close_all(NULL);
}

/* REFCL_CHECK=api: reported once. */
static void not_acquired(void **unused)
{
    (void)unused;
    char *arguments[] = {"test_external_memory", "unacquired", NULL}, text[4096];
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    setenv("REFCL_CHECK", "api", 1);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ), 0);
    unsetenv("REFCL_CHECK");
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n = 1; n > 0 && length < sizeof text - 1; length += (size_t)n)
        if ((n = read(ends[0], text + length, sizeof text - 1 - length)) < 0)
            n = 0;
    text[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    /* [CL 5.5.1.1 R102] */
    const char *report = strstr(text, "external memory that is not acquired");
    assert_non_null(report);
    assert_null(strstr(report + 1, "external memory that is not acquired"));
    assert_non_null(strstr(text, "[CL 5.5.1.1 R102]"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory),        cmocka_unit_test(several_imports),
                                       cmocka_unit_test(images),        cmocka_unit_test(memory_queries),
                                       cmocka_unit_test(memory_errors), cmocka_unit_test(some_devices),
                                       cmocka_unit_test(not_acquired)};
    (void)argv;
    return argc == 2 ? use_in_child() : cmocka_run_group_tests(tests, open_all, close_all);
}
