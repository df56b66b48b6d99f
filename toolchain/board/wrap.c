#include "board/wrap.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "board/benchmark.h"
#include "board/codec.h"
#include "board/fill.h"
#include "board/pins.h"
#include "board/taps.h"
#include "dataflow/frame.h"
#include "dataflow/library.h"
#include "dataflow/schedule/stream.h"
#include "rtlir/core/expr.h"
#include "rtlir/reader/read.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verilog/print.h"
#include "support/file/file.h"
#include "support/file/tree.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/text/diag.h"

/* --- the compiled design --- */

/* A number from 1 to `most`; 0: it is none. */
static int64_t read_number(const json_t *object, const char *key, int64_t most) {
    const json_int_t number = json_integer_value(json_object_get(object, key));
    return number > 0 && number <= most ? number : 0;
}

static bool read_streams(const json_t *list, weir_board_stream **streams, size_t *count) {
    *count = json_array_size(list);
    *streams = weir_calloc(*count + 1, sizeof **streams);
    bool fine = *count > 0 && *count <= WEIR_BOARD_MOST_STREAMS;
    for (size_t i = 0; i < *count; i++) {
        const json_t *item = json_array_get(list, i);
        const char *prefix = json_string_value(json_object_get(item, "stream"));
        weir_board_stream *to = &(*streams)[i];
        to->width = read_number(item, "width", WEIR_BOARD_MOST_BITS) * read_number(item, "lanes", WEIR_BOARD_MOST_BITS);
        to->beats = read_number(item, "beats", INT32_MAX);
        to->prefix = prefix == NULL ? NULL : weir_copy_string(prefix);
        fine = fine && prefix != NULL && to->width > 0 && to->width <= WEIR_BOARD_MOST_BITS && to->beats > 0;
    }
    return fine;
}

bool weir_board_design_read(const char *folder, weir_board_design *design) {
    *design = (weir_board_design){.top = NULL};
    char *path = weir_path_join(folder, "host.json");
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    json_error_t error = {.line = 0};
    json_t *host = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    const char *top = json_string_value(json_object_get(host, "top"));
    const json_t *head = json_object_get(host, "head"), *tail = json_object_get(host, "tail");
    bool fine = top != NULL;
    if (fine) design->top = weir_copy_string(top);
    fine = fine && read_streams(json_object_get(head, "outputs"), &design->input, &design->inputs) &&
           read_streams(json_object_get(tail, "inputs"), &design->output, &design->outputs);
    if (!fine && text != NULL) {
        weir_error(weir_at(path, error.line > 0 ? error.line : 1),
                   "expected the top module and the streams of a design");
        weir_note("expected '%s' to be a folder that 'weir compile' wrote", folder);
    }
    json_decref(host);
    free(text);
    free(path);
    return fine;
}

static void free_streams(weir_board_stream *streams, size_t count) {
    for (size_t i = 0; i < count; i++) free(streams[i].prefix);
    free(streams);
}

void weir_board_design_free(weir_board_design *design) {
    free(design->top);
    free_streams(design->input, design->inputs);
    free_streams(design->output, design->outputs);
    *design = (weir_board_design){.top = NULL};
}

int64_t weir_board_frame_bytes(const weir_board_stream *streams, size_t count) {
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += streams[i].beats * ((streams[i].width + 7) / 8);
    return bytes;
}

/* --- ids --- */

typedef struct id_making {
    const char *folder;
    weir_hash verilog, memory;
} id_making;

static bool add_file(void *user, const char *name) {
    id_making *m = user;
    if (strcmp(name, WEIR_BOARD_MODEL_FILE) == 0) return true;
    char *path = weir_path_join(m->folder, name);
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    const char *dot = strrchr(name, '.');
    weir_hash *hash = dot != NULL && strcmp(dot, ".v") == 0 ? &m->verilog : &m->memory;
    if (text != NULL) {
        weir_hash_add_string(hash, name);
        weir_hash_add(hash, text, size);
    }
    free(path);
    free(text);
    return text != NULL;
}

static uint32_t fold(weir_hash hash) { return (uint32_t)(hash.high ^ hash.high >> 32 ^ hash.low ^ hash.low >> 32); }

