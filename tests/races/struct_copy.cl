// expect: data-race
// run: -g 2 -l 1 -a buf:16
// A copied structure takes all members along.
struct pair { int a, b; };
kernel void k(global struct pair *p)
{
    if (get_global_id(0))
        p[0] = p[1];
    else
        p[0].b = 1;
}
