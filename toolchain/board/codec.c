#include "board/codec.h"

#include <assert.h>

#include "dataflow/schedule/stream.h"

weir_remote_stream weir_codec_stream(const weir_graph *hardware, weir_value value) {
    weir_remote_stream stream = {.elements = (uint64_t)weir_stream_elements(hardware, value),
                                 .lanes = (uint32_t)weir_stream_lanes(hardware, value)};
    stream.width = (uint32_t)weir_stream_width(hardware, value, &stream.is_signed);
    assert(stream.elements > 0 && stream.lanes > 0 && stream.width > 0 && stream.width <= 64);
    return stream;
}