bool weir_board_wrap_ids(const char *folder, uint32_t *build, uint32_t *model) {
    id_making m = {folder, weir_hash_start(), weir_hash_start()};
    const bool fine = weir_tree_walk(folder, add_file, &m);
    *build = fold(m.verilog);
    *model = fold(m.memory);
    return fine;
}

/* The id's bytes, lowest first, and bytes that follow from it, so that the memory can be told from every other
 * (SplitMix64, S. Vigna). */
bool weir_board_wrap_model(const char *folder, uint32_t model, int64_t bytes) {
    char *path = weir_path_join(folder, WEIR_BOARD_MODEL_FILE);
    weir_text text = {NULL, 0, 0};
    for (int i = 0; i < 4; i++) weir_text_format(&text, "%02x\n", model >> 8 * i & 255);
    uint64_t state = model;
    for (int64_t i = 4; i < bytes; i++) {
        uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        weir_text_format(&text, "%02x\n", (unsigned)(z >> 56));
    }
    const bool fine = weir_file_write(path, text.data, text.size);
    weir_text_free(&text);
    free(path);
    return fine;
}

/* --- the top --- */

typedef struct making {
    const weir_board_wrap *wrap;
    weir_rtl_design *rtl;
    weir_rtl_module top;
    weir_rtl_expr core_clock, reset;
} making;

static weir_rtl_expr wire(making *m, const char *name, int64_t width) {
    return weir_rtl_read(m->rtl, weir_rtl_add_wire(m->rtl, m->top, name, (uint32_t)width));
}

static weir_rtl_expr wire_of(making *m, const char *name, weir_rtl_kind kind) {
    return weir_rtl_read(m->rtl, weir_rtl_add_wire_of(m->rtl, m->top, name, kind));
}

static weir_rtl_instance instance(making *m, const char *module, const char *name) {
    return weir_rtl_add_instance(m->rtl, m->top, weir_library_module(m->rtl, module), name);
}

/* A wire of the core's, of which each stream of the accelerator has a part of `stride` bits, the first stream the
 * lowest. */
typedef struct bus {
    weir_rtl_expr whole;
    uint32_t stride;
} bus;

static bus bus_of(making *m, weir_rtl_instance core, const char *port, size_t streams, int64_t stride) {
    bus b = {wire(m, port, (int64_t)streams * stride), (uint32_t)stride};
    weir_rtl_connect(m->rtl, core, port, b.whole);
    return b;
}

static void connect(making *m, weir_rtl_instance accelerator, const weir_board_stream *stream, const char *what,
                    const bus *from, size_t index, int64_t width) {
    char *port = weir_format("%s_%s", stream->prefix, what);
    const uint32_t low = (uint32_t)index * from->stride;
    weir_rtl_connect(m->rtl, accelerator, port, weir_rtl_slice(m->rtl, from->whole, low + (uint32_t)width - 1, low));
    free(port);
}

/* The core reads all bits of a part that a narrower stream does not give. */
static void fill(making *m, const bus *from, size_t index, int64_t width) {
    const uint32_t low = (uint32_t)index * from->stride + (uint32_t)width, high = (uint32_t)(index + 1) * from->stride;
    if (low == high) return;
    weir_rtl_assign(m->rtl, m->top, weir_rtl_slice(m->rtl, from->whole, high - 1, low),
                    weir_rtl_constant(m->rtl, high - low, 0));
}

static int64_t widest(const weir_board_stream *streams, size_t count) {
    int64_t width = 1;
    for (size_t i = 0; i < count; i++) {
        if (streams[i].width > width) width = streams[i].width;
    }
    return width;
}

/* Numbers of 32 bits side by side, the first stream's lowest. */
static void set_numbers(making *m, weir_rtl_instance core, const char *name, const weir_board_stream *streams,
                        size_t count, bool is_width) {
    uint64_t *words = weir_calloc(count / 2 + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = (uint64_t)(is_width ? streams[i].width : streams[i].beats);
        words[i / 2] |= number << i % 2 * 32;
    }
    weir_rtl_set_parameter_expr(m->rtl, core, name,
                                weir_rtl_constant_words(m->rtl, (uint32_t)(32 * count), false, words));
    free(words);
}

