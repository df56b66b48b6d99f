/* Normalization of rows along the innermost dimension: weir_normalize, LANES elements a cycle.
 * Memories: word i of "base" is c of the table's row i, of "slope" {b, a}; "scale" holds {offset, gain} of a beat's
 * elements in order, or, where one serves several beats, of one element. Offsets have half a step of the result. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "exec/normalize.h"
#include "support/memory/arena.h"

enum { MOST_BITS = 32, BLOCK = 18, FACTOR_W = 33, COARSE_STEP = 4, SHARE = 3 };
/* Constants of x: the table, gains, offsets. */
enum { ROOT = 1, GAIN, OFFSET };

static const weir_type *input_type(const weir_graph *graph, weir_node node, size_t index) {
    assert(weir_node_op(graph, node) == WEIR_OP_NORMALIZE_CODES);
    return weir_value_type(graph, weir_node_input(graph, node, index));
}

/* What the module has as parameters, of an instance with so many lanes: names are those of rtl/norm. */
typedef struct layout {
    int64_t lanes, length, beats, zero, x, sum, squares, a, t, stages, coarse, gain, offset;
    int64_t square, summed, root, first, second, scaled; /* cycles of the steps */
    int64_t rows, wait;                                  /* of the ring; from a row's last beat to its first scaled */
    bool shared;
    weir_normalize n;
} layout;

/* Products of blocks of two signed operands. */
static int64_t pieces(int64_t bits) { return bits < 3 ? 1 : weir_ceil_divide(bits - 1, BLOCK - 1); }

/* As zero: in the middle where the mean is subtracted anyway. */
static int64_t zero_of(const weir_normalize *n, const weir_type *x) {
    if (n->mode != WEIR_NORMALIZE_MEAN) return n->zero;
    return x->low >= 0 ? (int64_t)1 << (weir_bits_for(0, x->high) - 1) : 0;
}

/* A memory block with an output register passes it, for the clock. */
static int64_t table_cycles(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    weir_memory base, slope;
    weir_memory_get(graph, node, 0, &base);
    weir_memory_get(graph, node, 1, &slope);
    const bool block = base.storage == WEIR_STORAGE_BLOCK || slope.storage == WEIR_STORAGE_BLOCK;
    return block && weir_target_memory_has_output(&target) ? 2 : 1;
}

static void set_widths(layout *l, const weir_graph *graph, weir_node node) {
    const weir_type *x = input_type(graph, node, 0);
    const bool mean = l->n.mode == WEIR_NORMALIZE_MEAN;
    const int64_t low = x->low - l->zero, high = x->high - l->zero;
    l->x = weir_bits_for(low < -1 ? low : -2, high);
    l->sum = l->x + weir_clog2(l->length) + (l->n.mode == WEIR_NORMALIZE_MAGNITUDE);
    l->squares = 2 * l->x - 1 + weir_clog2(l->length);
    l->a = mean ? l->x + 1 + weir_clog2(l->length) : l->x;
    int least;
    frexp(weir_normalize_least(&l->n), &least);
    const int64_t places = l->n.bits > least ? (l->n.bits - least) / 2 : 0; /* the largest n where an a is not 0 */
    l->coarse = places / COARSE_STEP;
    l->stages = places < 4 ? 2 : weir_bits_for(0, places);
    /* |a| is at most sqrt(D (N - 1)), or sqrt(D): 2^29 sqrt(2^(bits - fraction)) of it, a sign, and one for P's
     * error */
    const int64_t own = l->a + FACTOR_W + COARSE_STEP * l->coarse;
    l->t = WEIR_NORMALIZE_ROOT_BITS - 1 + weir_ceil_divide(l->n.bits - l->n.fraction, 2) + 2 +
           (mean ? weir_ceil_divide(weir_clog2(l->length), 2) : 0);
    if (l->t > own) l->t = own;
    l->gain = weir_memory_signed_bits(graph, weir_node_input(graph, node, GAIN));
    const weir_type *offset = input_type(graph, node, OFFSET);
    const int64_t half = (int64_t)1 << (l->n.point - 1);
    l->offset = weir_bits_for(offset->low + half < 0 ? offset->low + half : -1, offset->high + half);
}

