#include "design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/function.h"
#include "rtlir/core/stmt.h"
#include "rtlir/core/type.h"

enum { MAX_POOL = 200, MAX_PORTS = 6, MAX_MODULES = 8 };

/* A module that can be instantiated. */
typedef struct made {
    weir_rtl_module module;
    size_t inputs, outputs;
    weir_rtl_var in[MAX_PORTS], out[MAX_PORTS];
} made;

typedef struct maker {
    weir_rtl_design *d;
    random_source *r;
    random_form form;
    made module[MAX_MODULES];
    size_t modules;
    int names;     /* makes names of modules */
    bool is_async; /* the reset */
    /* Of the module that is being built: */
    weir_rtl_module m;
    weir_rtl_var clk, rst;
    weir_rtl_expr pool[MAX_POOL]; /* what may be read: everything that is already driven, so nothing loops */
    size_t pool_count;
    int locals;
} maker;

static int64_t pick(maker *k, int64_t low, int64_t high) { return random_range(k->r, low, high); }
static bool chance(maker *k, int percent) { return random_chance(k->r, percent); }

static void offer(maker *k, weir_rtl_expr expr) {
    if (k->pool_count < MAX_POOL) k->pool[k->pool_count++] = expr;
}

static const char *local_name(maker *k, const char *kind) {
    static char name[32];
    snprintf(name, sizeof name, "%s_%d", kind, k->locals++);
    return name;
}

static uint32_t random_width(maker *k) {
    static const uint32_t widths[] = {1, 1, 2, 3, 4, 4, 7, 8, 8, 16, 33, 64, 70};
    return widths[pick(k, 0, sizeof widths / sizeof *widths - 1)];
}

/* --- expressions --- */

static weir_rtl_expr constant(maker *k, uint32_t width, bool is_signed) {
    uint64_t words[3] = {0};
    const size_t count = (width + 63) / 64;
    const bool small = chance(k, 50);
    for (size_t i = 0; i < count; i++) words[i] = small ? i == 0 ? random_bits(k->r) & 3 : 0 : random_bits(k->r);
    if (width % 64 != 0) words[count - 1] &= UINT64_MAX >> (64 - width % 64);
    return weir_rtl_constant_words(k->d, width, is_signed, words);
}

static bool is_signed_expr(const maker *k, weir_rtl_expr e) { return weir_rtl_get_expr(k->d, e).is_signed; }

/* The bits of a variable or a constant, brought to the width and the sign. */
static weir_rtl_expr fit(maker *k, weir_rtl_expr e, uint32_t width, bool is_signed) {
    const uint32_t have = weir_rtl_width(k->d, e);
    const weir_rtl_expr_kind kind = weir_rtl_get_expr(k->d, e).kind;
    const bool has_parts = kind == WEIR_RTL_EXPR_VAR;
    if (have > width && has_parts) {
        const uint32_t low = (uint32_t)pick(k, 0, have - width);
        e = weir_rtl_slice(k->d, e, low + width - 1, low);
    } else if (have < width && (has_parts || !is_signed_expr(k, e))) {
        e = weir_rtl_extend(k->d, e, width);
    }
    if (weir_rtl_width(k->d, e) != width) return constant(k, width, is_signed);
    if (is_signed_expr(k, e) == is_signed) return e;
    return is_signed ? weir_rtl_as_signed(k->d, e) : weir_rtl_as_unsigned(k->d, e);
}

static weir_rtl_expr leaf(maker *k, uint32_t width, bool is_signed) {
    if (k->pool_count == 0 || chance(k, 12)) return constant(k, width, is_signed);
    const size_t recent = k->pool_count > 8 && chance(k, 60) ? k->pool_count - 8 : 0;
    return fit(k, k->pool[pick(k, (int64_t)recent, (int64_t)k->pool_count - 1)], width, is_signed);
}

static weir_rtl_expr any(maker *k, uint32_t width, bool is_signed, int depth);

