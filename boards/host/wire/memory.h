/* Parameter memories of a board's accelerator over the wire: read back, or written (boards/common/README.md, Parameter
 * memories), where the board was built so. The accelerator is in reset while they run, and streams end: call them
 * alone, as weir_wire_begin, and begin again behind them. */
#ifndef WEIR_WIRE_MEMORY_H
#define WEIR_WIRE_MEMORY_H

#include "wire/wire.h"

/* Of memories of a board, and of words of one, as boards/common has them. */
enum { WEIR_WIRE_MOST_MEMORIES = 1 << 10, WEIR_WIRE_MOST_WORDS = 1 << 19 };

/* Which one, as board.json lists them; `content` of one is words * bytes: word 0 first, of each word the lowest byte
 * first, bits above its width 0. */
typedef struct weir_wire_memory {
    unsigned index;      /* below WEIR_WIRE_MOST_MEMORIES */
    size_t words, bytes; /* at least 1 each; of a word; up to WEIR_WIRE_MOST_WORDS words */
} weir_wire_memory;

/* ABSENT: the board cannot; ARGUMENT: no such sizes; TIMEOUT after `limit` microseconds: it has fewer words, or shorter
 * ones. */
weir_wire_error weir_wire_read_memory(weir_wire *wire, const weir_wire_memory *memory, uint8_t *content, uint64_t limit,
                                      weir_failure *why);
/* The same; `before` gets what was there, unless it is NULL. After a failure the memory has some of both. */
weir_wire_error weir_wire_write_memory(weir_wire *wire, const weir_wire_memory *memory, const uint8_t *content,
                                       uint8_t *before, uint64_t limit, weir_failure *why);
/* Says whose parameters the board has now, as it answers from then on; 0: nobody's, while they are written. */
weir_wire_error weir_wire_set_model(weir_wire *wire, uint32_t model, weir_failure *why);

#endif