static layout layout_of(const weir_graph *graph, weir_node node, int64_t lanes) {
    layout l = {.lanes = lanes, .n = weir_normalize_of(graph, node)};
    l.length = l.n.length;
    assert(lanes >= 1 && l.length % lanes == 0);
    l.beats = l.length / lanes;
    l.zero = zero_of(&l.n, input_type(graph, node, 0));
    set_widths(&l, graph, node);
    l.square = l.x > BLOCK / 2 ? 2 + weir_clog2(pieces(l.x) * pieces(l.x)) : 1 + weir_clog2(l.x);
    l.summed = l.square + 2 + weir_clog2(lanes);
    const bool squares_sum = l.n.mode != WEIR_NORMALIZE_SQUARE, wide = l.sum > BLOCK;
    const int64_t square = squares_sum && wide ? 2 + weir_clog2(pieces(l.sum) * pieces(l.sum)) : 1;
    const int64_t v = square > 2 ? square + 1 : 3;
    const int64_t each = v + l.stages + 1 + table_cycles(graph, node) + 6;
    const int64_t gap = squares_sum && !wide ? each + SHARE - 4 : 5; /* cycles between two rows that share a block */
    l.shared = l.beats >= gap && l.beats >= l.summed + 2;
    l.root = each + (l.shared ? SHARE : 0);
    l.first = 2 + weir_clog2(pieces(l.a) * weir_ceil_divide(FACTOR_W, BLOCK - 1));
    l.second = 2 + weir_clog2(pieces(l.t) * pieces(l.gain) + 1);
    l.scaled = 5 + l.first + l.second;
    l.wait = l.summed + l.root + 2;
    l.rows = 1 + weir_ceil_divide(l.wait, l.beats);
    return l;
}

static int64_t lanes_of(const weir_graph *graph, weir_node node) {
    return weir_node_metadata_of(graph, node)->hardware.out_lanes;
}

static layout own_layout(const weir_graph *graph, weir_node node) {
    return layout_of(graph, node, lanes_of(graph, node));
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    static const char *const names[] = {"zero"};
    if (!weir_component_fits_32(graph, node, names, 1, why)) return false;
    if (weir_normalize_of(graph, node).length < 2) {
        weir_text_add(why, "hardware needs rows of two elements or more");
        return false;
    }
    const layout l = layout_of(graph, node, 1);
    const weir_type *y = weir_value_type(graph, weir_node_output(graph, node, 0));
    if (l.x > MOST_BITS)
        weir_text_format(why, "hardware normalizes codes of %d bits or fewer, found %lld", MOST_BITS, (long long)l.x);
    else if (y->low != (int32_t)y->low || y->high != (int32_t)y->high)
        weir_text_add(why, "hardware gives results of 32 bits or fewer");
    else if (l.coarse >= 1 << COARSE_STEP)
        weir_text_add(why, "its rows' variances lie too far apart for hardware: give it a larger epsilon");
    else return true;
    return false;
}

/* --- gains and offsets --- */

typedef struct parameters {
    int64_t entries, hold; /* entry e serves elements from e * hold on */
} parameters;

static parameters parameters_of(const weir_graph *graph, weir_node node) {
    const int64_t gains = input_type(graph, node, GAIN)->shape.dim[0],
                  offsets = input_type(graph, node, OFFSET)->shape.dim[0];
    return (parameters){gains > offsets ? gains : offsets, weir_node_int(graph, node, "hold", 1)};
}

/* Can a beat have so many elements? */
static bool takes_lanes(const weir_graph *graph, weir_node node, int64_t lanes) {
    const parameters p = parameters_of(graph, node);
    const int64_t length = weir_normalize_of(graph, node).length;
    if (lanes < 1 || length % lanes != 0 || lanes == length) return false;
    return p.entries == 1 || p.hold % lanes == 0 || p.entries * p.hold % lanes == 0;
}

/* Beats that a word of one lane serves; 0: words of all lanes. */
static int64_t hold_of(const parameters *p, int64_t lanes) {
    assert(lanes >= 1 && p->hold >= 1);
    if (p->entries == 1) return 1;
    return p->hold > 1 && p->hold % lanes == 0 ? p->hold / lanes : 0;
}

/* --- folding --- */

