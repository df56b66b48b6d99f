/* Linear: R rows of K inputs times a constant matrix of N outputs, or `group` matrices in turn, SIMD inputs and PE
 * outputs a cycle: weir_replay hands each row of ceil(K / SIMD) beats ceil(N / PE) times to weir_mvu, which asks for a
 * weight word with each beat. Where that is not enough, several rows a cycle: PE counts the outputs of all of them,
 * which are computed with the same weights. Depthwise: where every group is one output of one channel, PE groups, the
 * node's `interleave`, are computed side by side. They come element by element, SIMD of each a beat, and count as one
 * matrix of PE outputs, each with elements of its own. More than one of each where the window was divided (window.c),
 * since it takes all channels side by side a cycle for each pixel that they see. Weights: word (group g, beat b) holds,
 * for output p and input s of the fold, w[g * PE + p, b * SIMD + s] at index p * SIMD + s; words in the order of
 * matrices, then g, then b. Outputs and inputs beyond the matrix are zero. In pairs of outputs, the weights of the
 * second are less 1 where those of the first are negative (weir_mul_pair). Products of weights of -1, 0 and 1 need no
 * multipliers (SIGNS). */
#include <assert.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/depthwise.h"
#include "dataflow/memory.h"
#include "dataflow/schedule/stream.h"
#include "ir/trait/trait.h"

typedef struct size {
    int64_t rows, k, n; /* of the matrices together, of one matrix */
    int64_t matrices;
} size;

/* Without the rows. */
static size matrix_at(const weir_graph *graph, weir_node node, int64_t interleave) {
    assert(interleave >= 1 && weir_node_op(graph, node) == WEIR_OP_LINEAR);
    const weir_shape *weights = &weir_value_type(graph, weir_node_input(graph, node, 1))->shape;
    const int64_t matrices = weir_node_int(graph, node, "group", 1) / interleave;
    assert(matrices >= 1 && weights->dim[0] % matrices == 0);
    return (size){.k = weights->dim[1], .n = weights->dim[0] / matrices, .matrices = matrices};
}

static size size_at(const weir_graph *graph, weir_node node, int64_t interleave) {
    size s = matrix_at(graph, node, interleave);
    assert(s.n >= 1);
    s.rows = weir_stream_elements(graph, weir_node_output(graph, node, 0)) / s.n;
    return s;
}

static int64_t interleave_of(const weir_graph *graph, weir_node node) {
    return weir_node_int(graph, node, "interleave", 1);
}

static size size_of(const weir_graph *graph, weir_node node) {
    return size_at(graph, node, interleave_of(graph, node));
}

static const weir_meta_hardware *folded(const weir_graph *graph, weir_node node) {
    return &weir_node_metadata_of(graph, node)->hardware;
}

enum { SIMD, PE, SETTINGS };
static const weir_component_setting settings[SETTINGS];

static int64_t simd_of(const weir_meta_hardware *folding) {
    return weir_component_setting_of(folding, &settings[SIMD]);
}
static int64_t pe_of(const weir_meta_hardware *folding) { return weir_component_setting_of(folding, &settings[PE]); }

/* Rows of a beat: more than one where PE are more than a row has. */
static int64_t rows_at(const size *s, int64_t pe) { return pe > s->n ? pe / s->n : 1; }

/* A node as it is folded. */
typedef struct layout {
    size s;
    int64_t interleave, simd, rows;
    int64_t outputs;       /* of one row */
    int64_t beats, groups; /* of a row of inputs, of outputs; 0: it is not folded */
} layout;

static layout layout_of(const weir_graph *graph, weir_node node) {
    const int64_t pe = pe_of(folded(graph, node));
    layout f = {.interleave = interleave_of(graph, node), .simd = simd_of(folded(graph, node))};
    f.s = size_at(graph, node, f.interleave);
    f.rows = rows_at(&f.s, pe);
    f.outputs = pe / f.rows;
    f.beats = f.simd > 0 ? weir_ceil_divide(f.s.k, f.simd) : 0;
    f.groups = f.outputs > 0 ? weir_ceil_divide(f.s.n, f.outputs) : 0;
    return f;
}