static weir_rtl_expr bit_of(maker *k, int depth) {
    const uint32_t width = random_width(k);
    const bool is_signed = chance(k, 30);
    static const weir_rtl_operator compare[] = {WEIR_RTL_LESS,          WEIR_RTL_LESS_EQUAL, WEIR_RTL_GREATER,
                                                WEIR_RTL_GREATER_EQUAL, WEIR_RTL_EQUAL,      WEIR_RTL_NOT_EQUAL};
    static const weir_rtl_operator reduce[] = {WEIR_RTL_REDUCE_AND, WEIR_RTL_REDUCE_OR, WEIR_RTL_REDUCE_XOR};
    switch (pick(k, 0, 3)) {
    case 0: {
        const weir_rtl_operator op = reduce[pick(k, 0, 2)];
        return weir_rtl_unary(k->d, op, any(k, width, is_signed, depth - 1));
    }
    case 1: {
        const weir_rtl_operator op = chance(k, 50) ? WEIR_RTL_LOGICAL_AND : WEIR_RTL_LOGICAL_OR;
        const weir_rtl_expr left = any(k, 1, false, depth - 1);
        return weir_rtl_binary(k->d, op, left, any(k, 1, false, depth - 1));
    }
    case 2: return weir_rtl_unary(k->d, WEIR_RTL_LOGICAL_NOT, any(k, 1, false, depth - 1));
    default: {
        const weir_rtl_operator op = compare[pick(k, 0, 5)];
        const weir_rtl_expr left = any(k, width, is_signed, depth - 1);
        return weir_rtl_binary(k->d, op, left, any(k, width, is_signed, depth - 1));
    }
    }
}

/* Divisions by zero give x and are left out; powers have small exponents. */
static weir_rtl_expr arithmetic(maker *k, uint32_t width, bool is_signed, int depth) {
    static const weir_rtl_operator same[] = {WEIR_RTL_ADD, WEIR_RTL_SUBTRACT, WEIR_RTL_MULTIPLY, WEIR_RTL_AND,
                                             WEIR_RTL_OR,  WEIR_RTL_XOR,      WEIR_RTL_SUBTRACT, WEIR_RTL_ADD};
    static const weir_rtl_operator shift[] = {WEIR_RTL_SHIFT_LEFT, WEIR_RTL_SHIFT_RIGHT,
                                              WEIR_RTL_SHIFT_RIGHT_ARITHMETIC};
    const weir_rtl_expr left = any(k, width, is_signed, depth - 1);
    const bool is_shift = chance(k, 25);
    const weir_rtl_operator op = is_shift ? shift[pick(k, 0, 2)] : same[pick(k, 0, 7)];
    return weir_rtl_binary(k->d, op, left, is_shift ? any(k, 3, false, 0) : any(k, width, is_signed, depth - 1));
}

static weir_rtl_expr composed(maker *k, uint32_t width, int depth) {
    if (width % 2 == 0 && chance(k, 40)) return weir_rtl_repeat(k->d, 2, any(k, width / 2, false, depth - 1));
    const uint32_t low = (uint32_t)pick(k, 1, width - 1);
    const weir_rtl_expr high = any(k, width - low, false, depth - 1);
    return weir_rtl_concat2(k->d, high, any(k, low, false, depth - 1));
}

static weir_rtl_expr any(maker *k, uint32_t width, bool is_signed, int depth) {
    if (depth <= 0 || chance(k, 20)) return leaf(k, width, is_signed);
    if (width == 1 && !is_signed && chance(k, 60)) return bit_of(k, depth);
    switch (pick(k, 0, 5)) {
    case 0:
        if (!is_signed && width > 1) return composed(k, width, depth);
        break;
    case 1: {
        const weir_rtl_expr condition = any(k, 1, false, depth - 1), yes = any(k, width, is_signed, depth - 1);
        return weir_rtl_conditional(k->d, condition, yes, any(k, width, is_signed, depth - 1));
    }
    case 2: {
        const weir_rtl_operator op = chance(k, 70) ? WEIR_RTL_NOT : WEIR_RTL_NEGATE;
        return weir_rtl_unary(k->d, op, any(k, width, is_signed, depth - 1));
    }
    default: break;
    }
    return arithmetic(k, width, is_signed, depth);
}

/* --- statements --- */

/* An assignment in a process or a body, undecided in the elaborated form. */
static void put(maker *k, weir_rtl_block block, weir_rtl_expr target, weir_rtl_expr value, weir_rtl_timing timing) {
    weir_rtl_add_assign(k->d, block, target, value, k->form == RANDOM_ELABORATED ? WEIR_RTL_UNDECIDED : timing);
}

static weir_rtl_block body(const maker *k) { return weir_rtl_get_module(k->d, k->m).body; }

static void assign(maker *k, weir_rtl_expr target, weir_rtl_expr value) {
    put(k, body(k), target, value, WEIR_RTL_CONTINUOUS);
}

static weir_rtl_expr variable(maker *k, const char *kind, uint32_t width, bool is_signed) {
    return weir_rtl_read(k->d, weir_rtl_add_variable(k->d, k->m, local_name(k, kind), width, is_signed));
}

