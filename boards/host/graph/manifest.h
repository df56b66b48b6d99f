/* What a built board folder holds, FOLDER/board.json: the bitstream, what it answers when it runs, and how it was made. */
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

typedef struct weir_board_manifest {
    char *board;     /* its name, or the path of the user's own */
    char *bitstream; /* the file's name; NULL: none was made, the board is simulated */
    uint32_t build, model;
    int64_t clock_hz, baud;
    json_t *report; /* the whole file */
} weir_board_manifest;

/* Writes FOLDER/board.json. False after a reported error. */
bool weir_board_manifest_write(const char *folder, const json_t *report);
/* False after a reported error. Free it in any case. */
bool weir_board_manifest_read(const char *folder, weir_board_manifest *manifest);
void weir_board_manifest_free(weir_board_manifest *manifest);

#endif
