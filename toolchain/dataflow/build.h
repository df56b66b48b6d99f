/* Building a component in the hardware IR: instances of library modules in the top module, joined by streams. A
 * component's `build` creates the wires of its results and one or more instances, and sets parameters and ports. */
#ifndef WEIR_DATAFLOW_BUILD_H
#define WEIR_DATAFLOW_BUILD_H

#include "dataflow/component.h"
#include "dataflow/pair.h"
#include "rtlir/core/expr.h"
#include "rtlir/core/rtl.h"
#include "support/memory/map.h"

/* One stream: wires in a module. Several outputs of a fork share data and last; a memory's stream has no last. */
typedef struct weir_wires {
    weir_rtl_expr valid, ready, data, last;
    int64_t lanes;
    int element_bits;
    bool is_signed;
} weir_wires;

/* What a State that is kept hears of its next frame (rtl/stream/weir_sequence.v); nothing: of no frame. */
typedef struct weir_begin_wires {
    weir_rtl_expr valid, ready, first;
} weir_begin_wires;

struct weir_builder {
    const weir_graph *graph;
    weir_rtl_design *design;
    weir_rtl_module top;
    weir_rtl_var clk, rst;
    weir_wires *wires;       /* by value id: the stream of each value that has one */
    bool *is_result;         /* by value id: the wires are ports of the top, from the start */
    weir_begin_wires begin;  /* a bit each State that is kept, in graph order */
    weir_pairs pairs;        /* of memories that share blocks: none in a design of one node */
    weir_rtl_instance *pair; /* by pair: its instance, once one of its memories is built */
    /* NULL, or of a design that is never printed: its wires by width; instances have numbers for names, and no
     * connections but those that components make by themselves. */
    weir_map *shared;
};

/* A wire NODE_SUFFIX, or a free name near that. */
weir_rtl_expr weir_build_wire(weir_builder *b, weir_node node, const char *suffix, int64_t width);
/* Wires of a stream inside a component: NODE_PREFIXvalid, NODE_PREFIXready, NODE_PREFIXdata and NODE_PREFIXlast. */
weir_wires weir_build_stream(weir_builder *b, weir_node node, const char *prefix, int64_t lanes, int element_bits,
                             bool is_signed);
/* "16 x u8" as a comment on the data of a stream: what a beat carries. */
void weir_build_describe(weir_builder *b, weir_rtl_var data, const weir_wires *stream);

/* The stream of the node's input. */
const weir_wires *weir_build_input(const weir_builder *b, weir_node node, size_t index);
/* The stream of output 0, made by the first call. */
const weir_wires *weir_build_output(weir_builder *b, weir_node node);
/* The stream with elements of so many bits, no fewer than it has: the same numbers. */
weir_wires weir_build_widened(weir_builder *b, const weir_wires *stream, int element_bits);
/* With each element a bit wider where they are unsigned: they read as signed ones. */
weir_wires weir_build_signed(weir_builder *b, const weir_wires *stream);
/* The node's memory as a stream of its words: an instance of weir_rom_source, or a reader of it and a side of
 * weir_rom_pair. */
weir_wires weir_build_memory(weir_builder *b, weir_node node, const weir_memory *memory);
/* The node's memory as words in order, the next one `read` cycles after each cycle with `next` high: an instance of
 * weir_rom_sequence, or a reader of it and a side of weir_rom_pair. */
typedef struct weir_word_wires {
    weir_rtl_expr next, data;
} weir_word_wires;
weir_word_wires weir_build_words(weir_builder *b, weir_node node, const weir_memory *memory, int64_t read);

/* The ports of a ROM: its registers advance while `en` is high; q is the word at `addr`, one cycle later or, with an
 * output register, two. */
typedef struct weir_rom_wires {
    weir_rtl_expr en, addr, q;
} weir_rom_wires;
/* Copy `copy` of the node's memory: an instance of weir_rom, or a side of weir_rom_pair. `registered`: with an output
 * register. */
void weir_build_rom(weir_builder *b, weir_node node, const weir_memory *memory, int64_t copy, bool registered,
                    const weir_rom_wires *wires);

/* The instance u_NODE of the node's module, with clock and reset; u_NODE_SUFFIX of another one. */
weir_rtl_instance weir_build_component(weir_builder *b, weir_node node);
weir_rtl_instance weir_build_part(weir_builder *b, weir_node node, const char *module, const char *suffix);
void weir_build_set(weir_builder *b, weir_rtl_instance u, const char *parameter, int64_t value);
/* NAME_W and NAME_SIGNED: what an element of the stream is. */
void weir_build_set_element(weir_builder *b, weir_rtl_instance u, const char *name, const weir_wires *stream);
/* Connects PREFIX_valid, PREFIX_ready, PREFIX_data and, where the stream has one, PREFIX_last. */
void weir_build_connect(weir_builder *b, weir_rtl_instance u, const char *prefix, const weir_wires *stream);
/* Leaves PREFIX_valid, PREFIX_data and PREFIX_last open: nobody reads the stream, whose beats all pass. */
void weir_build_leave_open(weir_builder *b, weir_rtl_instance u, const char *prefix);
/* The instance of a node whose streams, input 0 and the output, have the same lanes: LANES. */
weir_rtl_instance weir_build_lanes(weir_builder *b, weir_node node, const weir_wires **x, const weir_wires **y);
/* The same where results are elements and other values beside them: LANES, X_W, X_SIGNED, Y_W. */
weir_rtl_instance weir_build_moved(weir_builder *b, weir_node node, const weir_wires **x, const weir_wires **y);
/* Stream x into the ports s_*, stream y from the ports m_*. */
void weir_build_connect_through(weir_builder *b, weir_rtl_instance u, const weir_wires *x, const weir_wires *y);

#endif
