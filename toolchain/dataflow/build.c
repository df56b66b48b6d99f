#include "dataflow/build.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/target.h"
#include "dataflow/library.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"

/* Nobody asks a survey what its instances are connected to. */
static void connect(weir_builder *b, weir_rtl_instance u, const char *port, weir_rtl_expr expr) {
    if (b->shared == NULL) weir_rtl_connect(b->design, u, port, expr);
}

/* Of a survey: one of each width serves all. */
static weir_rtl_var shared_wire(weir_builder *b, int64_t width) {
    assert(width >= 1);
    const uint64_t *known = weir_map_find(b->shared, (uint64_t)width);
    if (known != NULL) return (weir_rtl_var){(uint32_t)*known};
    char *name = weir_format("wire_%lld", (long long)width);
    const weir_rtl_var wire = weir_rtl_add_wire(b->design, b->top, name, (uint32_t)width);
    free(name);
    *weir_map_put(b->shared, (uint64_t)width) = wire.id;
    return wire;
}

static weir_rtl_var add_wire(weir_builder *b, weir_node node, const char *prefix, const char *suffix, int64_t width) {
    assert(width >= 1);
    if (b->shared != NULL) return shared_wire(b, width);
    char *wanted = weir_format("%s_%s%s", weir_node_name(b->graph, node), prefix, suffix);
    const char *name = weir_rtl_free_name(b->design, b->top, wanted);
    free(wanted);
    return weir_rtl_add_wire(b->design, b->top, name, (uint32_t)width);
}

static weir_rtl_expr read_wire(weir_builder *b, weir_node node, const char *prefix, const char *suffix, int64_t width) {
    return weir_rtl_read(b->design, add_wire(b, node, prefix, suffix, width));
}

weir_rtl_expr weir_build_wire(weir_builder *b, weir_node node, const char *suffix, int64_t width) {
    return read_wire(b, node, "", suffix, width);
}

void weir_build_describe(weir_builder *b, weir_rtl_var data, const weir_wires *stream) {
    if (b->shared != NULL) return;
    char *text =
        weir_format("%lld x %c%d", (long long)stream->lanes, stream->is_signed ? 's' : 'u', stream->element_bits);
    weir_rtl_set_comment(b->design, WEIR_RTL_ITEM(data), text);
    free(text);
}

weir_wires weir_build_stream(weir_builder *b, weir_node node, const char *prefix, int64_t lanes, int element_bits,
                             bool is_signed) {
    assert(lanes >= 1 && element_bits >= 1);
    weir_wires wires = {.lanes = lanes, .element_bits = element_bits, .is_signed = is_signed};
    wires.valid = read_wire(b, node, prefix, "valid", 1);
    wires.ready = read_wire(b, node, prefix, "ready", 1);
    weir_rtl_var data = add_wire(b, node, prefix, "data", lanes * element_bits);
    wires.data = weir_rtl_read(b->design, data);
    wires.last = read_wire(b, node, prefix, "last", 1);
    weir_build_describe(b, data, &wires);
    return wires;
}

const weir_wires *weir_build_input(const weir_builder *b, weir_node node, size_t index) {
    assert(index < weir_stream_count(b->graph, node));
    return &b->wires[weir_stream_source(b->graph, weir_node_input(b->graph, node, index)).id];
}

const weir_wires *weir_build_output(weir_builder *b, weir_node node) {
    weir_value value = weir_node_output(b->graph, node, 0);
    weir_wires *wires = &b->wires[value.id];
    if (b->is_result[value.id] || wires->valid.id != 0) return wires;
    bool is_signed;
    int bits = weir_stream_width(b->graph, value, &is_signed);
    *wires = weir_build_stream(b, node, "", weir_node_metadata_of(b->graph, node)->hardware.out_lanes, bits, is_signed);
    return wires;
}

