/* Shows a waveform as transactions: next to NAME.fst a GTKWave save file, NAME.gtkw, the expected values that it shows,
 * NAME.expected/, and the same streams as commands of Surfer, NAME.sucl. None of them has an absolute path, so the
 * folder may be moved. */
#ifndef WEIR_COSIM_WAVE_H
#define WEIR_COSIM_WAVE_H

#include "sim/beats.h"
#include "sim/driver.h"

/* One stream of the bench. */
typedef struct weir_wave_stream {
    const char *name; /* of the node or the port */
    const char *part; /* instance of the bench: "source", "tap" or "sink", with `index` */
    size_t index;
    weir_beats_layout layout;
    const int64_t *code;        /* expected codes: frames * layout.frame_elements */
    const weir_beats *recorded; /* what the run accepted; NULL: of a source, which sends `code` */
} weir_wave_stream;

typedef struct weir_wave {
    const char *path; /* NAME.fst */
    weir_simulator simulator;
    int64_t frames;
    uint32_t from;     /* first cycle of the waveform */
    uint32_t cycle;    /* of the first divergence */
    const char *where; /* name of the stream that diverges there, or NULL */
    uint64_t element;  /* that diverges, of its frame */
    size_t stream_count;
    const weir_wave_stream *streams;
} weir_wave;

/* False after a reported error. */
bool weir_wave_save(const weir_wave *wave);

#endif
