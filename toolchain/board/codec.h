/* Encodes streams of the hardware graph as bytes on the wire. */
#ifndef WEIR_BOARD_CODEC_H
#define WEIR_BOARD_CODEC_H

#include "graph/stream.h"
#include "ir/graph/graph.h"

weir_remote_stream weir_codec_stream(const weir_graph *hardware, weir_value value);

#endif
