/* Product: rows of one stream, K elements each, times matrices of N outputs that another stream brings, SIMD elements
 * and PE outputs a cycle: weir_product. A beat of the matrices has the SIMD elements of an output that meet a beat of a
 * row, or PE outputs' elements that meet one of a row, whichever come side by side. */
#include <assert.h>
#include <stdio.h>

#include "dataflow/build.h"
#include "dataflow/component.h"
#include "dataflow/component/stream/nest_private.h"
#include "dataflow/cost/cost.h"
#include "dataflow/cost/target.h"
#include "dataflow/schedule/stream.h"
#include "ir/shape/geometry.h"
#include "ir/trait/trait.h"

static weir_matrices matrices_of(const weir_graph *graph, weir_node node) {
    weir_matrices m;
    const bool fine = weir_geometry_matrices(graph, node, &m);
    assert(fine);
    (void)fine;
    return m;
}

/* Iterations of the loop that goes from one element of an output to the next, or from one output to the next. */
static int64_t run_of(const weir_matrices *m, int64_t stride) {
    for (int i = 0; i < m->loops; i++)
        if (m->size[i] > 1 && m->stride[i] == stride) return m->size[i];
    return 1;
}

static int64_t elements_of(const weir_matrices *m) { return m->inner > 1 ? run_of(m, 1) : 1; }
static int64_t outputs_of(const weir_matrices *m) { return m->columns > 1 ? run_of(m, m->inner) : 1; }

/* The stride of the innermost loop; 0: there is none. */
static int64_t innermost(const weir_matrices *m) {
    for (int i = m->loops - 1; i >= 0; i--)
        if (m->size[i] > 1) return m->stride[i];
    return 0;
}

/* Do elements of several outputs come side by side? */
static bool is_along(const weir_matrices *m) { return m->columns > 1 && innermost(m) == m->inner; }

static bool becomes(const weir_graph *graph, weir_node node) {
    const weir_trait_task task = weir_trait_of(weir_node_op(graph, node))->task;
    return (task == WEIR_TASK_LAYER || task == WEIR_TASK_CODE_LAYER) &&
           !weir_component_takes_constant(graph, node, "weight");
}

static bool fits(const weir_graph *graph, weir_node node, weir_text *why) {
    const weir_matrices m = matrices_of(graph, node);
    if (is_along(&m) || elements_of(&m) == 1 || innermost(&m) == 1) return true;
    weir_text_add(why, "hardware takes matrices whose rows or columns are in one piece");
    return false;
}

/* --- folding --- */

enum { SIMD, PE, SETTINGS };
static const weir_component_setting settings[SETTINGS];

static int64_t simd_of(const weir_meta_hardware *hardware) {
    return weir_component_setting_of(hardware, &settings[SIMD]);
}
static int64_t pe_of(const weir_meta_hardware *hardware) { return weir_component_setting_of(hardware, &settings[PE]); }

static int64_t most_simd(const weir_graph *graph, weir_node node) {
    const weir_matrices m = matrices_of(graph, node);
    return elements_of(&m);
}

static int64_t most_pe(const weir_graph *graph, weir_node node) {
    const weir_matrices m = matrices_of(graph, node);
    return outputs_of(&m);
}

static const weir_component_setting settings[SETTINGS] = {
    [SIMD] = {"simd", WEIR_SETTING_UNITS, most_simd}, [PE] = {"pe", WEIR_SETTING_UNITS, most_pe}};

/* A node as it is folded. */
typedef struct layout {
    weir_matrices m;
    bool along;
    int64_t simd, pe;
    int64_t beats, groups; /* of a row, of its outputs */
    int64_t matrix;        /* beats of a page of matrices */
} layout;

static layout layout_at(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware) {
    layout f = {.m = matrices_of(graph, node), .simd = simd_of(hardware), .pe = pe_of(hardware)};
    assert(f.simd >= 1 && f.pe >= 1);
    f.along = is_along(&f.m);
    f.beats = weir_ceil_divide(f.m.inner, f.simd);
    f.groups = weir_ceil_divide(f.m.columns, f.pe);
    f.matrix = f.m.matrices * f.beats * f.groups * (f.along ? f.simd : f.pe);
    return f;
}

