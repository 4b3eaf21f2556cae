/* Memory at addresses that a trace records: the reader that re-executes a launch places it at the same ones,
 * because the memory holds pointers to itself.  The addresses are in a range that systems leave to
 * programs. */
#ifndef MEMMODEL_TRACE_FIXED_H
#define MEMMODEL_TRACE_FIXED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether SIZE bytes at ADDRESS are in the range, and ADDRESS is as mm_fixed_next() returns it. */
bool mm_fixed_contains(uint64_t address, uint64_t size);
/* An address for SIZE bytes, each time another one; 0: none is left. */
uint64_t mm_fixed_next(uint64_t size);
/* SIZE bytes of zeros at ADDRESS; NULL: the range does not contain them, or the process uses them for other
 * memory. */
void *mm_fixed_map(uint64_t address, uint64_t size);
void mm_fixed_unmap(void *data, uint64_t size);

#endif
