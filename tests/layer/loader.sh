#!/bin/bash
# loader.sh FOLDER: builds the loader of loader.c, FOLDER/libOpenCL.so.1, for x86-64; prints the number of
# entries in its dispatch tables, and in those of OpenCL 1.2.
entries=$(echo '#include <CL/cl_icd.h>' | ${CC:-gcc} -DCL_TARGET_OPENCL_VERSION=300 -E -P -x c - | tr '\n' ' ' |
    sed 's/.*struct _cl_icd_dispatch *{\([^}]*\)}.*/\1/' | tr ';' '\n' | awk 'NF { gsub("[*]", "", $NF); print $NF }')
count=$(echo "$entries" | wc -l)
# An application's call goes to the first table's entry, a layer's call to the entry of the object's driver.
echo "$entries" | awk '
    { n[NR] = $1; at = 8 * (NR - 1)
      print ".globl " $1 "\n.weak " $1 "\n" $1 ": endbr64\nmovq first_table@GOTPCREL(%rip), %rax\njmp *" at "(%rax)"
      print ".weak own_" $1 "\nown_" $1 ": endbr64\nmovq (%rdi), %rax\njmp *" at "(%rax)" }
    END { print ".data\n.globl own_table\nown_table:"; for (k = 1; k <= NR; k++) print ".quad own_" n[k]
          print ".section .note.GNU-stack,\"\",@progbits" }' >"$1/functions.s" || exit 1
${CC:-gcc} -std=gnu11 -g -w -shared -fPIC -DENTRIES="$count" -Wl,-soname,libOpenCL.so.1 -o "$1/libOpenCL.so.1" "$(dirname "$0")/loader.c" \
    "$1/functions.s" -ldl -pthread || exit 1
echo "$count $(echo "$entries" | grep -n '^clCreateCommandQueueWithProperties$' | cut -d: -f1 | awk '{ print $1 - 1 }')"
