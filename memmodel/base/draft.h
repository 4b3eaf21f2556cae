/* Draft files: written under a temporary name and renamed when complete. */
#ifndef MEMMODEL_BASE_DRAFT_H
#define MEMMODEL_BASE_DRAFT_H

#include <stddef.h>
#include <sys/types.h>

enum { MM_DRAFT_DIGITS = 16 };
/* Creates a file in FOLDER (AT_FDCWD: relative to the working directory) for writing.  Its name, written to
 * NAME, is PREFIX and MM_DRAFT_DIGITS random digits, so that a symbolic link cannot be planted there
 * beforehand, and that the remains of a killed process do not collide with it.  -1 with errno. */
int mm_draft_open(int folder, const char *prefix, mode_t mode, char *name, size_t size);

#endif