static int64_t elements_of(const weir_graph *graph, weir_node node) {
    return weir_stream_elements(graph, weir_node_output(graph, node, 0));
}

/* The fewest lanes that keep up. */
static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const int64_t length = weir_normalize_of(graph, node).length, most = weir_stream_pace(graph);
    const int64_t elements = elements_of(graph, node);
    int64_t lanes = 1;
    for (int64_t more = 2; more <= length && elements / lanes > most; more++)
        if (takes_lanes(graph, node, more)) lanes = more;
    hardware->in_lanes = hardware->out_lanes = lanes;
    hardware->interval = elements / lanes;
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    if (hardware->in_lanes == hardware->out_lanes && takes_lanes(graph, node, hardware->in_lanes)) return true;
    weir_text_format(why, "takes %lld and gives %lld elements per beat, expected a part of a row of %lld",
                     (long long)hardware->in_lanes, (long long)hardware->out_lanes,
                     (long long)weir_normalize_of(graph, node).length);
    return false;
}

/* --- memories --- */

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    static const char *const names[] = {"base", "slope", "scale"};
    if (index > 2) return false;
    if (index < 2) {
        *memory = (weir_memory){.depth = WEIR_NORMALIZE_ROWS,
                                .fields = 1,
                                .is_table = true,
                                .field_bits = index == 0 ? WEIR_NORMALIZE_ROOT_BITS
                                                         : WEIR_NORMALIZE_SLOPE_BITS + WEIR_NORMALIZE_CURVE_BITS};
    } else {
        const parameters p = parameters_of(graph, node);
        const int64_t lanes = lanes_of(graph, node), hold = hold_of(&p, lanes);
        layout l = {.n = weir_normalize_of(graph, node)};
        l.length = l.n.length;
        l.zero = zero_of(&l.n, input_type(graph, node, 0));
        set_widths(&l, graph, node);
        *memory = (weir_memory){.depth = hold > 0 ? p.entries : p.entries * p.hold / lanes,
                                .fields = hold > 0 ? 1 : lanes,
                                .in_turn = true,
                                .field_bits = (int)(l.gain + l.offset),
                                .low_bits = (int)l.gain,
                                .interval = hold > 0 ? hold : 1};
    }
    strcpy(memory->suffix, names[index]);
    return true;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    if (memory->index < 2) {
        const int64_t *root = weir_normalize_of(graph, node).root + word;
        lower[0] = memory->index == 0
                       ? root[0]
                       : root[WEIR_NORMALIZE_ROWS] << WEIR_NORMALIZE_CURVE_BITS | root[2 * WEIR_NORMALIZE_ROWS];
        return;
    }
    const parameters p = parameters_of(graph, node);
    const weir_value gain = weir_node_input(graph, node, GAIN), offset = weir_node_input(graph, node, OFFSET);
    const int64_t half = (int64_t)1 << (weir_normalize_of(graph, node).point - 1);
    const bool held = hold_of(&p, lanes_of(graph, node)) > 0;
    for (int64_t field = 0; field < memory->fields; field++) {
        const int64_t entry = held ? word : (word * memory->fields + field) / p.hold;
        lower[field] = weir_memory_element(graph, gain, entry, 0, 1, 0);
        upper[field] = weir_memory_element(graph, offset, entry, 0, 1, 0) + half;
    }
}

/* Registers from a word of gains and offsets to where it is used. */
static int64_t scale_cycles(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    weir_memory scale;
    weir_memory_get(graph, node, 2, &scale);
    return scale.storage == WEIR_STORAGE_BLOCK && weir_target_memory_has_output(&target) ? 3 + (scale.side > 1) : 2;
}

/* --- time --- */

/* Registers: when the next beat can be taken, and the next be given. */
enum { TAKE, GIVE };

static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const layout l = own_layout(graph, node);
    return (weir_component_timing){l.beats - 1 + l.wait + l.scaled + 1, weir_stream_beats_of(graph, node)};
}

static void give_beat(weir_service *s, const void *user) {
    (void)user;
    weir_service_give(s, 0, s->time[GIVE]++);
}

