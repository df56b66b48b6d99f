/* Numbers by the id of something, zero until set. */
#ifndef WEIR_PASSES_RTL_NUMBERS_H
#define WEIR_PASSES_RTL_NUMBERS_H

#include <stdint.h>
#include <stdlib.h>

#include "support/memory/arena.h"

typedef struct weir_numbers {
    uint32_t *at;
    size_t capacity;
} weir_numbers;

/* The entry of an id; valid until the next one is asked for. */
static inline uint32_t *weir_numbers_at(weir_numbers *table, uint32_t id) {
    if (id >= table->capacity)
        table->at = weir_grow_zeroed(table->at, &table->capacity, (size_t)id + 1, sizeof *table->at);
    return &table->at[id];
}

/* What is there, without making room for it. */
static inline uint32_t weir_numbers_get(const weir_numbers *table, uint32_t id) {
    return id < table->capacity ? table->at[id] : 0;
}

static inline void weir_numbers_free(weir_numbers *table) {
    free(table->at);
    *table = (weir_numbers){NULL, 0};
}

#endif
