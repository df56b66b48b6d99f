#include "board/codec.h"

#include <assert.h>
#include <string.h>

#include "dataflow/schedule/stream.h"

weir_beats_layout weir_codec_layout(const weir_graph *hardware, weir_value value) {
    weir_beats_layout layout = {.lanes = (uint32_t)weir_stream_lanes(hardware, value),
                                .frame_elements = (uint64_t)weir_stream_elements(hardware, value)};
    layout.element_bits = (uint32_t)weir_stream_width(hardware, value, &layout.is_signed);
    assert(layout.lanes > 0 && layout.element_bits > 0 && layout.element_bits <= 64);
    return layout;
}

size_t weir_codec_beat_bytes(const weir_beats_layout *layout) { return (weir_beats_width(layout) + 7) / 8; }

size_t weir_codec_frame_bytes(const weir_beats_layout *layout) {
    return (size_t)weir_beats_per_frame(layout) * weir_codec_beat_bytes(layout);
}

void weir_codec_pack(const weir_beats_layout *layout, const int64_t *code, uint8_t *to) {
    const size_t size = weir_codec_beat_bytes(layout);
    memset(to, 0, weir_codec_frame_bytes(layout));
    for (uint64_t element = 0; element < layout->frame_elements; element++) {
        uint8_t *beat = to + (size_t)(element / layout->lanes) * size;
        size_t bit = (size_t)(element % layout->lanes) * layout->element_bits;
        for (uint32_t k = 0; k < layout->element_bits; k++, bit++)
            beat[bit / 8] |= (uint8_t)(((uint64_t)code[element] >> k & 1) << bit % 8);
    }
}

int64_t weir_codec_element(const weir_beats_layout *layout, const uint8_t *frame, uint64_t index) {
    assert(index < layout->frame_elements);
    const uint8_t *beat = frame + (size_t)(index / layout->lanes) * weir_codec_beat_bytes(layout);
    uint64_t value = 0;
    size_t bit = (size_t)(index % layout->lanes) * layout->element_bits;
    for (uint32_t k = 0; k < layout->element_bits; k++, bit++) value |= (uint64_t)(beat[bit / 8] >> bit % 8 & 1) << k;
    if (layout->is_signed && layout->element_bits < 64 && value >> (layout->element_bits - 1) != 0)
        value |= UINT64_MAX << layout->element_bits;
    return (int64_t)value;
}