weir_wires weir_build_widened(weir_builder *b, const weir_wires *stream, int element_bits) {
    assert(element_bits >= stream->element_bits);
    weir_wires wide = *stream;
    const uint32_t own = (uint32_t)stream->element_bits, more = (uint32_t)element_bits - own;
    wide.element_bits = element_bits;
    if (b->shared != NULL || more == 0) return wide;
    weir_rtl_expr *part = weir_malloc((size_t)stream->lanes * 2 * sizeof *part);
    for (int64_t lane = 0; lane < stream->lanes; lane++) {
        const uint32_t low = (uint32_t)lane * own, high = low + own - 1;
        size_t at = (size_t)(stream->lanes - 1 - lane) * 2; /* concatenations start at the top */
        part[at] = stream->is_signed
                       ? weir_rtl_repeat(b->design, more, weir_rtl_slice(b->design, stream->data, high, high))
                       : weir_rtl_constant(b->design, more, 0);
        part[at + 1] = weir_rtl_slice(b->design, stream->data, high, low);
    }
    wide.data = weir_rtl_concat(b->design, (size_t)stream->lanes * 2, part);
    free(part);
    return wide;
}

weir_wires weir_build_signed(weir_builder *b, const weir_wires *stream) {
    if (stream->is_signed) return *stream;
    weir_wires wide = weir_build_widened(b, stream, stream->element_bits + 1);
    wide.is_signed = true;
    return wide;
}

/* An instance u_NODE, or u_NODE_SUFFIX. */
static weir_rtl_instance clocked(weir_builder *b, weir_node node, const char *module, const char *suffix) {
    char *wanted = b->shared != NULL
                       ? weir_format("u%zu", weir_rtl_get_module(b->design, b->top).instance_count)
                       : weir_format("u_%s%s%s", weir_node_name(b->graph, node), suffix[0] == '\0' ? "" : "_", suffix);
    weir_rtl_instance u =
        weir_rtl_add_instance(b->design, b->top, weir_library_module(b->design, module),
                              b->shared != NULL ? wanted : weir_rtl_free_name(b->design, b->top, wanted));
    free(wanted);
    connect(b, u, "clk", weir_rtl_read(b->design, b->clk));
    return u;
}

weir_rtl_instance weir_build_part(weir_builder *b, weir_node node, const char *module, const char *suffix) {
    weir_rtl_instance u = clocked(b, node, module, suffix);
    connect(b, u, "rst", weir_rtl_read(b->design, b->rst));
    return u;
}

weir_rtl_instance weir_build_component(weir_builder *b, weir_node node) {
    return weir_build_part(b, node, weir_component_of(b->graph, node)->module, "");
}

void weir_build_set(weir_builder *b, weir_rtl_instance u, const char *parameter, int64_t value) {
    weir_rtl_set_parameter(b->design, u, parameter, value);
}

void weir_build_set_element(weir_builder *b, weir_rtl_instance u, const char *name, const weir_wires *stream) {
    char parameter[32];
    assert(strlen(name) + sizeof "_SIGNED" <= sizeof parameter);
    snprintf(parameter, sizeof parameter, "%s_W", name);
    weir_build_set(b, u, parameter, stream->element_bits);
    snprintf(parameter, sizeof parameter, "%s_SIGNED", name);
    weir_build_set(b, u, parameter, stream->is_signed);
}

void weir_build_connect(weir_builder *b, weir_rtl_instance u, const char *prefix, const weir_wires *stream) {
    const struct {
        const char *name;
        weir_rtl_expr expr;
    } ports[] = {{"valid", stream->valid}, {"ready", stream->ready}, {"data", stream->data}, {"last", stream->last}};
    for (size_t i = 0; b->shared == NULL && i < 4; i++) {
        if (ports[i].expr.id == 0) continue;
        char *port = weir_format("%s_%s", prefix, ports[i].name);
        connect(b, u, port, ports[i].expr);
        free(port);
    }
}

