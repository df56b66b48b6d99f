#include "synth/netlist/correspondence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/memory/random.h"

static const weir_literal no_literal = UINT32_MAX;

/* When it may be 1, and when 0: at all times one of them, both where it is undefined. */
typedef struct ternary {
    weir_literal one, zero;
} ternary;

static const ternary unknown = {UINT32_MAX, UINT32_MAX};
static bool is_unknown(ternary value) { return value.one == no_literal; }
static bool is_defined(ternary value) { return value.zero == weir_literal_not(value.one); }
static ternary defined(weir_literal value) { return (ternary){value, weir_literal_not(value)}; }
static ternary not(ternary value) { return (ternary){value.zero, value.one}; }

typedef struct side {
    const weir_gates *g;
    ternary *value;    /* by net */
    ternary undefined; /* what has no value: anything on the gold side, one that is not known on the other */
} side;

/* What a register or block of the gold side is to the gate side. */
typedef struct partner {
    bool found, sought;
    bool is_tied;       /* a register to 1, in the gate side's wire of its name */
    weir_literal value; /* of a register's output */
    size_t block;
    const char *name; /* of the register's wire, and which bit */
    size_t bit;
} partner;

typedef struct search {
    weir_correspondence *c;
    side gold, gate;
    uint32_t *reg_of_node; /* of the gate side, + 1 */
    size_t nodes;
    partner *reg, *block;  /* of the gold side */
    bool *taken;           /* by block of the gate side */
    const size_t *refined; /* by register of the gold side: what `refine` found; NULL: nothing yet */
} search;

static ternary value_of(search *s, side *at, weir_net net);

/* --- blocks by what they are given --- */

/* The gate side's pin of the same name; NULL: there is none. */
static const weir_pin *find_pin(const weir_block *block, const weir_pin *like) {
    for (size_t i = 0; i < block->pins; i++) {
        if (block->pin[i].bit == like->bit && strcmp(block->pin[i].port, like->port) == 0) return &block->pin[i];
    }
    return NULL;
}

/* The gold block's outputs are the gate block's, or unknown ones of its own. */
static void set_outputs(search *s, size_t index) {
    assert(index < s->gold.g->blocks);
    const weir_block *block = &s->gold.g->block[index];
    const weir_block *other = s->block[index].found ? &s->gate.g->block[s->block[index].block] : NULL;
    for (size_t i = 0; i < block->pins; i++) {
        const weir_pin *pin = &block->pin[i];
        if (!pin->is_output || pin->net < WEIR_NET_FIRST || !is_unknown(s->gold.value[pin->net])) continue;
        const weir_pin *same = other == NULL ? NULL : find_pin(other, pin);
        s->gold.value[pin->net] =
            same == NULL || same->net < WEIR_NET_FIRST ? defined(weir_aig_input(s->c->aig)) : s->gate.value[same->net];
    }
}

static void pair_blocks(search *s, size_t gold, size_t gate) {
    assert(!s->block[gold].found && !s->taken[gate]);
    assert(gold < s->gold.g->blocks && gate < s->gate.g->blocks);
    s->block[gold].found = true;
    s->block[gold].block = gate;
    s->taken[gate] = true;
}

/* Under the random patterns, where the gold block's inputs are defined. */
static bool is_given_the_same(search *s, const weir_block *gold, const weir_block *gate) {
    for (size_t i = 0; i < gold->pins; i++) {
        const weir_pin *pin = &gold->pin[i], *same = pin->is_output ? NULL : find_pin(gate, pin);
        if (pin->is_output) continue;
        const ternary value = value_of(s, &s->gold, pin->net);
        if (!is_defined(value)) continue;
        const weir_literal other = value_of(s, &s->gate, same == NULL ? WEIR_NET_UNDEFINED : same->net).one;
        if (!weir_aig_looks_equal(s->c->aig, value.one, other)) return false;
    }
    return true;
}

/* One that is given what it puts out itself is not found. */
static void find_block(search *s, size_t index) {
    assert(index < s->gold.g->blocks);
    const weir_block *gold = &s->gold.g->block[index];
    const bool is_first = !s->block[index].sought;
    s->block[index].sought = true;
    for (size_t k = 0; is_first && k < s->gate.g->blocks && !s->block[index].found; k++) {
        const weir_block *gate = &s->gate.g->block[k];
        if (!s->taken[k] && strcmp(gold->type, gate->type) == 0 && is_given_the_same(s, gold, gate))
            pair_blocks(s, index, k);
    }
    set_outputs(s, index);
}

