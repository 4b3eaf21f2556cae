// expect: clean
// run: -g 8 -l 8 -a buf:8:iota
// A work-group vote in place of the flag.
kernel void k(global int *a)
{
    int i = (int)get_local_id(0), left;
    do {
        left = a[i] > 0;
        if (left)
            a[i]--;
    } while (work_group_any(left));
}