/* All streams of one side, whose ports of the core begin with `side`; `error` tells of damaged frames. */
static void connect_streams(making *m, weir_rtl_instance core, weir_rtl_instance accelerator, char side,
                            const char *error, int64_t error_bits) {
    const weir_board_design *d = m->wrap->design;
    const weir_board_stream *streams = side == 's' ? d->input : d->output;
    const size_t count = side == 's' ? d->inputs : d->outputs;
    const char *const names[] = {"valid", "ready", "data", "last", error};
    enum { NAMES = sizeof names / sizeof *names, DATA = 2, ERROR = 4 };
    bus all[NAMES];
    for (size_t k = 0; k < NAMES; k++) {
        char *port = weir_format("%c_%s", side, names[k]);
        all[k] = bus_of(m, core, port, count, k == DATA ? widest(streams, count) : k == ERROR ? error_bits : 1);
        free(port);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < NAMES; k++) {
            connect(m, accelerator, &streams[i], names[k], &all[k], i,
                    k == DATA    ? streams[i].width
                    : k == ERROR ? error_bits
                                 : 1);
            if (k == DATA && side == 'm') fill(m, &all[k], i, streams[i].width);
        }
    }
}

/* Bits of bench_vary or bench_ones: the element's mask, as often as a beat of the input has elements, at the input's
 * place. */
static void set_mask(uint64_t *words, int64_t at, const weir_remote_stream *stream, uint64_t mask) {
    for (uint32_t bit = 0; bit < stream->lanes * stream->width; bit++) {
        const int64_t to = at + bit;
        words[to / 64] |= (mask >> bit % stream->width & 1) << to % 64;
    }
}

static void set_benchmark(making *m, weir_rtl_instance core) {
    const weir_graph *hardware = m->wrap->hardware;
    const int64_t width = widest(m->wrap->design->input, m->wrap->design->inputs);
    size_t count;
    weir_value *inputs = weir_stream_inputs(hardware, &count);
    const uint32_t bits = (uint32_t)(width * (int64_t)count);
    uint64_t *vary = weir_calloc(bits / 64 + 1, sizeof *vary), *ones = weir_calloc(bits / 64 + 1, sizeof *ones);
    for (size_t i = 0; i < count; i++) {
        const weir_remote_stream stream = weir_codec_stream(hardware, inputs[i]);
        const weir_benchmark_mask mask = weir_benchmark_mask_of(hardware, inputs[i]);
        set_mask(vary, (int64_t)i * width, &stream, mask.vary);
        set_mask(ones, (int64_t)i * width, &stream, mask.ones);
    }
    weir_rtl_set_parameter(m->rtl, core, "BENCHMARK", m->wrap->benchmark);
    weir_rtl_connect(m->rtl, core, "bench_vary", weir_rtl_constant_words(m->rtl, bits, false, vary));
    weir_rtl_connect(m->rtl, core, "bench_ones", weir_rtl_constant_words(m->rtl, bits, false, ones));
    free(ones);
    free(vary);
    free(inputs);
}

/* Those of the accelerator; none are constants. */
static void set_taps(making *m, weir_rtl_instance core, weir_rtl_instance accelerator) {
    const weir_board_wrap *w = m->wrap;
    weir_rtl_expr moves = weir_rtl_constant(m->rtl, 1, 0), data = weir_rtl_constant(m->rtl, 8, 0);
    if (w->taps > 0) {
        moves = wire(m, WEIR_BOARD_TAP_MOVES, (int64_t)w->taps);
        data = wire(m, WEIR_BOARD_TAP_DATA, 8 * w->tap_bytes);
        weir_rtl_connect(m->rtl, accelerator, WEIR_BOARD_TAP_MOVES, moves);
        weir_rtl_connect(m->rtl, accelerator, WEIR_BOARD_TAP_DATA, data);
        weir_rtl_set_parameter(m->rtl, core, "TAPS", (int64_t)w->taps);
        weir_rtl_set_parameter(m->rtl, core, "TAP_BYTES", w->tap_bytes);
    }
    weir_rtl_connect(m->rtl, core, WEIR_BOARD_TAP_MOVES, moves);
    weir_rtl_connect(m->rtl, core, WEIR_BOARD_TAP_DATA, data);
}

/* Where registers begin without a value: the module that says when the device is configured; NULL: they begin with
 * one. */
static const char *configured_module(const weir_board *board) {
    return board->device->family == WEIR_DEVICE_GATEMATE ? "weir_configured_gatemate" : NULL;
}

