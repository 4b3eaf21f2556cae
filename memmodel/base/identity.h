/* Identities of files, as short texts: equal identities mean equal content. */
#ifndef MEMMODEL_BASE_IDENTITY_H
#define MEMMODEL_BASE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MM_IDENTITY = 160 };
/* Of SIZE bytes as the content of a file. */
void mm_identity_of_content(const void *data, size_t size, char text[MM_IDENTITY]);
/* Of the file PATH: by content, or that it is absent, a folder, or nothing that can be read without waiting. */
void mm_identity_of_file(const char *path, char text[MM_IDENTITY]);
/* Of the executable or library PATH: its build id; without one, its inode, size and dates. */
void mm_identity_of_binary(const char *path, char text[MM_IDENTITY]);
/* The same of what is loaded into this process and holds ADDRESS, and its path.  False: nothing does. */
bool mm_identity_of_loaded(const void *address, char *path, size_t path_size, char text[MM_IDENTITY]);

#ifdef __cplusplus
}
#endif
#endif
