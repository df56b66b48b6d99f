#include "dataflow/cost/cost.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/build.h"
#include "dataflow/cost/contents.h"
#include "dataflow/cost/cost_door.h"
#include "dataflow/cost/cost_memory.h"
#include "dataflow/cost/resources.h"
#include "dataflow/frame.h"
#include "dataflow/library.h"
#include "dataflow/memory.h"
#include "dataflow/pair.h"
#include "dataflow/schedule/stream.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/text/diag.h"
#include "support/text/table.h"

/* --- paths --- */

int64_t weir_cost_levels(const weir_cost_part *part, int64_t inputs) {
    assert(part->device->luts.inputs >= 2);
    int64_t levels = 0;
    for (int64_t reach = 1; reach < inputs; reach *= part->device->luts.inputs) levels++;
    return levels;
}

void weir_cost_path(weir_cost_part *part, weir_cost_start start, int64_t levels, int64_t carry, int64_t fanout) {
    const weir_device_delays *d = &part->device->delays;
    const int64_t begin = start == WEIR_COST_MEMORY    ? d->memory
                          : start == WEIR_COST_PRODUCT ? d->multiplier
                                                       : d->flip_flop;
    const int64_t chain = carry > 0 ? d->chain + carry * d->carry : 0;
    const int64_t delay = begin + levels * d->lut + chain + d->fanout * weir_cost_bits(fanout);
    if (begin > 0 && delay > part->cost.delay_ps) part->cost.delay_ps = delay;
}

double weir_cost_mhz(const weir_cost *cost) { return cost->delay_ps > 0 ? 1e6 / (double)cost->delay_ps : 0; }

/* --- what a module is made of --- */

int64_t weir_cost_fact(const weir_cost_part *part, const char *fact, int64_t otherwise) {
    for (size_t i = 0; i < part->parameters; i++) {
        const char *name = part->parameter[i].name;
        if (name[0] == fact[0] && strcmp(name, fact) == 0) return part->parameter[i].value;
    }
    return otherwise;
}

int64_t weir_cost_value(const weir_cost_part *part, const char *parameter) {
    return weir_cost_fact(part, parameter, 0);
}

void weir_cost_term(weir_cost_part *part, int64_t amount) {
    assert(part->terms < WEIR_COST_TERMS);
    part->term[part->terms++] = (double)amount;
}

void weir_cost_registers(weir_cost_part *part, int64_t bits) { part->cost.flip_flops += bits; }

/* The sink's ready opens the register of the data. */
void weir_cost_slice(weir_cost_part *part, int64_t width) {
    weir_cost_registers(part, 2 * (width + 1) + 2);
    weir_cost_path(part, WEIR_COST_REGISTER, 2, 0, width + 1);
}

/* Slices of an operand that is wider than the block: all but the top one are unsigned and lose a bit. */
static int64_t slices(int64_t bits, int64_t most) {
    assert(bits > 0 && most > 1);
    return bits <= most ? 1 : 1 + weir_ceil_divide(bits - most, most - 1);
}

int64_t weir_cost_product_blocks(const weir_device *device, int64_t a, int64_t b) {
    if (device->multipliers.count == 0 || device->multipliers.not_inferred || a < 2 || b < 2 ||
        a + b < device->multipliers.smallest_product)
        return 0;
    const weir_device_shape shape = device->multipliers.shapes.item[0];
    const int64_t one = slices(a, shape.x) * slices(b, shape.y), other = slices(a, shape.y) * slices(b, shape.x);
    return one < other ? one : other;
}

/* Lookup tables of a product: of four inputs three for a bit of each row that is added to the first, and two where a
 * single row is 0 or the negative; of six inputs one for a bit of each row. */
static int64_t product_tables(const weir_device *device, int64_t a, int64_t b) {
    assert(a >= 1 && b >= 1);
    enum { WIDE = 6, ADDED = 3, SELECTED = 2 };
    const int64_t wide = a > b ? a : b, rows = a > b ? b : a;
    if (device->luts.inputs >= WIDE) return wide * rows;
    return rows == 1 ? SELECTED * wide : ADDED * wide * (rows - 1);
}

void weir_cost_products(weir_cost_part *part, int64_t count, int64_t a, int64_t b, int64_t kept) {
    assert(count >= 0 && a > 0 && b > 0);
    const int64_t blocks = weir_cost_product_blocks(part->device, a, b);
    part->cost.multipliers += blocks * count;
    weir_cost_term(part, blocks == 0 ? count * product_tables(part->device, a, b) : 0);
    /* Of several blocks the partial products are added. */
    weir_cost_term(part, blocks > 1 ? count * (blocks - 1) * (a + b) : 0);
    const bool inside = blocks == 1 && weir_device_multiplier_takes_output(part->device);
    if (!inside) weir_cost_registers(part, count * kept);
    if (blocks > 0 && !inside) weir_cost_path(part, WEIR_COST_PRODUCT, blocks > 1, blocks > 1 ? a + b : 0, 1);
}

