/* What test_replay.py records: launches of some kernels, with commands between them that change their
 * memory. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source =
    "__constant float table[4] = {3, 1, 4, 1};\n"
    "kernel void scale(global float *out, global const float *in, float factor)\n"
    "{ size_t i = get_global_id(0); out[i] = sin(in[i]) * factor + i; }\n"
    "kernel void turn(global float *data, local float *tile)\n"
    "{ size_t l = get_local_id(0); tile[l] = data[get_global_id(0)] + table[l & 3];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = tile[get_local_size(0) - 1 - l]; }\n"
    "kernel void half_turn(global float *data, local float *tile)\n"
    "{ size_t l = get_local_id(0); tile[l] = data[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); data[get_global_id(0)] = tile[get_local_size(0) - 1 - l]; }\n"
    "kernel void count(global uint *bins, global const float *data)\n"
    "{ atomic_inc(&bins[(uint)fabs(data[get_global_id(0)]) & 7]); }\n"
    "struct cell { global float *at; };\n"
    "kernel void keep(global struct cell *cells, global float *data)\n"
    "{ size_t i = get_global_id(0); cells[i].at = 0; data[i] += cells[i].at == 0; }\n"
    "kernel void soften(read_only image2d_t in, write_only image2d_t out, sampler_t s)\n"
    "{ int2 at = (int2)((int)get_global_id(0) & 7, (int)get_global_id(0) >> 3);\n"
    "  float2 middle = (convert_float2(at) + 1.0f) / 8;\n"
    "  write_imagef(out, at, 0.5f * read_imagef(in, s, middle) + 0.25f); }\n"
    "struct node { global struct node *next; uint value; };\n"
    "kernel void walk(global struct node *list, global uint *out)\n"
    "{ uint sum = 0; global struct node *n = &list[get_global_id(0)];\n"
    "  for (int k = 0; k < 5 && n; k++) { sum = 3 * sum + n->value; n = n->next; }\n"
    "  out[get_global_id(0)] = sum; }\n"
    "struct link { global uchar *next; uint value; };\n"
    "kernel void walk_by_cast(global struct link *list, global uint *out)\n"
    "{ uint sum = 0; global struct link *n = &list[get_global_id(0)];\n"
    "  for (int k = 0; k < 5 && n; k++) { sum = 5 * sum + n->value; *(global uchar *private *)&n = n->next; }\n"
    "  out[get_global_id(0)] = sum; }\n"
    "kernel void turn_round(global struct node *list, global struct node *other)\n"
    "{ size_t i = get_global_id(0); other[i].next = &list[31 - i]; other[i].value = list[i].value + 1; }\n"
    "kernel void turn_round_here(global struct node *list, global struct node *other)\n"
    "{ global struct node *local l[8]; size_t i = get_local_id(0), g = get_global_id(0);\n"
    "  l[i] = &list[g]; other[g].value = (uint)(l[i] - list); other[g].next = l[i]; }\n"
    "kernel void lies(global ulong *out, global const float *data) { out[get_global_id(0)] = (ulong)data >> "
    "60; }\n";

/* Program-scope variables, whose addresses remain in the code; with LEAVES, list nodes lead to one; with
 * AWAY, the module may put an address in memory. */
static const char *const with_variables =
    "struct node { global struct node *next; uint value; };\n"
    "global uint scales[32];\n"
    "global struct node last;\n"
    "uint scale_at(global const uint *all, size_t i) { return all[i & 31]; }\n"
    "kernel void address_scales(global struct node *list, global ulong *out)\n"
    "{ size_t i = get_global_id(0); scales[i] = 3 * i; out[i] = (ulong)out >> 60; }\n"
    "kernel void double_scales(global struct node *list, global uint *out)\n"
    "{ size_t i = get_global_id(0); scales[i] *= 2; out[i] = scales[i]; }\n"
    "kernel void add_scales(global uint *out, global const float *in)\n"
    "{ size_t i = get_global_id(0); out[i] = scales[i] + (scales[i] % 3 ? 1 : (uint)in[i]); }\n"
    "kernel void walk_scaled(global struct node *list, global uint *out)\n"
    "{ uint sum = 0; global struct node *n = &list[get_global_id(0)]; global uint *s = scales;\n"
    "  for (int k = 0; k < 5 && n; k++) { sum = sum + scale_at(s, n->value) * n->value; n = n->next; }\n"
    "  out[get_global_id(0)] = sum; }\n"
    "#ifdef LEAVES\n"
    "kernel void lead_to_variable(global struct node *list, global uint *out)\n"
    "{ size_t i = get_global_id(0); if (i == 0) last.value = 7; if (i % 4 == 1) list[i].next = &last; out[i] = i; }\n"
    "kernel void count_last(global struct node *list, global uint *out)\n"
    "{ size_t i = get_global_id(0); out[i] = list[i].next == &last ? 5 : 1; }\n"
    "#endif\n"
    "#ifdef AWAY\n"
    "AWAY\n"
    "#endif\n";