static bool becomes(const weir_graph *graph, weir_node node) {
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, node))->task;
    return (task == WEIR_TASK_LAYER || task == WEIR_TASK_CODE_LAYER) &&
           weir_component_takes_constant(graph, node, "weight");
}

/* --- folding --- */

static int64_t interval_of(const size *s, int64_t simd, int64_t pe) {
    assert(simd >= 1 && pe >= 1);
    const int64_t rows = rows_at(s, pe);
    return s->rows / rows * weir_ceil_divide(s->k, simd) * weir_ceil_divide(rows * s->n, pe);
}

/* The interleave that a folding asks for: all groups for several rows. */
static int64_t interleave_at(const weir_graph *graph, weir_node node, int64_t pe) {
    const int64_t all = weir_depthwise_groups(graph, node), groups = all > 0 && pe % all != 0 ? pe : all;
    return groups > 0 && all % groups == 0 ? groups : 1;
}

/* Does a cycle bring all elements of a channel? */
static bool has_whole_windows(const weir_graph *graph, weir_node node) {
    weir_node windows[2];
    return weir_depthwise_windows(graph, node, windows) > 0 &&
           strcmp(folded(graph, windows[0])->module, "weir_taps") == 0;
}

static int64_t most_simd(const weir_graph *graph, weir_node node) { return size_of(graph, node).k; }

/* Rows that may share a beat: neighbours in the frame, of one matrix or of groups that are one or may become it. */
static int64_t most_rows(const weir_graph *graph, weir_node node) {
    return size_of(graph, node).matrices == 1 || weir_depthwise_interleaves(graph, node)
               ? weir_stream_row(graph, weir_node_output(graph, node, 0))
               : 1;
}

/* Outputs of a row that may be computed side by side: also those of groups. */
static int64_t row_outputs(const weir_graph *graph, weir_node node) {
    const int64_t groups = weir_depthwise_groups(graph, node);
    return groups > 0 ? groups : size_at(graph, node, 1).n;
}

static int64_t most_pe(const weir_graph *graph, weir_node node) {
    return row_outputs(graph, node) * most_rows(graph, node);
}

static const weir_component_setting settings[SETTINGS] = {
    [SIMD] = {"simd", WEIR_SETTING_UNITS, most_simd}, [PE] = {"pe", WEIR_SETTING_UNITS, most_pe}};

/* Are a word of weights and a beat vectors? Others are far beyond any device. */
static bool fits_vectors(const weir_graph *graph, weir_node node, const weir_meta_hardware *folding) {
    const int64_t interleave = interleave_at(graph, node, pe_of(folding));
    const size s = size_at(graph, node, interleave);
    const int64_t rows = rows_at(&s, pe_of(folding));
    const int64_t weight = weir_memory_signed_bits(graph, weir_node_input(graph, node, 1));
    bool is_signed;
    const int64_t element =
        weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), &is_signed);
    return simd_of(folding) * (pe_of(folding) / rows) * weight <= WEIR_RTL_MAX_WIDTH &&
           rows * interleave * simd_of(folding) * element <= WEIR_RTL_MAX_WIDTH;
}

/* Does a window give so many elements of a channel a cycle? One of them, unless it was divided for intervals that this
 * does not reach; of these the others are not worth more lanes. */
static bool is_served(const weir_graph *graph, weir_node node, const weir_meta_hardware *fixed,
                      const weir_meta_hardware *folding) {
    if (simd_of(fixed) != 0 || simd_of(folding) == 1 || !weir_depthwise_interleaves(graph, node)) return true;
    if (!has_whole_windows(graph, node)) return false;
    const int64_t most = pe_of(fixed) != 0 ? pe_of(fixed) : size_at(graph, node, 1).matrices;
    const size s = size_at(graph, node, interleave_at(graph, node, pe_of(folding))),
               slow = size_at(graph, node, interleave_at(graph, node, most));
    return interval_of(&s, simd_of(folding), pe_of(folding)) < interval_of(&slow, 1, most);
}

