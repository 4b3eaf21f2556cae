// expect: clean
// run: -g 5 -l 1 -a buf:48 -a buf:1 -a buf:8
// A new version of a record is written beside the old one; its index is published, so readers see one
// version.
struct record {
    int a, b;
    float c;
};
kernel void k(global struct record *records, global atomic_int *current, global int *out)
{
    int i = (int)get_global_id(0);
    if (i == 0) {
        for (int next = 1; next < 4; next++) {
            struct record r = {next, 2 * next, (float)next};
            records[next] = r;
            atomic_store_explicit(current, next, memory_order_release, memory_scope_device);
        }
        return;
    }
    struct record seen = records[atomic_load_explicit(current, memory_order_acquire, memory_scope_device)];
    out[i] = seen.a + seen.b + (int)seen.c;
}
