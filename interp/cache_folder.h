/* The cache folder: kept open, and trusted only if no other user can change its contents. */
#ifndef INTERP_CACHE_FOLDER_H
#define INTERP_CACHE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Opens the folder PATH; creates it and its parents where they are missing.  Each folder and symbolic link in
 * the path must belong to the user or to root, and no other user may rename its entries; the folder itself
 * belongs to the user and only the user can write to it.  On failure -1, with the reason in *WHY. */
int in_cache_folder_open(const char *path, const char **why);
/* Opens the entry NAME of FOLDER for reading: a regular file of the user to which only the user can write. -1
 * if there is none.  Never blocks. */
int in_cache_entry_open(int folder, const char *name, struct stat *status);

#endif
