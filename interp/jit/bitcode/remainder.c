/* Compiled to bitcode at build time: the C functions behind OpenCL.std and the conversions, so that they are
 * inlined into kernels, and two more that the interpreter has inside its engine. */
#include <math.h>
#include <stdint.h>

double in_jit_frem(double x, double y);
double in_jit_fmod(double x, double y);

double in_jit_frem(double x, double y)
{
    return fmod(x, y);
}

/* Remainder with the sign of the divisor. [SPIRV 3.49.13 OpFMod] */
double in_jit_fmod(double x, double y)
{
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r == 0 ? copysign(r, y) : r;
}
