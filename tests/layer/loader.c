/* A loader like Khronos', not ocl-icd: layers call a function of the loader, which selects the driver by the
 * object; the loader copies the table that a layer returns, and uses its own function where the layer has
 * none [cl_loader_layers].  loader.sh generates the functions of one pattern.
 *
 * OCL_ICD_VENDORS is the .icd file of the only driver.  LOADER_ENTRIES, if set, is the size of the tables
 * that layers get, as from an older loader. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *own_table[ENTRIES]; /* functions of the loader that call the driver */
void *first_table[ENTRIES];      /* functions that the application's calls go to: of the last layer */

static void *driver;
static cl_platform_id platform;
static int layers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_driver(void)
{
    char path[4096] = "";
    FILE *icd = fopen(getenv("OCL_ICD_VENDORS"), "r");
    if (icd && fgets(path, sizeof path, icd))
        path[strcspn(path, "\n")] = 0;
    if (icd)
        fclose(icd);
    driver = dlopen(path, RTLD_NOW);
    void *(*address)(const char *) =
        driver ? (void *(*)(const char *))dlsym(driver, "clGetExtensionFunctionAddress") : NULL;
    cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *) =
        address ? (cl_int(*)(cl_uint, cl_platform_id *, cl_uint *))address("clIcdGetPlatformIDsKHR") : NULL;
    if (!get || get(1, &platform, NULL))
        abort();
}

static void load_layer(const char *path, size_t entries)
{
    void *library = dlopen(path, RTLD_NOW);
    pfn_clGetLayerInfo info = library ? (pfn_clGetLayerInfo)dlsym(library, "clGetLayerInfo") : NULL;
    pfn_clInitLayer init = library ? (pfn_clInitLayer)dlsym(library, "clInitLayer") : NULL;
    cl_layer_api_version version = 0;
    const struct _cl_icd_dispatch *returned = NULL;
    cl_uint count = 0;
    void **given =
        malloc(entries *
               sizeof *given); /* no larger than it is said to be, and never freed, as the layer may use it */
    if (!info || !init || info(CL_LAYER_API_VERSION, sizeof version, &version, NULL) ||
        version != CL_LAYER_API_VERSION_100)
        abort();
    memcpy(given, first_table, entries * sizeof *given);
    if (init((cl_uint)entries, (const struct _cl_icd_dispatch *)given, &count, &returned) || !returned)
        abort();
    for (size_t k = 0; k < entries && k < count; k++)
        if (((void *const *)returned)[k])
            first_table[k] = ((void *const *)returned)[k];
    layers++;
}

static void load_all(void)
{
    const char *size = getenv("LOADER_ENTRIES"), *list = getenv("OPENCL_LAYERS");
    char *names = strdup(list ? list : "");
    load_driver();
    memcpy(first_table, own_table, sizeof first_table);
    for (char *rest = names, *name; (name = strtok_r(rest, ":", &rest));)
        load_layer(name, size ? (size_t)atoi(size) : ENTRIES);
    free(names);
}

/* ---- functions whose first argument is no object ----------------------------------------------- */

#define OF(object) (*(const struct _cl_icd_dispatch *const *)(object))

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *list, cl_uint *count)
{
    pthread_once(&once, load_all);
    return ((const struct _cl_icd_dispatch *)first_table)->clGetPlatformIDs(room, list, count);
}

cl_int own_clGetPlatformIDs(cl_uint room, cl_platform_id *list, cl_uint *count)
{
    if (list && room)
        *list = platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

typedef void notify(const char *, const void *, size_t, void *);
cl_context own_clCreateContext(const cl_context_properties *properties, cl_uint count,
                               const cl_device_id *devices, notify *function, void *data, cl_int *code)
{
    return OF(devices[0])->clCreateContext(properties, count, devices, function, data, code);
}

cl_context own_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                       notify *function, void *data, cl_int *code)
{
    return OF(platform)->clCreateContextFromType(properties, type, function, data, code);
}

cl_int own_clWaitForEvents(cl_uint count, const cl_event *list)
{
    return count && list ? OF(list[0])->clWaitForEvents(count, list) : CL_INVALID_VALUE;
}

cl_int own_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

void *own_clGetExtensionFunctionAddress(const char *name)
{
    return OF(platform)->clGetExtensionFunctionAddressForPlatform(platform, name);
}

__attribute__((destructor)) static void print_layers(void)
{
    fprintf(stderr, "loader: %d layers\n", layers);
}