static void add_wire(maker *k) {
    const uint32_t width = random_width(k);
    const bool is_signed = chance(k, 30);
    const weir_rtl_expr value = any(k, width, is_signed, 3), target = variable(k, "w", width, is_signed);
    assign(k, target, value);
    offer(k, target);
}

/* Several wires in a row that are the same. */
static void add_chain(maker *k) {
    const uint32_t width = random_width(k);
    weir_rtl_expr last = leaf(k, width, false);
    for (int64_t i = pick(k, 1, 4); i > 0; i--) {
        const weir_rtl_expr next = variable(k, "chain", width, false);
        assign(k, next, last);
        last = next;
    }
    offer(k, last);
}

/* Bit by bit, or in two parts, from another variable: in order, reversed, or from elsewhere. */
static void add_parts(maker *k) {
    const uint32_t width = (uint32_t)pick(k, 2, 8);
    const weir_rtl_expr from = variable(k, "from", width, false), to = variable(k, "to", width, false);
    const int64_t style = pick(k, 0, 3);
    assign(k, from, any(k, width, false, 2));
    if (style == 0) {
        const uint32_t middle = (uint32_t)pick(k, 1, width - 1);
        assign(k, weir_rtl_slice(k->d, to, width - 1, middle), weir_rtl_slice(k->d, from, width - 1, middle));
        assign(k, weir_rtl_slice(k->d, to, middle - 1, 0), weir_rtl_slice(k->d, from, middle - 1, 0));
    }
    for (uint32_t i = 0; style != 0 && i < width; i++) {
        const uint32_t index = style == 1 ? i : style == 2 ? width - 1 - i : (uint32_t)pick(k, 0, width - 1);
        assign(k, weir_rtl_bit(k->d, to, i), weir_rtl_bit(k->d, from, index));
    }
    offer(k, to);
}

static void set_targets(maker *k, weir_rtl_block block, const weir_rtl_expr *target, size_t count,
                        weir_rtl_timing timing) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t width = weir_rtl_width(k->d, target[i]);
        const bool is_signed = is_signed_expr(k, target[i]);
        if (width > 2 && !is_signed && chance(k, 15)) {
            const uint32_t low = (uint32_t)pick(k, 0, width - 2);
            put(k, block, weir_rtl_slice(k->d, target[i], low + 1, low), any(k, 2, false, 2), timing);
        } else if (chance(k, 80)) {
            put(k, block, target[i], any(k, width, is_signed, 2), timing);
        }
    }
}

/* if (x == 0) ... else if (x == 1) ... : what becomes a case. Constants may repeat. */
static void add_if_chain(maker *k, weir_rtl_block block, const weir_rtl_expr *target, size_t count,
                         weir_rtl_timing timing) {
    const uint32_t width = (uint32_t)pick(k, 1, 3);
    const weir_rtl_expr selector = variable(k, "sel", width, false);
    assign(k, selector, any(k, width, false, 1));
    const int64_t arms = pick(k, 2, 5);
    for (int64_t i = 0; i < arms; i++) {
        const uint64_t value = (uint64_t)pick(k, 0, (1 << width) - 1);
        const weir_rtl_stmt branch = weir_rtl_add_if(
            k->d, block, weir_rtl_binary(k->d, WEIR_RTL_EQUAL, selector, weir_rtl_constant(k->d, width, value)));
        set_targets(k, weir_rtl_then(k->d, branch), target, count, timing);
        if (i + 1 == arms && chance(k, 40)) break;
        block = weir_rtl_else(k->d, branch);
        if (i + 1 == arms) set_targets(k, block, target, count, timing);
    }
}

static void add_case(maker *k, weir_rtl_block block, const weir_rtl_expr *target, size_t count,
                     weir_rtl_timing timing) {
    const uint32_t width = (uint32_t)pick(k, 1, 2);
    const weir_rtl_stmt choice = weir_rtl_add_case(k->d, block, any(k, width, false, 1));
    for (uint64_t value = 0; value < (uint64_t)1 << width; value++) {
        if (!chance(k, 75)) continue;
        const weir_rtl_block item = weir_rtl_add_case_item(k->d, choice, weir_rtl_constant(k->d, width, value));
        set_targets(k, item, target, count, timing);
    }
    if (chance(k, 60)) set_targets(k, weir_rtl_add_default(k->d, choice), target, count, timing);
}