/* Products in lookup tables are built in parts of so many bits of a factor, which meets 100 MHz on an iCE40 HX8K and
 * takes fewer lookup tables than whole ones. */
enum { PART_BITS = 4 };

int64_t weir_cost_product_parts(const weir_device *device, int64_t a, int64_t b) {
    if (device == NULL || weir_cost_product_blocks(device, a, b) > 0) return 1;
    return weir_ceil_divide(b, PART_BITS);
}

/* At each level one sum fewer than parts, rounded up in pairs, of a bits more than b has. */
void weir_cost_parts(weir_cost_part *part, int64_t count, int64_t a, int64_t b, int64_t parts) {
    assert(parts >= 1);
    for (;; parts = weir_ceil_divide(parts, 2)) {
        weir_cost_registers(part, count * (parts * a + b));
        if (parts == 1) break;
    }
}

void weir_cost_blocks(weir_cost_part *part, int64_t width, int64_t depth) {
    int64_t rows;
    part->cost.memory_blocks += weir_device_blocks(part->device, width, depth, &rows);
}

int64_t weir_cost_widest(const weir_cost_part *part) { return part->alone ? part->device->luts.joined : 0; }

int64_t weir_cost_joined(const weir_cost_part *part, int64_t inputs) {
    const int64_t own = part->device->luts.inputs;
    if (inputs <= own) return 1;
    return inputs <= weir_cost_widest(part) ? (int64_t)1 << (inputs - own) : 0;
}

bool weir_cost_chains(const weir_cost_part *part, int64_t bits) {
    enum { SHORT = 2, SHORT_ECP5 = 4 };
    return bits > (part->device->family == WEIR_DEVICE_ECP5 ? SHORT_ECP5 : SHORT);
}

int64_t weir_cost_sum(const weir_cost_part *part, int64_t bits, bool extends) {
    enum { ECP5_BITS = 2 }; /* of a cell of a carry chain, whose lookup tables nothing else takes */
    if (part->device->family == WEIR_DEVICE_ECP5) return ECP5_BITS * weir_ceil_divide(bits, ECP5_BITS);
    return bits - (part->device->family == WEIR_DEVICE_XILINX7 && extends);
}

/* A carry chain, whose end Yosys does not see to be 0, and a table a bit that also compares; or, of few bits, these
 * tables alone. */
int64_t weir_cost_counter(const weir_cost_part *part, int64_t count) {
    const int64_t bits = count > 1 ? weir_cost_bits(count) : 0, joined = weir_cost_joined(part, bits + 1);
    if (weir_cost_widest(part) > 0 && bits <= part->device->luts.inputs) return bits;
    return bits + (joined > 0 ? bits * joined : bits + weir_ceil_divide(bits, part->device->luts.inputs));
}

/* Are the bounds of a clip powers of two, less 1, so that a bound is passed where the bits above it differ? */
static bool is_plain(const weir_cost_part *part) {
    const int64_t low = weir_cost_value(part, "LO"), high = weir_cost_value(part, "HI");
    return high >= 0 && (high & (high + 1)) == 0 && (low == 0 || (low < 0 && (~low & (~low + 1)) == 0));
}

/* Of a clip to [LO, HI], the other bits that a bit of the result depends on: those that say whether the value is beyond
 * a bound, its sign among them. */
static int64_t bits_above(const weir_cost_part *part, int64_t rest, int64_t kept) {
    if (!is_plain(part)) return rest - 1;
    if (weir_cost_value(part, "LO") >= 0) return rest - kept;
    return rest > kept ? rest - kept + 1 : 0;
}

/* What else a register of a queue may take than a clipped bit, and which. */
enum { CHOICE = 2 };

bool weir_cost_clips_at_once(const weir_cost_part *part, int64_t rest, int64_t kept) {
    return 1 + bits_above(part, rest, kept) + CHOICE <= weir_cost_widest(part);
}

/* Yosys maps to the fewest levels. At once: a table a bit and register sees the bits above themselves. Otherwise it
 * sees the sign and one test of them, or as many tests of a table as it has room for. Without joined tables the clipped
 * bit is made once for all registers. */