/* Visits a folding with so many outputs where it can be. */
static void visit_outputs(const weir_graph *graph, weir_node node, const weir_meta_hardware *fixed,
                          weir_meta_hardware *folding, int64_t pe, weir_folding_visit *visit, void *user) {
    assert(pe >= 1);
    weir_component_setting_set(folding, &settings[PE], pe);
    if (is_served(graph, node, fixed, folding) && (pe_of(fixed) != 0 || fits_vectors(graph, node, folding)))
        visit(user, folding);
}

/* The larger SIMD first: one accumulator and requantizer for more products. Several rows where each is computed in one
 * cycle. */
static void foldings(const weir_graph *graph, weir_node node, const weir_meta_hardware *fixed,
                     weir_folding_visit *visit, void *user) {
    const size s = size_at(graph, node, 1);
    const int64_t one = weir_depthwise_interleaves(graph, node) ? s.matrices : s.n, rows = most_rows(graph, node);
    const int64_t fixed_simd = simd_of(fixed), fixed_pe = pe_of(fixed);
    weir_meta_hardware folding = *fixed;
    for (int64_t simd = s.k; simd >= 1; simd--) {
        if (fixed_simd != 0 ? simd != fixed_simd : s.k % simd != 0) continue;
        weir_component_setting_set(&folding, &settings[SIMD], simd);
        if (fixed_pe != 0) visit_outputs(graph, node, fixed, &folding, fixed_pe, visit, user);
        for (int64_t pe = 1; fixed_pe == 0 && pe <= one; pe++)
            if (one % pe == 0) visit_outputs(graph, node, fixed, &folding, pe, visit, user);
        for (int64_t row = 2; fixed_pe == 0 && simd == s.k && row <= rows; row++)
            if (rows % row == 0) visit_outputs(graph, node, fixed, &folding, row * one, visit, user);
    }
}

/* Several rows a frame share beats only when rows are whole numbers of beats. */
static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const size s = size_at(graph, node, 1);
    const int64_t outputs = row_outputs(graph, node), rows = most_rows(graph, node);
    if (pe_of(hardware) > outputs && simd_of(hardware) == s.k && pe_of(hardware) % outputs == 0 &&
        rows % (pe_of(hardware) / outputs) == 0)
        return true;
    if (pe_of(hardware) > outputs) {
        weir_text_format(why,
                         "computes several positions at a time, which takes a simd of %lld and a pe of %lld times what "
                         "divides a row of %lld positions, found %lld and %lld",
                         (long long)s.k, (long long)outputs, (long long)rows, (long long)simd_of(hardware),
                         (long long)pe_of(hardware));
        return false;
    }
    if (s.rows > 1 && (s.k % simd_of(hardware) != 0 || outputs % pe_of(hardware) != 0)) {
        weir_text_format(why, "has %lld rows per frame: simd must divide %lld and pe %lld, found %lld and %lld",
                         (long long)s.rows, (long long)s.k, (long long)outputs, (long long)simd_of(hardware),
                         (long long)pe_of(hardware));
        return false;
    }
    if (interleave_of(graph, node) == interleave_at(graph, node, pe_of(hardware))) return true;
    weir_text_format(why,
                     "computes %lld groups side by side, which must be of one channel each, of a window that no other "
                     "node reads",
                     (long long)pe_of(hardware));
    return false;
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    assert(simd_of(hardware) >= 1 && pe_of(hardware) >= 1);
    const int64_t interleave = interleave_at(graph, node, pe_of(hardware));
    const size s = size_at(graph, node, interleave);
    const int64_t rows = rows_at(&s, pe_of(hardware));
    hardware->in_lanes = rows * interleave * simd_of(hardware);
    hardware->out_lanes = pe_of(hardware);
    hardware->interval = interval_of(&s, simd_of(hardware), pe_of(hardware));
}

/* The window gives the groups that are computed side by side element by element. */
static void settle(weir_graph *graph, weir_node node) {
    if (!weir_depthwise_interleaves(graph, node)) return;
    const int64_t pe = pe_of(folded(graph, node)), most = size_at(graph, node, 1).matrices;
    const int64_t interleave = interleave_at(graph, node, pe > 0 ? pe : most);
    weir_node windows[2];
    const size_t count = weir_depthwise_windows(graph, node, windows);
    if (interleave > 1) weir_node_set_int(graph, node, "interleave", interleave);
    else weir_node_remove_attribute(graph, node, "interleave");
    for (size_t i = 0; i < count; i++) weir_node_set_int(graph, windows[i], "group", size_of(graph, node).matrices);
}

