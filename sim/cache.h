/* A folder of build results named by the hash of what they were made from. Entries are complete or absent, so any
 * number of processes may build at once; one that is damaged is rebuilt. The oldest are removed when the cache outgrows
 * its limit. */
#ifndef WEIR_SIM_CACHE_H
#define WEIR_SIM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Fills an empty folder; false after a reported error. */
typedef bool weir_cache_make(void *user, const char *folder);

/* The folder of the entry, made first when it is absent or damaged (*made tells). Its time of use is now. It stays
 * until *held is released. `serial`: of several processes that want it at once, one makes it and the others wait, else
 * the first to finish wins. `make` NULL: NULL, without an error, when it is absent. NULL after a reported error. Heap
 * memory. */
char *weir_cache_entry(const char *cache, const char *name, bool serial, weir_cache_make *make, void *user, int *held,
                       bool *made);
void weir_cache_release(int held);
/* Removes the entries used longest ago until the cache holds at most `limit` bytes. Entries in use, or used within the
 * last ten minutes, stay. */
void weir_cache_trim(const char *cache, uint64_t limit);

typedef enum weir_cache_state {
    WEIR_CACHE_COMPLETE,
    WEIR_CACHE_EARLIER, /* written by an earlier version, which kept no manifest */
    WEIR_CACHE_DAMAGED
} weir_cache_state;

typedef struct weir_cache_item {
    char *path;
    const char *name;
    time_t used;
    uint64_t size;
    weir_cache_state state; /* of weir_cache_inspect, like in_use */
    bool in_use;
} weir_cache_item;

/* The one used longest ago first. */
typedef struct weir_cache_list {
    weir_cache_item *item;
    size_t count, capacity;
    uint64_t size;
} weir_cache_list;

/* All entries, after removing what dead processes left unfinished. */
weir_cache_list weir_cache_read(const char *cache);
/* The state of each, and which are in use. `thorough` compares all content, also that of files above 8 MiB. */
void weir_cache_inspect(weir_cache_list *list, bool thorough);
void weir_cache_list_free(weir_cache_list *list);
/* False after a reported error. */
bool weir_cache_remove(const char *cache, const weir_cache_item *item);

#endif
