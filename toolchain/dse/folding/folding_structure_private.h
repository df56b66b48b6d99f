/* The parts of a folding space: folding_structure.c finds the items of a graph and their resources, folding_space.c
 * builds knapsacks from them. */
#ifndef WEIR_DSE_FOLDING_STRUCTURE_PRIVATE_H
#define WEIR_DSE_FOLDING_STRUCTURE_PRIVATE_H

#include <string.h>

#include "dataflow/component.h"
#include "dataflow/cost/contents.h"
#include "dataflow/cost/cost.h"
#include "dataflow/schedule/stream.h"
#include "dse/folding/folding_space.h"
#include "support/memory/map.h"

/* What an item may take: `work` is the part of the value that grows with the cycles that nodes are busy. */
typedef struct weir_folding_amount {
    int64_t use[WEIR_KNAPSACK_RESOURCES], work;
} weir_folding_amount;

/* A choice for each member, 4 bits: storage + 3 * products. */
typedef struct weir_folding_combination {
    weir_folding_amount amount;
    uint64_t choice;
} weir_folding_combination;

/* Nodes of an item that have options, for each of which a choice has 4 bits; and numbers of a member in `state`: lanes,
 * pieces a cycle, interval. */
enum { WEIR_FOLDING_MEMBERS = 16, WEIR_FOLDING_STATE = 4, WEIR_FOLDING_CHOICES = 9 };

/* The combinations of a folding, and a hash of how the members folded with it when these were counted; 0: never. */
typedef struct weir_folding_counted {
    uint64_t state;
    weir_folding_combination *item;
    size_t count;
} weir_folding_counted;

/* Sets of weights by which combinations stay counted; structures that stay beside the present one. */
enum { WEIR_FOLDING_WEIGHTS = 5, WEIR_FOLDING_KEPT = 3 };

/* Of a component that sets the pace; a node without foldings has one. */
typedef struct weir_folding_setting {
    weir_meta_hardware settings;
    int64_t reached; /* cycles a frame for which the members are folded so; 0: none yet */
    int64_t *state;  /* of the members */
    uint64_t hash;   /* of that */
    uint32_t *price; /* by member and choice: 1 + index of what it takes so; 0: not known yet */
    weir_folding_counted by[WEIR_FOLDING_WEIGHTS];
} weir_folding_setting;

typedef struct weir_folding_unit {
    weir_node *member;    /* in graph order; the first takes the item's stream */
    size_t capacity;      /* of `member` */
    size_t members, pace; /* of the members the one that sets it; SIZE_MAX: none */
    weir_folding_setting *folding;
    size_t foldings;
    int64_t *interval; /* by folding, side by side: each is asked for by all knapsacks */
    uint16_t *choices; /* by member: weir_folding_choices */
    size_t parent;     /* SIZE_MAX: none */
} weir_folding_unit;

/* Cycles of a folded node on the path, 0 off it: folding_tail.c. */
typedef struct weir_folding_times {
    int64_t tail, head, work;
} weir_folding_times;

/* Of a folded node with the component that takes it over. Known for all structures: a line of a cache, for there are
 * many. */
typedef struct weir_folding_hardware_price {
    int64_t use[WEIR_KNAPSACK_RESOURCES];
    weir_folding_times times;
    bool is_timed;
} weir_folding_hardware_price;

/* What that is built as. */
typedef struct weir_folding_hardware_form {
    weir_component_timing timing;
    const char *module;     /* of the component which takes it over, or its own */
    weir_settings settings; /* and how that is folded */
    int64_t interval;
} weir_folding_hardware_form;

/* A stream from one component to another. */
typedef struct weir_folding_edge {
    weir_value value;
    weir_node from, to;
    size_t input; /* of `to` */
} weir_folding_edge;

/* A node on the path whose components bound the latency: folding_tail.c. */
typedef struct weir_folding_station {
    bool counts, whole; /* until the last of what waits; else until the first */
    size_t input;       /* where the path enters */
    int64_t burst;      /* elements that come last */
    bool paces;         /* sets the pace, as the `place`th of those on the path from 0 on */
    size_t place;       /* how many of these are before it */
    int64_t first;      /* where it does: elements without which it gives nothing */
    weir_node next;
} weir_folding_station;

/* Of an input that one node takes: what the door costs depends on its lanes. */
typedef struct weir_folding_door {
    weir_value input;
    weir_node taker;
    size_t index; /* of its input */
} weir_folding_door;

