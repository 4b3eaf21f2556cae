// expect: clean
// Two commands read what the first wrote; the last writes it after both.
#include "recording.h"

int main(void)
{
    begin(NULL);
    cl_command_queue q = out_of_order();
    recording r = record(q);
    cl_mem a = buffer(), b = buffer();
    point first = add(r, kernel("add", a, NULL, NULL), 0);
    point sides[] = {add(r, kernel("copy", a, b, NULL), first),
                     add(r, kernel("copy", a, buffer(), NULL), first)};
    add_launch(r, NULL, kernel("add", a, NULL, NULL), NULL, 2, sides);
    finalize(r);
    run(r, NULL);
    OK(clFinish(q));
    return 0;
}