/* The ring covers what a row waits for, and a row takes longer than the root: nothing ever waits. */
static void serve_row(weir_service *s, const void *user) {
    const layout *l = user;
    weir_service_repeat(s, l->beats, weir_service_take_beat, NULL);
    s->time[GIVE] = s->time[TAKE] + l->wait + l->scaled; /* TAKE is one cycle later than the beat */
    weir_service_repeat(s, l->beats, give_beat, NULL);
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const layout l = own_layout(graph, node);
    weir_service_repeat(s, elements_of(graph, node) / l.length, serve_row, &l);
}

/* --- hardware --- */

static void build_tables(weir_builder *b, weir_node node, weir_rtl_instance u, int64_t read) {
    const weir_rtl_expr addr = weir_build_wire(b, node, "root_addr", 9);
    weir_rtl_connect(b->design, u, "root_addr", addr);
    for (size_t i = 0; i < 2; i++) {
        static const char *const ports[] = {"base_data", "slope_data"};
        weir_memory table;
        weir_memory_get(b->graph, node, i, &table);
        const weir_rtl_expr data = weir_build_wire(b, node, ports[i], table.width);
        weir_rtl_connect(b->design, u, ports[i], data);
        const weir_rom_wires wires = {weir_rtl_constant(b->design, 1, 1), addr, data};
        weir_build_rom(b, node, &table, 0, read - 1, &wires);
    }
}

static void build(weir_builder *b, weir_node node) {
    const weir_wires *x = weir_build_input(b, node, 0), *y = weir_build_output(b, node);
    const layout l = own_layout(b->graph, node);
    const weir_type *type = weir_value_type(b->graph, weir_node_output(b->graph, node, 0));
    const parameters p = parameters_of(b->graph, node);
    const int64_t table_read = table_cycles(b->graph, node), read = scale_cycles(b->graph, node);
    assert(x->lanes == l.lanes && y->lanes == l.lanes);
    const weir_target target = weir_target_of(b->graph);
    weir_memory scale;
    weir_memory_get(b->graph, node, 2, &scale);
    const weir_word_wires words = weir_build_words(b, node, &scale, read);
    weir_rtl_instance u = weir_build_component(b, node);
    const struct {
        const char *name;
        int64_t value;
    } set[] = {{"LANES", l.lanes},
               {"WIDTH", x->element_bits},
               {"SIGNED", x->is_signed},
               {"ZERO", l.zero},
               {"X_W", l.x},
               {"LENGTH", l.length},
               {"SUM_W", l.sum},
               {"SQUARES_W", l.squares},
               {"A_W", l.a},
               {"MODE", l.n.mode},
               {"FRACTION", l.n.fraction},
               {"EPSILON", l.n.epsilon},
               {"BITS", l.n.bits},
               {"STAGES", l.stages},
               {"ROWS", l.rows},
               {"SHARED", l.shared},
               {"T_W", l.t},
               {"COARSE", l.coarse},
               {"GAIN_W", l.gain},
               {"OFFSET_W", l.offset},
               {"HOLD", hold_of(&p, l.lanes)},
               {"SHIFT", l.n.shift},
               {"POINT", l.n.point},
               {"OUT_W", y->element_bits},
               {"LO", type->low},
               {"HI", type->high},
               {"MUL_W", BLOCK},
               {"ROOT_READ", table_read},
               {"READ", read},
               {"SPREAD", weir_target_has_distributed_ram(&target)}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) weir_build_set(b, u, set[i].name, set[i].value);
    weir_build_connect_through(b, u, x, y);
    build_tables(b, node, u, table_read);
    weir_rtl_connect(b->design, u, "p_next", words.next);
    weir_rtl_connect(b->design, u, "p_data", words.data);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const layout l = own_layout(graph, node);
    static const char *const by[] = {"mean and variance", "squares", "magnitudes"};
    weir_text_format(text, "rows of %lld by their %s, exact-norm, k = %d, %lld-bit gains", (long long)l.length,
                     by[l.n.mode], WEIR_NORMALIZE_EXACT, (long long)l.gain);
}

/* --- cost --- */

