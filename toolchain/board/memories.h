/* Parameter memories that a board reads back or writes: their ports in the top module of a compiled design
 * (boards/common/weir_board_memory.v), their list for board.json, and their contents. */
#ifndef WEIR_BOARD_MEMORIES_H
#define WEIR_BOARD_MEMORIES_H

#include "dataflow/library.h"
#include "graph/manifest.h"
#include "ir/graph/graph.h"

/* The ports of the top module. */
#define WEIR_BOARD_MEMORY_REQUEST "memory_request"
#define WEIR_BOARD_MEMORY_ANSWER "memory_answer"

/* By number: one for each memory of the design, even if two have the same file. */
typedef struct weir_board_memories {
    weir_board_manifest_memory *item;
    size_t count, capacity;
    unsigned modules;                       /* a bit each of those that hold them */
    int select_bits, place_bits, word_bits; /* that number a memory, a byte of a word, a word */
} weir_board_memories;

/* Bits of a request: how the memory modules count them. */
int64_t weir_board_memories_request_bits(const weir_board_memories *memories);

/* Adds the ports to the top module of the design as it is in `sources`. False after a reported error: a memory that is
 * not in the top, no memory at all, too many. Free the list in any case. */
bool weir_board_memories_add(const weir_graph *hardware, const char *top, const char *sources, bool loadable,
                             weir_board_memories *memories);
void weir_board_memories_free(weir_board_memories *memories);

/* The modules of boards/common that hold them. */
void weir_board_memories_modules(const weir_board_memories *memories, weir_library_files *files);

/* The contents of the memory's file in `folder`, words * ((width + 7) / 8) bytes in wire order: heap memory; NULL after
 * a reported error. */
uint8_t *weir_board_memory_content(const weir_board_manifest_memory *memory, const char *folder);
size_t weir_board_memory_size(const weir_board_manifest_memory *memory);

/* Adds them to a board's report, with the CRCs of the files in `folder`. False after a reported error. */
bool weir_board_memories_tell(const weir_board_memories *memories, const char *folder, bool loadable, json_t *report);

#endif