static layout layout_of(const weir_graph *graph, weir_node node) {
    return layout_at(graph, node, &weir_node_metadata_of(graph, node)->hardware);
}

static int64_t lanes(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, size_t input) {
    const weir_matrices m = matrices_of(graph, node);
    return input == 1 && is_along(&m) ? pe_of(hardware) : simd_of(hardware);
}

static int64_t element_bits(const weir_graph *graph, weir_node node, size_t input, bool *is_signed) {
    return weir_stream_width(graph, weir_stream_source(graph, weir_node_input(graph, node, input)), is_signed);
}

/* Bits of a bank below which half of a memory block is idle. */
enum { NARROW = 18 };

typedef struct visitor {
    const weir_graph *graph;
    weir_node node;
    const weir_meta_hardware *fixed;
    weir_folding_visit *visit;
    void *user;
} visitor;

/* The larger SIMD first: one accumulator and requantizer for more products; but those last whose memories are
 * narrow. */
static void visit_by_width(const visitor *v, bool narrow) {
    const layout most = {.m = matrices_of(v->graph, v->node)};
    const int64_t simds = elements_of(&most.m), pes = outputs_of(&most.m);
    bool is_signed;
    const int64_t bits = element_bits(v->graph, v->node, 1, &is_signed);
    weir_meta_hardware folding = *v->fixed;
    for (int64_t simd = simds; simd >= 1; simd--) {
        if (simd_of(v->fixed) != 0 ? simd != simd_of(v->fixed) : simds % simd != 0) continue;
        for (int64_t pe = 1; pe <= pes; pe++) {
            if (pe_of(v->fixed) != 0 ? pe != pe_of(v->fixed) : pes % pe != 0) continue;
            weir_component_setting_set(&folding, &settings[SIMD], simd);
            weir_component_setting_set(&folding, &settings[PE], pe);
            if ((lanes(v->graph, v->node, &folding, 1) * bits < NARROW) == narrow) v->visit(v->user, &folding);
        }
    }
}

static void foldings(const weir_graph *graph, weir_node node, const weir_meta_hardware *fixed,
                     weir_folding_visit *visit, void *user) {
    const visitor v = {graph, node, fixed, visit, user};
    visit_by_width(&v, false);
    visit_by_width(&v, true);
}

static bool legal(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, weir_text *why) {
    const int64_t simds = most_simd(graph, node), pes = most_pe(graph, node);
    if (simds % simd_of(hardware) == 0 && pes % pe_of(hardware) == 0) return true;
    weir_text_format(why, "takes matrices from a stream: simd must divide %lld and pe %lld, found %lld and %lld",
                     (long long)simds, (long long)pes, (long long)simd_of(hardware), (long long)pe_of(hardware));
    return false;
}

static int64_t interval_of(const layout *f) {
    return f->m.pages * weir_later(f->matrix, f->m.rows * f->beats * f->groups);
}

static void derive(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware) {
    const layout f = layout_at(graph, node, hardware);
    hardware->in_lanes = f.simd;
    hardware->out_lanes = f.pe;
    hardware->interval = interval_of(&f);
}

/* Multiply-accumulates by multipliers. */
static int64_t ideal(const weir_graph *graph, weir_node node) {
    const weir_meta_hardware *hardware = &weir_node_metadata_of(graph, node)->hardware;
    return weir_ceil_divide(hardware->operations, simd_of(hardware) * pe_of(hardware));
}

/* --- what the target asks for --- */

/* How it computes as it is folded. */
typedef struct computation {
    layout layout;
    int64_t x, w; /* bits of elements on the wires */
    bool x_signed, w_signed;
    int64_t read, parts, registered;
    int64_t depth; /* from the last beat of a dot product to its result */
} computation;