static void add_content(maker *k, weir_rtl_block block, const weir_rtl_expr *target, size_t count,
                        weir_rtl_timing timing, int depth) {
    for (int64_t i = pick(k, 1, 3); i > 0; i--) {
        switch (pick(k, 0, 4)) {
        case 0: add_if_chain(k, block, target, count, timing); break;
        case 1: add_case(k, block, target, count, timing); break;
        case 2: {
            const weir_rtl_stmt branch = weir_rtl_add_if(k->d, block, any(k, 1, false, 2));
            const weir_rtl_block then = weir_rtl_then(k->d, branch);
            if (depth > 0 && chance(k, 50)) add_content(k, then, target, count, timing, depth - 1);
            else if (chance(k, 80)) set_targets(k, then, target, count, timing);
            if (chance(k, 50)) set_targets(k, weir_rtl_else(k->d, branch), target, count, timing);
            break;
        }
        default: set_targets(k, block, target, count, timing); break;
        }
    }
}

static void add_combinational(maker *k) {
    weir_rtl_expr target[2];
    const size_t count = (size_t)pick(k, 1, 2);
    const weir_rtl_block block = weir_rtl_add_combinational(k->d, k->m);
    for (size_t i = 0; i < count; i++) {
        const uint32_t width = random_width(k);
        target[i] = variable(k, "c", width, chance(k, 20));
        put(k, block, target[i], any(k, width, is_signed_expr(k, target[i]), 1), WEIR_RTL_BLOCKING);
    }
    add_content(k, block, target, count, WEIR_RTL_BLOCKING, 1);
    for (size_t i = 0; i < count; i++) offer(k, target[i]);
}

/* Registers may be read before their process stands, so they feed each other and themselves. */
static void add_registers(maker *k) {
    weir_rtl_expr target[2];
    const size_t count = (size_t)pick(k, 1, 2);
    const bool is_dead = chance(k, 10);
    for (size_t i = 0; i < count; i++) {
        const uint32_t width = random_width(k);
        target[i] = variable(k, "r", width, chance(k, 20));
        if (!is_dead) offer(k, target[i]);
    }
    const weir_rtl_block block = weir_rtl_add_always(k->d, k->m, WEIR_RTL_POSEDGE, k->clk);
    if (k->is_async) weir_rtl_add_event(k->d, block, WEIR_RTL_POSEDGE, k->rst);
    const weir_rtl_stmt reset =
        weir_rtl_add_if(k->d, block, weir_rtl_as(k->d, weir_rtl_read(k->d, k->rst), WEIR_RTL_DATA));
    for (size_t i = 0; i < count; i++) {
        const uint32_t width = weir_rtl_width(k->d, target[i]);
        put(k, weir_rtl_then(k->d, reset), target[i], constant(k, width, is_signed_expr(k, target[i])),
            WEIR_RTL_NONBLOCKING);
        const weir_rtl_expr own = is_dead ? target[i] : any(k, width, is_signed_expr(k, target[i]), 2);
        put(k, weir_rtl_else(k->d, reset), target[i], is_dead ? weir_rtl_unary(k->d, WEIR_RTL_NOT, own) : own,
            WEIR_RTL_NONBLOCKING);
    }
    if (!is_dead) add_content(k, weir_rtl_else(k->d, reset), target, count, WEIR_RTL_NONBLOCKING, 1);
}

/* A sum of the bits of a variable in a loop. */
static void add_loop(maker *k) {
    const uint32_t width = (uint32_t)pick(k, 2, 8);
    const weir_rtl_expr x = variable(k, "bits", width, false), n = variable(k, "ones", 4, false);
    const weir_rtl_var iterator = weir_rtl_add_iterator(k->d, k->m, local_name(k, "i"));
    assign(k, x, any(k, width, false, 2));
    const weir_rtl_block block = weir_rtl_add_combinational(k->d, k->m);
    put(k, block, n, weir_rtl_constant(k->d, 4, 0), WEIR_RTL_BLOCKING);
    const weir_rtl_block loop = weir_rtl_add_for(k->d, block, iterator, 0, width, 1);
    const weir_rtl_expr bit = weir_rtl_select(k->d, x, weir_rtl_read(k->d, iterator), 1);
    put(k, loop, n, weir_rtl_binary(k->d, WEIR_RTL_ADD, n, weir_rtl_extend(k->d, bit, 4)), WEIR_RTL_BLOCKING);
    offer(k, n);
}