void weir_build_leave_open(weir_builder *b, weir_rtl_instance u, const char *prefix) {
    static const char *const ports[] = {"valid", "data", "last"};
    if (b->shared != NULL) return;
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++) {
        char *port = weir_format("%s_%s", prefix, ports[i]);
        weir_rtl_leave_open(b->design, u, port);
        free(port);
    }
    weir_build_connect(b, u, prefix, &(weir_wires){.ready = weir_rtl_constant(b->design, 1, 1)});
}

weir_rtl_instance weir_build_lanes(weir_builder *b, weir_node node, const weir_wires **x, const weir_wires **y) {
    *x = weir_build_input(b, node, 0);
    *y = weir_build_output(b, node);
    assert((*x)->lanes == (*y)->lanes);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set(b, u, "LANES", (*x)->lanes);
    return u;
}

weir_rtl_instance weir_build_moved(weir_builder *b, weir_node node, const weir_wires **x, const weir_wires **y) {
    weir_rtl_instance u = weir_build_lanes(b, node, x, y);
    weir_build_set_element(b, u, "X", *x);
    weir_build_set(b, u, "Y_W", (*y)->element_bits);
    return u;
}

void weir_build_connect_through(weir_builder *b, weir_rtl_instance u, const weir_wires *x, const weir_wires *y) {
    weir_build_connect(b, u, "s", x);
    weir_build_connect(b, u, "m", y);
}

/* --- memories --- */

/* What all modules ask that read a memory. */
static void set_words(weir_builder *b, weir_rtl_instance u, const weir_memory *memory) {
    assert(memory->fields >= 1 && memory->field_bits >= 1 && memory->depth >= 1);
    weir_build_set(b, u, "WIDTH", memory->fields * memory->field_bits);
    if (memory->is_odd) weir_build_set(b, u, "ODD", memory->field_bits);
    weir_build_set(b, u, "DEPTH", memory->depth);
}

static void set_file(weir_builder *b, weir_node node, weir_rtl_instance u, const weir_memory *memory,
                     const char *parameter) {
    char *file = weir_memory_file(b->graph, node, memory);
    weir_rtl_set_parameter_string(b->design, u, parameter, file);
    free(file);
}

static void set_style(weir_builder *b, weir_rtl_instance u, const weir_memory *memory) {
    weir_rtl_set_parameter_string(b->design, u, "STYLE", weir_storage_name(memory->storage));
}

/* The memory's side of the instance of its pair, which the first of both makes. */
static void build_side(weir_builder *b, weir_node node, const weir_memory *memory, size_t pair, bool is_b,
                       bool registered, const weir_rom_wires *wires) {
    assert(pair < b->pairs.count);
    typedef struct side_names {
        const char *width, *depth, *init, *registered, *en, *addr, *q;
    } side_names;
    static const side_names sides[] = {{"A_WIDTH", "A_DEPTH", "A_INIT", "A_REGISTERED", "a_en", "a_addr", "a_q"},
                                       {"B_WIDTH", "B_DEPTH", "B_INIT", "B_REGISTERED", "b_en", "b_addr", "b_q"}};
    const side_names *side = &sides[is_b];
    if (b->pair[pair].id == 0) {
        char *suffix = weir_format("%s_pair", memory->suffix);
        b->pair[pair] = clocked(b, node, "weir_rom_pair", suffix);
        free(suffix);
    }
    const weir_rtl_instance u = b->pair[pair];
    const weir_pair_rom *rom = is_b ? &b->pairs.item[pair].b : &b->pairs.item[pair].a;
    weir_build_set(b, u, side->width, rom->width);
    weir_build_set(b, u, side->depth, rom->depth);
    set_file(b, node, u, memory, side->init);
    weir_build_set(b, u, side->registered, registered);
    connect(b, u, side->en, wires->en);
    connect(b, u, side->addr, wires->addr);
    connect(b, u, side->q, wires->q);
}

