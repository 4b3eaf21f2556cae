/* A library whose constructor, which runs under the lock of the dynamic loader, waits for a thread of
 * host_memory.c. */
#include <pthread.h>

void *change_in_constructor(void *ignored);

__attribute__((constructor)) static void wait_for_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, change_in_constructor, NULL) == 0)
        pthread_join(thread, NULL);
}