/* --- logic --- */

static ternary and (weir_aig * aig, ternary a, ternary b) {
    if (is_defined(a) && is_defined(b)) return defined(weir_aig_and(aig, a.one, b.one));
    return (ternary){weir_aig_and(aig, a.one, b.one), weir_aig_or(aig, a.zero, b.zero)};
}

static ternary or (weir_aig * aig, ternary a, ternary b) { return not(and(aig, not(a), not(b))); }

static ternary mux(weir_aig *aig, ternary select, ternary when_1, ternary when_0) {
    if (is_defined(select) && is_defined(when_1) && is_defined(when_0))
        return defined(weir_aig_mux(aig, select.one, when_1.one, when_0.one));
    return (ternary){
        weir_aig_or(aig, weir_aig_and(aig, select.one, when_1.one), weir_aig_and(aig, select.zero, when_0.one)),
        weir_aig_or(aig, weir_aig_and(aig, select.one, when_1.zero), weir_aig_and(aig, select.zero, when_0.zero))};
}

static ternary value_of_gate(search *s, side *at, const weir_gate *gate) {
    assert(gate->kind < WEIR_GATE_KINDS);
    weir_aig *aig = s->c->aig;
    const ternary a = value_of(s, at, gate->a);
    if (gate->kind == WEIR_GATE_BUF) return a;
    if (gate->kind == WEIR_GATE_NOT) return not(a);
    const ternary b = value_of(s, at, gate->b);
    switch (gate->kind) {
    case WEIR_GATE_AND: return and(aig, a, b);
    case WEIR_GATE_NAND: return not(and(aig, a, b));
    case WEIR_GATE_OR: return or (aig, a, b);
    case WEIR_GATE_NOR: return not(or (aig, a, b));
    case WEIR_GATE_XOR: return mux(aig, a, not(b), b);
    case WEIR_GATE_XNOR: return mux(aig, a, b, not(b));
    case WEIR_GATE_ANDNOT: return and(aig, a, not(b));
    case WEIR_GATE_ORNOT: return or (aig, a, not(b));
    case WEIR_GATE_MUX: return mux(aig, value_of(s, at, gate->s), b, a);
    case WEIR_GATE_BUF:
    case WEIR_GATE_NOT:
    case WEIR_GATE_KINDS: break;
    }
    assert(false && "a gate without a function");
    return a;
}

static ternary value_of(search *s, side *at, weir_net net) {
    assert(net < at->g->nets || net < WEIR_NET_FIRST);
    if (net == WEIR_NET_UNDEFINED) return at->undefined;
    if (net < WEIR_NET_FIRST) return defined(net == WEIR_NET_1 ? WEIR_LITERAL_TRUE : WEIR_LITERAL_FALSE);
    if (!is_unknown(at->value[net])) return at->value[net];
    const uint32_t index = at->g->driver[net].index;
    at->value[net] = at->undefined; /* also in a loop, which Yosys' check has refused */
    if (at->g->driver[net].kind == WEIR_DRIVER_GATE) at->value[net] = value_of_gate(s, at, &at->g->gate[index]);
    if (at->g->driver[net].kind != WEIR_DRIVER_BLOCK) return at->value[net];
    at->value[net] = unknown; /* of the gold side: the gate side's have values */
    find_block(s, index);
    return at->value[net];
}

/* --- what both sides begin with --- */

static ternary *unknown_values(size_t nets) {
    ternary *value = weir_malloc(nets * sizeof *value + 1);
    for (size_t i = 0; i < nets; i++) value[i] = unknown;
    return value;
}

static void set_inputs(search *s) {
    const char *name;
    json_t *port, *bit;
    size_t i;
    json_object_foreach(json_object_get(s->gate.g->top, "ports"), name, port) {
        if (strcmp(json_string_value(json_object_get(port, "direction")), "input") != 0) continue;
        const json_t *other = json_object_get(json_object_get(json_object_get(s->gold.g->top, "ports"), name), "bits");
        json_array_foreach(json_object_get(port, "bits"), i, bit) {
            const ternary input = defined(weir_aig_input(s->c->aig));
            s->gate.value[weir_gates_net(bit)] = input;
            if (json_is_integer(json_array_get(other, i)))
                s->gold.value[weir_gates_net(json_array_get(other, i))] = input;
        }
    }
}