void weir_build_rom(weir_builder *b, weir_node node, const weir_memory *memory, int64_t copy, bool registered,
                    const weir_rom_wires *wires) {
    assert(copy >= 0);
    bool is_b;
    const size_t pair = weir_pair_of(&b->pairs, node, memory->index, copy, &is_b);
    if (pair < b->pairs.count) {
        build_side(b, node, memory, pair, is_b, registered, wires);
        return;
    }
    weir_rtl_instance u = clocked(b, node, "weir_rom", memory->suffix);
    set_words(b, u, memory);
    set_file(b, node, u, memory, "INIT");
    set_style(b, u, memory);
    weir_build_set(b, u, "REGISTERED", registered);
    connect(b, u, "en", wires->en);
    connect(b, u, "addr", wires->addr);
    connect(b, u, "q", wires->q);
}

/* An instance of a module that reads the memory's words one after the other: `alone` holds the memory too, `reader`
 * reads a side of a pair, always or when its port rom_en says. */
static weir_rtl_instance build_reader(weir_builder *b, weir_node node, const weir_memory *memory, const char *alone,
                                      const char *reader, bool always, bool registered) {
    bool is_b;
    const size_t pair = weir_pair_of(&b->pairs, node, memory->index, 0, &is_b);
    const bool paired = pair < b->pairs.count;
    weir_rtl_instance u = weir_build_part(b, node, paired ? reader : alone, memory->suffix);
    set_words(b, u, memory);
    if (!paired) set_file(b, node, u, memory, "INIT");
    if (!paired || !always) set_style(b, u, memory);
    if (!paired) return u;
    const weir_pair_rom *rom = is_b ? &b->pairs.item[pair].b : &b->pairs.item[pair].a;
    char *prefix = weir_format("%s_", memory->suffix);
    const weir_rom_wires wires = {always ? weir_rtl_constant(b->design, 1, 1) : read_wire(b, node, prefix, "en", 1),
                                  read_wire(b, node, prefix, "addr", rom->depth > 1 ? weir_clog2(rom->depth) : 1),
                                  read_wire(b, node, prefix, "q", rom->width)};
    free(prefix);
    if (!always) connect(b, u, "rom_en", wires.en);
    connect(b, u, "rom_addr", wires.addr);
    connect(b, u, "rom_q", wires.q);
    build_side(b, node, memory, pair, is_b, registered, &wires);
    return u;
}

weir_wires weir_build_memory(weir_builder *b, weir_node node, const weir_memory *memory) {
    char *prefix = weir_format("%s_", memory->suffix);
    weir_wires wires = {.lanes = 1, .element_bits = (int)memory->width};
    wires.valid = read_wire(b, node, prefix, "valid", 1);
    wires.ready = read_wire(b, node, prefix, "ready", 1);
    wires.data = read_wire(b, node, prefix, "data", memory->width);
    free(prefix);
    const weir_target target = weir_target_of(b->graph);
    const bool block = memory->storage == WEIR_STORAGE_BLOCK && memory->depth > 1;
    const bool registered = memory->interval == 1 && block && weir_target_memory_has_output(&target);
    weir_rtl_instance u = build_reader(b, node, memory, "weir_rom_source", "weir_rom_source_reader", false, registered);
    if (memory->interval > 1)
        weir_build_set(b, u, "INTERVAL", 2); /* its word register becomes the block's output register */
    else if (block) weir_build_set(b, u, "REGISTERED", registered);
    weir_build_connect(b, u, "m", &wires);
    return wires;
}

weir_word_wires weir_build_words(weir_builder *b, weir_node node, const weir_memory *memory, int64_t read) {
    assert(read >= 1);
    char *prefix = weir_format("%s_", memory->suffix);
    const weir_word_wires words = {read_wire(b, node, prefix, "next", 1),
                                   read_wire(b, node, prefix, "data", memory->fields * memory->field_bits)};
    free(prefix);
    weir_rtl_instance u =
        build_reader(b, node, memory, "weir_rom_sequence", "weir_rom_sequence_reader", true, read > 1);
    weir_build_set(b, u, "READ", read);
    if (memory->side > 1) weir_build_set(b, u, "WORDS", memory->side);
    connect(b, u, "next", words.next);
    connect(b, u, "q", words.data);
    return words;
}
