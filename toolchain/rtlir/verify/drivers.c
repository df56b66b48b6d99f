/* Drivers and readers of one module's bits: sets of driven and read bits are filled by one walk over its statements, in
 * which loops take their iterations, and then compared. A net that more than one thing drives has an owner for every
 * bit, so cost is linear in statements and bits. Tri-state drivers may share bits with each other, and an instance is,
 * bit by bit, what drives its module's inout port inside. */
#include <stdlib.h>
#include <string.h>

#include "rtlir/analysis/bit_range_private.h"
#include "rtlir/analysis/cells_private.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verify/verify_private.h"

/* A variable of the module, or a port of an instance that is wired by assignments. */
typedef struct net_record {
    uint32_t var, instance, width;
    uint32_t owners;     /* where the owners of its bits start; 0: at most one driver so far, the first one */
    uint32_t loop;       /* of an iterator */
    size_t first_word;   /* its bits start at a word of their own */
    uint32_t first;      /* driver */
    uint32_t part, stmt; /* that read it first */
} net_record;

/* Something that drives a range of a net's bits. */
typedef struct driver {
    uint32_t low, width;
    uint32_t part, unit, stmt; /* the part of the module's body, which iteration of it, and the statement in it */
    bool floats;               /* a tri-state driver */
} driver;

/* The nets of one module, with sets of driven and of read bits. Tables are kept from module to module. */
struct weir_rtl_gaps {
    weir_rtl_design *design;
    unsigned checks;
    uint32_t module;
    rtl_unroll walk;
    rtl_numbering numbering;
    net_record *net; /* by number */
    size_t net_capacity, words;
    uint64_t *driven, *read;
    size_t driven_capacity, read_capacity;
    driver *drivers;
    size_t driver_count, driver_capacity;
    uint32_t *owner; /* drivers, by bit of the nets that have several */
    size_t owner_count, owner_capacity;
    uint32_t *seen; /* by expression id: the last statement, counted from the start, that was seen to read it */
    size_t seen_capacity;
    uint32_t stamp;
    uint32_t *stack;
    size_t stack_capacity;
    weir_rtl_gap *gap;
    size_t gap_capacity;
    bool floats;       /* what drives now is a tri-state driver */
    rtl_inouts inouts; /* of the modules visited so far */
};

/* What is read matters unless only drivers do. */
static bool reads(const rtl_nets *n) { return n->checks != RTL_CHECK_DRIVERS; }

static void mark(uint64_t *words, uint32_t low, uint32_t width) {
    if (low == 0 && width <= 64 && width > 0) {
        words[0] |= UINT64_MAX >> (64 - width);
        return;
    }
    while (width > 0) {
        uint32_t shift = low % 64;
        uint32_t take = 64 - shift < width ? 64 - shift : width;
        words[low / 64] |= (UINT64_MAX >> (64 - take)) << shift;
        low += take;
        width -= take;
    }
}

/* ---- messages ---- */

static const char *part_name(const weir_rtl_design *design, uint32_t part, weir_text *text) {
    assert(part < design->stmt_count);
    const rtl_stmt *s = &design->stmt[part];
    text->size = 0;
    switch (s->kind) {
    case WEIR_RTL_STMT_INSTANCE: weir_text_format(text, "instance '%s'", design->instance[s->a].name); break;
    case WEIR_RTL_STMT_ASSIGN: weir_text_add(text, "an assignment"); break;
    case WEIR_RTL_STMT_INITIAL: weir_text_add(text, "an initial block"); break;
    case WEIR_RTL_STMT_FOR: weir_text_add(text, "a loop"); break;
    case WEIR_RTL_STMT_ASSERT: weir_text_add(text, "an assertion"); break;
    case WEIR_RTL_STMT_FSM: weir_text_format(text, "state machine '%s'", rtl_fsm_of(design, s)->name); break;
    default: weir_text_add(text, "an always block"); break;
    }
    return text->data;
}

static const char *range_name(const weir_rtl_design *design, const net_record *net, uint32_t low, uint32_t width,
                              weir_text *text) {
    text->size = 0;
    weir_text_char(text, '\'');
    if (net->instance) weir_text_format(text, "%s.", design->instance[net->instance].name);
    weir_text_add(text, design->var[net->var].name);
    if (net->width > 1 && width == 1) weir_text_format(text, "[%u]", (unsigned)low);
    else if (net->width > 1) weir_text_format(text, "[%u:%u]", (unsigned)(low + width - 1), (unsigned)low);
    weir_text_char(text, '\'');
    return text->data;
}

static weir_location location_of(const weir_rtl_design *design, uint32_t stmt) {
    assert(stmt < design->stmt_count);
    const rtl_stmt *s = &design->stmt[stmt];
    return s->kind == WEIR_RTL_STMT_INSTANCE ? rtl_location_of(design, &design->instance[s->a].common)
                                             : rtl_location_of(design, &s->common);
}