/* Multiply-accumulates by multipliers. */
static int64_t ideal(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = folded(graph, node);
    assert(simd_of(hardware) * pe_of(hardware) > 0);
    return weir_ceil_divide(hardware->operations, simd_of(hardware) * pe_of(hardware));
}

/* --- what the target asks for --- */

typedef struct factors {
    int64_t x, element, weight; /* bits of an element on the wire and as a signed factor, of a weight */
} factors;

static factors factors_of(const weir_graph *graph, weir_node node) {
    bool is_signed;
    const int x = weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)), &is_signed);
    return (factors){x, is_signed ? x : x + 1, weir_memory_signed_bits(graph, weir_node_input(graph, node, 1))};
}

/* Are all weights -1, 0 or 1, so that a product is an element, its negative or 0? */
static bool are_signs(const weir_graph *graph, weir_node node, const factors *f) {
    const weir_type *weights = weir_value_type(graph, weir_node_input(graph, node, 1));
    return f->weight == 2 && weights->low >= -1 && weights->high <= 1;
}

static int64_t parts_of(const weir_graph *graph, weir_node node, const factors *f) {
    return are_signs(graph, node, f) ? 1 : weir_cost_product_parts(weir_target_of(graph).device, f->element, f->weight);
}

/* Two weights side by side in one block: it is wide enough, a second one was needed, and no weight has the least value
 * of its bits, so that there is room for 1 less. */
static bool in_pairs(const weir_graph *graph, weir_node node, const layout *l, const factors *f) {
    assert(f->weight >= 1 && f->weight < 64);
    const weir_device *device = weir_target_of(graph).device;
    if (device == NULL || l->outputs % 2 != 0 || l->interleave != 1 || are_signs(graph, node, f)) return false;
    const int64_t least = weir_value_type(graph, weir_node_input(graph, node, 1))->low;
    return least > -((int64_t)1 << (f->weight - 1)) && weir_cost_product_blocks(device, f->element, f->weight) == 1 &&
           weir_cost_product_blocks(device, f->element, f->x + 2 * f->weight) == 1;
}

/* Are products sums of rows in lookup tables? A weight of one or two bits only chooses, and where nothing is known of
 * the device they may be. */
static bool in_rows(const weir_graph *graph, const factors *f) {
    const weir_device *device = weir_target_of(graph).device;
    return device == NULL || (weir_cost_product_blocks(device, f->element, f->weight) == 0 && f->weight > 2);
}

/* Registers from a weight's address to its multiplication. Of words in a memory block: the block's own; one more before
 * products in lookup tables; two more on devices whose blocks have an output register, which the clock needs there, as
 * multipliers need one before them; of words side by side in a line the chosen one has its own. Words in lookup tables
 * need one fewer, if more than one. */
static int64_t read_cycles(const weir_graph *graph, const weir_memory *weights, const factors *f) {
    const weir_target target = weir_target_of(graph);
    const bool has_output = weir_target_memory_has_output(&target);
    if (weights->storage != WEIR_STORAGE_BLOCK) return has_output ? 2 : 1;
    return has_output ? 3 + (weights->side > 1) : in_rows(graph, f) ? 2 : 1;
}

/* Does the replay buffer, in memory blocks, pass the output register that the device's blocks have? */
static int64_t is_replay_registered(const weir_graph *graph, weir_node node, const layout *l, const factors *f) {
    const weir_target target = weir_target_of(graph);
    return l->groups > 1 && weir_target_memory_has_output(&target) &&
           weir_cost_replay_in_blocks(l->beats, folded(graph, node)->in_lanes * f->x);
}

/* --- time --- */

/* How it computes as it is folded. */
typedef struct computation {
    layout layout;
    factors x;
    weir_memory weights;
    int64_t read, parts, replay; /* is_replay_registered */
    int64_t depth;               /* from the last beat of a dot product to its result */
} computation;