/* Of the accelerator's memories, where they have ports. */
static void set_memories(making *m, weir_rtl_instance core, weir_rtl_instance accelerator) {
    const weir_board_memories *memories = m->wrap->memories;
    if (memories == NULL) {
        weir_rtl_leave_open(m->rtl, core, WEIR_BOARD_MEMORY_REQUEST);
        weir_rtl_connect(m->rtl, core, WEIR_BOARD_MEMORY_ANSWER, weir_rtl_constant(m->rtl, 10, 0));
        return;
    }
    weir_rtl_set_parameter(m->rtl, core, "READ_BACK", 1);
    weir_rtl_set_parameter(m->rtl, core, "LOADABLE", m->wrap->loadable);
    if (configured_module(m->wrap->board) != NULL) weir_rtl_set_parameter(m->rtl, core, "INITIAL", 0);
    weir_rtl_set_parameter(m->rtl, core, "SELECT_W", memories->select_bits);
    weir_rtl_set_parameter(m->rtl, core, "PLACE_W", memories->place_bits);
    weir_rtl_set_parameter(m->rtl, core, "WORD_W", memories->word_bits);
    const weir_rtl_expr request = wire(m, WEIR_BOARD_MEMORY_REQUEST, weir_board_memories_request_bits(memories)),
                        answer = wire(m, WEIR_BOARD_MEMORY_ANSWER, 10);
    weir_rtl_connect(m->rtl, core, WEIR_BOARD_MEMORY_REQUEST, request);
    weir_rtl_connect(m->rtl, core, WEIR_BOARD_MEMORY_ANSWER, answer);
    weir_rtl_connect(m->rtl, accelerator, WEIR_BOARD_MEMORY_REQUEST, request);
    weir_rtl_connect(m->rtl, accelerator, WEIR_BOARD_MEMORY_ANSWER, answer);
}

static weir_rtl_instance add_core(making *m) {
    const weir_board_wrap *w = m->wrap;
    const weir_board_design *d = w->design;
    const weir_rtl_instance core = instance(m, "weir_board_core", "u_core");
    weir_rtl_set_parameter(m->rtl, core, "CLOCK_HZ", w->clock->hz);
    weir_rtl_set_parameter(m->rtl, core, "BAUD", w->baud);
    weir_rtl_set_parameter_expr(m->rtl, core, "BUILD", weir_rtl_constant(m->rtl, 32, w->build));
    weir_rtl_set_parameter(m->rtl, core, "INPUTS", (int64_t)d->inputs);
    weir_rtl_set_parameter(m->rtl, core, "IN_WIDTH", widest(d->input, d->inputs));
    set_numbers(m, core, "IN_BITS", d->input, d->inputs, true);
    set_numbers(m, core, "IN_BEATS", d->input, d->inputs, false);
    weir_rtl_set_parameter(m->rtl, core, "OUTPUTS", (int64_t)d->outputs);
    weir_rtl_set_parameter(m->rtl, core, "OUT_WIDTH", widest(d->output, d->outputs));
    set_numbers(m, core, "OUT_BITS", d->output, d->outputs, true);
    set_numbers(m, core, "OUT_BEATS", d->output, d->outputs, false);
    weir_rtl_set_parameter(m->rtl, core, "RX_BYTES", w->receive_bytes);
    weir_rtl_set_parameter(m->rtl, core, "TX_BYTES", w->send_bytes);
    set_benchmark(m, core);
    if (weir_fill_is_known(w->board->device))
        weir_rtl_set_parameter_string(m->rtl, core, "MODEL_INIT", WEIR_BOARD_MODEL_FILE);
    else weir_rtl_set_parameter_expr(m->rtl, core, "MODEL", weir_rtl_constant(m->rtl, 32, w->model));
    weir_rtl_connect(m->rtl, core, "clk", m->core_clock);
    weir_rtl_connect(m->rtl, core, "rst", m->reset);
    return core;
}

/* --- pins --- */

static weir_rtl_expr input(making *m, const char *name) {
    return weir_rtl_read(m->rtl, weir_rtl_add_input(m->rtl, m->top, name, 1));
}

static weir_rtl_expr output(making *m, const char *name) {
    return weir_rtl_read(m->rtl, weir_rtl_add_output(m->rtl, m->top, name, 1));
}

static weir_rtl_expr invert_if(making *m, bool is_low, weir_rtl_expr value) {
    return is_low ? weir_rtl_unary(m->rtl, WEIR_RTL_NOT, value) : value;
}