/* Names the second location, when it says more than the first one. */
static void note(const weir_rtl_design *design, weir_location first, uint32_t stmt, const char *text) {
    weir_location location = location_of(design, stmt);
    bool is_same = location.file == first.file && location.line == first.line;
    if (location.file && !is_same) weir_note_at(location, "%s", text);
}

/* ---- driving ---- */

static void report_conflict(rtl_nets *n, const net_record *net, const driver *old, uint32_t low, uint32_t width,
                            const driver *new) {
    weir_text names[3] = {{0}, {0}, {0}};
    const weir_rtl_design *design = n->design;
    weir_location location = location_of(design, new->stmt);
    rtl_error(n->design, location, "%s in module '%s' has two drivers: %s and %s",
              range_name(design, net, low, width, &names[0]), design->module[n->module].name,
              part_name(design, old->part, &names[1]), part_name(design, new->part, &names[2]));
    note(design, location, old->stmt, "the other driver is here");
    if (old->floats != new->floats)
        weir_note_at(location, "one of them is a tri-state driver, which only others like it may share a net with: "
                               "'CONDITION ? VALUE : 'z'");
    for (int i = 0; i < 3; i++) weir_text_free(&names[i]);
}

/* A process or a machine drives a bit as often as it likes; assignments and instances do not. */
static bool is_same(const rtl_nets *n, const driver *a, const driver *b) {
    weir_rtl_stmt_kind kind = n->design->stmt[a->part].kind;
    return a->unit == b->unit && kind != WEIR_RTL_STMT_ASSIGN && kind != WEIR_RTL_STMT_INSTANCE;
}

/* An initial block only gives the first value of what a process drives. */
static bool is_start(const rtl_nets *n, const driver *start, const driver *other) {
    weir_rtl_stmt_kind kind = n->design->stmt[other->part].kind;
    return n->design->stmt[start->part].kind == WEIR_RTL_STMT_INITIAL && rtl_is_process(kind) &&
           kind != WEIR_RTL_STMT_INITIAL;
}

static void own(uint32_t *owner, const driver *d, uint32_t id) {
    for (uint32_t i = d->low; i < d->low + d->width; i++) owner[i] = id;
}

/* Puts one more driver of a net down; of bits that had one, runs with the same one are reported together. */
static void share(rtl_nets *n, net_record *net, uint32_t id) {
    const driver *new = &n->drivers[id];
    if (!net->owners) {
        n->owner = weir_grow(n->owner, &n->owner_capacity, n->owner_count + net->width, sizeof *n->owner);
        memset(n->owner + n->owner_count, 0, net->width * sizeof *n->owner);
        net->owners = (uint32_t)n->owner_count;
        n->owner_count += net->width;
        own(n->owner + net->owners, &n->drivers[net->first], net->first);
    }
    uint32_t *owner = n->owner + net->owners;
    for (uint32_t i = new->low, end; i < new->low + new->width; i = end) {
        uint32_t old = owner[i];
        for (end = i + 1; end < new->low + new->width &&owner[end] == old;) end++;
        const driver *other = &n->drivers[old];
        bool is_alone = !old || is_same(n, other, new) || (other->floats && new->floats);
        if (!is_alone && !is_start(n, other, new) && !is_start(n, new, other))
            report_conflict(n, net, other, i, end - i, new);
        if (old && !is_start(n, other, new)) continue;
        for (uint32_t k = i; k < end; k++) owner[k] = id;
    }
}

static void drive(rtl_nets *n, uint32_t at, uint32_t low, uint32_t width) {
    net_record *net = &n->net[at];
    if (low + width > net->width) width = low < net->width ? net->width - low : 0;
    if (width == 0) return;
    mark(n->driven + net->first_word, low, width);
    if (!(n->checks & RTL_CHECK_DRIVERS)) return;
    const driver new = {low, width, n->walk.part, n->walk.unit, n->walk.stmt, n->floats};
    const driver *first = &n->drivers[net->first];
    if (net->first && !net->owners && first->low <= low && low + width <= first->low + first->width &&
        is_same(n, first, &new))
        return;
    uint32_t id = (uint32_t)n->driver_count;
    n->drivers = weir_grow(n->drivers, &n->driver_capacity, n->driver_count + 1, sizeof *n->drivers);
    n->drivers[n->driver_count++] = new;
    if (!net->first) net->first = id;
    else share(n, net, id);
}

/* ---- expressions ---- */

static void push(rtl_nets *n, size_t *depth, uint32_t expr) {
    n->stack = weir_grow(n->stack, &n->stack_capacity, *depth + 1, sizeof *n->stack);
    n->stack[(*depth)++] = expr;
}

