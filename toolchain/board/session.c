#include "board/session.h"

#include <stdlib.h>
#include <string.h>

#include "dataflow/folding.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/text/diag.h"

static bool read_hardware(const char *folder, weir_board_session *s) {
    char *path = weir_path_join(folder, WEIR_BOARD_DESIGN "/hardware.weir");
    s->hardware = weir_graph_load(path);
    free(path);
    return s->hardware != NULL && weir_folding_verify(s->hardware);
}

static bool read_frames(const char *data, int64_t frames, weir_board_session *s) {
    s->frames = weir_frames_read(s->hardware, data);
    if (s->frames == NULL) return false;
    if (weir_frames_count(s->frames) == 0) {
        weir_error(weir_at(weir_frames_file(s->frames), 0), "there are no frames to run");
        return false;
    }
    s->scoring = weir_scoring_of(s->hardware);
    s->labels = weir_labels_read(s->frames, &s->scoring);
    s->reference = weir_reference_new(s->hardware, weir_frames_arrays(s->frames), frames, 0);
    return s->reference != NULL;
}

int weir_board_session_open(const char *folder, const char *data, int64_t frames, weir_board_session *s) {
    int status = WEIR_EXIT_FINE;
    *s = (weir_board_session){.board = NULL};
    if (!weir_board_manifest_read(folder, &s->manifest)) return WEIR_EXIT_INPUT;
    s->board = weir_board_read(s->manifest.board, &status);
    if (s->board == NULL) return status;
    return read_hardware(folder, s) && read_frames(data, frames, s) ? WEIR_EXIT_FINE : WEIR_EXIT_INPUT;
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