/* All state of the gate side is free. */
static void set_gate_state(search *s) {
    const weir_gates *g = s->gate.g;
    for (size_t i = 0; i < g->regs; i++) {
        if (g->reg[i].q >= WEIR_NET_FIRST) s->gate.value[g->reg[i].q] = defined(weir_aig_input(s->c->aig));
    }
    for (size_t b = 0; b < g->blocks; b++) {
        for (size_t i = 0; i < g->block[b].pins; i++) {
            const weir_pin *pin = &g->block[b].pin[i];
            if (pin->is_output && pin->net >= WEIR_NET_FIRST)
                s->gate.value[pin->net] = defined(weir_aig_input(s->c->aig));
        }
    }
    for (size_t i = 0; i < g->regs; i++) {
        if (g->reg[i].q < WEIR_NET_FIRST) continue;
        const size_t node = s->gate.value[g->reg[i].q].one / 2;
        s->reg_of_node = weir_grow_zeroed(s->reg_of_node, &s->nodes, node + 1, sizeof *s->reg_of_node);
        s->reg_of_node[node] = (uint32_t)i + 1;
    }
}

/* A register of the gate side? Of a constant the name does not tell whether the register is one or is not needed
 * (refine does). */
static bool is_state(const search *s, weir_literal value) {
    return value / 2 < s->nodes && s->reg_of_node[value / 2] != 0;
}

/* A wire of both sides that a register of the gold side drives. */
static void match_wire(search *s, const char *name, const json_t *gold, const json_t *gate) {
    const json_t *bits = json_object_get(gold, "bits"), *others = json_object_get(gate, "bits");
    for (size_t i = 0; i < json_array_size(bits); i++) {
        const weir_net net = weir_gates_net(json_array_get(bits, i));
        if (net < WEIR_NET_FIRST || s->gold.g->driver[net].kind != WEIR_DRIVER_REGISTER) continue;
        partner *p = &s->reg[s->gold.g->driver[net].index];
        if (p->name == NULL) {
            p->name = name;
            p->bit = i;
        }
        const json_t *other = json_array_get(others, i);
        const weir_literal value =
            p->found || other == NULL ? no_literal : value_of(s, &s->gate, weir_gates_net(other)).one;
        if (value == WEIR_LITERAL_TRUE) p->is_tied = true;
        if (value == no_literal || !is_state(s, value)) continue;
        p->found = true;
        p->value = value;
        p->name = name;
        p->bit = i;
    }
}

/* What `refine` says of a register: nothing, always 0 or 1, or a register of the gate side. */
enum { REFINED_NOTHING, REFINED_0, REFINED_1, REFINED_FIRST };

static void use_refined(search *s, size_t index) {
    assert(index < s->gold.g->regs);
    const size_t code = s->refined[index];
    assert(code < REFINED_FIRST || code - REFINED_FIRST < s->gate.g->regs);
    partner *p = &s->reg[index];
    p->found = code != REFINED_NOTHING;
    if (code < REFINED_FIRST) p->value = code == REFINED_1 ? WEIR_LITERAL_TRUE : WEIR_LITERAL_FALSE;
    else p->value = s->gate.value[s->gate.g->reg[code - REFINED_FIRST].q].one;
}

static void match_registers(search *s) {
    const json_t *others = json_object_get(s->gate.g->top, "netnames");
    const char *name;
    json_t *wire;
    json_object_foreach(json_object_get(s->gold.g->top, "netnames"), name, wire) {
        const json_t *same = json_object_get(others, name);
        if (json_integer_value(json_object_get(wire, "hide_name")) == 0) match_wire(s, name, wire, same);
    }
    for (size_t i = 0; i < s->gold.g->regs; i++) {
        const weir_net q = s->gold.g->reg[i].q;
        if (s->reg[i].name == NULL) s->reg[i].name = "(register without a name)";
        if (!s->reg[i].found && s->refined != NULL) use_refined(s, i);
        if (q >= WEIR_NET_FIRST)
            s->gold.value[q] = defined(s->reg[i].found ? s->reg[i].value : weir_aig_input(s->c->aig));
    }
}

static void match_blocks(search *s) {
    const weir_gates *gold = s->gold.g, *gate = s->gate.g;
    for (size_t i = 0; i < gold->blocks; i++) {
        for (size_t k = 0; k < gate->blocks && !s->block[i].found; k++) {
            if (!s->taken[k] && strcmp(gold->block[i].type, gate->block[k].type) == 0 &&
                strcmp(gold->block[i].name, gate->block[k].name) == 0)
                pair_blocks(s, i, k);
        }
        if (s->block[i].found) set_outputs(s, i);
    }
    for (size_t i = 0; i < gold->blocks; i++) {
        if (!s->block[i].found) find_block(s, i);
    }
}

