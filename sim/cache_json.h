/* Results that are JSON, kept in the cache. */
#ifndef WEIR_SIM_CACHE_JSON_H
#define WEIR_SIM_CACHE_JSON_H

#include <jansson.h>

#include "sim/cache.h"

/* Exit status; the result is the caller's, NULL where there is none. */
typedef int weir_cache_compute(void *user, json_t **result);

/* What was computed once under this name, from the entry's FILE, else what is computed now, which is kept there where
 * all went well. */
int weir_cache_json(const char *cache, const char *name, const char *file, weir_cache_compute *compute, void *user,
                    json_t **result);

#endif