/* Registers from the address of a word to its multiplication: of the memory; one more before products in lookup tables;
 * two more on devices whose blocks have an output register, which the clock needs there, as multipliers need one before
 * them. */
static int64_t read_cycles(const weir_target *target, int64_t x, int64_t w) {
    if (weir_target_memory_has_output(target)) return 3;
    return target->device == NULL || weir_cost_product_blocks(target->device, x, w) == 0 ? 2 : 1;
}

static computation computation_of(const weir_graph *graph, weir_node node) {
    const weir_target target = weir_target_of(graph);
    computation c = {.layout = layout_of(graph, node)};
    c.x = element_bits(graph, node, 0, &c.x_signed);
    c.w = element_bits(graph, node, 1, &c.w_signed);
    const int64_t x = c.x + !c.x_signed, w = c.w + !c.w_signed;
    c.read = read_cycles(&target, x, w);
    c.parts = weir_cost_product_parts(target.device, x, w);
    c.registered = c.layout.groups > 1 && weir_target_memory_has_output(&target) &&
                   weir_cost_replay_in_blocks(c.layout.beats, c.layout.simd * c.x);
    c.depth = c.read + weir_clog2(c.parts) + weir_clog2(c.layout.simd) + (c.layout.beats > 1 ? 3 : 2);
    return c;
}

/* --- time --- */

enum { REPLAY = 2 }; /* cycles of rtl/memory/weir_replay.v */

/* By which a frame takes longer than its interval: the first page of matrices comes, or the rows of the last one are
 * multiplied. */
static weir_component_timing timing(const weir_graph *graph, weir_node node) {
    const computation c = computation_of(graph, node);
    const int64_t rows = c.layout.m.rows * c.layout.beats * c.layout.groups, matrix = c.layout.matrix;
    return (weir_component_timing){(matrix < rows ? matrix : rows) + c.depth, interval_of(&c.layout)};
}

/* Registers: when the next beats of rows and of matrices can be taken, when the multipliers are free, when the halves
 * of the memories are that the next page and the next row go to, and the others. */
enum { NEXT, MATRIX, COMPUTE, HALF, OTHER_HALF, ROW, OTHER_ROW };

typedef struct service_rule {
    int64_t rows, beats, groups, matrix, depth, registered;
} service_rule;

static void take_matrix(weir_service *s, const void *user) {
    (void)user;
    s->time[MATRIX] = weir_service_take(s, 1, s->time[MATRIX]) + 1;
}

static void give_group(weir_service *s, const void *user) {
    const service_rule *rule = user;
    s->time[COMPUTE] += rule->beats;
    weir_service_give(s, 0, s->time[COMPUTE] + rule->depth - 1);
}

/* With one group there is no buffer: beats are taken as they are multiplied. */
static void serve_row_directly(weir_service *s, const void *user) {
    const service_rule *rule = user;
    weir_service_repeat(s, rule->beats, weir_service_take_beat, rule);
    weir_service_give(s, 0, s->time[NEXT] + rule->depth - 1);
    s->time[COMPUTE] = s->time[NEXT];
}

/* The buffer holds two rows: one is taken while the one before it is computed. Its beats are multiplied as they come,
 * or when the multipliers are free and the matrix is there. */
static void serve_row(weir_service *s, const void *user) {
    const service_rule *rule = user;
    s->time[NEXT] = weir_later(s->time[NEXT], s->time[ROW]);
    weir_service_repeat(s, rule->beats, weir_service_take_beat, rule);
    s->time[COMPUTE] = weir_later(s->time[COMPUTE], s->time[NEXT] + REPLAY + rule->registered - rule->beats);
    weir_service_repeat(s, rule->groups, give_group, rule);
    s->time[ROW] = s->time[OTHER_ROW];
    s->time[OTHER_ROW] = s->time[COMPUTE] - rule->registered;
}