/* --- what is to be the same --- */

void weir_correspondence_decide(const weir_correspondence *c, weir_cone *cone) {
    cone->state = cone->gold == cone->gate                               ? WEIR_CONE_EQUAL
                  : weir_aig_looks_equal(c->aig, cone->gold, cone->gate) ? WEIR_CONE_OPEN
                                                                         : WEIR_CONE_DIFFERENT;
}

static void add_cone(search *s, ternary gold, weir_literal gate, const char *name, size_t bit) {
    assert(gate / 2 < weir_aig_nodes(s->c->aig));
    weir_correspondence *c = s->c;
    weir_cone cone = {.gold = gold.one, .gate = gate};
    if (!is_defined(gold)) { /* whatever it is, gold may be */
        cone.gold = WEIR_LITERAL_TRUE;
        cone.gate = weir_aig_mux(c->aig, gate, gold.one, gold.zero);
    }
    weir_correspondence_decide(c, &cone);
    cone.name = weir_format("%s[%zu]", name, bit);
    c->cone = weir_grow(c->cone, &c->capacity, c->cones + 1, sizeof *c->cone);
    c->cone[c->cones++] = cone;
}

static void compare_outputs(search *s) {
    const json_t *others = json_object_get(s->gate.g->top, "ports");
    const char *name;
    json_t *port, *bit;
    size_t i;
    json_object_foreach(json_object_get(s->gold.g->top, "ports"), name, port) {
        if (strcmp(json_string_value(json_object_get(port, "direction")), "output") != 0) continue;
        const json_t *same = json_object_get(json_object_get(others, name), "bits");
        json_array_foreach(json_object_get(port, "bits"), i, bit) {
            add_cone(s, value_of(s, &s->gold, weir_gates_net(bit)),
                     value_of(s, &s->gate, weir_gates_net(json_array_get(same, i))).one, name, i);
        }
    }
}

/* The clock as it rises. */
static weir_literal clock_of(search *s, side *at, const weir_register *reg) {
    assert(reg >= at->g->reg && reg < at->g->reg + at->g->regs);
    const weir_literal clock = value_of(s, at, reg->clock).one;
    return reg->falls ? weir_literal_not(clock) : clock;
}

static void compare_register(search *s, size_t index) {
    assert(index < s->gold.g->regs && s->reg[index].found);
    const weir_register *gold = &s->gold.g->reg[index];
    const partner *p = &s->reg[index];
    const bool is_inverted = p->value & 1;
    weir_literal next = p->value, initial = p->value;
    if (p->value > WEIR_LITERAL_TRUE) {
        const weir_register *gate = &s->gate.g->reg[s->reg_of_node[p->value / 2] - 1];
        next = value_of(s, &s->gate, gate->d).one ^ (weir_literal)is_inverted;
        initial = (weir_literal)(gate->initial == '1') ^ (weir_literal)is_inverted;
        add_cone(s, defined(clock_of(s, &s->gold, gold)), clock_of(s, &s->gate, gate), p->name, p->bit);
    }
    add_cone(s, value_of(s, &s->gold, gold->d), next, p->name, p->bit);
    if (gold->initial != 'x') add_cone(s, defined(gold->initial == '1'), initial, p->name, p->bit);
}

/* Is the one what the other leaves open ("AUTO", digits 'x'), or the same? */
static bool is_parameter(const char *gold, const char *gate) {
    if (strcmp(gold, gate) == 0 || strcmp(gold, "AUTO") == 0) return true;
    size_t i = 0;
    while (gold[i] != '\0' && gate[i] != '\0' && (gold[i] == gate[i] || gold[i] == 'x')) i++;
    return gold[i] == '\0' && gate[i] == '\0';
}

static void compare_parameters(search *s, const weir_block *gold, const weir_block *gate) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)gold->parameters, key, value) {
        const char *wanted = json_string_value(value),
                   *found = json_string_value(json_object_get(gate->parameters, key));
        const bool is_same = wanted == NULL ? json_equal(value, json_object_get(gate->parameters, key))
                                            : found != NULL && is_parameter(wanted, found);
        char *name = weir_format("%s.%s", gold->name, key);
        add_cone(s, defined(WEIR_LITERAL_TRUE), (weir_literal)is_same, name, 0);
        free(name);
    }
}

