/* Replaces a bitstream's parameters without placement: how a patchable one is built, and how it is patched. */
#ifndef WEIR_BOARD_PATCH_H
#define WEIR_BOARD_PATCH_H

#include <jansson.h>

#include "board/board.h"
#include "board/fill.h"
#include "board/flow.h"

/* The parameter memories of a folded graph, and the model's id. Free them with weir_fill_free. */
weir_fill_memories weir_board_patch_memories(const weir_graph *hardware);
/* Keeps WORK/rtl's memory files in WORK/contents, and puts marks in their places. False after a reported error. */
bool weir_board_patch_mark(const weir_device *device, const weir_fill_memories *memories, const char *work);
/* Of a design that was placed with marks, which WORK holds: FOLDER gets them with the placed text, its rtl/ the memory
 * files, and PLACED with these in the marks' places. False after a reported error. */
bool weir_board_patch_keep(const weir_device *device, const weir_fill_memories *memories, const weir_board_flow *flow,
                           const char *placed, size_t size, const char *work, const char *folder);

/* Takes a board folder FOLDER whose design/ is the new model's and the rest the old one's: everything but memory files
 * must be the same; these, board.json, and the bitstream where its format is known (fill.h) become the new model's.
 * `report`: of the old one, changed. `seconds`: that the packer may take, 0: no limit. `work`: a scratch folder. Exit
 * status. */
int weir_board_patch(const weir_board *board, const weir_graph *hardware, const char *folder, double seconds,
                     const char *work, json_t *report);

#endif
