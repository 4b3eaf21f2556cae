/* The folder of the cache: held open, and trusted only where no other user can change what is in it. */
#ifndef INTERP_CACHE_FOLDER_H
#define INTERP_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Opens the folder PATH, and makes it and its parents where they are missing.  Each folder and symbolic link
 * on the way must belong to the user or to root, and no other user may rename what is in it; the folder
 * itself belongs to the user and is writable for no one else.  -1 with *WHY. */
int in_cache_folder_open(const char *path, const char **why);
/* Opens the entry NAME of FOLDER for reading: a regular file of the user that no one else can write to.
 * -1: there is none.  Never blocks. */
int in_cache_entry_open(int folder, const char *name, struct stat *status);

#endif