static void compare_block(search *s, size_t index) {
    assert(index < s->gold.g->blocks && s->block[index].found && s->block[index].block < s->gate.g->blocks);
    const weir_block *gold = &s->gold.g->block[index], *gate = &s->gate.g->block[s->block[index].block];
    compare_parameters(s, gold, gate);
    for (size_t i = 0; i < gold->pins; i++) {
        const weir_pin *pin = &gold->pin[i], *same = find_pin(gate, pin);
        if (pin->is_output) continue;
        char *name = weir_format("%s.%s", gold->name, pin->port);
        add_cone(s, value_of(s, &s->gold, pin->net),
                 value_of(s, &s->gate, same == NULL ? WEIR_NET_UNDEFINED : same->net).one, name, pin->bit);
        free(name);
    }
}

static void compare(search *s) {
    compare_outputs(s);
    for (size_t i = 0; i < s->gold.g->regs; i++) {
        s->c->registers_found += s->reg[i].found;
        if (s->reg[i].found) compare_register(s, i);
    }
    for (size_t i = 0; i < s->gold.g->blocks; i++) {
        s->c->blocks_found += s->block[i].found;
        if (s->block[i].found) compare_block(s, i);
    }
}

/* --- registers whose names are gone --- */

/* A register without a partner. */
typedef struct item {
    bool is_gold;
    size_t index;
    weir_literal q, d;
    uint64_t class; /* 0, 1: that of the constant */
} item;

static bool *used_registers(const search *s) {
    bool *used = weir_calloc(s->gate.g->regs + 1, sizeof *used);
    for (size_t i = 0; i < s->gold.g->regs; i++) {
        const weir_literal value = s->reg[i].value;
        if (s->reg[i].found && value > WEIR_LITERAL_TRUE) used[s->reg_of_node[value / 2] - 1] = true;
    }
    return used;
}

static item item_of(search *s, side *at, size_t index) {
    assert(index < at->g->regs);
    const weir_register *reg = &at->g->reg[index];
    const bool is_gold = at == &s->gold;
    const bool is_1 = reg->initial == '1' || (is_gold && reg->initial == 'x' && s->reg[index].is_tied);
    return (item){is_gold, index, value_of(s, at, reg->q).one, value_of(s, at, reg->d).one, is_1};
}

static size_t list_items(search *s, item *items) {
    bool *used = used_registers(s);
    size_t count = 0;
    for (size_t i = 0; i < s->gold.g->regs; i++) {
        if (!s->reg[i].found) items[count++] = item_of(s, &s->gold, i);
    }
    for (size_t i = 0; i < s->gate.g->regs && count > 0; i++) {
        if (!used[i]) items[count++] = item_of(s, &s->gate, i);
    }
    free(used);
    return count;
}

/* Those of one class have the same values; which of them then go to the same next values? The number of classes. */
static size_t split(search *s, item *items, size_t count) {
    weir_map classes = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t words[WEIR_AIG_WORDS], state = items[i].class;
        for (size_t w = 0; w < WEIR_AIG_WORDS; w++)
            words[w] = items[i].class > 1 ? weir_random_next(&state) : items[i].class == 1 ? UINT64_MAX : 0;
        weir_aig_set_words(s->c->aig, items[i].q, words);
    }
    weir_aig_simulate(s->c->aig);
    for (size_t i = 0; i < count; i++) {
        bool is_constant = items[i].class < 2;
        uint64_t state = items[i].class;
        for (size_t w = 0; w < WEIR_AIG_WORDS; w++) {
            const uint64_t word = weir_aig_word(s->c->aig, items[i].d, w);
            is_constant = is_constant && word == (items[i].class == 1 ? UINT64_MAX : 0);
            state = weir_random_next(&state) ^ word;
        }
        if (!is_constant) items[i].class = state | 2;
        *weir_map_put(&classes, items[i].class) = 1;
    }
    const size_t found = classes.count;
    weir_map_free(&classes);
    return found;
}

/* Registers that may be a constant, or the same, as far as random patterns tell, by splitting classes until they stay;
 * whether they are, the comparison shows. NULL: all had their names. */
