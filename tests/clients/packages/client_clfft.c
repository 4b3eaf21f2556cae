/* clFFT against the definition of the discrete Fourier transform. */
#include <clFFT.h>

#include <math.h>
#include <stdio.h>

enum { MOST = 256 };

static cl_context context;
static cl_command_queue queue;

/* Transforms N points in place; CL error code. */
static cl_int transform(float *points, size_t n, clfftDirection direction)
{
    cl_int err;
    clfftPlanHandle plan;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 2 * n * sizeof(float),
                                   points, &err);
    err = err ? err : clfftCreateDefaultPlan(&plan, context, CLFFT_1D, &n);
    if (err)
        return err;
    err = clfftSetPlanPrecision(plan, CLFFT_SINGLE);
    err = err ? err : clfftSetLayout(plan, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED);
    err = err ? err : clfftSetResultLocation(plan, CLFFT_INPLACE);
    err = err ? err : clfftBakePlan(plan, 1, &queue, NULL, NULL);
    err = err ? err : clfftEnqueueTransform(plan, direction, 1, &queue, 0, NULL, NULL, &buffer, NULL, NULL);
    err = err ? err
              : clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 2 * n * sizeof(float), points, 0, NULL, NULL);
    clfftDestroyPlan(&plan);
    clReleaseMemObject(buffer);
    return err;
}

static double worst_error(const float *in, const float *out, size_t n)
{
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        double re = 0, im = 0;
        for (size_t i = 0; i < n; i++) {
            double angle = -2 * M_PI * (double)(k * i) / (double)n;
            re += in[2 * i] * cos(angle) - in[2 * i + 1] * sin(angle);
            im += in[2 * i] * sin(angle) + in[2 * i + 1] * cos(angle);
        }
        worst = fmax(worst, fmax(fabs(re - out[2 * k]), fabs(im - out[2 * k + 1])));
    }
    return worst;
}

static int check(int number, size_t n)
{
    float in[2 * MOST], out[2 * MOST];
    for (size_t i = 0; i < 2 * n; i++)
        out[i] = in[i] = (float)((i * 37 + 11) % 23) / 23 - 0.5f;
    cl_int err = transform(out, n, CLFFT_FORWARD);
    double forward = worst_error(in, out, n), back = 0;
    err = err ? err : transform(out, n, CLFFT_BACKWARD);
    for (size_t i = 0; i < 2 * n; i++)
        back = fmax(back, fabs((double)in[i] - out[i]));
    int ok = !err && forward < 1e-4 && back < 1e-5;
    printf("%s %d - %zu points: code %d, errors %g and %g\n", ok ? "ok" : "not ok", number, n, err, forward,
           back);
    return ok ? 0 : 1;
}

int main(void)
{
    static const size_t sizes[] = {2, 3, 5, 8, 15, 16, 64, 100, 128, 256};
    cl_platform_id platform;
    cl_device_id device;
    cl_int err;
    int bad = 0;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 2;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);
    clfftSetupData setup = {clfftVersionMajor, clfftVersionMinor, clfftVersionPatch, 0};
    if (err || clfftSetup(&setup))
        return 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        bad += check((int)i + 1, sizes[i]);
    printf("1..%zu\n", sizeof sizes / sizeof *sizes);
    clfftTeardown();
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return bad;
}