static void read_bits(rtl_nets *n, uint32_t at, uint32_t low, uint32_t width) {
    net_record *net = &n->net[at];
    if (low + width > net->width) width = low < net->width ? net->width - low : 0;
    mark(n->read + net->first_word, low, width);
    if (net->part) return;
    net->part = n->walk.part;
    net->stmt = n->walk.stmt;
}

/* Ports of an instance in a loop stand for those of all its iterations: the first one is looked at. */
static bool counts(const rtl_nets *n, uint32_t base) {
    const weir_rtl_design *design = n->design;
    const rtl_expr *e = &design->expr[base];
    if (e->kind == WEIR_RTL_EXPR_VAR) return !rtl_var_of(design, e)->function;
    return n->walk.is_first || !design->block[design->stmt[design->instance[e->a].stmt].block].owner;
}

static void read_part(rtl_nets *n, size_t *depth, uint32_t id) {
    assert(id < n->design->expr_count);
    rtl_bit_range bits = rtl_locate_now(&n->walk, id);
    if (counts(n, bits.base)) read_bits(n, rtl_net_number(&n->numbering, bits.base), bits.low, bits.width);
    for (const rtl_expr *e = &n->design->expr[id]; rtl_is_part(e->kind); e = &n->design->expr[e->a])
        if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) push(n, depth, e->b);
}

/* Marks what an expression reads, working on the stack above `depth`. Shared parts are looked at once a statement. */
static void read_expr(rtl_nets *n, size_t depth, uint32_t expr) {
    const weir_rtl_design *design = n->design;
    size_t floor = depth;
    if (!reads(n)) return;
    push(n, &depth, expr);
    while (depth > floor) {
        uint32_t id = n->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (n->seen[id] == n->stamp) continue;
        n->seen[id] = n->stamp;
        if (e->kind == WEIR_RTL_EXPR_VAR) {
            if (!rtl_var_of(design, e)->function) read_bits(n, n->numbering.position[e->a], 0, e->width);
        } else if (e->kind == WEIR_RTL_EXPR_PORT || rtl_is_part(e->kind)) {
            read_part(n, &depth, id);
        } else {
            for (size_t i = rtl_operand_count(e); i-- > 0;) push(n, &depth, rtl_operand_at(design, e, i));
        }
    }
}

/* Marks what an assignment to the expression drives; computed indices are read. */
static void drive_expr(rtl_nets *n, uint32_t expr) {
    const weir_rtl_design *design = n->design;
    size_t depth = 0;
    if (design->expr[expr].kind == WEIR_RTL_EXPR_VAR) {
        drive(n, n->numbering.position[design->expr[expr].a], 0, design->expr[expr].width);
        return;
    }
    push(n, &depth, expr);
    while (depth > 0) {
        uint32_t id = n->stack[--depth];
        const rtl_expr *e = &design->expr[id];
        if (e->kind == WEIR_RTL_EXPR_CONCAT) {
            for (uint32_t i = e->b; i-- > 0;) push(n, &depth, design->operand[e->a + i]);
            continue;
        }
        rtl_bit_range bits = rtl_locate_now(&n->walk, id);
        if (counts(n, bits.base)) drive(n, rtl_net_number(&n->numbering, bits.base), bits.low, bits.width);
        for (; rtl_is_part(e->kind); e = &design->expr[e->a])
            if (e->kind == WEIR_RTL_EXPR_SELECT || e->kind == WEIR_RTL_EXPR_ELEMENT) read_expr(n, depth, e->b);
    }
}

/* What an inout port is connected to is used as the port is, inside: bits [low, low + width) of the expression.
 * Recursion is bounded by RTL_MAX_DEPTH. */
static void use_range(rtl_nets *n, uint32_t expr, uint32_t low, uint32_t width, unsigned use) {
    const weir_rtl_design *design = n->design;
    const rtl_expr *e = &design->expr[expr];
    for (uint32_t i = e->kind == WEIR_RTL_EXPR_CONCAT ? e->b : 0, at = 0; i-- > 0;) {
        const uint32_t part = design->operand[e->a + i], end = at + design->expr[part].width;
        const uint32_t from = low > at ? low : at, to = low + width < end ? low + width : end;
        if (from < to) use_range(n, part, from - at, to - from, use);
        at = end;
    }
    if (e->kind == WEIR_RTL_EXPR_CONCAT) return;
    rtl_bit_range bits = rtl_locate_now(&n->walk, expr);
    if (!counts(n, bits.base)) return;
    const uint32_t net = rtl_net_number(&n->numbering, bits.base);
    if (!bits.is_computed) bits = (rtl_bit_range){bits.base, bits.low + low, width, false};
    n->floats = use & RTL_BIT_FLOATS;
    if (use & RTL_BIT_DRIVEN) drive(n, net, bits.low, bits.width);
    if (use & RTL_BIT_READ && reads(n)) read_bits(n, net, bits.low, bits.width);
    n->floats = false;
}