int64_t weir_cost_clipped(const weir_cost_part *part, int64_t lanes, int64_t rest, int64_t kept, int64_t places,
                          bool at_once) {
    const int64_t above = bits_above(part, rest, kept), bits = lanes * kept;
    const int64_t inputs = part->device->luts.inputs, joined = weir_cost_widest(part);
    const bool both =
        weir_cost_value(part, "LO") != 0; /* beyond either bound, which are two functions of all of them */
    if (above == 0) return bits * (places - 1 + (part->device->logic_cell == WEIR_DEVICE_SHARED));
    if (joined == 0) return bits * places + lanes * (above > inputs - 1 ? weir_ceil_divide(above - 1, inputs - 1) : 0);
    const int64_t room = joined > 2 + CHOICE ? joined - 2 - CHOICE : 1, tables = weir_ceil_divide(above - 1, inputs);
    const int64_t groups = above - 1 <= joined ? 1 : tables < room ? tables : room;
    const int64_t group = weir_cost_joined(part, weir_ceil_divide(above - 1, groups));
    const bool grouped = group > 0 && (groups == 1 || !both);
    const int64_t seen = at_once ? above : both && !is_plain(part) ? 1 + room : grouped ? 1 + groups : 2;
    const int64_t tests = at_once ? 0 : grouped ? groups * group : (1 + both) * weir_ceil_divide(above - 1, inputs - 1);
    return bits * ((places - 1) * weir_cost_joined(part, 1 + seen + CHOICE) + weir_cost_joined(part, 1 + seen)) +
           lanes * tests;
}

int64_t weir_cost_bits(int64_t count) { return count > 2 ? weir_clog2(count) : 1; }

/* --- modules that several components use --- */

static const struct {
    const char *module;
    void (*cost)(weir_cost_part *part);
} shared[] = {{"weir_rom", weir_cost_memory_rom},
              {"weir_rom_source", weir_cost_memory_source},
              {"weir_rom_sequence", weir_cost_memory_sequence},
              {"weir_rom_pair", weir_cost_memory_pair},
              {"weir_replay", weir_cost_memory_replay},
              {"weir_frame_guard", weir_cost_door_guard},
              {"weir_frame_flags", weir_cost_door_flags},
              {"weir_sequence", weir_cost_door_sequence}};

/* --- lookup tables from terms --- */

typedef struct fit {
    const char *module;
    weir_device_family family;
    double luts[WEIR_COST_TERMS];
} fit;

#define WEIR_COST(module, family, ...) {module, WEIR_DEVICE_##family, {__VA_ARGS__}},
static const fit fitted[] = {
#include "dataflow/cost/cost.def"
    {NULL, WEIR_DEVICE_FAMILIES, {0}}};
static const fit fitted_in_networks[] = {
#include "dataflow/cost/cost_network.def"
    {NULL, WEIR_DEVICE_FAMILIES, {0}}};
#undef WEIR_COST

static const double *find_fit(const fit *fits, const weir_device *device, const char *module) {
    for (; fits->module != NULL; fits++)
        if ((int64_t)fits->family == device->family && strcmp(fits->module, module) == 0) return fits->luts;
    return NULL;
}

const double *weir_cost_coefficients(const weir_device *device, const char *module, bool alone) {
    static const double terms_are_luts[WEIR_COST_TERMS] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
    const double *luts = alone ? NULL : find_fit(fitted_in_networks, device, module);
    if (luts == NULL) luts = find_fit(fitted, device, module);
    return luts == NULL ? terms_are_luts : luts;
}

bool weir_cost_terms_of_module(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                               size_t count, bool alone, weir_cost_part *part) {
    void (*cost)(weir_cost_part * part) = NULL;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (strcmp(shared[i].module, module) == 0) cost = shared[i].cost;
    }
    for (size_t i = 0; cost == NULL && i < weir_component_count(); i++) {
        const weir_component *component = weir_component_at(i);
        if (strcmp(component->module, module) == 0) cost = component->rules->cost;
    }
    *part = (weir_cost_part){
        .device = device, .alone = alone, .parameter = parameters, .parameters = count, .term = {1}, .terms = 1};
    if (cost != NULL) cost(part);
    return cost != NULL;
}

static bool cost_of(const weir_device *device, const char *module, const weir_cost_parameter *parameters, size_t count,
                    bool alone, weir_cost *cost) {
    weir_cost_part part;
    const bool known = weir_cost_terms_of_module(device, module, parameters, count, alone, &part);
    const double *luts = weir_cost_coefficients(device, module, alone);
    double sum = 0.5;
    for (size_t i = 0; i < part.terms; i++) sum += luts[i] * part.term[i];
    *cost = part.cost;
    cost->luts = (int64_t)sum;
    return known;
}

bool weir_cost_of_module(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                         size_t count, weir_cost *cost) {
    return cost_of(device, module, parameters, count, false, cost);
}

