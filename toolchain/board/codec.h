/* Frames of streams as bytes on the wire (boards/common/README.md): a beat of W bits is ceil(W / 8) bytes, what is above its bits is 0. */
#ifndef WEIR_BOARD_CODEC_H
#define WEIR_BOARD_CODEC_H

#include "ir/graph/graph.h"
#include "sim/beats.h"

/* How the stream of a value of the hardware graph travels. */
weir_beats_layout weir_codec_layout(const weir_graph *hardware, weir_value value);
size_t weir_codec_beat_bytes(const weir_beats_layout *layout);
size_t weir_codec_frame_bytes(const weir_beats_layout *layout);
/* A frame's codes, frame_elements of them, as weir_codec_frame_bytes bytes. */
void weir_codec_pack(const weir_beats_layout *layout, const int64_t *code, uint8_t *to);
/* Element `index` of a frame's bytes. */
int64_t weir_codec_element(const weir_beats_layout *layout, const uint8_t *frame, uint64_t index);

#endif