/* An inout port of an instance and what stands for it in the module. What is outside of the design may drive it, and
 * stop. */
static void use_inout(rtl_nets *n, uint32_t port, uint32_t expr) {
    assert(port < n->design->var_count);
    assert(expr < n->design->expr_count);
    const unsigned char *bit = rtl_inouts_of(&n->inouts, n->design, port);
    const uint32_t width = n->design->expr[expr].width;
    if (!bit || width != n->design->var[port].width) {
        use_range(n, expr, 0, width, RTL_BIT_DRIVEN | RTL_BIT_FLOATS);
        return;
    }
    for (uint32_t low = 0, end; low < width; low = end) {
        for (end = low + 1; end < width && bit[end] == bit[low];) end++;
        use_range(n, expr, low, end - low, bit[low]);
    }
}

/* The inout port of a wired instance that the expression is, or 0. */
static uint32_t wired_inout(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    const rtl_expr *e = &design->expr[expr];
    if (e->kind != WEIR_RTL_EXPR_PORT || design->var[e->b].direction != WEIR_RTL_INOUT) return 0;
    const rtl_instance *instance = &design->instance[e->a];
    const uint32_t slot = design->var[e->b].slot;
    return slot < instance->connection_count && instance->connection[slot] ? 0 : e->b;
}

/* An assignment between an inout port of a wired instance and a part of a variable stands for a connection. */
static bool join_inout(rtl_nets *n, const rtl_stmt *stmt) {
    const weir_rtl_design *design = n->design;
    const uint32_t from = wired_inout(design, stmt->b), to = wired_inout(design, stmt->a);
    const bool is_target = weir_rtl_is_target(design, (weir_rtl_expr){stmt->b});
    if (from) use_inout(n, from, stmt->a);
    else if (to && is_target) use_inout(n, to, stmt->b);
    return from || (to && is_target);
}

/* What lies behind the inout ports of the module, for those around it. */
static void note_inouts(rtl_nets *n) {
    const weir_rtl_design *design = n->design;
    const rtl_ids *ports = &design->module[n->module].ports;
    if (!(n->checks & RTL_CHECK_DRIVERS) || design->module[n->module].is_stub) return;
    unsigned char *bit = rtl_inouts_add(&n->inouts, design, n->module);
    for (size_t i = 0; bit && i < ports->count; i++) {
        const net_record *net = &n->net[n->numbering.position[ports->id[i]]];
        if (design->var[ports->id[i]].direction != WEIR_RTL_INOUT) continue;
        for (uint32_t k = 0; k < net->width; k++, bit++) {
            const driver *first = &n->drivers[net->first];
            const bool is_first = net->first && first->low <= k && k < first->low + first->width;
            const uint32_t id = net->owners ? n->owner[net->owners + k] : is_first ? net->first : 0;
            const bool is_read = n->read[net->first_word + k / 64] >> k % 64 & 1;
            *bit = (unsigned char)((id ? RTL_BIT_DRIVEN : 0) | (id && n->drivers[id].floats ? RTL_BIT_FLOATS : 0) |
                                   (is_read ? RTL_BIT_READ : 0));
        }
    }
}

/* ---- statements ---- */

static void check_width(rtl_nets *n, const rtl_instance *instance, const rtl_var *port, uint32_t id, uint32_t expr,
                        const rtl_value *parameters) {
    weir_rtl_design *design = n->design;
    const char *problem = NULL;
    uint32_t width = port->range ? rtl_port_width(design, id, parameters, &problem) : port->width;
    if (problem)
        rtl_error(design, rtl_location_of(design, &instance->common),
                  "port '%s' of instance '%s' (module '%s') has no width: %s", port->name, instance->name,
                  design->module[instance->module].name, problem);
    else if (width != design->expr[expr].width)
        rtl_error(design, rtl_location_of(design, &instance->common),
                  "port '%s' of instance '%s' (module '%s') has %u bits and is connected to '%s', which has %u",
                  port->name, instance->name, design->module[instance->module].name, (unsigned)width,
                  rtl_describe(design, expr), (unsigned)design->expr[expr].width);
}

/* What the file of a library module says that its parameters must fulfil: tools would end with an unknown module.
 * `path` is the instance's, from the outermost on, whose location is told. */