bool weir_cost_of_module_alone(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                               size_t count, weir_cost *cost) {
    return cost_of(device, module, parameters, count, true, cost);
}

static void add(weir_cost *into, const weir_cost *cost) {
    into->luts += cost->luts;
    into->flip_flops += cost->flip_flops;
    into->multipliers += cost->multipliers;
    into->memory_blocks += cost->memory_blocks;
    if (cost->delay_ps > into->delay_ps) into->delay_ps = cost->delay_ps;
}

void weir_cost_inside(weir_cost_part *part, const char *module, const weir_cost_parameter *parameters, size_t count) {
    weir_cost inside;
    const bool known = cost_of(part->device, module, parameters, count, part->alone, &inside);
    assert(known);
    (void)known;
    weir_cost_term(part, inside.luts);
    add(&part->cost, &inside);
}

/* --- of a graph --- */

enum { PARAMETERS_MAX = 48, WITH_FACTS_MAX = PARAMETERS_MAX + WEIR_CONTENTS_FACTS };

/* The parameters of an instance as numbers; STYLE as a weir_storage. *file: that of its memory, NULL: it has none. */
static size_t parameters_of(weir_rtl_design *design, weir_rtl_instance u, weir_cost_parameter *parameters,
                            const char **file) {
    const weir_rtl_module module = weir_rtl_get_instance(design, u).module;
    size_t count = 0;
    *file = NULL;
    for (size_t i = 0; i < weir_rtl_get_module(design, module).parameter_count && count < PARAMETERS_MAX; i++) {
        const weir_rtl_parameter parameter = weir_rtl_parameter_at(design, module, i);
        const weir_rtl_parameter_info info = weir_rtl_get_parameter(design, parameter);
        const weir_rtl_override override = weir_rtl_override_of(design, u, parameter);
        const char *text = override.is_set ? override.text : info.text;
        weir_storage storage;
        if (text != NULL) {
            if (strcmp(info.name, "INIT") == 0) *file = text;
            else if (weir_storage_parse(text, &storage))
                parameters[count++] = (weir_cost_parameter){info.name, storage};
        } else if (override.is_set) {
            parameters[count++] = (weir_cost_parameter){info.name, override.integer};
        } else if (info.has_integer) {
            parameters[count++] = (weir_cost_parameter){info.name, info.integer};
        }
    }
    return count;
}

bool weir_cost_of_defaults(const weir_device *device, const char *module, weir_cost *cost, bool *known,
                           weir_text *text) {
    weir_rtl_design *design = weir_rtl_design_new();
    const weir_rtl_module found = weir_library_module(design, module), top = weir_rtl_add_module(design, "survey");
    weir_cost_parameter parameters[PARAMETERS_MAX];
    if (found.id != 0) {
        const weir_rtl_instance u = weir_rtl_add_instance(design, top, found, "u");
        const char *file;
        const size_t count = parameters_of(design, u, parameters, &file);
        *known = weir_cost_of_module(device, module, parameters, count, cost);
        for (size_t i = 0; i < count; i++)
            weir_text_format(text, "%s%s=%lld", i == 0 ? "" : " ", parameters[i].name, (long long)parameters[i].value);
    }
    weir_rtl_design_free(design);
    return found.id != 0;
}

/* An instance as it was built: all texts are the survey's. */
typedef struct instance {
    const char *module, *file; /* of its memory; NULL: it has none */
    weir_cost_parameter *parameter;
    size_t count;
} instance;

/* Instances of a node, from one on. */
typedef struct recipe {
    size_t first, count;
} recipe;

/* A design that is never printed: each component builds itself as for emission, and its instances say what it takes. */
struct weir_cost_survey {
    weir_builder builder;
    weir_map wires;
    const weir_device *device;
    const weir_contents_known *known; /* of the next node; NULL: none */
    weir_map recipes;                 /* by what nodes are built of: index of `recipe` */
    recipe *recipe;
    instance *instance;
    size_t recipe_capacity, instances, instance_capacity;
    weir_arena *texts; /* of instances */
};

void weir_cost_survey_turn(weir_cost_survey *survey, const weir_graph *graph) {
    weir_builder *b = &survey->builder;
    b->graph = graph;
    free(b->wires);
    free(b->is_result);
    b->wires = weir_calloc(weir_graph_value_limit(graph), sizeof *b->wires);
    b->is_result = weir_calloc(weir_graph_value_limit(graph), sizeof *b->is_result);
}

static void open_design(weir_builder *b) {
    b->design = weir_rtl_design_new();
    b->top = weir_rtl_add_module(b->design, "survey");
    b->clk = weir_rtl_add_clock(b->design, b->top, "clk");
    b->rst = weir_rtl_add_reset(b->design, b->top, "rst");
}

