/* Replaces contents of block RAM in a placed design without placing it again. Such a design is placed with marks
 * (random words) in its memories, by which each column of each memory is located in the placed text, however the tools
 * have mapped it. No tool for block RAM is needed: nextpnr's text formats for iCE40 (.ram_data) and ECP5 (.bram_init)
 * are documented. */
#ifndef WEIR_BOARD_FILL_H
#define WEIR_BOARD_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataflow/cost/device.h"
#include "ir/graph/graph.h"

typedef struct weir_fill_memory {
    char *file; /* of hexadecimal words, a line each, below a folder of sources */
    int64_t width, lines;
    int64_t copies; /* number of memories of the design that hold it */
} weir_fill_memory;

typedef struct weir_fill_memories {
    weir_fill_memory *item;
    size_t count, capacity;
} weir_fill_memories;

/* Is the format of memories in placed designs known for such a device? */
bool weir_fill_is_known(const weir_device *device);
/* Reports why not. */
void weir_fill_report_unknown(const weir_device *device);

/* Adds the parameter memories of a folded graph. */
void weir_fill_add_graph(weir_fill_memories *memories, const weir_graph *hardware);
void weir_fill_add(weir_fill_memories *memories, const char *file, int64_t width, int64_t lines);
/* The bits of the memory's file in `folder`, a byte each, bit i of line n at n * width + i: heap memory; NULL after a
 * reported error. */
uint8_t *weir_fill_read(const weir_fill_memory *memory, const char *folder);
void weir_fill_free(weir_fill_memories *memories);

/* Writes marks for all memories into `folder`: no column of a block is like another, nor empty. False after a reported
 * error. */
bool weir_fill_mark(const weir_device *device, const weir_fill_memories *memories, const char *folder);
/* Puts the files of `wanted` instead of the marks of `marked`, both folders, into the placed design's text. False after
 * a reported error: a memory is not in block RAM, or not as often as expected. Then the text is useless. */
bool weir_fill(const weir_device *device, const weir_fill_memories *memories, char *placed, const char *marked,
               const char *wanted);

#endif