/* While a page of matrices is used the next one is written. */
static void serve_page(weir_service *s, const void *user) {
    const service_rule *rule = user;
    s->time[MATRIX] = weir_later(s->time[MATRIX], s->time[HALF]);
    weir_service_repeat(s, rule->matrix, take_matrix, rule);
    s->time[COMPUTE] = weir_later(s->time[COMPUTE], s->time[MATRIX]);
    if (rule->groups == 1) s->time[NEXT] = weir_later(s->time[NEXT], s->time[MATRIX]);
    weir_service_repeat(s, rule->rows, rule->groups == 1 ? serve_row_directly : serve_row, rule);
    s->time[HALF] = s->time[OTHER_HALF];
    s->time[OTHER_HALF] = s->time[COMPUTE];
}

static void service(weir_service *s, const weir_graph *graph, weir_node node) {
    const computation c = computation_of(graph, node);
    const service_rule rule = {c.layout.m.rows, c.layout.beats, c.layout.groups,
                               c.layout.matrix, c.depth,        c.registered};
    weir_service_repeat(s, c.layout.m.pages, serve_page, &rule);
}

/* --- hardware --- */

/* The loops of beats: a matrix lies output group by output group in words of a beat of a row. */
typedef struct beat_loops {
    int loops, bank; /* the loop through the banks; 0 where there is one bank */
    int64_t size[WEIR_NEST_LOOPS], stride[WEIR_NEST_LOOPS];
} beat_loops;

static void add_loop(beat_loops *to, int64_t size, int64_t stride) {
    assert(to->loops < WEIR_NEST_LOOPS);
    to->size[to->loops] = size;
    to->stride[to->loops++] = stride;
}

/* Words from one iteration of a loop over whole beats of rows, whole groups of outputs or matrices to the next. */
static int64_t words_of(const layout *f, int64_t stride) {
    const int64_t matrix = f->m.columns * f->m.inner;
    if (stride >= matrix) return stride / matrix * f->beats * f->groups;
    if (stride >= f->m.inner) return stride / f->m.inner / f->pe * f->beats;
    return stride / f->simd;
}

static beat_loops beat_loops_of(const layout *f) {
    beat_loops to = {.loops = 0};
    for (int i = 0; i < f->m.loops; i++) {
        const bool elements = f->m.inner > 1 && f->m.stride[i] == 1;
        const bool outputs = f->m.columns > 1 && f->m.stride[i] == f->m.inner;
        const int64_t units = elements ? f->simd : outputs ? f->pe : 1;
        if (f->m.size[i] == 1) continue;
        if (f->m.size[i] > units) add_loop(&to, f->m.size[i] / units, words_of(f, f->m.stride[i] * units));
        if (units == 1 || outputs == f->along) continue; /* of a beat */
        to.bank = to.loops;
        add_loop(&to, units, 0);
    }
    return to;
}

static void set_loops(weir_builder *b, weir_rtl_instance u, const layout *f) {
    const beat_loops to = beat_loops_of(f);
    weir_nest_build(b, u, "SIZE", to.size, to.loops, 1);
    weir_nest_build(b, u, "STRIDE", to.stride, to.loops, 0);
    weir_build_set(b, u, "BANK", to.bank + WEIR_NEST_LOOPS - to.loops);
    for (int i = 0; i < WEIR_MATRICES_ROW_LOOPS; i++) {
        const int at = i - WEIR_MATRICES_ROW_LOOPS + f->m.row_loops;
        char name[24];
        snprintf(name, sizeof name, "ROW_SIZE_%d", i);
        weir_build_set(b, u, name, at < 0 ? 1 : f->m.row_size[at]);
        snprintf(name, sizeof name, "ROW_STRIDE_%d", i);
        weir_build_set(b, u, name, at < 0 ? 0 : f->m.row_stride[at] * f->beats * f->groups);
    }
}