/* Values are texts, "27", or numbers of a width, 4'd0. */
static void set_clock_parameter(making *m, weir_rtl_instance pll, const weir_clock_parameter *parameter) {
    const char *value = parameter->value, *digits = strstr(value, "'d");
    if (*value == '"') {
        char *text = weir_format("%.*s", (int)strlen(value) - 2, value + 1);
        weir_rtl_set_parameter_string(m->rtl, pll, parameter->name, text);
        free(text);
    } else if (digits != NULL) {
        const uint32_t width = (uint32_t)strtoul(value, NULL, 10);
        weir_rtl_set_parameter_expr(m->rtl, pll, parameter->name,
                                    weir_rtl_constant(m->rtl, width, strtoull(digits + 2, NULL, 10)));
    } else {
        weir_rtl_set_parameter(m->rtl, pll, parameter->name, strtoll(value, NULL, 10));
    }
}

/* The cause of a reset that the device itself gives, beside `button`. */
static weir_rtl_expr add_configured(making *m, weir_rtl_instance reset, weir_rtl_expr button) {
    const char *module = configured_module(m->wrap->board);
    if (module == NULL) return button;
    const weir_rtl_expr configured = wire(m, "configured", 1);
    weir_rtl_connect(m->rtl, instance(m, module, "u_configured"), "configured", configured);
    weir_rtl_set_parameter(m->rtl, reset, "INITIAL", 0);
    return weir_rtl_binary(m->rtl, WEIR_RTL_OR, button, weir_rtl_unary(m->rtl, WEIR_RTL_NOT, configured));
}

/* The PLL, if there is one, and the reset that waits for it. */
static void add_clock(making *m) {
    const weir_board_wrap *w = m->wrap;
    const weir_rtl_expr pin = weir_rtl_read(m->rtl, weir_rtl_add_clock(m->rtl, m->top, "clk"));
    weir_rtl_expr locked = weir_rtl_constant(m->rtl, 1, 1), button = weir_rtl_constant(m->rtl, 1, 0);
    m->core_clock = pin;
    if (w->clock->module != NULL) {
        m->core_clock = wire_of(m, WEIR_BOARD_CORE_CLOCK, WEIR_RTL_CLOCK);
        locked = wire(m, "locked", 1);
        const weir_rtl_instance pll = instance(m, w->clock->module, "u_pll");
        for (size_t i = 0; i < w->clock->parameters; i++) set_clock_parameter(m, pll, &w->clock->parameter[i]);
        weir_rtl_connect(m->rtl, pll, "clk_in", pin);
        weir_rtl_connect(m->rtl, pll, "clk", m->core_clock);
        weir_rtl_connect(m->rtl, pll, "locked", locked);
    }
    const weir_board_pin *pressed = weir_board_button(w->board);
    if (pressed != NULL) button = invert_if(m, pressed->active == WEIR_BOARD_LOW, input(m, "button"));
    m->reset = wire_of(m, "rst", WEIR_RTL_RESET);
    const weir_rtl_instance reset = instance(m, "weir_board_reset", "u_reset");
    weir_rtl_connect(m->rtl, reset, "clk", m->core_clock);
    weir_rtl_connect(m->rtl, reset, "locked", locked);
    weir_rtl_connect(m->rtl, reset, "button", add_configured(m, reset, button));
    weir_rtl_connect(m->rtl, reset, "rst", m->reset);
}

static void add_pins(making *m, weir_rtl_instance core) {
    const weir_board *b = m->wrap->board;
    weir_rtl_connect(m->rtl, core, "rx", input(m, "rx"));
    weir_rtl_connect(m->rtl, core, "tx", output(m, "tx"));
    if (b->leds.count == 0) weir_rtl_leave_open(m->rtl, core, "led");
    else {
        const weir_rtl_expr light = wire(m, "light", 1);
        weir_rtl_connect(m->rtl, core, "led", light);
        weir_rtl_assign(m->rtl, m->top, output(m, "led"),
                        invert_if(m, b->leds.item[0].active == WEIR_BOARD_LOW, light));
    }
    uint64_t driven = 0;
    for (size_t i = 0; i < b->drive.count; i++) driven |= (uint64_t)b->drive.item[i].value << i;
    const uint32_t count = (uint32_t)b->drive.count;
    if (count == 0) return;
    const weir_rtl_var drive = weir_rtl_add_output(m->rtl, m->top, "drive", count);
    weir_rtl_assign(m->rtl, m->top, weir_rtl_read(m->rtl, drive), weir_rtl_constant(m->rtl, count, driven));
}