weir_cost_survey *weir_cost_survey_new(const weir_graph *graph, const weir_device *device) {
    weir_cost_survey *survey = weir_calloc(1, sizeof *survey);
    survey->device = device;
    survey->builder.shared = &survey->wires;
    survey->texts = weir_arena_new();
    weir_cost_survey_turn(survey, graph);
    open_design(&survey->builder);
    return survey;
}

void weir_cost_survey_free(weir_cost_survey *survey) {
    weir_rtl_design_free(survey->builder.design);
    free(survey->builder.wires);
    free(survey->builder.is_result);
    weir_map_free(&survey->wires);
    weir_map_free(&survey->recipes);
    free(survey->recipe);
    free(survey->instance);
    weir_arena_free(survey->texts);
    free(survey);
}

/* Streams to the node alone: where there are no converters yet, what gives a stream has other lanes than what takes
 * it. */
static void give_inputs(weir_builder *b, weir_node node) {
    assert(weir_stream_role(b->graph, node) == WEIR_ROLE_COMPONENT);
    for (size_t i = 0; i < weir_stream_count(b->graph, node); i++) {
        const weir_value value = weir_stream_source(b->graph, weir_node_input(b->graph, node, i));
        bool is_signed;
        const int bits = weir_stream_width(b->graph, value, &is_signed);
        const int64_t lanes =
            weir_stream_lanes_taken(b->graph, node, &weir_node_metadata_of(b->graph, node)->hardware, i);
        b->wires[value.id] = weir_build_stream(b, node, "", lanes, bits, is_signed);
    }
}

/* And those that the node reads or names, as an Update its State, which have other lanes in another folding. */
static void take_streams(weir_builder *b, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(b->graph, node); i++) {
        const weir_value value = weir_node_input(b->graph, node, i);
        if (value.id != 0) b->wires[weir_stream_source(b->graph, value).id] = (weir_wires){.lanes = 0};
    }
    for (size_t i = 0; i < weir_node_output_count(b->graph, node); i++)
        b->wires[weir_node_output(b->graph, node, i).id] = (weir_wires){.lanes = 0};
}

/* Instances that a survey keeps before it begins a new design. */
enum { MOST_INSTANCES = 4000 };

/* Instances of the node come after those before; returns how many these are. */
static size_t build_alone(weir_builder *b, weir_node node) {
    size_t before = weir_rtl_get_module(b->design, b->top).instance_count;
    if (before > MOST_INSTANCES) {
        weir_rtl_design_free(b->design);
        weir_map_free(b->shared);
        open_design(b);
        before = 0;
    }
    give_inputs(b, node);
    weir_component_of(b->graph, node)->rules->build(b, node);
    take_streams(b, node);
    return before;
}

uint64_t weir_cost_survey_form(weir_cost_survey *survey, weir_node node) {
    weir_builder *b = &survey->builder;
    const size_t before = build_alone(b, node);
    uint64_t hash = 0;
    for (size_t i = before; i < weir_rtl_get_module(b->design, b->top).instance_count; i++) {
        const weir_rtl_instance u = weir_rtl_instance_at(b->design, b->top, i);
        weir_cost_parameter parameters[PARAMETERS_MAX];
        const char *file;
        const size_t count = parameters_of(b->design, u, parameters, &file);
        hash =
            weir_hash_mix_text(hash, weir_rtl_get_module(b->design, weir_rtl_get_instance(b->design, u).module).name);
        for (size_t k = 0; k < count; k++)
            hash = weir_hash_mix(weir_hash_mix_text(hash, parameters[k].name), (uint64_t)parameters[k].value);
    }
    return hash;
}

static char *kept_text(weir_cost_survey *survey, const char *text) {
    return text == NULL ? NULL : weir_arena_copy_string(survey->texts, text);
}

static void keep_instance(weir_cost_survey *survey, weir_rtl_instance u) {
    weir_rtl_design *design = survey->builder.design;
    weir_cost_parameter parameters[PARAMETERS_MAX];
    const char *file;
    instance kept = {.count = parameters_of(design, u, parameters, &file)};
    kept.module = kept_text(survey, weir_rtl_get_module(design, weir_rtl_get_instance(design, u).module).name);
    kept.file = kept_text(survey, file);
    kept.parameter = weir_arena_array(survey->texts, kept.count, sizeof *kept.parameter);
    for (size_t i = 0; i < kept.count; i++)
        kept.parameter[i] = (weir_cost_parameter){kept_text(survey, parameters[i].name), parameters[i].value};
    survey->instance =
        weir_grow(survey->instance, &survey->instance_capacity, survey->instances + 1, sizeof *survey->instance);
    survey->instance[survey->instances++] = kept;
}