static size_t *refine(search *s) {
    item *items = weir_calloc(s->gold.g->regs + s->gate.g->regs + 1, sizeof *items);
    const size_t count = list_items(s, items);
    size_t *refined = count > 0 ? weir_calloc(s->gold.g->regs, sizeof *refined) : NULL;
    for (size_t before = 0, now = 1; count > 0 && now != before;) {
        before = now;
        now = split(s, items, count);
    }
    for (size_t i = 0; i < count && items[i].is_gold; i++) {
        size_t *code = &refined[items[i].index];
        if (items[i].class < 2) *code = items[i].class == 1 ? REFINED_1 : REFINED_0;
        for (size_t k = i + 1; items[i].class > 1 && k < count && *code == REFINED_NOTHING; k++) {
            if (!items[k].is_gold && items[k].class == items[i].class) *code = REFINED_FIRST + items[k].index;
        }
    }
    free(items);
    return refined;
}

/* --- both sides --- */

/* What depends on state that has no partner cannot be told. */
static void mark_unmatched(search *s) {
    weir_correspondence *c = s->c;
    bool *marked = weir_calloc(weir_aig_nodes(c->aig), sizeof *marked), *used = used_registers(s);
    for (size_t i = 0; i < s->gold.g->regs; i++) {
        if (!s->reg[i].found) marked[value_of(s, &s->gold, s->gold.g->reg[i].q).one / 2] = true;
    }
    for (size_t i = 0; i < s->gate.g->regs; i++) {
        if (!used[i]) marked[value_of(s, &s->gate, s->gate.g->reg[i].q).one / 2] = true;
    }
    const side *sides[] = {&s->gold, &s->gate};
    for (size_t k = 0; k < 2; k++) {
        for (size_t b = 0; b < sides[k]->g->blocks; b++) {
            const weir_block *block = &sides[k]->g->block[b];
            for (size_t i = 0; i < block->pins && !(k == 0 ? s->block[b].found : s->taken[b]); i++) {
                const weir_pin *pin = &block->pin[i];
                if (pin->is_output && pin->net >= WEIR_NET_FIRST) marked[sides[k]->value[pin->net].one / 2] = true;
            }
        }
    }
    c->unmatched = weir_malloc(weir_aig_nodes(c->aig) * sizeof *marked);
    memcpy(c->unmatched, marked, weir_aig_nodes(c->aig) * sizeof *marked);
    weir_aig_mark(c->aig, marked);
    for (size_t i = 0; i < c->cones; i++) {
        if (c->cone[i].state != WEIR_CONE_EQUAL && (marked[c->cone[i].gold / 2] || marked[c->cone[i].gate / 2]))
            c->cone[i].state = WEIR_CONE_UNMATCHED;
    }
    free(marked);
    free(used);
}

static search start(const weir_gates *gold, const weir_gates *gate, const size_t *refined, weir_correspondence *found) {
    *found = (weir_correspondence){.aig = weir_aig_new(), .registers = gold->regs, .blocks = gold->blocks};
    search s = {.c = found,
                .gold = {gold, unknown_values(gold->nets), {WEIR_LITERAL_TRUE, WEIR_LITERAL_TRUE}},
                .gate = {gate, unknown_values(gate->nets), unknown},
                .reg = weir_calloc(gold->regs + 1, sizeof *s.reg),
                .block = weir_calloc(gold->blocks + 1, sizeof *s.block),
                .taken = weir_calloc(gate->blocks + 1, sizeof *s.taken),
                .refined = refined};
    s.gate.undefined = defined(weir_aig_input(found->aig));
    set_inputs(&s);
    set_gate_state(&s);
    match_registers(&s);
    match_blocks(&s);
    return s;
}

static void end(search *s) {
    free(s->gold.value);
    free(s->gate.value);
    free(s->reg_of_node);
    free(s->reg);
    free(s->block);
    free(s->taken);
}

void weir_correspondence_of(const weir_gates *gold, const weir_gates *gate, weir_correspondence *found) {
    search s = start(gold, gate, NULL, found);
    size_t *refined = refine(&s);
    if (refined != NULL) {
        end(&s);
        weir_correspondence_free(found);
        s = start(gold, gate, refined, found);
    }
    compare(&s);
    mark_unmatched(&s);
    end(&s);
    free(refined);
}

void weir_correspondence_free(weir_correspondence *found) {
    for (size_t i = 0; i < found->cones; i++) free(found->cone[i].name);
    free(found->cone);
    free(found->unmatched);
    weir_aig_free(found->aig);
    *found = (weir_correspondence){.aig = NULL};
}