static void add_function(maker *k) {
    const weir_rtl_function f = weir_rtl_add_function(k->d, k->m, local_name(k, "f"), 8, false);
    const weir_rtl_expr a = weir_rtl_read(k->d, weir_rtl_add_argument(k->d, f, "a", 8, false));
    const weir_rtl_expr b = weir_rtl_read(k->d, weir_rtl_add_argument(k->d, f, "b", 8, false));
    const weir_rtl_block block = weir_rtl_get_function(k->d, f).body;
    const weir_rtl_stmt branch = weir_rtl_add_if(k->d, block, weir_rtl_binary(k->d, WEIR_RTL_LESS, a, b));
    weir_rtl_add_return(k->d, weir_rtl_then(k->d, branch), weir_rtl_binary(k->d, WEIR_RTL_SUBTRACT, b, a));
    weir_rtl_add_return(k->d, block, weir_rtl_binary(k->d, WEIR_RTL_SUBTRACT, a, b));
    weir_rtl_expr arguments[2];
    for (int i = 0; i < 2; i++) arguments[i] = any(k, 8, false, 1);
    const weir_rtl_expr y = variable(k, "call", 8, false);
    assign(k, y, weir_rtl_call(k->d, f, 2, arguments));
    offer(k, y);
}

/* An array whose elements are assigned one by one and read by a computed index. */
static void add_array(maker *k) {
    const weir_rtl_shape four = {.width = 4};
    const weir_rtl_expr a = weir_rtl_read(
        k->d, weir_rtl_add_typed(k->d, k->m, local_name(k, "a"), weir_rtl_array_of(k->d, 4, four), WEIR_RTL_INTERNAL));
    for (uint32_t i = 0; i < 4; i++) assign(k, weir_rtl_element_at(k->d, a, i), any(k, 4, false, 1));
    const weir_rtl_expr y = variable(k, "element", 4, false);
    assign(k, y, weir_rtl_element(k->d, a, leaf(k, 2, false)));
    offer(k, y);
}

static void add_struct(maker *k) {
    weir_rtl_type pair = weir_rtl_find_type(k->d, "pair");
    if (pair.id == 0) {
        pair = weir_rtl_add_struct(k->d, "pair");
        weir_rtl_add_field(k->d, pair, "high", (weir_rtl_shape){.width = 5, .is_signed = true});
        weir_rtl_add_field(k->d, pair, "low", (weir_rtl_shape){.width = 3});
    }
    const weir_rtl_expr s =
        weir_rtl_read(k->d, weir_rtl_add_typed(k->d, k->m, local_name(k, "s"), pair, WEIR_RTL_INTERNAL));
    assign(k, weir_rtl_field(k->d, s, "high"), any(k, 5, true, 1));
    assign(k, weir_rtl_field(k->d, s, "low"), any(k, 3, false, 1));
    const weir_rtl_expr y = variable(k, "field", 5, true);
    assign(k, y, weir_rtl_field(k->d, s, "high"));
    offer(k, y);
}

/* --- instances --- */

static void wire_input(maker *k, weir_rtl_instance u, weir_rtl_var port, weir_rtl_expr value) {
    const weir_rtl_var_info info = weir_rtl_get_var(k->d, port);
    if (k->form == RANDOM_EMITTED) weir_rtl_connect(k->d, u, info.name, value);
    else assign(k, weir_rtl_port_of(k->d, u, port), value);
}

static void add_instance(maker *k) {
    if (k->modules == 0) return;
    const made *child = &k->module[pick(k, 0, (int64_t)k->modules - 1)];
    const char *name = local_name(k, "u");
    const weir_rtl_instance u = k->form == RANDOM_EMITTED
                                    ? weir_rtl_add_instance(k->d, k->m, child->module, name)
                                    : weir_rtl_add_wired_instance(k->d, k->m, child->module, name);
    wire_input(k, u, weir_rtl_find_var(k->d, child->module, "clk"), weir_rtl_read(k->d, k->clk));
    wire_input(k, u, weir_rtl_find_var(k->d, child->module, "rst"), weir_rtl_read(k->d, k->rst));
    for (size_t i = 0; i < child->inputs; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(k->d, child->in[i]);
        wire_input(k, u, child->in[i], any(k, port.width, port.is_signed, chance(k, 50) ? 0 : 1));
    }
    for (size_t i = 0; i < child->outputs; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(k->d, child->out[i]);
        if (chance(k, 10)) {
            if (k->form == RANDOM_EMITTED) weir_rtl_leave_open(k->d, u, port.name);
            continue;
        }
        const weir_rtl_expr y = variable(k, "y", port.width, port.is_signed);
        if (k->form == RANDOM_EMITTED) weir_rtl_connect(k->d, u, port.name, y);
        else assign(k, y, weir_rtl_port_of(k->d, u, child->out[i]));
        offer(k, y);
    }
}

