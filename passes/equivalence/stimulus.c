#include "passes/equivalence/stimulus.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/stmt.h"
#include "rtlir/core/visitor.h"
#include "support/memory/arena.h"
#include "support/memory/random.h"

enum { MAX_BITS = 1 << 25 };

/* --- the inputs --- */
/* Is there a falling edge of the variable among the events? Resets go through a hierarchy under their own name. */
typedef struct search {
    const char *name;
    bool found;
} search;

static void find_negedge(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    search *s = user;
    if (weir_rtl_get_stmt(design, stmt).kind != WEIR_RTL_STMT_ALWAYS) return;
    for (size_t i = 0; i < weir_rtl_event_count(design, stmt); i++) {
        const weir_rtl_event event = weir_rtl_event_at(design, stmt, i);
        const char *name = weir_rtl_get_var(design, event.var).name;
        if (event.edge == WEIR_RTL_NEGEDGE && strcmp(name, s->name) == 0) s->found = true;
    }
}

static bool is_active_low(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_var_info *port) {
    static const weir_rtl_visitor visitor = {.stmt = find_negedge};
    const size_t length = strlen(port->name);
    if (port->kind != WEIR_RTL_RESET && port->kind != WEIR_RTL_ASYNC_RESET) return false;
    if (length > 2 && strcmp(port->name + length - 2, "_n") == 0) return true;
    search s = {.name = port->name};
    weir_rtl_visit(design, top, WEIR_RTL_CHILDREN_FIRST, &visitor, &s);
    return s.found;
}

static void find_inputs(weir_stimulus *s, weir_rtl_design *design, weir_rtl_module top) {
    const size_t ports = weir_rtl_get_module(design, top).port_count;
    s->input = weir_calloc(ports + 1, sizeof *s->input);
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(design, weir_rtl_port_at(design, top, i));
        if (port.direction != WEIR_RTL_INPUT) continue;
        s->input[s->count++] = (weir_stimulus_input){.name = weir_copy_string(port.name),
                                                     .low = s->width,
                                                     .width = port.width,
                                                     .kind = port.kind,
                                                     .is_low = is_active_low(design, top, &port)};
        s->width += port.width;
    }
}

/* --- the bits --- */
typedef enum shape_kind {
    SHAPE_ZEROS,
    SHAPE_ONES,
    SHAPE_SINGLE,
    SHAPE_REPEAT,
    SHAPE_EQUAL,
    SHAPES = 16 /* the others: random bits */
} shape_kind;

/* Bits of another input of at least this width, for comparisons that hold. */
static bool copy_input(const weir_stimulus *s, size_t index, uint8_t *row, uint64_t choice) {
    const size_t from = (size_t)(choice % s->count);
    if (from >= index || s->input[from].width < s->input[index].width) return false;
    memcpy(row + s->input[index].low, row + s->input[from].low, s->input[index].width);
    return true;
}

static void fill_data(const weir_stimulus *s, size_t index, size_t cycle, uint8_t *row, uint64_t *state) {
    const weir_stimulus_input *input = &s->input[index];
    uint8_t *bits = row + input->low;
    const uint64_t choice = weir_random_next(state);
    const shape_kind shape = (shape_kind)(choice % SHAPES);
    if (shape == SHAPE_REPEAT && cycle > 0) {
        memcpy(bits, bits - (size_t)WEIR_STIMULUS_ROWS * s->width, input->width);
        return;
    }
    if (shape == SHAPE_EQUAL && copy_input(s, index, row, choice >> 8)) return;
    uint64_t word = 0;
    for (uint32_t i = 0; i < input->width; i++) {
        if (i % 64 == 0) word = weir_random_next(state);
        bits[i] = shape == SHAPE_ONES || (shape > SHAPE_ONES && (word >> i % 64 & 1));
    }
    if (shape == SHAPE_SINGLE) {
        memset(bits, 0, input->width);
        bits[word % input->width] = 1;
    }
}