static void build(weir_builder *b, weir_node node) {
    const computation c = computation_of(b->graph, node);
    const layout *f = &c.layout;
    const weir_wires *x = weir_build_input(b, node, 0), *w = weir_build_input(b, node, 1),
                     *y = weir_build_output(b, node);
    const weir_target target = weir_target_of(b->graph);
    weir_rtl_instance u = weir_build_component(b, node);
    weir_build_set_element(b, u, "X", x);
    weir_build_set_element(b, u, "W", w);
    weir_build_set(b, u, "ACC_W", y->element_bits);
    weir_build_set(b, u, "SIMD", f->simd);
    weir_build_set(b, u, "PE", f->pe);
    weir_build_set(b, u, "BEATS", f->beats);
    weir_build_set(b, u, "GROUPS", f->groups);
    weir_build_set(b, u, "PAGES", f->m.pages);
    weir_build_set(b, u, "MATRICES", f->m.matrices);
    weir_build_set(b, u, "MATRIX", f->matrix);
    weir_build_set(b, u, "ALONG", f->along);
    weir_build_set(b, u, "READ", c.read);
    weir_build_set(b, u, "PARTS", c.parts);
    weir_build_set(b, u, "SPREAD", weir_target_has_distributed_ram(&target));
    weir_build_set(b, u, "REGISTERED", c.registered);
    set_loops(b, u, f);
    weir_build_connect(b, u, "s_a", x);
    weir_build_connect(b, u, "s_b", w);
    weir_build_connect(b, u, "m", y);
}

static void describe(const weir_graph *graph, weir_node node, weir_text *text) {
    const computation c = computation_of(graph, node);
    const layout *f = &c.layout;
    weir_text_format(text, "simd %lld, pe %lld, %lld %lld x %lld matri%s of %lld-bit elements", (long long)f->simd,
                     (long long)f->pe, (long long)(f->m.pages * f->m.matrices), (long long)f->m.columns,
                     (long long)f->m.inner, f->m.pages * f->m.matrices == 1 ? "x" : "ces", (long long)c.w);
}

/* --- cost --- */

/* Memories of up to so many bits are whatever the synthesis tool chooses, distributed RAM where there is any, else
 * flip-flops or blocks, of which one counts for as many as a few flip-flops: rtl/memory/weir_matrix.v. */
enum { SMALL = 512, SMALL_BLOCK = 64 };

typedef enum bank_kind { BANK_BLOCKS, BANK_DISTRIBUTED, BANK_REGISTERS } bank_kind;

static bank_kind bank_kind_of(const weir_cost_part *part, int64_t width, int64_t depth) {
    int64_t rows;
    const int64_t blocks = weir_device_blocks(part->device, width, depth, &rows);
    if (width * depth > SMALL) return BANK_BLOCKS;
    if (part->device->distributed_ram.kbits > 0) return BANK_DISTRIBUTED;
    return width * depth <= blocks * SMALL_BLOCK ? BANK_REGISTERS : BANK_BLOCKS;
}

/* Of the counters of the loops of rows and of the words that each takes: bits, and whether each is at its end. */
static int64_t row_counters(weir_cost_part *part, int64_t words) {
    int64_t bits = words > 1 ? weir_cost_bits(words) + 1 : 0;
    for (int i = 0; i < WEIR_MATRICES_ROW_LOOPS; i++) {
        char name[24];
        snprintf(name, sizeof name, "ROW_SIZE_%d", i);
        const int64_t size = weir_cost_value(part, name);
        bits += size > 1 ? weir_cost_bits(size) + 1 : 0;
    }
    return bits;
}

/* The memories, and the registers of their words behind those that they have themselves: the blocks' output registers
 * are inside, and so is the last one where multipliers take it. */
