// expect: clean
// run: -g 8 -l 8 -a buf:2
// Each work-item writes its own component of a vector.
kernel void k(global int4 *v)
{
    size_t i = get_global_id(0);
    switch (i % 4) {
    case 0: v[i / 4].x = i; break;
    case 1: v[i / 4].y = i; break;
    case 2: v[i / 4].z = i; break;
    default: v[i / 4].w = i; break;
    }
}
