/* What a built board folder holds, FOLDER/board.json: the bitstream, what it answers when it runs, and how it was
 * made. */
#ifndef WEIR_BOARD_MANIFEST_H
#define WEIR_BOARD_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define WEIR_BOARD_MANIFEST "board.json"
/* Folders of it: the compiled design; the sources of the bitstream. */
#define WEIR_BOARD_DESIGN "design"
#define WEIR_BOARD_SOURCES "rtl"
/* Of a patchable one: the memory files and the placed design with marks in their places (fill.h). */
#define WEIR_BOARD_MARKS "marks"

/* A parameter memory that the board can read back; its number is its place in the list. */
typedef struct weir_board_manifest_memory {
    char *file /* below WEIR_BOARD_SOURCES: hexadecimal words, a line each */, *layer /* its node */;
    int64_t width, words; /* bits of a word */
    uint32_t crc;         /* CRC-32 of the content: word 0 first, of each word the lowest byte first */
} weir_board_manifest_memory;

typedef struct weir_board_manifest {
    char *board;     /* its name, or the path of the user's own */
    char *bitstream; /* the file's name; NULL: none was made, the board is simulated */
    uint32_t build, model;
    int64_t clock_hz, baud;
    weir_board_manifest_memory *memory; /* none: it was built without read-back */
    size_t memories;
    bool loadable;  /* they can be written, too */
    json_t *report; /* the whole file */
} weir_board_manifest;

/* Of a memory, as boards/common has it; of their number and words wire/memory.h says that. */
enum { WEIR_BOARD_MOST_WIDTH = 1 << 20 };

/* Writes FOLDER/board.json. False after a reported error. */
bool weir_board_manifest_write(const char *folder, const json_t *report);
/* False after a reported error. Free it in any case. */
bool weir_board_manifest_read(const char *folder, weir_board_manifest *manifest);
void weir_board_manifest_free(weir_board_manifest *manifest);

#endif