static void fill_cycle(const weir_stimulus *s, size_t cycle, uint64_t *state) {
    uint8_t *row = s->bit + cycle * WEIR_STIMULUS_ROWS * s->width;
    const bool reset = cycle < WEIR_STIMULUS_RESET;
    for (size_t i = 0; i < s->count; i++) {
        const weir_stimulus_input *input = &s->input[i];
        if (input->kind == WEIR_RTL_CLOCK) continue;
        if (input->kind == WEIR_RTL_RESET || input->kind == WEIR_RTL_ASYNC_RESET)
            row[input->low] = (reset || weir_random_next(state) % 48 == 0) != input->is_low;
        else if (input->kind == WEIR_RTL_CLOCK_ENABLE) row[input->low] = weir_random_next(state) % 4 != 0;
        else fill_data(s, i, cycle, row, state);
    }
    memcpy(row + s->width, row, s->width);
    memcpy(row + 2 * (size_t)s->width, row, s->width);
    bool first = true;
    for (size_t i = 0; i < s->count; i++) {
        if (s->input[i].kind != WEIR_RTL_CLOCK) continue;
        row[s->width + s->input[i].low] = first || reset || weir_random_next(state) % 2;
        first = false;
    }
}

weir_stimulus *weir_stimulus_new(weir_rtl_design *design, weir_rtl_module top, size_t cycles, uint64_t seed) {
    weir_stimulus *s = weir_calloc(1, sizeof *s);
    find_inputs(s, design, top);
    const size_t most = MAX_BITS / WEIR_STIMULUS_ROWS / (s->width + 1);
    if (cycles > most) cycles = most + 1;
    s->rows = cycles * WEIR_STIMULUS_ROWS;
    s->bit = weir_calloc(s->rows * s->width + 1, 1);
    uint64_t state = seed;
    for (size_t i = 0; i < cycles; i++) fill_cycle(s, i, &state);
    return s;
}

void weir_stimulus_free(weir_stimulus *s) {
    if (s == NULL) return;
    for (size_t i = 0; i < s->count; i++) free(s->input[i].name);
    free(s->input);
    free(s->bit);
    free(s);
}

/* --- as text --- */
/* Digits of 4 bits, the highest first. */
static void print_digits(const uint8_t *bits, uint32_t width, weir_text *text) {
    for (uint32_t digit = (width + 3) / 4; digit-- > 0;) {
        unsigned value = 0;
        for (uint32_t i = digit * 4; i < width && i < digit * 4 + 4; i++) value |= (unsigned)bits[i] << i % 4;
        weir_text_char(text, "0123456789abcdef"[value]);
    }
}

void weir_stimulus_print(const weir_stimulus *s, weir_text *text) {
    for (size_t row = 0; row < s->rows; row++) {
        if (s->width == 0) weir_text_char(text, '0');
        print_digits(s->bit + row * s->width, s->width, text);
        weir_text_char(text, '\n');
    }
}

void weir_stimulus_print_row(const weir_stimulus *s, size_t row, weir_text *text) {
    const size_t start = text->size;
    for (size_t i = 0; i < s->count; i++) {
        const weir_stimulus_input *input = &s->input[i];
        if (input->kind == WEIR_RTL_CLOCK) continue;
        weir_text_format(text, "%s%s = %u'h", text->size > start ? ", " : "", input->name, (unsigned)input->width);
        print_digits(s->bit + row * s->width + input->low, input->width, text);
    }
}

void weir_stimulus_print_bits(const char *bits, uint32_t width, weir_text *text) {
    if (memchr(bits, 'x', width) != NULL || memchr(bits, 'z', width) != NULL) {
        weir_text_format(text, "%u'b%.*s", (unsigned)width, (int)width, bits);
        return;
    }
    uint8_t *values = weir_malloc(width);
    for (uint32_t i = 0; i < width; i++) values[i] = bits[width - 1 - i] == '1';
    weir_text_format(text, "%u'h", (unsigned)width);
    print_digits(values, width, text);
    free(values);
}
