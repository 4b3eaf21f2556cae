/* Identities of files, as short texts: equal identities mean equal content. */
#ifndef MEMMODEL_BASE_IDENTITY_H
#define MEMMODEL_BASE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { MM_IDENTITY = 160 };
/* The identity of a file whose content is the SIZE bytes at DATA. */
void mm_identity_of_content(const void *data, size_t size, char text[MM_IDENTITY]);
/* The identity of the file PATH: by content; distinct texts for an absent file, a folder, and a file that
 * cannot be read without blocking. */
void mm_identity_of_file(const char *path, char text[MM_IDENTITY]);
/* The identity of the executable or library PATH: its build id; without one, its inode, size and dates. */
void mm_identity_of_binary(const char *path, char text[MM_IDENTITY]);
/* The identity and the path of the executable or library loaded into this process that contains ADDRESS.
 * False: none does. */
bool mm_identity_of_loaded(const void *address, char *path, size_t path_size, char text[MM_IDENTITY]);

#ifdef __cplusplus
}
#endif
#endif
