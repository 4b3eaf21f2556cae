// expect: clean
// run: -g 2 -l 1 -a buf:16
// Members that are no bit-fields are separate memory locations.
struct pair { char a; short b; };
kernel void k(global struct pair *p)
{
    if (get_global_id(0))
        p->a = 1;
    else
        p->b = 1;
}
