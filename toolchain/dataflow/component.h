/* Components: all facts about each piece of hardware, under one row of component.def. Assignment, folding, schedule,
 * emission, memories, reports and tables use the rows and know no component by name. A component's rules are pure
 * functions of a node of the hardware graph. */
#ifndef WEIR_DATAFLOW_COMPONENT_H
#define WEIR_DATAFLOW_COMPONENT_H

#include "dataflow/component_setting.h"
#include "dataflow/schedule/service.h"
#include "ir/graph/graph.h"
#include "support/text/text.h"

/* What decides the width and sign of the codes on the wires. */
typedef enum weir_result_codes {
    WEIR_RESULT_RANGE,  /* the result's proven range */
    WEIR_RESULT_SIGNED, /* the same, but two's complement in any case */
    WEIR_RESULT_INPUT,  /* codes of input 0, in its width */
    WEIR_RESULT_INPUTS  /* codes of the inputs, and others of its range: in a width that holds all */
} weir_result_codes;

/* Cycles when nothing stalls: from the last input beat that a result beat needs to that beat, and between the first
 * beats of two frames. */
typedef struct weir_component_timing {
    int64_t latency, interval;
} weir_component_timing;

/* A parameter memory: words of equal fields, field 0 in the low bits (memory.h). */
typedef struct weir_memory {
    size_t index;         /* of the node's memories */
    char suffix[32];      /* of names in the design and of files: "weights" */
    int64_t depth;        /* words */
    int64_t period;       /* words after which the content repeats */
    int64_t fields;       /* a word */
    int field_bits;       /* of a field, lower and upper part together */
    bool is_odd;          /* every field is an odd number of one part: its lowest bit is not stored */
    int low_bits;         /* of a field's lower part; a field has one part when it is field_bits */
    int64_t width;        /* bits of a word, as stored */
    bool in_turn;         /* read in order, by weir_rom_sequence */
    bool is_table;        /* read at addresses that a stream carries */
    bool in_pairs;        /* fields of two rows share a product; each upper one is corrected for that */
    int64_t side;         /* words a line of the file: above 1 if the memory is deeper than a block */
    int64_t copies;       /* ROMs with this content, each with an address of its own */
    int64_t interval;     /* fewest cycles between two reads */
    weir_storage storage; /* block or logic: never auto */
} weir_memory;

/* Values of a word's fields, in their low bits: lower parts, and upper parts, which are 0 at the call. */
typedef void weir_memory_content(const weir_graph *graph, weir_node node, const weir_memory *memory, int64_t word,
                                 int64_t *lower, int64_t *upper);

/* When the component accepts and emits the beats of a frame (service.h): all stream inputs, output 0. Further outputs
 * emit the same beats at the same time. */
typedef void weir_service_rule(weir_service *service, const weir_graph *graph, weir_node node);

/* The cost of an instance on a device (cost.h). */
typedef struct weir_cost_part weir_cost_part;
typedef struct weir_cost_parameter weir_cost_parameter;

/* Called with each legal folding; only its settings are set. */
typedef void weir_folding_visit(void *user, const weir_meta_hardware *settings);

/* Builds the hardware IR (build.h). */
typedef struct weir_builder weir_builder;

/* Of a component whose stream does not follow the one it reads, at other lanes and times, or that reads none: its first
 * input may be constant. */
#define WEIR_COMPONENT_SOURCE SIZE_MAX

/* The comment after each states the meaning of NULL. */
struct weir_component_rules {
    /* Assignment. */
    const char *asks; /* what it requires of a node beyond types, as text for tables: nothing */
    bool (*fits)(const weir_graph *graph, weir_node node, weir_text *why); /* every node; else the reason is added */
    bool (*becomes)(const weir_graph *graph, weir_node node); /* will a node of the model get it when lowered? no */
    size_t streams; /* inputs that are streams, before others; 0: one; WEIR_COMPONENT_SOURCE */
    weir_result_codes result;
    bool quantizes; /* its result has a grid of its own, independent of the input's */
    /* The component whose folded nodes it replaces if it keeps up and needs a quarter fewer LUTs of the device, for no
     * more memory blocks than these are worth: none. */
    const struct weir_component_rules *replaces;

    /* Folding: a component that sets the pace lists its foldings; the others follow the lanes of the stream before. */
    const weir_component_setting *settings; /* weir_component_setting_list says what NULL means */
    size_t setting_count;                   /* at most WEIR_SETTINGS_MOST */
    /* Every folding without padding, the preferred ones first, with the settings that `fixed` has. */
    void (*foldings)(const weir_graph *graph, weir_node node, const weir_meta_hardware *fixed,
                     weir_folding_visit *visit, void *user);
    /* Splits a node into faster ones if no folding meets the interval: never. */
    void (*divide)(weir_graph *graph, weir_node node, int64_t interval);
    bool (*legal)(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware,
                  weir_text *why);                              /* all */
    int64_t (*pieces)(const weir_graph *graph, weir_node node); /* of work a beat: 1 */
    /* Lanes and interval from the settings: ceil(pieces / pieces a cycle) cycles a beat. */
    void (*derive)(const weir_graph *graph, weir_node node, weir_meta_hardware *hardware);
    /* Elements a beat of an input stream with these settings: in_lanes of all. */
    int64_t (*lanes)(const weir_graph *graph, weir_node node, const weir_meta_hardware *hardware, size_t input);
    /* Orders streams as the chosen folding reads them, by its lanes: all foldings read the same. */
    void (*settle)(weir_graph *graph, weir_node node);

