/* Counts of states as pairs of varints: seven bits in each byte, the lowest bits first, the eighth bit set in
 * all bytes but the last. A store of ten thousand campaigns holds tens of millions of counts. */
#include "tools/store/store.h"

static size_t put_varint(unsigned char *blob, size_t size, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        blob[size++] = (unsigned char)(value | 0x80);
    blob[size++] = (unsigned char)value;
    return size;
}

static bool take_varint(const unsigned char *blob, size_t size, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; *at < size && shift < 64; shift += 7) {
        unsigned char byte = blob[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

size_t store_encode(unsigned char *blob, size_t size, struct store_count pair)
{
    return put_varint(blob, put_varint(blob, size, pair.state), pair.count);
}

bool store_decode(const unsigned char *blob, size_t size, size_t *at, struct store_count *pair)
{
    return take_varint(blob, size, at, &pair->state) && take_varint(blob, size, at, &pair->count);
}

bool store_has_count(const unsigned char *blob, size_t size, uint64_t state)
{
    struct store_count pair;
    for (size_t at = 0; store_decode(blob, size, &at, &pair);)
        if (pair.state == state)
            return true;
    return false;
}