/* The graph as it is for a range of intervals: nodes that would be too slow are divided. */
typedef struct weir_folding_structure {
    weir_graph *graph;
    size_t first, last;           /* indices of intervals */
    weir_meta_hardware *assigned; /* by node, as before any folding */
    size_t *unit_of;              /* by node */
    weir_folding_unit *unit;
    size_t units;
    const weir_folding_setting *folded; /* with which the graph's nodes were folded last */
    weir_folding_edge *edge;
    size_t edges;
    size_t *touching, *touching_first; /* by item, and one more: the edges that begin or end in it, in their order */
    weir_folding_door *door;
    size_t doors;
    uint64_t *form;   /* by node: where equal, here or in another structure, a folding is built of the same modules */
    uint64_t *values; /* by node: a hash of its constants, 0: it has none */
    weir_folding_station *station; /* by node */
    weir_value entry;              /* of the path */
    weir_node begin;               /* of the path */
    int64_t *needed; /* by place: the entry's element without which the node gives no result; NULL: not known yet */
    size_t places;
    bool holds_rows; /* inputs come evenly over the interval */
    uint16_t *width; /* by value: 1 + bits of an element of its stream; 0: not known yet */
    weir_folding_amount *common[WEIR_FOLDING_WEIGHTS]; /* what all foldings take; NULL: not known yet */
} weir_folding_structure;

struct weir_folding_space {
    const weir_graph *graph;
    const weir_device *device;
    weir_folding_weights weights[WEIR_FOLDING_WEIGHTS];
    size_t weights_count, by; /* the known ones, and the one by which foldings are judged */
    int64_t *interval;
    size_t count, intervals_capacity;
    uint64_t *form_at; /* by interval: of the nodes and modules as they are divided; 0: not known yet */
    int64_t shortest;
    weir_folding_structure at, kept[WEIR_FOLDING_KEPT]; /* and those before it, NULL graphs: none */
    size_t keeps;                                       /* the place of `kept` that is taken next */
    weir_cost_survey *survey;                           /* of its graph */
    size_t surveyed;
    weir_contents_counted contents;
    weir_map prices; /* by hash: index of `price` */
    weir_map bursts; /* elements that wait after a node, by what is seen of it: folding_tail.c */
    weir_map needs;  /* elements that a node needs, by form and element: folding_tail.c */
    weir_folding_hardware_price *price;
    weir_folding_hardware_form *built; /* by price */
    size_t price_count, price_capacity, built_capacity;
    weir_map timed; /* by all that a service rule knows of a node: index of `times` */
    weir_folding_times *times;
    size_t times_capacity;
    weir_map converters; /* by hash of its parameters: index of `converter` */
    weir_cost *converter;
    size_t converter_capacity;
    int64_t *share;        /* by bound: weir_folding_space_share */
    int64_t *share_before; /* their sums */
    size_t shares;
    int64_t reached;                   /* cycles a frame, of the knapsack */
    int64_t steps;                     /* that it took */
    bool relaxed;                      /* weir_folding_space_relax */
    weir_folding_combination *room[2]; /* for combinations while they are counted */
    size_t room_capacity[2];
    /* the knapsack */
    weir_arena *arena;
    weir_knapsack knapsack;
    size_t *unit_of_item;
    size_t **tag; /* by item and option: folding << 32 | combination */
};

static inline const weir_component_rules *weir_folding_rules(const weir_graph *graph, weir_node node) {
    const weir_component *component = weir_component_of(graph, node);
    return component == NULL ? NULL : component->rules;
}

static inline bool weir_folding_sets_pace(const weir_graph *graph, weir_node node) {
    const weir_component_rules *rules = weir_folding_rules(graph, node);
    return rules != NULL && rules->foldings != NULL;
}

static inline weir_meta_hardware *weir_folding_hardware(weir_graph *graph, weir_node node) {
    return &weir_node_metadata(graph, node)->hardware;
}

/* The component that gives the stream; none: it is an input. */
static inline weir_node weir_folding_source(const weir_graph *graph, weir_node node, size_t input) {
    const weir_node from = weir_value_producer(graph, weir_stream_source(graph, weir_node_input(graph, node, input)));
    return from.id != 0 && weir_stream_role(graph, from) == WEIR_ROLE_COMPONENT ? from : WEIR_NO_NODE;
}

weir_cost_survey *weir_folding_survey(weir_folding_space *space);
/* Forms of the structure's nodes: folding_form.c. */
void weir_folding_find_forms(weir_folding_space *space);
void weir_folding_add(weir_folding_amount *into, const weir_folding_amount *amount);
/* What the folded node takes: an index of `price`. `settled`: of the folding that a node before it decides, else 0. */
size_t weir_folding_priced(weir_folding_space *space, weir_node node, int64_t settled);
/* What that comes to where the node works `busy` cycles a frame. */
weir_folding_amount weir_folding_amount_of(const weir_folding_space *space, weir_node node,
                                           const weir_folding_hardware_price *price, int64_t busy);