/* --- modules --- */

static void begin_module(maker *k, const char *name) {
    made *m = &k->module[k->modules];
    k->m = k->form == RANDOM_ELABORATED && strcmp(name, "top") != 0 ? weir_rtl_add_generator(k->d, "part")
                                                                    : weir_rtl_add_module(k->d, name);
    k->pool_count = 0;
    k->locals = 0;
    k->clk = weir_rtl_add_clock(k->d, k->m, "clk");
    k->rst = weir_rtl_add_port(k->d, k->m, "rst", 1, WEIR_RTL_INPUT,
                               k->is_async ? WEIR_RTL_ASYNC_RESET : WEIR_RTL_RESET, false);
    *m = (made){.module = k->m};
}

static weir_rtl_var add_port(maker *k, weir_rtl_direction direction, size_t index, uint32_t width, bool is_signed) {
    char name[32];
    snprintf(name, sizeof name, "%s_%zu", direction == WEIR_RTL_INPUT ? "in" : "out", index);
    return weir_rtl_add_port(k->d, k->m, name, width, direction, WEIR_RTL_DATA, is_signed);
}

static void name_part(maker *k, char *name, size_t size) { snprintf(name, size, "part_%d", k->names++); }

/* Outputs are inputs; clock and reset are for those that instantiate all alike. */
static void add_pass_through(maker *k) {
    char name[24];
    name_part(k, name, sizeof name);
    begin_module(k, name);
    made *m = &k->module[k->modules++];
    m->inputs = m->outputs = (size_t)pick(k, 1, 2);
    for (size_t i = 0; i < m->inputs; i++) m->in[i] = add_port(k, WEIR_RTL_INPUT, i, 4 + (uint32_t)i, false);
    for (size_t i = 0; i < m->inputs; i++) {
        m->out[i] = add_port(k, WEIR_RTL_OUTPUT, i, 4 + (uint32_t)i, false);
        assign(k, weir_rtl_read(k->d, m->out[i]), weir_rtl_read(k->d, m->in[i]));
    }
}

static void add_module(maker *k, const char *name, int64_t size) {
    static void (*const parts[])(maker *) = {
        add_wire,     add_wire,  add_wire,   add_chain,    add_parts,    add_combinational, add_registers,    add_loop,
        add_function, add_array, add_struct, add_instance, add_instance, add_registers,     add_combinational};
    begin_module(k, name);
    made *m = &k->module[k->modules];
    m->inputs = (size_t)pick(k, 1, 3);
    m->outputs = (size_t)pick(k, 1, 3);
    for (size_t i = 0; i < m->inputs; i++) {
        const uint32_t width = random_width(k);
        m->in[i] = add_port(k, WEIR_RTL_INPUT, i, width, chance(k, 30));
        offer(k, weir_rtl_read(k->d, m->in[i]));
    }
    for (size_t i = 0; i < m->outputs; i++) {
        const uint32_t width = random_width(k);
        m->out[i] = add_port(k, WEIR_RTL_OUTPUT, i, width, chance(k, 30));
    }
    for (int64_t i = 0; i < size; i++) parts[pick(k, 0, sizeof parts / sizeof *parts - 1)](k);
    if (chance(k, 30)) weir_rtl_add_variable(k->d, k->m, "unused", 4, false);
    for (size_t i = 0; i < m->outputs; i++) {
        const weir_rtl_var_info port = weir_rtl_get_var(k->d, m->out[i]);
        assign(k, weir_rtl_read(k->d, m->out[i]), any(k, port.width, port.is_signed, 2));
    }
    k->modules++;
}

weir_rtl_design *random_design(random_source *r, random_form form) {
    maker k = {.d = weir_rtl_design_new(), .r = r, .form = form};
    k.is_async = chance(&k, 40);
    const int64_t children = pick(&k, 0, 4);
    for (int64_t i = 0; i < children; i++) {
        char name[24];
        if (chance(&k, 20)) {
            add_pass_through(&k);
            continue;
        }
        name_part(&k, name, sizeof name);
        add_module(&k, name, pick(&k, 1, 5));
    }
    add_module(&k, "top", pick(&k, 3, 10));
    if (weir_rtl_errors(k.d) > 0) abort();
    return k.d;
}