static computation computation_of(const weir_graph *graph, weir_node node) {
    computation c = {.layout = layout_of(graph, node), .x = factors_of(graph, node)};
    weir_memory_get(graph, node, 0, &c.weights);
    c.read = read_cycles(graph, &c.weights, &c.x);
    c.parts = parts_of(graph, node, &c.x);
    c.replay = is_replay_registered(graph, node, &c.layout, &c.x);
    c.depth =
        c.read + weir_clog2(c.parts) + c.weights.in_pairs + weir_clog2(c.layout.simd) + (c.layout.beats > 1 ? 3 : 2);
    return c;
}

/* With one group of outputs the replay buffer is no more than wires. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const computation c = computation_of(graph, node);
    return (weir_component_timing){(c.layout.groups == 1 ? 0 : 2 + c.replay) + c.depth, folded(graph, node)->interval};
}

/* Registers of the service: when the next beat can be taken, when the multipliers are free, and when the half of the
 * replay buffer is that this row goes to, and the other. */
enum { NEXT, COMPUTE, HALF, OTHER_HALF };

typedef struct service_rule {
    int64_t rows, beats, groups, depth;
} service_rule;

static void give_group(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_give(s, 0, s->time[COMPUTE] + rule->depth - 1);
    s->time[COMPUTE] += rule->beats;
}

/* With one group there is no buffer: beats are taken as they are multiplied. */
static void serve_row_directly(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_repeat(s, rule->beats, weir_service_take_beat, rule);
    weir_service_give(s, 0, s->time[NEXT] + rule->depth - 1);
}

/* The replay buffer holds two rows, so a row is taken while the one before it is computed. Its first group of PE
 * outputs follows its last beat or takes its beats in cycles when the multipliers are free; the others come `beats`
 * cycles apart. */
static void serve_row(weir_service *s, const void *user) {
    const service_rule *rule = user;
    s->time[NEXT] = weir_later(s->time[NEXT], s->time[HALF]);
    weir_service_repeat(s, rule->beats, weir_service_take_beat, rule);
    s->time[COMPUTE] = weir_later(s->time[COMPUTE] + rule->beats, s->time[NEXT] + 2);
    weir_service_repeat(s, rule->groups, give_group, rule);
    s->time[COMPUTE] -= rule->beats;
    s->time[HALF] = s->time[OTHER_HALF];
    s->time[OTHER_HALF] = s->time[COMPUTE];
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const computation c = computation_of(graph, node);
    assert(c.layout.s.rows % c.layout.rows == 0);
    const service_rule rule = {c.layout.s.rows / c.layout.rows, c.layout.beats, c.layout.groups, c.depth + c.replay};
    weir_service_repeat(s, rule.rows, rule.groups == 1 ? serve_row_directly : serve_row, &rule);
}

/* --- weights --- */

/* All are odd, as signs are, and as they are in a word that none is added to fill: in pairs some are less by 1. */
static bool are_odd(const weir_graph *graph, weir_node node, const layout *f, bool pairs) {
    const weir_value value = weir_node_input(graph, node, 1);
    if (pairs || weir_memory_signed_bits(graph, value) < 2 || f->s.k % f->simd != 0 || f->s.n % f->outputs != 0)
        return false;
    if (weir_graph_patchable(graph)) return weir_value_type(graph, value)->quant.format == WEIR_FORMAT_BINARY;
    return weir_array_is_odd(weir_value_constant(graph, value));
}

/* SIGNS of weir_dot: 1: weights are -1, 0 or 1; 2: elements, too; 3: both are -1 or 1, in whole pairs. */
static int64_t signs_of(const weir_graph *graph, weir_node node, const layout *l, const factors *f) {
    if (!are_signs(graph, node, f)) return 0;
    const weir_type *x = weir_value_type(graph, weir_stream_source(graph, weir_node_input(graph, node, 0)));
    if (f->element > 2 || !x->has_range || x->low < -1 || x->high > 1) return 1;
    return x->quant.format == WEIR_FORMAT_BINARY && l->simd % 2 == 0 && are_odd(graph, node, l, false) ? 3 : 2;
}

