/* The resources that hardware takes on a device, before synthesis. A component's `cost` lists what its module consists
 * of: registers, products, memories, and terms, which its lookup tables are a weighted sum of; cost.def holds the
 * lookup tables per unit of each term, for each module and family of devices, fitted to Yosys' results for random
 * parameters (scripts/cost). A module without a row counts its terms as lookup tables. */
#ifndef WEIR_DATAFLOW_COST_H
#define WEIR_DATAFLOW_COST_H

#include <jansson.h>

#include "dataflow/component.h"
#include "dataflow/cost/device.h"

typedef struct weir_cost {
    int64_t luts, flip_flops, multipliers, memory_blocks;
    int64_t delay_ps; /* of the slowest path between registers; 0: not known */
} weir_cost;

/* Parameters of an instance as `build` set them, followed by facts (contents.h). */
struct weir_cost_parameter {
    const char *name;
    int64_t value;
};

enum { WEIR_COST_TERMS = 9 };

/* An instance: its parameters, and the sums so far. */
struct weir_cost_part {
    const weir_device *device;
    bool alone; /* nothing else is synthesized with it */
    const weir_cost_parameter *parameter;
    size_t parameters;
    double term[WEIR_COST_TERMS]; /* term 0 is 1: the constant part */
    size_t terms;
    weir_cost cost; /* luts: not yet */
};

/* --- for the `cost` of components; all calls for all parameters, so that terms keep their positions --- */

/* The value of a parameter; 0 if it is not set. */
int64_t weir_cost_value(const weir_cost_part *part, const char *parameter);
/* The same for a fact (contents.h); `otherwise` if only the parameters of the instance are known. */
int64_t weir_cost_fact(const weir_cost_part *part, const char *fact, int64_t otherwise);
/* Adds the next term: an amount that lookup tables grow with. */
void weir_cost_term(weir_cost_part *part, int64_t amount);
void weir_cost_registers(weir_cost_part *part, int64_t bits);
/* weir_register_slice of so many bits of data: registers only. */
void weir_cost_slice(weir_cost_part *part, int64_t width);
/* `count` products of a x b bits with a register each: multiplier blocks if the device has them and Yosys uses them,
 * else the next term. Only `kept` bits of the register are used. */
void weir_cost_products(weir_cost_part *part, int64_t count, int64_t a, int64_t b, int64_t kept);
/* Lookup tables of a sum of so many bits with a carry chain. `extends`: the sum has one bit more than its addends;
 * Artix-7, whose lookup tables are beside the chain, uses one for both of its top bits. */
int64_t weir_cost_sum(const weir_cost_part *part, int64_t bits, bool extends);
/* Multiplier blocks for a product of a x b bits; 0: it is built of lookup tables. */
int64_t weir_cost_product_blocks(const weir_device *device, int64_t a, int64_t b);
/* Parts of which weir_mul_logic builds such a product; 1: a block, or no device is known. */
int64_t weir_cost_product_parts(const weir_device *device, int64_t a, int64_t b);
/* Registers of `count` products of parts. */
void weir_cost_parts(weir_cost_part *part, int64_t count, int64_t a, int64_t b, int64_t parts);
/* A memory in blocks; Yosys may put a few last words into lookup tables to save a row of blocks. */
void weir_cost_blocks(weir_cost_part *part, int64_t width, int64_t depth);
/* An instance of another module inside the part's: its lookup tables are the next term. */
void weir_cost_inside(weir_cost_part *part, const char *module, const weir_cost_parameter *parameters, size_t count);
/* Does weir_replay with rows of so many beats of `width` bits have a weir_ram? rtl/memory/weir_replay.v */
bool weir_cost_replay_in_blocks(int64_t beats, int64_t width);
/* The next term: a memory in distributed RAM; 0 if it is not `used`. */
void weir_cost_distributed(weir_cost_part *part, bool used, int64_t width, int64_t words);
/* Does Yosys build an adder or a comparator of so many bits as a carry chain? (arith_map.v of each family) */
bool weir_cost_chains(const weir_cost_part *part, int64_t bits);
/* Inputs of the widest table that Yosys combines to save a level; 0: it combines none. ABC maps everything off the
 * longest path for the fewest tables: in a network that is nearly all of a module, but a module alone has the longest
 * path itself. */
int64_t weir_cost_widest(const weir_cost_part *part);
/* Lookup tables of a function of so many signals of which no part is used elsewhere: Yosys combines tables into a wider
 * one for each bit rather than share a part in two levels. 0: none is as wide. */
int64_t weir_cost_joined(const weir_cost_part *part, int64_t inputs);
/* Lookup tables of a counter that returns to 0 after `count`, with an enable: the comparison is in those of each
 * bit. */
int64_t weir_cost_counter(const weir_cost_part *part, int64_t count);
/* Do weir_saturate, which keeps `kept` of `rest` bits a lane within [LO, HI], and the multiplexer of a queue after it
 * fit in one level of combined tables? Yosys combines them if nothing else in a module takes two levels. */
bool weir_cost_clips_at_once(const weir_cost_part *part, int64_t rest, int64_t kept);
/* Lookup tables of it and of the queue, of `places` registers that each accept a clipped bit or that of the next one; a
 * register slice has two. */