static weir_rtl_instance add_accelerator(making *m, weir_rtl_instance core, const char *folder) {
    char *path = weir_format("%s/%s.v", folder, m->wrap->design->top);
    const weir_rtl_module module = weir_rtl_read_module(m->rtl, path);
    const weir_rtl_instance accelerator = weir_rtl_add_instance(m->rtl, m->top, module, WEIR_BOARD_ACCELERATOR);
    const weir_rtl_expr reset = wire_of(m, "accelerator_rst", WEIR_RTL_RESET);
    weir_rtl_connect(m->rtl, core, "accelerator_rst", reset);
    weir_rtl_connect(m->rtl, accelerator, "clk", m->core_clock);
    weir_rtl_connect(m->rtl, accelerator, "rst", reset);
    free(path);
    return accelerator;
}

static void build(making *m, const char *folder) {
    char *comment = weir_format("Accelerator '%s' on board %s.", m->wrap->design->top, m->wrap->board->name);
    m->top = weir_rtl_add_module(m->rtl, WEIR_BOARD_TOP);
    weir_rtl_set_comment(m->rtl, WEIR_RTL_ITEM(m->top), comment);
    free(comment);
    add_clock(m);
    const weir_rtl_instance core = add_core(m);
    add_pins(m, core);
    const weir_rtl_instance accelerator = add_accelerator(m, core, folder);
    connect_streams(m, core, accelerator, 's', "error_count", 8);
    connect_streams(m, core, accelerator, 'm', "error", 1);
    const weir_rtl_module design = weir_rtl_get_instance(m->rtl, accelerator).module;
    if (weir_rtl_find_var(m->rtl, design, WEIR_FRAME_RESET_STATE).id !=
        0) /* all frames behind a reset are a sequence */
        weir_rtl_connect(m->rtl, accelerator, WEIR_FRAME_RESET_STATE, weir_rtl_constant(m->rtl, 1, 0));
    set_taps(m, core, accelerator);
    set_memories(m, core, accelerator);
}

/* --- files --- */

/* The library's modules below the top that the design has not brought along. */
static bool copy_library(const weir_board_wrap *wrap, const char *folder) {
    weir_library_files files = {NULL, 0, 0};
    weir_library_add(&files, "weir_board_core");
    weir_library_add(&files, "weir_board_reset");
    if (wrap->memories != NULL) weir_board_memories_modules(wrap->memories, &files);
    if (wrap->clock->module != NULL) weir_library_add(&files, wrap->clock->module);
    if (configured_module(wrap->board) != NULL) weir_library_add(&files, configured_module(wrap->board));
    bool fine = weir_library_close(&files, NULL);
    for (size_t i = 0; fine && i < files.count; i++) {
        char *name = weir_format("%s.v", files.file[i].name), *to = weir_path_join(folder, name);
        if (!weir_file_exists(to)) {
            char *text = weir_library_text(files.file[i].name);
            fine = text != NULL && weir_file_write(to, text, strlen(text));
            free(text);
        }
        free(to);
        free(name);
    }
    weir_library_free(&files);
    return fine;
}

bool weir_board_wrap_write(const weir_board_wrap *wrap, const char *folder) {
    making m = {.wrap = wrap, .rtl = weir_rtl_design_new()};
    /* That conditions inside of loops are left to the tools is no news to a user. */
    weir_diag_log *log = weir_diag_capture();
    build(&m, folder);
    const bool fine = weir_rtl_errors(m.rtl) == 0 && weir_library_read_inside(m.rtl) && weir_rtl_verify(m.rtl, m.top) &&
                      weir_rtl_write_module(m.rtl, m.top, NULL, folder);
    weir_diag_release(log);
    if (!fine) weir_diag_replay(log);
    weir_diag_log_free(log);
    weir_rtl_design_free(m.rtl);
    return fine &&
           (!weir_fill_is_known(wrap->board->device) ||
            weir_board_wrap_model(folder, wrap->model, wrap->receive_bytes)) &&
           copy_library(wrap, folder);
}
