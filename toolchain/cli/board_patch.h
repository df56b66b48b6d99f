/* What `board weights` does: a model, trained on, into a board's bitstream without placement. */
#ifndef WEIR_CLI_BOARD_PATCH_H
#define WEIR_CLI_BOARD_PATCH_H

#include "cli/board_run.h"
#include "cli/job.h"

typedef struct weir_board_patching {
    weir_job job; /* how to read and quantize the model */
    const char *folder /* of the board */, *model /* NULL: the folder's own parameters are loaded */, *json;
    int64_t seconds;
    weir_board_run *load; /* the board that gets them over the link; NULL: none */
} weir_board_patching;

/* Exit status. The folder is the new model's, or as it was; then its parameters are loaded. */
int weir_board_patching_run(weir_board_patching *patching);

#endif
