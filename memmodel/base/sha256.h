/* SHA-256 (FIPS 180-4), for naming the contents of files. */
#ifndef MEMMODEL_BASE_SHA256_H
#define MEMMODEL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct mm_sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
};
void mm_sha256_begin(struct mm_sha256 *h);
void mm_sha256_add(struct mm_sha256 *h, const void *data, size_t size);
/* 64 hexadecimal digits and a zero byte. */
void mm_sha256_end(struct mm_sha256 *h, char digits[65]);

#endif