static bool memory(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory) {
    if (index > 0) return false;
    const layout f = layout_of(graph, node);
    const factors x = factors_of(graph, node);
    const bool pairs = in_pairs(graph, node, &f, &x);
    *memory = (weir_memory){.suffix = "weights",
                            .depth = f.beats * f.groups * f.s.matrices,
                            .fields = f.simd * f.outputs,
                            .field_bits = (int)x.weight,
                            .is_odd = are_odd(graph, node, &f, pairs),
                            .in_turn = true,
                            .in_pairs = pairs};
    return true;
}

/* Weights of a row from a column on; 0 where the matrix has ended. */
static void weights_of(const weir_array *weights, const size *s, int64_t matrix, int64_t row, int64_t column,
                       int64_t count, int64_t *value) {
    assert(matrix >= 0 && matrix < s->matrices && row >= 0 && column >= 0 && count >= 1);
    const int64_t there = row >= s->n || column >= s->k ? 0 : s->k - column < count ? s->k - column : count;
    if (there > 0) weir_array_get_ints(weights, (size_t)((matrix * s->n + row) * s->k + column), (size_t)there, value);
    for (int64_t i = there; i < count; i++) value[i] = 0;
}

static void content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word, int64_t *lower,
                    int64_t *upper) {
    assert(word >= 0 && word < memory->depth);
    (void)upper;
    const weir_array *weights = weir_value_constant(graph, weir_node_input(graph, node, 1));
    const size s = matrix_at(graph, node, interleave_of(graph, node));
    const int64_t simd = simd_of(folded(graph, node)), outputs = memory->fields / simd;
    assert(memory->fields % simd == 0);
    const int64_t beats = weir_ceil_divide(s.k, simd), groups = weir_ceil_divide(s.n, outputs);
    const int64_t matrix = word / (beats * groups);
    const int64_t first_row = word / beats % groups * outputs, first_column = word % beats * simd;
    for (int64_t row = first_row; row < first_row + outputs; row++, lower += simd)
        weights_of(weights, &s, matrix, row, first_column, simd, lower);
    lower -= outputs * simd;
    for (int64_t row = 1; memory->in_pairs && row < outputs; row += 2) /* outputs are even */
        for (int64_t i = row * simd; i < (row + 1) * simd; i++) lower[i] -= lower[i - simd] < 0;
}

/* --- hardware --- */