static void check_own(const rtl_nets *n, const rtl_common *outermost, const char *path, uint32_t id,
                      const rtl_value *parameters) {
    weir_rtl_design *design = n->design;
    const rtl_module *module = &design->module[id];
    for (uint32_t i = 0; i < module->condition_count; i++) {
        const rtl_condition *condition = &design->condition[module->first_condition + i];
        const char *problem = NULL;
        const rtl_value violated = rtl_evaluate(design, condition->formula, parameters, &problem);
        if (violated.kind != RTL_VALUE_INTEGER || violated.integer == 0) continue;
        weir_text with = {0};
        for (size_t k = 0; k < module->parameters.count; k++) {
            const rtl_parameter *parameter = &design->parameter[module->parameters.id[k]];
            const rtl_value *value = &parameters[parameter->slot];
            if (!rtl_formula_depends_on(design, condition->formula, module->parameters.id[k])) continue;
            weir_text_format(&with, "%s%s ", with.size > 0 ? ", " : "", parameter->name);
            if (value->kind == RTL_VALUE_STRING) weir_text_format(&with, "\"%s\"", value->text);
            else weir_text_format(&with, "%lld", (long long)value->integer);
        }
        const char *subject = rtl_subject_of(design, outermost);
        rtl_error(design, rtl_location_of(design, outermost), "%s%sinstance '%s' of module '%s': '%s', found %s",
                  subject != NULL ? subject : "", subject != NULL ? ": " : "", path, module->name, condition->name,
                  with.data != NULL ? with.data : "this");
        weir_text_free(&with);
    }
}

/* The parameters of an instance inside a module that has these, one a slot; what is beyond the reader is opaque. */
static rtl_value *inner_parameters(const weir_rtl_design *design, const rtl_inner *inner, uint32_t module,
                                   const rtl_value *outer) {
    assert(module < design->module_count);
    const rtl_ids *ids = &design->module[module].parameters;
    rtl_value *given = weir_calloc(design->module[module].parameter_slots + 1, sizeof *given);
    for (uint32_t i = 0; i < inner->setting_count; i++) {
        const rtl_setting *setting = &design->setting[inner->first_setting + i];
        const char *problem = NULL;
        rtl_value value = {.kind = RTL_VALUE_OPAQUE};
        if (setting->formula != 0) value = rtl_evaluate(design, setting->formula, outer, &problem);
        if (value.kind == RTL_VALUE_NONE) value.kind = RTL_VALUE_OPAQUE;
        for (size_t k = 0; k < ids->count; k++) {
            const rtl_parameter *parameter = &design->parameter[ids->id[k]];
            if (parameter->name == setting->parameter) given[parameter->slot] = value;
        }
    }
    rtl_value *values = rtl_evaluate_with(design, module, given);
    free(given);
    return values;
}

/* Once for an instance in a file, and only where its module states conditions or has instances that may. */
static void tell_unchecked(weir_rtl_design *design, uint32_t module, rtl_inner *inner, uint32_t inside) {
    if (inner->is_told || design->module[inside].condition_count + design->module[inside].inner_count == 0) return;
    inner->is_told = true;
    weir_warning(
        weir_at(design->module[module].path, inner->line),
        "instance '%s' of module '%s' is not checked: whether it is there takes more than parameters and numbers",
        inner->name, inner->module);
    weir_note("simulators and synthesis check it when they elaborate the design");
}

/* And of the instances inside, as far as their modules have been read. */
static void check_conditions(const rtl_nets *n, const rtl_common *outermost, const char *path, uint32_t id,
                             const rtl_value *parameters, int depth) {
    enum { MOST_LEVELS = 8 };
    weir_rtl_design *design = n->design;
    check_own(n, outermost, path, id, parameters);
    for (uint32_t i = 0; depth < MOST_LEVELS && i < design->module[id].inner_count; i++) {
        rtl_inner *inner = &design->inner[design->module[id].first_inner + i];
        const uint32_t module = weir_rtl_find_module(design, inner->module).id;
        const char *problem = NULL;
        rtl_value there = {.kind = inner->has_unknown_guard ? RTL_VALUE_OPAQUE : RTL_VALUE_INTEGER, .integer = 1};
        if (inner->guard != 0) there = rtl_evaluate(design, inner->guard, parameters, &problem);
        if (module == 0) continue;
        if (there.kind != RTL_VALUE_INTEGER) tell_unchecked(design, id, inner, module);
        if (there.kind != RTL_VALUE_INTEGER || there.integer == 0) continue;
        rtl_value *own = inner_parameters(design, inner, module, parameters);
        char *below = weir_format("%s.%s", path, inner->name);
        check_conditions(n, outermost, below, module, own, depth + 1);
        free(below);
        free(own);
    }
}

/* The net of a wired instance's inout port: what the assignments to it share it with. */
static void drive_port(rtl_nets *n, uint32_t port, uint32_t at) {
    const unsigned char *bit = rtl_inouts_of(&n->inouts, n->design, port);
    for (uint32_t k = 0; k < n->net[at].width; k++) {
        const unsigned use = bit ? bit[k] : RTL_BIT_DRIVEN | RTL_BIT_FLOATS;
        n->floats = use & RTL_BIT_FLOATS;
        if (use & RTL_BIT_DRIVEN) drive(n, at, k, 1);
    }
    n->floats = false;
}