/* Builds the node, unless one that is built alike was. */
static recipe recipe_of(weir_cost_survey *survey, weir_node node, uint64_t key) {
    const uint64_t *found = weir_map_find(&survey->recipes, key);
    if (found != NULL) return survey->recipe[*found];
    weir_builder *b = &survey->builder;
    recipe made = {.first = survey->instances};
    for (size_t i = build_alone(b, node); i < weir_rtl_get_module(b->design, b->top).instance_count; i++)
        keep_instance(survey, weir_rtl_instance_at(b->design, b->top, i));
    made.count = survey->instances - made.first;
    const size_t index = survey->recipes.count;
    survey->recipe = weir_grow(survey->recipe, &survey->recipe_capacity, index + 1, sizeof *survey->recipe);
    survey->recipe[index] = made;
    *weir_map_put(&survey->recipes, key) = index;
    return made;
}

/* With the facts of the node. */
static void visit_instance(weir_cost_survey *survey, weir_node node, const char *module, const char *file,
                           weir_cost_parameter *parameters, size_t own, weir_cost_visit *visit, void *user) {
    assert(own <= PARAMETERS_MAX);
    visit(user, module, parameters,
          weir_contents_add(survey->builder.graph, node, file, survey->known, parameters, own));
}

void weir_cost_survey_visit(weir_cost_survey *survey, weir_node node, weir_cost_visit *visit, void *user) {
    weir_builder *b = &survey->builder;
    weir_cost_parameter parameters[WITH_FACTS_MAX];
    if (survey->known != NULL && survey->known->built != 0) {
        const recipe made = recipe_of(survey, node, survey->known->built);
        for (size_t i = made.first; i < made.first + made.count; i++) {
            const instance *kept = &survey->instance[i];
            memcpy(parameters, kept->parameter, kept->count * sizeof *parameters);
            visit_instance(survey, node, kept->module, kept->file, parameters, kept->count, visit, user);
        }
        return;
    }
    const size_t before = build_alone(b, node);
    for (size_t i = before; i < weir_rtl_get_module(b->design, b->top).instance_count; i++) {
        const weir_rtl_instance u = weir_rtl_instance_at(b->design, b->top, i);
        const char *module = weir_rtl_get_module(b->design, weir_rtl_get_instance(b->design, u).module).name;
        const char *file;
        const size_t own = parameters_of(b->design, u, parameters, &file);
        visit_instance(survey, node, module, file, parameters, own, visit, user);
    }
}

typedef struct summing {
    const weir_device *device;
    weir_cost_node *node;
} summing;

static void add_instance(void *user, const char *module, const weir_cost_parameter *parameters, size_t count) {
    const summing *s = user;
    weir_cost cost;
    s->node->known &= weir_cost_of_module(s->device, module, parameters, count, &cost);
    add(&s->node->cost, &cost);
}

weir_cost_node weir_cost_survey_node(weir_cost_survey *survey, weir_node node) {
    weir_cost_node result = {.node = node, .known = true};
    summing s = {survey->device, &result};
    weir_cost_survey_visit(survey, node, add_instance, &s);
    return result;
}

weir_cost_node weir_cost_survey_known(weir_cost_survey *survey, weir_node node, const weir_contents_known *known) {
    survey->known = known;
    const weir_cost_node result = weir_cost_survey_node(survey, node);
    survey->known = NULL;
    return result;
}

static void add_blocks(weir_cost_report *report, weir_node node, int64_t blocks) {
    for (size_t i = 0; i < report->count; i++) {
        if (report->item[i].node.id == node.id) report->item[i].cost.memory_blocks += blocks;
    }
    report->total.memory_blocks += blocks;
}

/* Blocks of a memory alone: constant columns take none. */
static int64_t blocks_alone(const weir_graph *graph, const weir_device *device, const weir_pair_rom *rom,
                            uint8_t *bit) {
    weir_memory memory;
    int64_t rows;
    weir_memory_get(graph, rom->node, rom->memory, &memory);
    return weir_device_blocks(device, weir_contents_count(graph, rom->node, &memory, bit).varying, rom->depth, &rows);
}

/* Blocks that the pair takes more than its memories do alone: columns of it are constant where those of both are, with
 * the same bits. */
