/* Compiled to bitcode at build time: the C functions behind OpenCL.std and the conversions, so that they are
 * inlined into kernels, and two more that the interpreter has inside its engine. */
#include "interp/exec/number.h"

double in_jit_frem(double x, double y);
double in_jit_fmod(double x, double y);

double in_jit_frem(double x, double y)
{
    return fmod(x, y);
}

double in_jit_fmod(double x, double y)
{
    return in_fmod(x, y);
}