/* A port that assignments wire: the instance drives it or reads it as if it were a variable. */
static void wire_port(rtl_nets *n, const rtl_instance *instance, uint32_t id) {
    assert(id < n->design->var_count);
    const rtl_var *port = &n->design->var[id];
    uint32_t at = n->numbering.base[n->design->stmt[instance->stmt].a] + port->slot;
    uint32_t width = n->net[at].width;
    if (!n->walk.is_first) return;
    if (port->direction == WEIR_RTL_OUTPUT) drive(n, at, 0, width);
    else if (port->direction == WEIR_RTL_INPUT) read_bits(n, at, 0, width);
    else {
        mark(n->driven + n->net[at].first_word, 0, width);
        drive_port(n, id, at);
    }
}

/* A connected port that expressions name as well: its connection, or the instance, drives it. */
static void connect_port(rtl_nets *n, const rtl_instance *instance, const rtl_var *port) {
    uint32_t at = n->numbering.base[n->design->stmt[instance->stmt].a] + port->slot;
    if (n->walk.is_first) drive(n, at, 0, n->net[at].width);
}

static void report_unconnected(rtl_nets *n, const rtl_instance *instance, const rtl_var *port) {
    bool is_input = port->direction == WEIR_RTL_INPUT;
    rtl_error(n->design, rtl_location_of(n->design, &instance->common),
              "%s '%s' of instance '%s' (module '%s') is not connected%s", is_input ? "input" : "output", port->name,
              instance->name, n->design->module[instance->module].name, is_input ? "" : " and not left open");
}

static void visit_instance(rtl_nets *n, uint32_t id) {
    weir_rtl_design *design = n->design;
    const rtl_instance *instance = &design->instance[id];
    const rtl_ids *ports = &design->module[instance->module].ports;
    bool connects = n->checks & RTL_CHECK_CONNECTIONS;
    const rtl_module *module = &design->module[instance->module];
    bool has_parameters = connects && (module->parameters.count > 0 || module->inner_count > 0);
    rtl_value *parameters = has_parameters ? rtl_evaluate_parameters(design, instance->module, instance) : NULL;
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        if (expr == 0 && instance->is_wired) wire_port(n, instance, ports->id[i]);
        else if (expr == 0 && connects && n->walk.is_first) report_unconnected(n, instance, port);
        if (expr != 0 && rtl_has_nets(instance)) connect_port(n, instance, port);
        if (expr == 0 || expr == RTL_OPEN) continue;
        if (connects && n->walk.is_first) check_width(n, instance, port, ports->id[i], expr, parameters);
        if (port->direction == WEIR_RTL_OUTPUT) drive_expr(n, expr);
        else if (port->direction == WEIR_RTL_INPUT) read_expr(n, 0, expr);
        else use_inout(n, ports->id[i], expr);
    }
    if (has_parameters && n->walk.is_first)
        check_conditions(n, &instance->common, instance->name, instance->module, parameters, 0);
    free(parameters);
}

/* An iterator belongs to its loop, and is driven by it. */
static void visit_loop(rtl_nets *n, const rtl_stmt *stmt) {
    weir_rtl_design *design = n->design;
    uint32_t iterator = rtl_loop_of(design, stmt)->iterator;
    net_record *net = &n->net[n->numbering.position[iterator]];
    uint32_t other = net->loop;
    net->loop = n->walk.stmt;
    mark(n->driven + net->first_word, 0, net->width);
    if (other && other != n->walk.stmt && (n->checks & RTL_CHECK_DRIVERS) && n->walk.is_first)
        rtl_error(design, rtl_location_of(design, &stmt->common), "iterator '%s' of module '%s' serves two loops",
                  design->var[iterator].name, design->module[n->module].name);
}

static void visit_machine(rtl_nets *n, const rtl_fsm *fsm) {
    if (fsm->parent) return;
    read_bits(n, n->numbering.position[fsm->clock], 0, 1);
    read_bits(n, n->numbering.position[fsm->reset], 0, 1);
    if (fsm->current) drive(n, n->numbering.position[fsm->current], 0, n->design->var[fsm->current].width);
}