static void share_pair(weir_cost_report *report, const weir_graph *graph, const weir_device *device,
                       const weir_pair *pair) {
    const int64_t width = pair->a.width > pair->b.width ? pair->a.width : pair->b.width;
    uint8_t *a = weir_calloc((size_t)width, 1), *b = weir_calloc((size_t)width, 1);
    const int64_t of_a = blocks_alone(graph, device, &pair->a, a), of_b = blocks_alone(graph, device, &pair->b, b);
    weir_pair varying = *pair;
    varying.a.width = varying.b.width = 0;
    for (int64_t i = 0; i < width; i++) varying.a.width += a[i] == WEIR_CONTENTS_VARIES || a[i] != b[i];
    add_blocks(report, pair->a.node, weir_pair_blocks(device, &varying) - of_a);
    add_blocks(report, pair->b.node, -of_b);
    free(a);
    free(b);
}

/* Memories that share blocks count for the node whose words come first; what reads them is the same. */
static void share_blocks(weir_cost_report *report, const weir_graph *graph, const weir_device *device) {
    weir_pairs pairs = weir_pair_find(graph);
    for (size_t i = 0; i < pairs.count; i++) share_pair(report, graph, device, &pairs.item[i]);
    weir_pair_free(&pairs);
}

static weir_cost cost_of_doors(const weir_graph *graph, const weir_device *device) {
    weir_cost total = {0, 0, 0, 0, 0};
    size_t count;
    weir_frame_door *door = weir_frame_list(graph, &count);
    for (size_t i = 0; i < count; i++) {
        weir_cost_parameter parameter[WEIR_FRAME_PARAMETERS];
        size_t parameters = 0;
        for (; parameters < WEIR_FRAME_PARAMETERS && door[i].parameter[parameters].name != NULL; parameters++)
            parameter[parameters] =
                (weir_cost_parameter){door[i].parameter[parameters].name, door[i].parameter[parameters].value};
        weir_cost cost;
        weir_cost_of_module(device, door[i].module, parameter, parameters, &cost);
        add(&total, &cost);
    }
    free(door);
    return total;
}

/* log2, in thousandths, linear between powers of two: the same everywhere. */
static int64_t log2_of(int64_t count) {
    assert(count >= 1);
    int64_t whole = 0;
    while (count >> (whole + 1) > 0) whole++;
    return 1000 * whole + 1000 * (count - ((int64_t)1 << whole)) / ((int64_t)1 << whole);
}

/* The slowest path of a module alone becomes that of a design of so many lookup tables. */
static void stretch_path(weir_cost *total, const weir_device_delays *d) {
    assert(total->delay_ps >= 0);
    if (total->delay_ps == 0 || d->kept == 0 || total->luts < 1) return;
    total->delay_ps = total->delay_ps * d->kept / 100 + d->doubling * log2_of(total->luts) / 1000;
}

weir_cost_report weir_cost_of_graph(const weir_graph *graph, const weir_device *device) {
    weir_cost_survey *survey = weir_cost_survey_new(graph, device);
    weir_cost_report report = {0};
    size_t capacity = 0;
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_component_of(graph, node) == NULL) continue;
        report.item = weir_grow(report.item, &capacity, report.count + 1, sizeof *report.item);
        report.item[report.count] = weir_cost_survey_node(survey, node);
        add(&report.total, &report.item[report.count++].cost);
    }
    weir_cost_survey_free(survey);
    report.doors = cost_of_doors(graph, device);
    add(&report.total, &report.doors);
    share_blocks(&report, graph, device);
    stretch_path(&report.total, &device->delays);
    return report;
}

void weir_cost_report_free(weir_cost_report *report) {
    free(report->item);
    *report = (weir_cost_report){0};
}

/* --- against a device --- */

double weir_cost_inferences(const weir_graph *hardware, const weir_cost_report *report) {
    return weir_cost_mhz(&report->total) * 1e6 / (double)weir_resources_of(hardware).folded_interval;
}

void weir_cost_uses(const weir_cost *cost, const weir_device *device, weir_cost_use uses[WEIR_COST_USES]) {
    const weir_device_memory *block = weir_device_block(device);
    uses[0] = (weir_cost_use){"LUTs", "luts", cost->luts, weir_device_luts(device)};
    uses[1] = (weir_cost_use){"flip-flops", "flip_flops", cost->flip_flops, device->flip_flops};
    uses[2] = (weir_cost_use){"multipliers", "multipliers", cost->multipliers, device->multipliers.count};
    uses[3] = (weir_cost_use){"memory blocks", "memory_blocks", cost->memory_blocks, block == NULL ? 0 : block->count};
}

/* A resource that the device lacks and nothing uses has no share. */
static void add_share(weir_text *text, const weir_cost_use *use) {
    if (use->available == 0) weir_text_add(text, "-");
    else weir_text_format(text, "%.1f %%", 100.0 * (double)use->used / (double)use->available);
}

