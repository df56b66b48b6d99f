/* A folder of build results named by the hash of what they were made from. Entries appear whole, by renaming, so any
 * number of processes may build at once; the oldest are removed when the cache outgrows its limit. */
#ifndef WEIR_SIM_CACHE_H
#define WEIR_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Fills an empty folder; false after a reported error. */
typedef bool weir_cache_make(void *user, const char *folder);

/* The folder of the entry, made first when it is absent (*made tells). Its time of use is now. `serial`: of several
 * processes that want it at once, one makes it and the others wait, else the first to finish wins.
 * NULL after a reported error. Heap memory. */
char *weir_cache_entry(const char *cache, const char *name, bool serial, weir_cache_make *make, void *user, bool *made);
/* Removes the entries used longest ago until the cache holds at most `limit` bytes. Entries used within the last
 * ten minutes stay. */
void weir_cache_trim(const char *cache, uint64_t limit);

#endif