static void visit_stmt(rtl_nets *n) {
    const weir_rtl_design *design = n->design;
    uint32_t id = n->walk.stmt;
    const rtl_stmt *stmt = &design->stmt[id];
    bool is_reading = reads(n);
    n->stamp++;
    switch (stmt->kind) {
    case WEIR_RTL_STMT_INSTANCE: visit_instance(n, stmt->a); break;
    case WEIR_RTL_STMT_ASSIGN:
        if (join_inout(n, stmt)) break;
        n->floats = design->expr[stmt->b].floats;
        drive_expr(n, stmt->a);
        n->floats = false;
        read_expr(n, 0, stmt->b);
        break;
    case WEIR_RTL_STMT_ALWAYS:
        for (uint32_t e = is_reading ? stmt->a : 0; e; e = design->event[e].next)
            read_bits(n, n->numbering.position[design->event[e].var], 0, 1);
        break;
    case WEIR_RTL_STMT_FSM: visit_machine(n, rtl_fsm_of(design, stmt)); break;
    case WEIR_RTL_STMT_FOR: visit_loop(n, stmt); break;
    default:
        if (is_reading && stmt->kind == WEIR_RTL_STMT_ASSERT && rtl_assertion_of(design, stmt)->clock)
            read_bits(n, n->numbering.position[rtl_assertion_of(design, stmt)->clock], 0, 1);
        for (size_t i = 0; is_reading && rtl_stmt_slot(design, id, i); i++)
            if (*rtl_stmt_slot(design, id, i)) read_expr(n, 0, *rtl_stmt_slot(design, id, i));
        break;
    }
}

/* ---- modules ---- */

/* A port names its driver outside, a path what is driven elsewhere. */
static void mark_ports(rtl_nets *n, const net_record *net, bool is_stub) {
    const rtl_var *var = &n->design->var[net->var];
    if (net->instance) return;
    if (var->direction == WEIR_RTL_INPUT || var->direction == WEIR_RTL_INOUT || var->is_path)
        mark(n->driven + net->first_word, 0, net->width);
    else if (var->direction == WEIR_RTL_OUTPUT && !is_stub) mark(n->read + net->first_word, 0, net->width);
}

static void start_module(rtl_nets *n, uint32_t module) {
    const weir_rtl_design *design = n->design;
    n->module = module;
    n->seen = weir_grow_zeroed(n->seen, &n->seen_capacity, design->expr_count, sizeof *n->seen);
    rtl_number_nets(&n->numbering, design, module);
    n->net = weir_grow(n->net, &n->net_capacity, n->numbering.count, sizeof *n->net);
    n->words = 0;
    for (size_t i = 0; i < n->numbering.count; i++) {
        const rtl_net *net = &n->numbering.net[i];
        n->net[i] =
            (net_record){.var = net->var, .instance = net->instance, .width = net->width, .first_word = n->words};
        n->words += (net->width + 63) / 64;
    }
    n->driven = weir_grow(n->driven, &n->driven_capacity, n->words + 1, sizeof *n->driven);
    n->read = weir_grow(n->read, &n->read_capacity, n->words + 1, sizeof *n->read);
    memset(n->driven, 0, n->words * sizeof *n->driven);
    memset(n->read, 0, n->words * sizeof *n->read);
    n->driver_count = n->owner_count = 1; /* 0: none */
    n->drivers = weir_grow(n->drivers, &n->driver_capacity, 1, sizeof *n->drivers);
    for (size_t i = 0; i < n->numbering.count; i++) mark_ports(n, &n->net[i], design->module[module].is_stub);
}

/* Fills the sets. */
static void visit_module(rtl_nets *n, uint32_t module) {
    start_module(n, module);
    rtl_unroll_start(&n->walk, n->design, module);
    for (; n->walk.stmt; rtl_unroll_next(&n->walk)) visit_stmt(n);
}

/* ---- undriven bits ---- */

/* The next run of bits from *low on that are read and have no driver: its width, 0 at the end. */
static uint32_t next_gap(const rtl_nets *n, const net_record *net, uint32_t *low) {
    const uint64_t *driven = n->driven + net->first_word;
    const uint64_t *read = n->read + net->first_word;
    uint32_t at = *low;
    while (at < net->width && !((read[at / 64] & ~driven[at / 64]) >> at % 64)) at = (at / 64 + 1) * 64;
    while (at < net->width && !(read[at / 64] & ~driven[at / 64] & UINT64_C(1) << at % 64)) at++;
    if (at >= net->width) return 0;
    uint32_t end = at;
    while (end < net->width && (read[end / 64] & ~driven[end / 64] & UINT64_C(1) << end % 64)) end++;
    *low = at;
    return end - at;
}

/* The input of an instance that the variable as a whole is the value of, where that is how it is read; else 0. */
static uint32_t fed_input(const weir_rtl_design *design, const net_record *net, uint32_t *instance) {
    const rtl_stmt *reader = &design->stmt[net->stmt];
    if (reader->kind == WEIR_RTL_STMT_ASSIGN) {
        const rtl_expr *to = &design->expr[reader->a], *from = &design->expr[reader->b];
        if (to->kind != WEIR_RTL_EXPR_PORT || from->kind != WEIR_RTL_EXPR_VAR || from->a != net->var) return 0;
        *instance = to->a;
        return to->b;
    }
    if (reader->kind != WEIR_RTL_STMT_INSTANCE) return 0;
    const rtl_instance *record = &design->instance[reader->a];
    const rtl_ids *ports = &design->module[record->module].ports;
    for (size_t i = 0; i < ports->count; i++) {
        uint32_t slot = design->var[ports->id[i]].slot;
        uint32_t expr = slot < record->connection_count ? record->connection[slot] : 0;
        bool is_it = expr && expr != RTL_OPEN && design->expr[expr].kind == WEIR_RTL_EXPR_VAR &&
                     design->expr[expr].a == net->var && design->var[ports->id[i]].direction == WEIR_RTL_INPUT;
        if (is_it) return *instance = reader->a, ports->id[i];
    }
    return 0;
}