static const char *const away[] = {
    "kernel void other(global ulong *out) { out[0] = (ulong)&last; }",
    "kernel void other(global uint *out) { struct { uint n; global uint *s; } p; p.s = scales; out[0] = p.s[out[0]]; }",
    "global struct node *find(uint k) { return k ? 0 : &last; } kernel void other(global uint *out) { out[0] = find(out[0])->value; }",
    "kernel void other(global struct node *list, uint k) { global struct node *n = k ? &last : list; list->next = n; }",
    "kernel void other(global struct node *list) { struct node n = {&last, 3}; *list = n; }",
    "void put(global uint *private *p) { *p = scales; } kernel void other(global uint *out) { global uint *p; put(&p); out[0] = *p; }",
    "global uint *global first = scales; kernel void other(global uint *out) { out[0] = *first; }",
};

static cl_command_queue queue;
static cl_program program;

static void check(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(1);
}

static void launch(const char *name, cl_mem a, size_t size, const void *second, size_t offset, size_t global,
                   const float *factor)
{
    size_t local = 8;
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    check(code, name);
    check(clSetKernelArg(kernel, 0, sizeof a, &a), "argument 0");
    check(clSetKernelArg(kernel, 1, size, second), "argument 1");
    if (factor)
        check(clSetKernelArg(kernel, 2, sizeof *factor, factor), "argument 2");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, &local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "clFinish");
    clReleaseKernel(kernel);
}

/* One image is made from the other and the other from that, with a fill in between. */
static void soften_images(cl_context context, const unsigned char *bytes)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc shape = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .image_row_pitch = 40};
    const float color[4] = {0.5f, 0.25f, 1, 0};
    const size_t origin[3] = {2, 3, 0}, region[3] = {4, 2, 1};
    size_t local = 8, global = 64;
    cl_int code;
    cl_mem images[2];
    for (int k = 0; k < 2; k++) {
        images[k] =
            clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &shape, (void *)(size_t)bytes, &code);
        check(code, "clCreateImage");
    }
    const cl_sampler_properties linear[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_REPEAT,
                                            CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, linear, &code);
    check(code, "clCreateSamplerWithProperties");
    cl_kernel kernel = clCreateKernel(program, "soften", &code);
    check(code, "soften");
    check(clSetKernelArg(kernel, 2, sizeof sampler, &sampler), "argument 2");
    for (int k = 0; k < 3; k++) {
        check(clSetKernelArg(kernel, 0, sizeof images[0], &images[k & 1]), "argument 0");
        check(clSetKernelArg(kernel, 1, sizeof images[0], &images[!(k & 1)]), "argument 1");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
        check(clFinish(queue), "clFinish");
        if (k == 1)
            check(clEnqueueFillImage(queue, images[0], color, origin, region, 0, NULL, NULL), "fill");
        check(clFinish(queue), "clFinish");
    }
    clReleaseMemObject(images[0]);
    clReleaseMemObject(images[1]);
    clReleaseSampler(sampler);
    clReleaseKernel(kernel);
}

struct node {
    struct node *next;
    cl_uint value;
};

static void launch_svm(const char *name, void *list, void *other, cl_mem out)
{
    size_t local = 8, global = 32;
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    check(code, name);
    check(clSetKernelArgSVMPointer(kernel, 0, list), "argument 0");
    check(out ? clSetKernelArg(kernel, 1, sizeof out, &out) : clSetKernelArgSVMPointer(kernel, 1, other),
          "argument 1");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "launch");
    check(clFinish(queue), "clFinish");
    clReleaseKernel(kernel);
}

