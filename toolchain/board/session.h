/* A built board folder and its test data, for 'weir run' and 'weir bringup'. */
#ifndef WEIR_BOARD_SESSION_H
#define WEIR_BOARD_SESSION_H

#include "board/board.h"
#include "cosim/metrics.h"
#include "cosim/reference.h"
#include "graph/manifest.h"

typedef struct weir_board_session {
    weir_board_manifest manifest;
    weir_board *board;
    weir_graph *hardware;
    weir_frames *frames;
    weir_reference *reference;
    weir_scoring scoring;
    weir_array *labels; /* NULL: the data has none */
} weir_board_session;

/* `data` NULL: no frames, and no reference. The reference has the taps of the first frame. `data` as weir_frames_read
 * takes it, its first `frames` frames, 0: all; or frame `only` alone and without its label, -1: not. Exit status; free
 * it in any case. */
int weir_board_session_open(const char *folder, const char *data, int64_t frames, int64_t only,
                            weir_board_session *session);
void weir_board_session_free(weir_board_session *session);
/* Of codes of every hardware output for `frames` frames; false: there are no labels, or not of all of them. */
bool weir_board_session_metrics(const weir_board_session *session, int64_t *const *codes, int64_t frames,
                                weir_metrics *metrics);

#endif