static void cost_of_matrix(weir_cost_part *part, int64_t banks, int64_t width, int64_t depth, bool into_blocks) {
    const bank_kind kind = bank_kind_of(part, width, depth);
    const int64_t read = weir_cost_value(part, "READ");
    int64_t registers = kind == BANK_BLOCKS ? read - 1 : read;
    if (kind == BANK_BLOCKS && registers > 0 && weir_device_memory_takes_output(part->device)) registers--;
    if (registers > 0 && into_blocks) registers--;
    weir_cost_distributed(part, kind == BANK_DISTRIBUTED, banks * width, depth);
    weir_cost_term(part, kind == BANK_REGISTERS ? banks * width * depth : 0);
    weir_cost_registers(part, banks * width * (registers + (kind == BANK_REGISTERS ? depth : 0)));
    for (int64_t i = 0; i < banks && kind == BANK_BLOCKS; i++) weir_cost_blocks(part, width, depth);
    if (kind == BANK_BLOCKS && read == 1) weir_cost_path(part, WEIR_COST_MEMORY, 0, 0, 1);
}

static void cost(weir_cost_part *part) {
    const int64_t x = weir_cost_value(part, "X_W"), w = weir_cost_value(part, "W_W");
    const int64_t simd = weir_cost_value(part, "SIMD"), pe = weir_cost_value(part, "PE");
    const int64_t beats = weir_cost_value(part, "BEATS"), groups = weir_cost_value(part, "GROUPS");
    const int64_t page = weir_cost_value(part, "MATRICES") * beats * groups, at = weir_cost_bits(2 * page);
    const int64_t banks = weir_cost_value(part, "ALONG") != 0 ? simd : pe, width = simd * pe / banks * w;
    const int64_t element = x + (weir_cost_value(part, "X_SIGNED") == 0),
                  factor = w + (weir_cost_value(part, "W_SIGNED") == 0);
    const bool into_blocks = weir_device_multiplier_takes_operands(part->device) &&
                             weir_cost_product_blocks(part->device, element, factor) == 1;
    const int64_t counters =
        weir_nest_count_bits(part) + weir_nest_count_loops(part) + row_counters(part, beats * groups);
    const weir_cost_parameter replay[] = {
        {"WIDTH", simd * x}, {"BEATS", beats}, {"TIMES", groups}, {"REGISTERED", weir_cost_value(part, "REGISTERED")}};
    const weir_cost_parameter mvu[] = {{"X_W", x},
                                       {"X_SIGNED", weir_cost_value(part, "X_SIGNED")},
                                       {"W_W", factor},
                                       {"ACC_W", weir_cost_value(part, "ACC_W")},
                                       {"SIMD", simd},
                                       {"PE", pe},
                                       {"BEATS", beats},
                                       {"READ", weir_cost_value(part, "READ")},
                                       {"PARTS", weir_cost_value(part, "PARTS")},
                                       {"SPREAD", weir_cost_value(part, "SPREAD")},
                                       {"VECTORS", 1},
                                       {"ROWS", 1},
                                       {"INTO_BLOCKS", into_blocks}};
    weir_cost_inside(part, "weir_replay", replay, sizeof replay / sizeof *replay);
    weir_cost_inside(part, "weir_mvu", mvu, sizeof mvu / sizeof *mvu);
    weir_cost_term(part, counters);
    weir_cost_term(part, 2 * at);
    cost_of_matrix(part, banks, width, 2 * page, into_blocks);
    weir_cost_registers(part, counters + 2 * at + 4 + (banks > 1 ? banks : 0));
    weir_cost_path(part, WEIR_COST_REGISTER, 1 + weir_cost_levels(part, weir_nest_count_loops(part)), at, 2 * at);
}

const weir_component_rules weir_product_rules = {.asks = "matrices whose rows or columns are in one piece",
                                                 .fits = fits,
                                                 .becomes = becomes,
                                                 .streams = 2,
                                                 .result = WEIR_RESULT_SIGNED,
                                                 .settings = settings,
                                                 .setting_count = sizeof settings / sizeof *settings,
                                                 .foldings = foldings,
                                                 .legal = legal,
                                                 .derive = derive,
                                                 .lanes = lanes,
                                                 .ideal = ideal,
                                                 .timing = timing,
                                                 .service = service,
                                                 .cost = cost,
                                                 .build = build,
                                                 .describe = describe,
                                                 .has_active = true};