    /* Time. */
    /* Fewest cycles a frame that its folded units need, without padding and idle cycles: those of a beat's pieces, for
     * all beats. The beats of its widest stream always count. */
    int64_t (*ideal)(const weir_graph *graph, weir_node node);
    weir_component_timing (*timing)(const weir_graph *graph, weir_node node);
    /* Beats that it accepts at a frame's start before its first output, when the frame before has left: none. */
    int64_t (*start)(const weir_graph *graph, weir_node node);
    /* Cycles for which it may stall although the schedule has it accept beats; then it accepts a beat a cycle until it
     * has caught up: none. */
    int64_t (*late)(const weir_graph *graph, weir_node node);
    weir_service_rule *service; /* a beat for a beat, every pieces' cycles, after the latency */

    /* Parameter memory `index` of the node: suffix, fields, bits, depth, interval and copies if over 1; false: it has
     * no such memory. None. What it holds, like `facts`, does not depend on where products are formed
     * (WEIR_SETTING_PRODUCTS), nor, except for these numbers, on the pieces that are done in a cycle
     * (WEIR_SETTING_PIECES). */
    bool (*memory)(const weir_graph *graph, weir_node node, size_t index, weir_memory *memory);
    weir_memory_content *content;

    /* The cost of its module, by the parameters that `build` sets; the other modules of `build` are added. Unknown. */
    void (*cost)(weir_cost_part *part);
    /* Further numbers that the cost depends on, for all instances of the node, at most WEIR_CONTENTS_FACTS - 4
     * (contents.h); returns how many. Of the pieces a cycle it matters only whether they are all. None. */
    size_t (*facts)(const weir_graph *graph, weir_node node, weir_cost_parameter *fact);
    void (*build)(weir_builder *b, weir_node node);
    void (*describe)(const weir_graph *graph, weir_node node, weir_text *text); /* how it computes: nothing */
    /* a frame may take longer than the interval while the one before holds memory; the service says so */
    bool may_wait;
    bool pauses;     /* stalls between rows, so a FIFO before it helps */
    bool has_active; /* a wire `active`, high when it takes a beat */
    bool has_level;  /* a register `level`, the beats held */
};

typedef struct weir_component {
    const char *name;   /* "linear" */
    const char *module; /* of Verilog: "weir_mvu" */
    weir_op op;         /* the operator it realises */
    const char *summary;
    const weir_component_rules *rules;
} weir_component;

/* A user's component, from a loaded object (ir/graph/operator.h); its Verilog is in `folder`, as MODULE.v, with the
 * modules that it instantiates from outside the library. It is tried before built-in ones. False after a reported
 * error. */
bool weir_component_register(const weir_component *component, const char *folder);

size_t weir_component_count(void);
const weir_component *weir_component_at(size_t index);
/* The first component that realises the operator; NULL: none. */
const weir_component *weir_component_for(weir_op op);
/* The component assigned to a node; NULL: none. */
const weir_component *weir_component_of(const weir_graph *graph, weir_node node);
/* The same, or before one is assigned the first that realises its operator. */
const weir_component *weir_component_expected(const weir_graph *graph, weir_node node);
/* May another component replace this one in folded nodes (`replaces`)? */
bool weir_component_is_replaced(const weir_component_rules *rules);
/* A copy (ir/graph/graph.h) whose names of modules and settings are the components' own strings, so look-ups compare
 * addresses first. */
weir_graph *weir_component_copy(const weir_graph *graph);
/* The module that computes the node, or will once the graph is lowered; NULL: none. */
const char *weir_component_module(const weir_graph *graph, weir_node node);
/* Sets metadata.hardware.host of every node (dataflow/host.h). Integers are the host's if their operator is ONNX's, has
 * no component and does not rename a stream. */
void weir_component_mark_host(weir_graph *graph);
/* Marks, then gives every node its component or makes it implicit; true unless a node can have neither (reported). */
bool weir_component_assign(weir_graph *graph);
/* Of a node of the model: does it take a constant under MASE's name of an argument? Does data flow into the input? */
bool weir_component_takes_constant(const weir_graph *graph, weir_node node, const char *argument);
bool weir_component_stream_operand(const weir_graph *graph, weir_node node, size_t input);
/* Is it this operator on two tensors that are computed, or the one on codes that says its scales (inputs 0 and 3)? By a
 * constant it is part of the requantizer. */
bool weir_component_takes_two(const weir_graph *graph, weir_node node, weir_op op, weir_op qlinear);
/* Are the bounds `low` and `high` of its numbers within 32 bits? */
bool weir_component_fits_numbers(const weir_graph *graph, weir_node node, weir_text *why);
/* Is each of the node's integer attributes of these names within 32 bits, as Verilog's parameters are? */
bool weir_component_fits_32(const weir_graph *graph, weir_node node, const char *const *names, size_t count,
                            weir_text *why);

#endif