/* Lists, one of which leads into the other one; kernels follow the pointers and make others. */
static void use_lists(cl_context context, cl_mem out)
{
    struct node *lists[2];
    size_t size = 32 * sizeof *lists[0];
    cl_uint one = 1;
    for (int k = 0; k < 2; k++) {
        lists[k] = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
        check(lists[k] ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
    }
    for (int step = 0; step < 2; step++) {
        check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, lists[0], size, 0, NULL, NULL), "map");
        for (int k = 0; k < 32; k++)
            lists[0][k] = (struct node){k % 7 == step ? NULL : &lists[k % 2][k * 5 % 32], (cl_uint)k};
        check(clEnqueueSVMUnmap(queue, lists[0], 0, NULL, NULL), "unmap");
        check(clFinish(queue), "clFinish");
        launch_svm("turn_round", lists[0], lists[1], NULL);
        launch_svm("walk", lists[0], NULL, out);
        check(clEnqueueSVMMemFill(queue, &lists[1][3].value, &one, 4, 4, 0, NULL, NULL), "fill");
        check(clFinish(queue), "clFinish");
        launch_svm("walk", lists[1], NULL, out);
        launch_svm("walk_by_cast", lists[1], NULL, out);
        launch_svm("turn_round_here", lists[1], lists[0], NULL);
    }
    clSVMFree(context, lists[0]);
    clSVMFree(context, lists[1]);
}

static void build(cl_context context, cl_device_id device, const char *text, const char *options)
{
    cl_int code;
    program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
}

/* Launches that change variables, are re-executed or not, and lists in which some nodes lead to a
 * variable. */
static void use_variables(cl_context context, cl_device_id device, cl_mem in, cl_mem out)
{
    const size_t size = 32 * sizeof(struct node);
    struct node *list = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    check(list ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, list, size, 0, NULL, NULL), "map");
    for (int k = 0; k < 32; k++)
        list[k] = (struct node){k % 7 ? &list[k * 5 % 32] : NULL, (cl_uint)k};
    check(clEnqueueSVMUnmap(queue, list, 0, NULL, NULL), "unmap");
    check(clFinish(queue), "clFinish");
    build(context, device, with_variables, "-cl-std=CL3.0");
    for (int step = 0; step < 2; step++) {
        launch_svm("address_scales", list, NULL, out);
        launch("add_scales", out, sizeof in, &in, 0, 32, NULL);
        launch_svm("double_scales", list, NULL, out);
        launch_svm("walk_scaled", list, NULL, out);
        launch("add_scales", out, sizeof in, &in, 0, 32, NULL);
    }
    for (size_t k = 0; k < sizeof away / sizeof away[0]; k++) {
        char options[512];
        snprintf(options, sizeof options, "-cl-std=CL3.0 -D 'AWAY=%s'", away[k]);
        build(context, device, with_variables, options);
        launch_svm("walk_scaled", list, NULL, out);
    }
    build(context, device, with_variables, "-cl-std=CL3.0 -DLEAVES");
    launch_svm("double_scales", list, NULL, out);
    launch_svm("lead_to_variable", list, NULL, out);
    launch_svm("walk_scaled", list, NULL, out);
    launch_svm("count_last", list, NULL, out);
    clSVMFree(context, list);
}

int main(void)
{
    float data[128], sum = 0;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");
    build(context, device, source, "");
    for (int k = 0; k < 128; k++)
        data[k] = (float)k;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 256, data, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    cl_mem c = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    cl_buffer_region region = {256, 256};
    cl_mem part = clCreateSubBuffer(c, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check(code, "clCreateSubBuffer");
    cl_mem bins = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, NULL, NULL);
    for (cl_uint step = 0; step < 3; step++) {
        const float factor = (float)step, half = 0.5f;
        launch("scale", b, sizeof a, &a, 0, 64, &factor);
        launch("turn", b, 32, NULL, 0, 64, NULL);
        launch("half_turn", b, 32, NULL, 0, 64, NULL);
        launch("keep", bins, sizeof b, &b, 0, 32, NULL);
        check(clEnqueueCopyBuffer(queue, b, part, 0, 0, 256, 0, NULL, NULL), "copy");
        check(clFinish(queue), "clFinish");
        launch("scale", part, sizeof b, &b, 4, 32, &half);
        check(clEnqueueFillBuffer(queue, bins, &step, 4, 0, 64, 0, NULL, NULL), "fill");
        check(clFinish(queue), "clFinish");
        launch("count", bins, sizeof c, &c, 0, 64, NULL);
        launch("lies", bins, sizeof a, &a, 0, 8, NULL);
        float *map = clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 16, 64, 0, NULL, NULL, &code);
        check(code, "map");
        map[3] = (float)step;
        check(clEnqueueUnmapMemObject(queue, b, map, 0, NULL, NULL), "unmap");
        check(clFinish(queue), "clFinish");
        check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), "read");
        for (int k = 0; k < 128; k++)
            sum += data[k];
    }
    use_lists(context, bins);
    soften_images(context, (const unsigned char *)data);
    use_variables(context, device, a, bins);
    printf("%f\n", (double)sum);
    return 0;
}
