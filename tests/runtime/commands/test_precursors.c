/* Predecessors of OpenCL 1.2 calls: cl_ext_device_fission for sub-devices, cl_ext_migrate_memobject for
 * migration. 3.1.1 has their names, and says which calls replace them; expectations are those of the later
 * calls [CL 4.3, 5.5.4]. */
#include "tests/runtime/commands/command_test.h"

#define NONE 0, NULL, NULL

typedef const cl_device_partition_property_ext *properties_ext;
static cl_int(CL_API_CALL *p_clCreateSubDevicesEXT)(cl_device_id, properties_ext, cl_uint, cl_device_id *,
                                                    cl_uint *);
static cl_int(CL_API_CALL *p_clRetainDeviceEXT)(cl_device_id);
static cl_int(CL_API_CALL *p_clReleaseDeviceEXT)(cl_device_id);

static int open_all(void **state)
{
    if (open_extensions(state))
        return -1;
#define FIND(name)                                                                                           \
    {                                                                                                        \
        void *found = clGetExtensionFunctionAddressForPlatform(platform, #name);                             \
        memcpy(&p_##name, &found, sizeof found);                                                             \
        if (!found)                                                                                          \
            return -1;                                                                                       \
    }
    FIND(clCreateSubDevicesEXT)
    FIND(clRetainDeviceEXT)
    FIND(clReleaseDeviceEXT)
    return 0;
}

static cl_uint number(cl_device_id of, cl_device_info param)
{
    cl_uint n = 0;
    OK(clGetDeviceInfo(of, param, sizeof n, &n, NULL));
    return n;
}

static void expect_list(cl_device_id of, cl_device_info param, const cl_ulong *wanted, size_t count)
{
    cl_ulong list[8] = {0};
    size_t size;
    OK(clGetDeviceInfo(of, param, sizeof list, list, &size));
    assert_int_equal(size, count * sizeof *list);
    assert_memory_equal(list, wanted, size);
}

/* Answers of a sub-device to old and new names of queries. */
static void expect_part(cl_device_id part, const cl_ulong *style, size_t count, cl_uint units)
{
    cl_device_id parent = NULL;
    OK(clGetDeviceInfo(part, CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
    assert_ptr_equal(parent, device);
    assert_int_equal(number(part, CL_DEVICE_REFERENCE_COUNT_EXT), 1);
    assert_int_equal(number(part, CL_DEVICE_MAX_COMPUTE_UNITS), units);
    expect_list(part, CL_DEVICE_PARTITION_STYLE_EXT, style, count);
}

/* [CL 4.3 R102] [CL 4.3 R103] [CL 4.3 R104] */
static void parts(void **unused)
{
    (void)unused;
    const cl_uint units = number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    const cl_ulong ways[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, CL_DEVICE_PARTITION_BY_COUNTS_EXT};
    const cl_ulong equally[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, CL_PROPERTIES_LIST_END_EXT};
    const cl_ulong counts[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1, units - 1,
                               CL_PARTITION_BY_COUNTS_LIST_END_EXT, CL_PROPERTIES_LIST_END_EXT};
    const cl_ulong end[] = {CL_PROPERTIES_LIST_END_EXT};
    cl_device_id part[16], core[2];
    cl_uint n = 0;
    assert_true(units >= 2 && units <= 16);
    expect_list(device, CL_DEVICE_PARTITION_TYPES_EXT, ways, 2);
    expect_list(device, CL_DEVICE_AFFINITY_DOMAINS_EXT, NULL, 0);
    expect_list(device, CL_DEVICE_PARTITION_STYLE_EXT, NULL, 0);
    OK(p_clCreateSubDevicesEXT(device, equally, 0, NULL, &n));
    assert_int_equal(n, units);
    OK(p_clCreateSubDevicesEXT(device, equally, 16, part, NULL));
    expect_part(part[0], equally, 3, 1);
    expect_list(part[0], CL_DEVICE_PARTITION_TYPES_EXT, end, 1);
    /* [CL 4.3 E104] one compute unit is not divided */
    assert_int_equal(p_clCreateSubDevicesEXT(part[0], equally, 0, NULL, &n), CL_DEVICE_PARTITION_FAILED_EXT);
    OK(p_clRetainDeviceEXT(part[0]));
    assert_int_equal(number(part[0], CL_DEVICE_REFERENCE_COUNT_EXT), 2);
    OK(p_clReleaseDeviceEXT(part[0]));
    for (cl_uint i = 0; i < units; i++)
        OK(p_clReleaseDeviceEXT(part[i]));
    assert_int_equal(p_clReleaseDeviceEXT(part[0]), CL_INVALID_DEVICE); /* [CL 4.3 E107] */
    OK(p_clCreateSubDevicesEXT(device, counts, 2, part, &n));
    assert_int_equal(n, 2);
    expect_part(part[1], counts, 5, units - 1);
    /* Devices created by the later call answer the older queries, too. */
    const cl_device_partition_property in_ones[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, 0, 0};
    const cl_ulong ones[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1, 1, 0, 0};
    OK(clCreateSubDevices(device, in_ones, 2, core, NULL));
    expect_part(core[1], ones, 5, 1);
    for (int i = 0; i < 2; i++) {
        OK(p_clReleaseDeviceEXT(part[i]));
        OK(p_clReleaseDeviceEXT(core[i]));
    }
}

static void no_parts(void **unused)
{
    (void)unused;
    const cl_uint units = number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    const cl_ulong equally[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0};
    const cl_ulong zero[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 0, 0};
    const cl_ulong later[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}; /* the name of OpenCL 1.2 */
    const cl_ulong named[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 0, CL_PARTITION_BY_NAMES_LIST_END_EXT, 0};
    const cl_ulong domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT, CL_AFFINITY_DOMAIN_NUMA_EXT, 0};
    const cl_ulong many[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, units, 1, 0, 0};
    const properties_ext wrong[] = {NULL, zero, later, named, domain};
    cl_device_id part[16];
    cl_uint n;
    /* [CL 4.3 E101] */
    assert_int_equal(p_clCreateSubDevicesEXT(NULL, equally, 0, NULL, &n), CL_INVALID_DEVICE);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        /* [CL 4.3 E102] */
        assert_int_equal(p_clCreateSubDevicesEXT(device, wrong[i], 0, NULL, &n), CL_INVALID_VALUE);
    }
    /* [CL 4.3 E103] */
    assert_int_equal(p_clCreateSubDevicesEXT(device, equally, 1, part, &n), CL_INVALID_VALUE);
    /* [CL 4.3 E105] */
    assert_int_equal(p_clCreateSubDevicesEXT(device, many, 0, NULL, &n), CL_INVALID_PARTITION_COUNT_EXT);
    /* [CL 4.3 E106] */
    assert_int_equal(p_clRetainDeviceEXT(NULL), CL_INVALID_DEVICE);
    OK(p_clRetainDeviceEXT(device)); /* root devices are not counted */
    OK(p_clReleaseDeviceEXT(device));
    assert_int_equal(number(device, CL_DEVICE_REFERENCE_COUNT_EXT), 1);
}

/* [CL 5.5.4 R101] */
static void migration(void **unused)
{
    (void)unused;
    cl_int seven = 7, out = 0;
    cl_event e, gate = clCreateUserEvent(context, &err);
    OK(err);
    cl_command_type type = 0;
    cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof seven, &seven, &err), none = NULL;
    OK(err);
    cl_context elsewhere = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    cl_mem foreign = clCreateBuffer(elsewhere, 0, 4, NULL, &err);
    OK(err);
    OK(p_clEnqueueMigrateMemObjectEXT(queue, 1, &m, CL_MIGRATE_MEM_OBJECT_HOST_EXT, 1, &gate, &e));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_MIGRATE_MEM_OBJECT_EXT);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(p_clEnqueueMigrateMemObjectEXT(queue, 1, &m, 0, 1, &e, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL));
    assert_int_equal(out, 7);
    /* [CL 5.5.4 E101] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(NULL, 1, &m, 0, NONE), CL_INVALID_COMMAND_QUEUE);
    /* [CL 5.5.4 E102] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(queue, 1, &foreign, 0, NONE), CL_INVALID_CONTEXT);
    /* [CL 5.5.4 E103] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(queue, 1, &none, 0, NONE), CL_INVALID_MEM_OBJECT);
    /* [CL 5.5.4 E104] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(queue, 0, &m, 0, NONE), CL_INVALID_VALUE);
    /* [CL 5.5.4 E104] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(queue, 1, NULL, 0, NONE), CL_INVALID_VALUE);
    /* [CL 5.5.4 E105] undefined contents are a flag of the later call alone */
    assert_int_equal(
        p_clEnqueueMigrateMemObjectEXT(queue, 1, &m, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, NONE),
        CL_INVALID_VALUE);
    /* [CL 5.5.4 E106] */
    assert_int_equal(p_clEnqueueMigrateMemObjectEXT(queue, 1, &m, 0, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseContext(elsewhere));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),
        cmocka_unit_test(no_parts),
        cmocka_unit_test(migration),
    };
    return cmocka_run_group_tests_name("precursors", tests, open_all, close_device);
}