static void print_row(weir_table *table, const char *name, const char *module, const char *rest,
                      const weir_cost *cost) {
    weir_table_add(table, name);
    weir_table_format(table, "%s%s", module, rest);
    weir_table_format(table, "%lld", (long long)cost->luts);
    weir_table_format(table, "%lld", (long long)cost->flip_flops);
    weir_table_format(table, "%lld", (long long)cost->multipliers);
    weir_table_format(table, "%lld", (long long)cost->memory_blocks);
    if (cost->delay_ps == 0) weir_table_add(table, "-");
    else weir_table_format(table, "%.0f", weir_cost_mhz(cost));
}

static void print_nodes(const weir_graph *graph, const weir_cost_report *report, weir_text *text) {
    static const char *const headers[] = {"node",        "component",     "LUTs", "flip-flops",
                                          "multipliers", "memory blocks", "MHz"};
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < report->count; i++) {
        const weir_cost_node *item = &report->item[i];
        print_row(table, weir_node_name(graph, item->node), weir_component_of(graph, item->node)->module,
                  item->known ? "" : " (in part)", &item->cost);
    }
    print_row(table, "(ports)", "weir_frame_guard, weir_frame_flags", "", &report->doors);
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
}

void weir_cost_print(const weir_graph *graph, const weir_cost_report *report, const weir_device *device,
                     weir_text *text) {
    static const char *const headers[] = {"resource", "used", "available", "share"};
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&report->total, device, uses);
    weir_text_format(text, "estimate for %s (%s):\n", device->name, device->title);
    print_nodes(graph, report, text);
    weir_text_char(text, '\n');
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        weir_text share = {NULL, 0, 0};
        weir_table_add(table, uses[i].name);
        weir_table_format(table, "%lld", (long long)uses[i].used);
        weir_table_format(table, "%lld", (long long)uses[i].available);
        add_share(&share, &uses[i]);
        weir_table_take(table, &share);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
    if (report->total.delay_ps == 0) return;
    weir_text_format(text, "\n  about %.0f MHz, %.0f inferences/s at %lld cycles a frame\n",
                     weir_cost_mhz(&report->total), weir_cost_inferences(graph, report),
                     (long long)weir_resources_of(graph).folded_interval);
}

enum { SCHEMA = 1 };

static json_t *json_of_clock(const weir_cost *cost) {
    return cost->delay_ps == 0 ? json_null() : json_real(weir_cost_mhz(cost));
}

json_t *weir_cost_json(const weir_graph *graph, const weir_cost_report *report, const weir_device *device) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&report->total, device, uses);
    json_t *resources = json_object(), *nodes = json_array();
    bool fits = true;
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        fits &= uses[i].used <= uses[i].available;
        json_object_set_new(
            resources, uses[i].key,
            json_pack("{s:I, s:I}", "used", (json_int_t)uses[i].used, "available", (json_int_t)uses[i].available));
    }
    for (size_t i = 0; i < report->count; i++) {
        const weir_cost_node *item = &report->item[i];
        json_t *node = json_pack("{s:s, s:s, s:b}", "node", weir_node_name(graph, item->node), "component",
                                 weir_component_of(graph, item->node)->module, "complete", item->known);
        weir_cost_uses(&item->cost, device, uses);
        for (size_t k = 0; k < WEIR_COST_USES; k++)
            json_object_set_new(node, uses[k].key, json_integer((json_int_t)uses[k].used));
        json_object_set_new(node, "fmax_mhz", json_of_clock(&item->cost));
        json_array_append_new(nodes, node);
    }
    json_t *ports = json_object();
    weir_cost_uses(&report->doors, device, uses);
    for (size_t k = 0; k < WEIR_COST_USES; k++)
        json_object_set_new(ports, uses[k].key, json_integer((json_int_t)uses[k].used));
    const bool timed = report->total.delay_ps > 0;
    return json_pack("{s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "schema", SCHEMA, "device", device->name,
                     "family", weir_device_family_name((weir_device_family)device->family), "fits", fits, "resources",
                     resources, "fmax_mhz", json_of_clock(&report->total), "inferences_per_second",
                     timed ? json_real(weir_cost_inferences(graph, report)) : json_null(), "ports", ports, "nodes",
                     nodes);
}

bool weir_cost_check(const weir_cost_report *report, const weir_device *device) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&report->total, device, uses);
    bool fits = true;
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        if (uses[i].used <= uses[i].available) continue;
        fits = false;
        weir_warning(WEIR_NOWHERE, "the estimate does not fit %s: %lld %s of %lld, %lld too many", device->name,
                     (long long)uses[i].used, uses[i].name, (long long)uses[i].available,
                     (long long)(uses[i].used - uses[i].available));
    }
    if (!fits) weir_note("use fewer multipliers: raise --target-interval or lower --max-macs");
    return fits;
}
