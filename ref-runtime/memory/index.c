/* The ordered index of everything kernels' pointers can point to: device copies of buffers and SVM. */
#include "ref-runtime/runtime.h"

#include "memmodel/base/array.h"

#include <string.h>

static struct mm_mutex lock = MM_MUTEX;
static const struct in_object **objects; /* by address, disjoint */
static size_t count, capacity;

/* How many objects begin at or before ADDRESS. */
static size_t count_up_to(uint64_t address)
{
    size_t i;
    mm_partition(i, count, objects[i]->address <= address);
    return i;
}

bool rt_index_insert(const struct in_object *object)
{
    mm_mutex_lock(&lock);
    if (!mm_reserve(&objects, &capacity, count + 1)) {
        mm_mutex_unlock(&lock);
        return false;
    }
    size_t at = count_up_to(object->address);
    memmove(objects + at + 1, objects + at, (count - at) * sizeof(struct in_object *));
    objects[at] = object;
    count++;
    mm_mutex_unlock(&lock);
    return true;
}

void rt_index_remove(const struct in_object *object)
{
    mm_mutex_lock(&lock);
    size_t at = count_up_to(object->address);
    if (at > 0 && objects[at - 1] == object) {
        memmove(objects + at - 1, objects + at, (count - at) * sizeof(struct in_object *));
        count--;
    }
    mm_mutex_unlock(&lock);
}

const struct in_object *rt_index_find(uint64_t address)
{
    mm_mutex_lock(&lock);
    size_t at = count_up_to(address);
    const struct in_object *object = at > 0 ? objects[at - 1] : NULL;
    if (object && address - object->address >= object->size)
        object = NULL;
    mm_mutex_unlock(&lock);
    return object;
}
