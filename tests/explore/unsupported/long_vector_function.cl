// Options: --global 1 --arg buf:1 --arg buf:2
// Error: long_vector_function.cl:5:14: distance of vectors of more than 24 bytes together is not explored: use shorter vectors, or compute it from dot and sqrt [explore.function]
kernel void far(global double *out, global double4 *in)
{
    out[0] = distance(in[0], in[1]);
}
