// Pointers in coarse-grained SVM that lead to SVM of arguments only, up to the last element; with an
// argument, other kernels follow them to the element past the last one, to half of it, and to memory that the
// kernel writes.
#include "../../host/host.h"

struct node {
    struct node *next;
    cl_long value;
};
static struct node *nodes, *others;
static cl_mem out;

static const char *const source =
    "struct node { global struct node *next; long value; };\n"
    "kernel void both(global struct node *a, global struct node *b, global long *out, long n) {\n"
    "  int i = (int)get_global_id(0); out[i] = a[i].next->value + b[i].next->value; }\n"
    "kernel void past(global struct node *a, global struct node *b, global long *out, long n) {\n"
    "  int i = (int)get_global_id(0); out[i] = b[i].value + (&a[i].next->value)[i == 0]; }\n"
    "kernel void middle(global struct node *a, global struct node *b, global long *out, long n) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  out[i] = b[i].value + *(global long *)((global char *)&a[i].next->value + (i == 0 ? 4 : 0)); }\n"
    "kernel void changed(global struct node *a, global struct node *b, global long *out, long n) {\n"
    "  int i = (int)get_global_id(0); global struct node *at = a + i;\n"
    "  for (int k = 0; k < n; k++) at = at->next;\n"
    "  b[i].value = at->value; }\n";

static void map(cl_command_queue q)
{
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, nodes, N * sizeof *nodes, 0, NULL, NULL));
    OK(clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, others, N * sizeof *others, 0, NULL, NULL));
}

static void unmap(cl_command_queue q)
{
    OK(clEnqueueSVMUnmap(q, nodes, 0, NULL, NULL));
    OK(clEnqueueSVMUnmap(q, others, 0, NULL, NULL));
    OK(clFinish(q));
}

static void run(cl_command_queue q, const char *name, struct node *a, struct node *b, cl_long n)
{
    const size_t items = N;
    cl_int code;
    cl_kernel k = clCreateKernel(program, name, &code);
    OK(code);
    OK(clSetKernelArgSVMPointer(k, 0, a));
    OK(clSetKernelArgSVMPointer(k, 1, b));
    OK(clSetKernelArg(k, 2, sizeof out, &out));
    OK(clSetKernelArg(k, 3, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, NULL, 0, NULL, NULL));
    OK(clFinish(q));
}

int main(int argc, char **argv)
{
    static cl_long values[N];
    cl_int code;
    begin_with(source, NULL);
    cl_command_queue q = in_order();
    nodes = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *nodes, 0);
    others = clSVMAlloc(context, CL_MEM_READ_WRITE, N * sizeof *others, 0);
    out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
    OK(code);
    map(q);
    for (int k = 0; k < N; k++) {
        nodes[k] = (struct node){&nodes[N - 1 - k], k};
        others[k] = (struct node){&nodes[k], 1000 + k};
    }
    others[3].next = &others[5];
    unmap(q);
    run(q, "both", nodes, others, 0);
    OK(clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int k = 0; k < N; k++)
        if (values[k] != N - 1 - k + (k == 3 ? 1005 : k))
            return 1;
    if (argc == 1)
        return 0;
    if (strcmp(argv[1], "past") == 0)
        run(q, "past", nodes, others, 0);
    else if (strcmp(argv[1], "middle") == 0)
        run(q, "middle", nodes, others, 0);
    else
        run(q, "changed", nodes, nodes, 1);
    return 0;
}