/* Passes call what they put between a port and the rest INSTANCE_PORT, with a number where that was taken. */
static bool is_stand_in(const weir_rtl_design *design, const net_record *net, uint32_t instance, uint32_t port) {
    assert(instance < design->instance_count);
    assert(port < design->var_count);
    const char *name = design->var[net->var].name, *prefix = design->instance[instance].name;
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] != '_') return false;
    name += length + 1;
    length = strlen(design->var[port].name);
    return strncmp(name, design->var[port].name, length) == 0 && (!name[length] || name[length] == '_');
}

/* An input of an instance is named as the designer named it, not by the variable that passes put between. */
static void report_undriven(rtl_nets *n, const net_record *net, uint32_t low, uint32_t width) {
    weir_text range = {0};
    weir_text reader = {0};
    weir_rtl_design *design = n->design;
    const char *module = design->module[n->module].name;
    uint32_t instance = net->instance;
    uint32_t input = net->part ? net->instance ? net->var : fed_input(design, net, &instance) : 0;
    bool is_input = input && (net->instance || is_stand_in(design, net, instance, input));
    weir_location location =
        rtl_location_of(design, is_input ? &design->instance[instance].common : &design->var[net->var].common);
    net_record named = *net;
    named.instance = is_input ? 0 : net->instance;
    named.var = is_input ? input : net->var;
    range_name(design, &named, low, width, &range);
    if (input)
        weir_text_format(&reader, "input '%s' of instance '%s'", design->var[input].name,
                         design->instance[instance].name);
    else if (net->part) part_name(design, net->part, &reader);
    if (is_input)
        rtl_error(design, location, "input %s of instance '%s' in module '%s' has no driver", range.data,
                  design->instance[instance].name, module);
    else if (net->part)
        rtl_error(design, location, "%s in module '%s' has no driver and is read by %s", range.data, module,
                  reader.data);
    else rtl_error(design, location, "output %s of module '%s' has no driver", range.data, module);
    if (net->part) note(design, location, net->stmt, "it is read here");
    weir_text_free(&range);
    weir_text_free(&reader);
}

void rtl_nets_check(rtl_nets *n, uint32_t module) {
    visit_module(n, module);
    note_inouts(n);
    for (size_t i = 0; (n->checks & RTL_CHECK_CONNECTIONS) && i < n->numbering.count; i++) {
        const net_record *net = &n->net[i];
        uint32_t low = 0;
        for (uint32_t width; (width = next_gap(n, net, &low)) != 0; low += width) report_undriven(n, net, low, width);
    }
}

weir_rtl_gaps *weir_rtl_gaps_new(weir_rtl_design *design) { return rtl_nets_new(design, RTL_CHECK_GAPS); }

void weir_rtl_gaps_free(weir_rtl_gaps *gaps) { rtl_nets_free(gaps); }

const weir_rtl_gap *weir_rtl_gaps_of(weir_rtl_gaps *n, weir_rtl_module module, size_t *count) {
    visit_module(n, module.id);
    *count = 0;
    for (size_t i = 0; i < n->numbering.count; i++) {
        const net_record *net = &n->net[i];
        uint32_t low = 0;
        for (uint32_t width; (width = next_gap(n, net, &low)) != 0; low += width) {
            n->gap = weir_grow(n->gap, &n->gap_capacity, *count + 1, sizeof *n->gap);
            n->gap[(*count)++] = (weir_rtl_gap){{{net->var}, {net->instance}}, low, width};
        }
    }
    return n->gap;
}

rtl_nets *rtl_nets_new(weir_rtl_design *design, unsigned checks) {
    rtl_nets *n = weir_calloc(1, sizeof *n);
    n->design = design;
    n->checks = checks;
    return n;
}

void rtl_nets_free(rtl_nets *n) {
    if (!n) return;
    rtl_unroll_end(&n->walk);
    rtl_numbering_end(&n->numbering);
    free(n->net);
    free(n->driven);
    free(n->read);
    free(n->drivers);
    free(n->owner);
    free(n->seen);
    free(n->gap);
    free(n->stack);
    rtl_inouts_free(&n->inouts);
    free(n);
}