int64_t weir_cost_clipped(const weir_cost_part *part, int64_t lanes, int64_t rest, int64_t kept, int64_t places,
                          bool at_once);
/* ceil(log2(count)), at least 1: bits of a counter. */
int64_t weir_cost_bits(int64_t count);

/* Where a path starts. */
typedef enum weir_cost_start {
    WEIR_COST_REGISTER,
    WEIR_COST_MEMORY, /* a memory block without a register after it */
    WEIR_COST_PRODUCT /* a multiplier block without one */
} weir_cost_start;

/* A path to a register: lookup tables in series, bits of a carry chain, largest fan-out of a signal on it. The slowest
 * path counts, by the delays of the device's profile. */
void weir_cost_path(weir_cost_part *part, weir_cost_start start, int64_t levels, int64_t carry, int64_t fanout);
/* Lookup tables in series for a function of so many signals. */
int64_t weir_cost_levels(const weir_cost_part *part, int64_t inputs);
/* Clock that a delay allows, in MHz; 0: not known. */
double weir_cost_mhz(const weir_cost *cost);

/* --- queries --- */

/* The cost of an instance of a module of rtl/ or of a component in a network; false: nothing is known of the module. */
bool weir_cost_of_module(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                         size_t count, weir_cost *cost);
/* The same where it is synthesized alone. */
bool weir_cost_of_module_alone(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                               size_t count, weir_cost *cost);
/* Either before lookup tables are added up: for the fit. */
bool weir_cost_terms_of_module(const weir_device *device, const char *module, const weir_cost_parameter *parameters,
                               size_t count, bool alone, weir_cost_part *part);
/* Lookup tables a unit of each term: WEIR_COST_TERMS of them. */
const double *weir_cost_coefficients(const weir_device *device, const char *module, bool alone);

/* An instance with default parameters, which are added to `text` ("LANES=1 WIDTH=8"): for lists. `known`: is the module
 * known? False after a reported error. */
bool weir_cost_of_defaults(const weir_device *device, const char *module, weir_cost *cost, bool *known,
                           weir_text *text);

/* The cost of a node. */
typedef struct weir_cost_node {
    weir_node node;
    weir_cost cost;
    bool known; /* false: nothing is known of one of its modules, which the cost lacks */
} weir_cost_node;

/* Costs of nodes of a graph with components assigned and folded, with or without its streams; metadata may change
 * between queries; modules are read once. */
typedef struct weir_cost_survey weir_cost_survey;
weir_cost_survey *weir_cost_survey_new(const weir_graph *hardware, const weir_device *device);
/* Switches to the nodes of another graph; modules that were read stay known. */
void weir_cost_survey_turn(weir_cost_survey *survey, const weir_graph *hardware);
weir_cost_node weir_cost_survey_node(weir_cost_survey *survey, weir_node node);
/* The same with columns of the node's memories that were counted before (contents.h). */
struct weir_contents_known;
weir_cost_node weir_cost_survey_known(weir_cost_survey *survey, weir_node node,
                                      const struct weir_contents_known *known);
/* The instances that it is built of: module, parameters and facts. */
typedef void weir_cost_visit(void *user, const char *module, const weir_cost_parameter *parameters, size_t count);
void weir_cost_survey_visit(weir_cost_survey *survey, weir_node node, weir_cost_visit *visit, void *user);
/* A hash of the modules that the node is built of and of the parameters of their instances. */
uint64_t weir_cost_survey_form(weir_cost_survey *survey, weir_node node);
void weir_cost_survey_free(weir_cost_survey *survey);

/* The cost of a hardware graph, node by node. */
typedef struct weir_cost_report {
    weir_cost_node *item; /* every component in graph order */
    size_t count;
    weir_cost doors; /* at the ports: dataflow/frame.h */
    weir_cost total;
} weir_cost_report;

/* For a graph with components assigned, folded, with its streams. Free it with weir_cost_report_free. */
weir_cost_report weir_cost_of_graph(const weir_graph *hardware, const weir_device *device);
void weir_cost_report_free(weir_cost_report *report);

/* A resource of a device: how much is used of how much. */
typedef struct weir_cost_use {
    const char *name; /* "LUTs" */
    const char *key;  /* "luts" */
    int64_t used, available;
} weir_cost_use;

enum { WEIR_COST_USES = 4 };
void weir_cost_uses(const weir_cost *cost, const weir_device *device, weir_cost_use uses[WEIR_COST_USES]);
/* Frames a second at the estimated clock; 0: not known. */
double weir_cost_inferences(const weir_graph *hardware, const weir_cost_report *report);
/* The table of nodes, and used against available resources. */
void weir_cost_print(const weir_graph *hardware, const weir_cost_report *report, const weir_device *device,
                     weir_text *text);
/* report/schema/estimate.schema.json, without `folding`; a new reference. */
json_t *weir_cost_json(const weir_graph *hardware, const weir_cost_report *report, const weir_device *device);
/* Gives a warning for each resource that is short, with the amount and a remedy; true if everything fits. */
bool weir_cost_check(const weir_cost_report *report, const weir_device *device);

#endif