/* A lane converter, as insert_streams puts it where a stream's ends differ. */
weir_folding_amount weir_folding_converter(weir_folding_space *space, weir_value value, int64_t in, int64_t out);
/* Lanes of an input of a member of an item with this folding. */
int64_t weir_folding_lanes_taken(const weir_folding_structure *structure, const weir_folding_unit *unit, size_t member,
                                 const weir_folding_setting *folding, size_t input);
/* What all foldings take: forks, which cost the same for all lanes, and the doors of outputs, with places for the
 * fewest frames. */
weir_folding_amount weir_folding_common(weir_folding_space *space);
/* The doors of the inputs that only the item takes, with the lanes of a folding. */
weir_folding_amount weir_folding_guards(const weir_folding_space *space, const weir_folding_unit *unit,
                                        const weir_folding_setting *folding);
/* The node that sets an item's pace gets a folding. */
void weir_folding_settle(weir_folding_structure *structure, const weir_folding_unit *unit,
                         const weir_folding_setting *folding);

/* Folds the members with a folding, for the interval that is reached. */
void weir_folding_fold(weir_folding_space *space, const weir_folding_unit *unit, weir_folding_setting *folding);
/* Has the item the folding in the knapsack? */
bool weir_folding_is_open(const weir_folding_space *space, const weir_folding_unit *unit,
                          const weir_folding_setting *folding);
/* Where the member's memories may lie and its products be formed: bits of storage + 3 * products. */
static inline unsigned weir_folding_choices(const weir_folding_unit *unit, size_t member) {
    return unit->choices[member];
}
void weir_folding_pick_choice(weir_graph *graph, weir_node node, unsigned choice);
static inline unsigned weir_folding_choice_of(uint64_t choices, size_t member) { return choices >> 4 * member & 15; }
/* The lanes that the folding gives the member; 0: none. */
static inline int64_t weir_folding_settled_for(const weir_folding_unit *unit, const weir_folding_setting *folding,
                                               size_t member) {
    return member < unit->pace && unit->pace != SIZE_MAX ? folding->settings.out_lanes : 0;
}
/* False: another component may take the node over, with a timing of its own. */
bool weir_folding_is_fixed(const weir_graph *graph, weir_node node);
/* The folded node as it is built: with the component that takes it over, where one does. */
weir_meta_hardware weir_folding_built(weir_folding_space *space, weir_node node);
/* The same of one that has a price. */
static inline weir_meta_hardware weir_folding_built_as(const weir_folding_hardware_form *form,
                                                       const weir_meta_hardware *hardware) {
    weir_meta_hardware built = *hardware;
    if (strcmp(form->module, built.module) == 0) return built;
    built.module = form->module;
    built.settings = form->settings;
    built.interval = form->interval;
    return built;
}

/* A hash of what is known of the node without building it. */
uint64_t weir_folding_seen(const weir_folding_structure *structure, weir_node node);
/* The nodes of the structure that set the pace or depend on one. */
void weir_folding_find_stations(weir_folding_space *space);
/* Traces back what the nodes that set the pace need. */
void weir_folding_find_needed(weir_folding_space *space);
/* What the folded node takes of the path. */
weir_folding_times weir_folding_times_of(const weir_folding_structure *structure, weir_node node);
/* How many bounds there are. */
size_t weir_folding_bounds(const weir_folding_structure *structure);
/* What its times add to a mix of the bounds, without what the interval gives. before[i]: shares of the bounds before
 * bound i; one more for all of them. */
int64_t weir_folding_part(const weir_folding_structure *structure, weir_node node, const weir_folding_times *times,
                          const int64_t *before);
/* Adds them to all bounds: as differences to the bound before. */
void weir_folding_add_part(const weir_folding_structure *structure, weir_node node, const weir_folding_times *times,
                           int64_t *differences);
/* Sums of the shares before each bound, and of all: heap memory. */
int64_t *weir_folding_sums(const int64_t *share, size_t bounds);
/* The rest of it. */
int64_t weir_folding_arrival(const weir_folding_structure *structure, size_t index, int64_t interval);

/* The items and streams of the graph for interval `index`, instead of those before; false: they were made. Then come
 * the forms. */
bool weir_folding_structure_make(weir_folding_space *space, size_t index);
void weir_folding_structure_free(weir_folding_structure *structure);

#endif