/* Products of blocks, in all modules. */
static int64_t products_of(const weir_cost_part *part) {
    const int64_t x = weir_cost_value(part, "X_W"), sum = weir_cost_value(part, "SUM_W");
    const int64_t lanes = weir_cost_value(part, "LANES"), factor = weir_ceil_divide(FACTOR_W, BLOCK - 1);
    const bool squares = weir_cost_value(part, "MODE") != WEIR_NORMALIZE_SQUARE,
               shared = weir_cost_value(part, "SHARED");
    int64_t lane = pieces(weir_cost_value(part, "A_W")) * factor +
                   pieces(weir_cost_value(part, "T_W")) * pieces(weir_cost_value(part, "GAIN_W"));
    if (x > BLOCK / 2) lane += pieces(x) * pieces(x);
    const int64_t square = !squares ? 0 : sum > BLOCK ? pieces(sum) * pieces(sum) : !shared;
    return lanes * lane + (shared ? 1 : 3) + square;
}

/* The tables are the cost of their ROMs. */
static void cost(weir_cost_part *part) {
    const int64_t lanes = weir_cost_value(part, "LANES"), x = weir_cost_value(part, "X_W");
    const int64_t length = weir_cost_value(part, "LENGTH"), rows = weir_cost_value(part, "ROWS");
    const int64_t sum = weir_cost_value(part, "SUM_W"), a = weir_cost_value(part, "A_W"),
                  t = weir_cost_value(part, "T_W");
    const int64_t gain = weir_cost_value(part, "GAIN_W"), offset = weir_cost_value(part, "OFFSET_W");
    const int64_t stages = weir_cost_value(part, "STAGES"), out = weir_cost_value(part, "OUT_W");
    const int64_t high = weir_cost_value(part, "BITS") - weir_cost_value(part, "FRACTION");
    const int64_t depth = rows * (length / lanes), at = weir_cost_bits(depth), shared = weir_cost_value(part, "SHARED");
    const int64_t first = pieces(a) * weir_ceil_divide(FACTOR_W, BLOCK - 1), second = pieces(t) * pieces(gain);
    const int64_t all = t + gain + 1, square = x > BLOCK / 2 ? 0 : 2 * x * x / 3;
    enum { PARABOLA = 93, FACTOR_BITS = 37, NORMAL = WEIR_NORMALIZE_LEAST_BITS + 4, LINES = 380 };
    weir_cost_products(part, products_of(part), BLOCK, BLOCK, 2 * BLOCK);
    /* adders */
    weir_cost_term(part, 3 * high + PARABOLA + sum + weir_cost_value(part, "SQUARES_W") +
                             lanes * (square + 3 * x + a + (first - 1) * (a + FACTOR_W) + second * all));
    /* multiplexers */
    weir_cost_term(part, (stages + 2 + 2 * shared) * NORMAL + lanes * weir_cost_value(part, "COARSE") * t + 5 * at +
                             rows * (sum + FACTOR_BITS) + lanes * 2 * out);
    const int64_t once = 5 * high + stages * (NORMAL + 5) + 18 * weir_cost_value(part, "ROOT_READ") + 7 * PARABOLA -
                         LINES * weir_device_shifts(part->device, 3) + (2 + rows) * (sum + FACTOR_BITS) + 5 * at;
    const int64_t each =
        8 * x + 2 * square + 2 * a + FACTOR_W + 2 * t + 2 * offset + (first + second) * all / 3 + 3 * out;
    weir_cost_registers(part, once + lanes * each);
    int64_t odd = weir_cost_value(part, "MODE") == WEIR_NORMALIZE_MEAN ? length : 1; /* by which elements wait */
    while (odd % 2 == 0) odd /= 2;
    weir_cost_blocks(part, lanes * (x + weir_clog2(odd)), depth);
    const bool blocks = weir_cost_product_blocks(part->device, BLOCK, BLOCK) > 0; /* else a tree of rows, at once */
    weir_cost_path(part, WEIR_COST_REGISTER, blocks ? 1 : 8, blocks ? all : 2 * BLOCK, blocks ? 1 : BLOCK);
}

const weir_component_rules weir_normalize_rules = {.asks = "rows of two elements or more, codes of 32 bits or fewer",
                                                   .fits = fits,
                                                   .quantizes = true,
                                                   .legal = legal,
                                                   .derive = derive,
                                                   .timing = timing,
                                                   .service = service,
                                                   .memory = memory,
                                                   .content = content,
                                                   .cost = cost,
                                                   .build = build,
                                                   .describe = describe,
                                                   .has_active = true};