static void build(weir_builder *b, weir_node node) {
    const computation c = computation_of(b->graph, node);
    const layout *f = &c.layout;
    const weir_wires *x = weir_build_input(b, node, 0);
    weir_wires replayed = weir_build_stream(b, node, "replay_", x->lanes, x->element_bits, x->is_signed);
    weir_rtl_instance u = weir_build_part(b, node, "weir_replay", "replay");
    weir_build_set(b, u, "WIDTH", x->lanes * x->element_bits);
    weir_build_set(b, u, "BEATS", f->beats);
    weir_build_set(b, u, "TIMES", f->groups);
    weir_build_set(b, u, "REGISTERED", c.replay);
    weir_build_connect_through(b, u, x, &replayed);
    const weir_word_wires words = weir_build_words(b, node, &c.weights, c.read);
    const weir_wires *y = weir_build_output(b, node);
    u = weir_build_component(b, node);
    weir_build_set_element(b, u, "X", x);
    weir_build_set(b, u, "W_W", c.weights.field_bits);
    weir_build_set(b, u, "ACC_W", y->element_bits);
    weir_build_set(b, u, "SIMD", f->simd);
    weir_build_set(b, u, "PE", f->outputs);
    weir_build_set(b, u, "BEATS", f->beats);
    weir_build_set(b, u, "READ", c.read);
    weir_build_set(b, u, "PARTS", c.parts);
    weir_build_set(b, u, "PAIRS", c.weights.in_pairs);
    weir_build_set(b, u, "SIGNS", signs_of(b->graph, node, f, &c.x));
    const weir_target target = weir_target_of(b->graph);
    if (f->interleave > 1) weir_build_set(b, u, "VECTORS", f->interleave);
    if (f->rows > 1) weir_build_set(b, u, "ROWS", f->rows);
    weir_build_set(b, u, "SPREAD", weir_target_has_distributed_ram(&target));
    weir_build_connect(b, u, "s", &replayed);
    weir_rtl_connect(b->design, u, "w_next", words.next);
    weir_rtl_connect(b->design, u, "w_data", words.data);
    weir_build_connect(b, u, "m", y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const weir_meta_hardware *hardware = folded(graph, node);
    const layout f = layout_of(graph, node);
    const factors x = factors_of(graph, node);
    weir_text_format(text, "simd %lld, pe %lld", (long long)simd_of(hardware), (long long)pe_of(hardware));
    if (f.rows > 1) weir_text_format(text, " of %lld positions at a time", (long long)f.rows);
    weir_text_format(text, "%s, %d-bit weights%s", f.interleave > 1 ? " with inputs of their own" : "", (int)x.weight,
                     in_pairs(graph, node, &f, &x) ? ", two in a block" : "");
}

/* --- cost --- */

/* Bits of an adder tree over `simd` addends of `bits`, none wider than `most`: of its sums, and of the addends without
 * a partner, which are registers alone; and lookup tables of the sums. */
typedef struct tree_bits {
    int64_t sums, passed, tables;
} tree_bits;

static tree_bits tree_of(const weir_cost_part *part, int64_t simd, int64_t bits, int64_t most, bool carries) {
    assert(simd >= 1 && bits >= 1);
    tree_bits tree = {0, 0, 0};
    for (; simd > 1; simd = weir_ceil_divide(simd, 2)) {
        const bool extends = bits < most;
        bits += extends;
        tree.sums += simd / 2 * bits + (carries ? (simd + 1) / 2 - 1 : 0);
        tree.tables += simd / 2 * weir_cost_sum(part, bits + carries, extends);
        tree.passed += simd % 2 * bits;
    }
    return tree;
}

/* Products by signs, of one output: lookup tables and registers. The first one by weights alone is negated as a whole;
 * two of signs are one half of their sum, which passes a level of the tree. */
static tree_bits signs_amount(int64_t signs, int64_t simd, int64_t element) {
    enum { BOTH = 2 };
    if (signs == 0) return (tree_bits){0, 0, 0};
    if (signs == 1) return (tree_bits){.sums = simd * (element + 1), .tables = (simd + 1) * element};
    return (tree_bits){.sums = BOTH * simd, .tables = signs == BOTH ? BOTH * simd : simd};
}

static void cost(weir_cost_part *part) {
    const int64_t x = weir_cost_value(part, "X_W"), w = weir_cost_value(part, "W_W");
    const int64_t simd = weir_cost_value(part, "SIMD"), pe = weir_cost_value(part, "PE");
    const int64_t read = weir_cost_value(part, "READ"), parts = weir_cost_value(part, "PARTS");
    const int64_t beats = weir_cost_value(part, "BEATS"), pairs = weir_cost_value(part, "PAIRS");
    const int64_t rows = weir_cost_value(part, "ROWS"), outputs = rows * pe;
    const int64_t signs = weir_cost_value(part, "SIGNS"), full = signs == 0 ? x + w : signs == 1 ? x + 1 : 2;
    const int64_t leaves = signs == 3 ? simd / 2 : simd;
    const int64_t width = weir_cost_value(part, "ACC_W"), tree_sum = full + weir_clog2(leaves);
    const int64_t sum =
        beats == 1 && tree_sum < width ? tree_sum : width; /* above the tree's sum bits repeat the sign */
    const int64_t product = full < sum ? full : sum;
    const int64_t element = x + (weir_cost_value(part, "X_SIGNED") == 0), each = w / parts;
    const int64_t taken = rows * weir_cost_value(part, "VECTORS") * simd * x;
    const bool accumulates = beats > 1, spread = weir_cost_value(part, "SPREAD") != 0;
    const int64_t cycles = read + 1 + weir_clog2(parts) + pairs + weir_clog2(simd) + accumulates; /* to the result */
    const int64_t places = 2 + (cycles + 1) / beats;
    const tree_bits tree = tree_of(part, leaves, product, sum, signs == 1);
    const tree_bits by_signs = signs_amount(signs, simd, element);
    const bool lone = part->device->logic_cell == WEIR_DEVICE_SHARED; /* a register alone takes a logic cell */
    /* The product without a partner passes a level of the tree: the block takes that register too. */
    const bool passes =
        signs == 0 && simd % 2 != 0 && simd > 1 && pairs == 0 && weir_device_multiplier_has(part->device, "pipeline") &&
        weir_device_multiplier_takes_operands(part->device) && weir_cost_product_blocks(part->device, element, w) == 1;
    const int64_t inside = passes ? outputs * (product < sum ? product + 1 : sum) : 0;
    if (pairs > 0) {
        weir_cost_products(part, outputs / 2 * simd, element, x + 2 * w, x + 2 * w);
    } else if (signs > 0) {
        weir_cost_term(part, outputs * by_signs.tables);
        weir_cost_term(part, 0);
    } else {
        weir_cost_products(part, outputs * simd * parts, element, each, parts > 1 ? 0 : product);
    }
    weir_cost_registers(part, (pairs > 0 ? outputs * simd * (x + w) : 0) + outputs * by_signs.sums);
    if (parts > 1) weir_cost_parts(part, outputs * simd, x, w, parts);
    weir_cost_term(part, outputs * simd * (parts - 1) * (element + each));
    weir_cost_term(part, outputs * (tree.tables + (lone ? tree.passed : 0)));
    weir_cost_term(part, pairs > 0 ? outputs / 2 * simd * (x + w) : 0);
    weir_cost_term(part, accumulates ? outputs * weir_cost_sum(part, sum, false) : 0);
    weir_cost_term(part, places == 2 ? 0 : spread ? outputs * sum : places * outputs * sum);
    const bool shifts = weir_device_shifts(part->device, read);
    weir_cost_term(part, (shifts ? 1 : read) * taken);
    const bool absorbed = weir_cost_fact(part, "INTO_BLOCKS", 0) != 0; /* of x as of the weights */
    weir_cost_registers(part, (shifts ? 0 : read - absorbed) * taken + outputs * (tree.sums + tree.passed) - inside);
    if (accumulates) weir_cost_registers(part, 2 * outputs * sum + weir_cost_bits(beats) + 3 + cycles - 2);
    weir_cost_registers(part, 2 * cycles - (places == 2 ? 2 : 0) + weir_cost_bits(places + 1) + 1);
    if (signs == 0 && weir_cost_product_blocks(part->device, element, w) == 0)
        weir_cost_path(part, WEIR_COST_REGISTER, 1 + weir_clog2(each), element + each, outputs * element);
    if (signs == 1) weir_cost_path(part, WEIR_COST_REGISTER, 2, element, outputs * element);
    weir_cost_path(part, WEIR_COST_REGISTER, 1, sum, outputs * sum);
    weir_cost_path(part, WEIR_COST_REGISTER, 3, 0, outputs * sum);
    const int64_t words = spread ? 2 * weir_cost_bits(places) : places * (outputs * sum + 1);
    weir_cost_registers(part, places > 2 ? words + weir_cost_bits(places + 1) : outputs * sum + 4);
}

/* Weights whose last register the blocks of the products have inside. */
static size_t facts(const weir_graph *graph, weir_node node, weir_cost_parameter *fact) {
    const weir_device *device = weir_target_of(graph).device;
    const factors f = factors_of(graph, node);
    weir_memory weights;
    weir_memory_get(graph, node, 0, &weights);
    if (device == NULL || !weir_device_multiplier_takes_operands(device) || weights.depth == 1) return 0;
    fact[0] = (weir_cost_parameter){"INTO_BLOCKS", weir_cost_product_blocks(device, f.element, f.weight) == 1 &&
                                                       !are_signs(graph, node, &f)};
    return 1;
}

const weir_component_rules weir_linear_rules = {.becomes = becomes,
                                                .result = WEIR_RESULT_SIGNED,
                                                .settings = settings,
                                                .setting_count = sizeof settings / sizeof *settings,
                                                .foldings = foldings,
                                                .legal = legal,
                                                .derive = derive,
                                                .settle = settle,
                                                .ideal = ideal,
                                                .timing = timing,
                                                .service = service,
                                                .memory = memory,
                                                .content = content,
                                                .cost = cost,
                                                .facts = facts,
                                                .build = build,
                                                .describe = describe,
                                                .has_active = true};
