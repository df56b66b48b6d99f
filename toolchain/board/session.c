#include "board/session.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/folding.h"
#include "exec/exec.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

static bool read_hardware(const char *folder, weir_board_session *s) {
    char *path = weir_path_join(folder, WEIR_BOARD_DESIGN "/hardware.weir");
    s->hardware = weir_graph_load(path);
    free(path);
    return s->hardware != NULL && weir_folding_verify(s->hardware);
}

/* The reference of one frame alone; NULL after a reported error. */
static weir_reference *reference_of(const weir_board_session *s, int64_t frame) {
    const size_t count = weir_graph_input_count(s->hardware);
    const weir_array *const *all = weir_frames_arrays(s->frames);
    weir_array **one = weir_calloc(count + 1, sizeof *one);
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        one[i] = weir_executor_frame_of(s->hardware, i, all[i], frame);
        fine = one[i] != NULL;
        weir_shape *shape = fine ? &one[i]->shape : NULL;
        if (!fine || (shape->rank > 0 && shape->dim[0] == 1) || shape->rank == WEIR_MAX_RANK) continue;
        memmove(&shape->dim[1], &shape->dim[0], (size_t)shape->rank++ * sizeof shape->dim[0]);
        shape->dim[0] = 1;
    }
    weir_reference *reference = fine ? weir_reference_new(s->hardware, (const weir_array *const *)one, 1, 1) : NULL;
    for (size_t i = 0; i < count; i++) weir_array_free(one[i]);
    free(one);
    return reference;
}

static bool read_frames(const char *data, int64_t frames, int64_t only, weir_board_session *s) {
    s->frames = weir_frames_read(s->hardware, data);
    if (s->frames == NULL) return false;
    if (weir_frames_count(s->frames) == 0) {
        weir_error(weir_at(weir_frames_file(s->frames), 0), "there are no frames to run");
        return false;
    }
    s->scoring = weir_scoring_of(s->hardware);
    if (only >= 0) {
        s->reference = reference_of(s, only);
        return s->reference != NULL;
    }
    s->labels = weir_labels_read(s->frames, &s->scoring);
    s->reference = weir_reference_new(s->hardware, weir_frames_arrays(s->frames), frames, 1);
    return s->reference != NULL;
}

int weir_board_session_open(const char *folder, const char *data, int64_t frames, int64_t only, weir_board_session *s) {
    int status = WEIR_EXIT_FINE;
    *s = (weir_board_session){.board = NULL};
    if (!weir_board_manifest_read(folder, &s->manifest)) return WEIR_EXIT_INPUT;
    s->board = weir_board_read(s->manifest.board, &status);
    if (s->board == NULL) return status;
    return read_hardware(folder, s) && (data == NULL || read_frames(data, frames, only, s)) ? WEIR_EXIT_FINE
                                                                                            : WEIR_EXIT_INPUT;
}

void weir_board_session_free(weir_board_session *s) {
    weir_reference_free(s->reference);
    weir_array_free(s->labels);
    if (s->frames != NULL) weir_frames_free(s->frames);
    weir_graph_free(s->hardware);
    weir_board_free(s->board);
    weir_board_manifest_free(&s->manifest);
}

bool weir_board_session_metrics(const weir_board_session *s, int64_t *const *codes, int64_t frames,
                                weir_metrics *metrics) {
    if (s->labels == NULL || frames < 1 || frames > s->reference->frames) return false;
    weir_array *decoded = weir_decode(s->hardware, s->reference, (const int64_t *const *)codes, frames, 0);
    if (decoded == NULL) return false;
    *metrics = weir_metrics_of(&s->scoring, decoded, s->labels, frames * s->scoring.entries);
    weir_array_free(decoded);
    return true;
}
