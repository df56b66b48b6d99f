/* Statements of the text form. Blocks nest on a stack of their own. */
#include <stdlib.h>

#include "rtlir/core/formula.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/text/text_parser_private.h"
#include "rtlir/text/words_private.h"

static uint32_t here(const rtl_parser *p) { return p->open[p->open_count - 1].block; }

static bool push_block(rtl_parser *p, rtl_open open) {
    if (p->open_count > RTL_MAX_DEPTH) return rtl_scan_fail_depth(&p->scan, "blocks");
    p->open = weir_grow(p->open, &p->open_capacity, p->open_count + 1, sizeof *p->open);
    p->open[p->open_count++] = open;
    return true;
}

static bool open_block(rtl_parser *p, uint32_t block) {
    return rtl_scan_expect(&p->scan, '{') && push_block(p, (rtl_open){.block = block});
}

static bool parse_override(rtl_scan *s, weir_rtl_instance instance) {
    const char *name = rtl_scan_name(s);
    return name && rtl_scan_expect(s, '=') && rtl_parse_value(s, instance, name);
}

/* What a port is connected to: numbers are as wide as it. */
static weir_rtl_expr scan_connection(rtl_scan *s, weir_rtl_instance instance, const char *port) {
    const weir_rtl_design *design = s->design;
    rtl_name entry = rtl_names_find(design, design->instance[instance.id].module, port);
    if (entry.kind == RTL_NAME_VAR && design->var[entry.id].range) return rtl_scan_expr(s);
    if (entry.kind != RTL_NAME_VAR) { /* without a width for numbers */
        s->design->is_muted = rtl_scan_is_suspect(s, port);
        rtl_find_port(s->design, instance.id, port);
        s->design->is_muted = false;
        s->failed = true;
        return (weir_rtl_expr){0};
    }
    rtl_size width;
    if (!rtl_port_size(s->design, instance.id, entry.id, &width)) return (weir_rtl_expr){0};
    return rtl_scan_expr_by(s, width, design->var[entry.id].is_signed);
}

/* `connect NAME` where that is a group of the instance's module; NULL, where nothing was read, when it is not. */
static const char *scan_group_port(rtl_scan *s, weir_rtl_instance instance) {
    const char *start = s->at;
    const char *name = rtl_scan_accept_word(s, "connect") ? rtl_scan_word(s) : NULL;
    uint32_t module = s->design->instance[instance.id].module;
    if (name && rtl_names_find(s->design, module, name).kind == RTL_NAME_GROUP) return name;
    s->at = start;
    return NULL;
}

static bool connect_group(rtl_scan *s, weir_rtl_instance instance, const char *name) {
    rtl_group_ref own;
    if (!rtl_scan_expect(s, '=')) return false;
    if (!rtl_scan_group(s, &own) || own.instance) return rtl_scan_fail(s, "a group of this module");
    return weir_rtl_connect_group(s->design, instance, name, (weir_rtl_group){own.group});
}

/* A line of an instance. */
static bool parse_connection(rtl_scan *s, weir_rtl_instance instance) {
    weir_rtl_design *design = s->design;
    size_t errors = design->errors;
    bool fine = true, is_open = false;
    const char *group = NULL;
    if (rtl_scan_accept_word(s, "parameter")) {
        fine = parse_override(s, instance);
    } else if ((group = scan_group_port(s, instance)) != NULL) {
        fine = connect_group(s, instance, group);
    } else if ((is_open = rtl_scan_accept_word(s, "open")) || rtl_scan_accept_word(s, "connect")) {
        const char *port = rtl_scan_name(s);
        if (!port || (!is_open && !rtl_scan_expect(s, '='))) return false;
        weir_rtl_expr value = {0};
        if (!is_open) value = scan_connection(s, instance, port);
        design->is_muted = rtl_scan_is_suspect(s, port);
        if (is_open) weir_rtl_leave_open(design, instance, port);
        else weir_rtl_connect(design, instance, port, value);
        design->is_muted = false;
    } else {
        fine = rtl_scan_fail(s, "'parameter', 'connect', 'open' or '}'");
    }
    return fine && design->errors == errors && rtl_scan_end_line(s);
}

/* `instance u {` and its lines: the instance takes its position among the statements. `instance u : leaf {` declares
 * it. */
static bool parse_instance(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_design *design = s->design;
    const char *name = rtl_scan_name(s);
    weir_rtl_instance instance = {0};
    bool is_new = name && rtl_scan_peek(s, ':');
    if (is_new) instance = rtl_declare_instance(p, name);
    else if (name) instance = weir_rtl_find_instance(design, (weir_rtl_module){s->module}, name);
    if (is_new && !instance.id) return false;
    if (name && !instance.id) return rtl_scan_fail_name(s, "unknown instance", name);
    if (!name || !rtl_parse_origin(p) || !rtl_scan_expect(s, '{')) return false;
    design->instance[instance.id].common.origin = design->origin;
    weir_rtl_stmt stmt = {design->instance[instance.id].stmt};
    if (!weir_rtl_move_stmt(design, stmt, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0})) return false;
    if (!rtl_finish_item(p, WEIR_RTL_ITEM(instance))) return false;
    bool goes_on = true;
    while (goes_on && rtl_scan_space(s) && !rtl_scan_accept(s, '}')) {
        rtl_spot start = {s->at, s->line};
        if (!parse_connection(s, instance)) goes_on = rtl_recover_line(p, start);
    }
    return !s->failed;
}

static bool parse_assign(rtl_parser *p, weir_rtl_timing timing) {
    rtl_scan *s = &p->scan;
    rtl_group_ref group;
    if (rtl_scan_group(s, &group)) return rtl_assign_groups(p, &group, &(rtl_assignment){{here(p)}, timing});
    weir_rtl_expr target = rtl_scan_target(s);
    if (!target.id || !rtl_scan_expect(s, '=')) return false;
    weir_rtl_expr value = rtl_scan_expr_like(s, target);
    if (!value.id || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt made = weir_rtl_add_assign(s->design, (weir_rtl_block){here(p)}, target, value, WEIR_RTL_UNDECIDED);
    weir_rtl_set_timing(s->design, made, timing);
    return rtl_finish_item(p, WEIR_RTL_ITEM(made));
}

/* `reset low rst` after the events: the process tests it first, and the statements that are read go into the else. */
static bool open_reset(rtl_parser *p, uint32_t process, uint32_t reset, bool is_low) {
    weir_rtl_design *design = p->scan.design;
    weir_rtl_expr test = weir_rtl_read(design, (weir_rtl_var){reset});
    if (is_low) test = weir_rtl_unary(design, WEIR_RTL_LOGICAL_NOT, test);
    weir_rtl_stmt branch = weir_rtl_add_if(design, (weir_rtl_block){process}, test);
    if (!branch.id) p->scan.failed = true;
    return branch.id && push_block(p, (rtl_open){.block = process, .is_implicit = true}) &&
           rtl_scan_expect(&p->scan, '{') &&
           push_block(p, (rtl_open){.block = weir_rtl_else(design, branch).id, .is_reset = true});
}

/* The events of an always block; `reset` is not one of them, but an asynchronous one becomes one. */
static weir_rtl_event *parse_events(rtl_parser *p, size_t *count, uint32_t *reset, bool *is_low) {
    rtl_scan *s = &p->scan;
    weir_rtl_event *event = NULL;
    size_t capacity = 0;
    while (!s->failed && !*reset && !rtl_scan_peek(s, '{') && !rtl_scan_peek(s, '@')) {
        event = weir_grow(event, &capacity, *count + 1, sizeof *event);
        if (*count > 0 && rtl_scan_accept_word(s, "reset")) {
            *is_low = rtl_scan_accept_word(s, "low");
            *reset = rtl_scan_var(s);
            if (s->design->var[*reset].kind == WEIR_RTL_ASYNC_RESET)
                event[(*count)++] = (weir_rtl_event){*is_low ? WEIR_RTL_NEGEDGE : WEIR_RTL_POSEDGE, {*reset}};
            break;
        }
        if (*count > 0) rtl_scan_expect(s, ',');
        size_t edge = rtl_scan_choice(s, rtl_edge_words, 2, "'posedge' or 'negedge'");
        event[(*count)++] = (weir_rtl_event){(weir_rtl_edge)edge, {s->failed ? 0 : rtl_scan_var(s)}};
    }
    return event;
}

/* A process: the events of an always block come first. */
static bool parse_process(rtl_parser *p, weir_rtl_stmt_kind kind) {
    rtl_scan *s = &p->scan;
    size_t count = 0;
    uint32_t reset = 0;
    bool is_low = false;
    weir_rtl_event *event = kind == WEIR_RTL_STMT_ALWAYS ? parse_events(p, &count, &reset, &is_low) : NULL;
    bool fine = !s->failed && rtl_parse_origin(p);
    if (fine && rtl_process_of(s->design, here(p))) fine = rtl_scan_fail(s, "no process in a process");
    if (fine) {
        size_t errors = s->design->errors;
        weir_rtl_stmt made = {rtl_new_stmt(s->design, here(p), kind)};
        uint32_t body = rtl_new_block(s->design, s->module, made.id);
        s->design->stmt[made.id].body = body;
        for (size_t i = 0; i < count; i++)
            weir_rtl_add_event(s->design, (weir_rtl_block){body}, event[i].edge, event[i].var);
        fine = s->design->errors == errors && rtl_finish_item(p, WEIR_RTL_ITEM(made)) &&
               (reset ? open_reset(p, body, reset, is_low) : open_block(p, body));
    }
    free(event);
    return fine;
}

static bool parse_function_body(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    const char *name = rtl_scan_name(s);
    weir_rtl_function function = {0};
    if (name) function = weir_rtl_find_function(s->design, (weir_rtl_module){s->module}, name);
    if (name && !function.id) return rtl_scan_fail_name(s, "unknown function", name);
    if (!name || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt stmt = {s->design->function[function.id].stmt};
    s->design->stmt[stmt.id].common.origin = s->design->origin;
    if (!weir_rtl_move_stmt(s->design, stmt, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0})) return false;
    s->function = function.id;
    return rtl_finish_item(p, WEIR_RTL_ITEM(stmt)) && open_block(p, s->design->stmt[stmt.id].body);
}

static bool parse_branch(rtl_parser *p, bool is_case) {
    rtl_scan *s = &p->scan;
    weir_rtl_expr value = is_case ? rtl_scan_expr(s) : rtl_scan_expr_as(s, 1, false);
    weir_rtl_block block = {here(p)};
    if (!value.id || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt made =
        is_case ? weir_rtl_add_case(s->design, block, value) : weir_rtl_add_if(s->design, block, value);
    return rtl_finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, s->design->stmt[made.id].body);
}

static bool parse_item(rtl_parser *p, bool is_default) {
    rtl_scan *s = &p->scan;
    weir_rtl_stmt branch = {s->design->block[here(p)].owner};
    if (!branch.id || s->design->stmt[branch.id].kind != WEIR_RTL_STMT_CASE)
        return rtl_scan_fail(s, "items in a case only");
    uint32_t first = 0, labels = 0;
    do {
        weir_rtl_expr label = {0};
        if (!is_default) label = rtl_scan_expr_like(s, (weir_rtl_expr){s->design->stmt[branch.id].a});
        if (s->failed || !rtl_parse_origin(p)) return false;
        weir_rtl_block body =
            is_default ? weir_rtl_add_default(s->design, branch) : weir_rtl_add_case_item(s->design, branch, label);
        weir_rtl_stmt made = {body.id ? s->design->block[body.id].owner : 0};
        size_t attributes = p->above.count;
        const char *comment = p->above.comment;
        if (!rtl_finish_item(p, WEIR_RTL_ITEM(made))) return false;
        if (labels++ == 0) first = body.id;
        p->above.count = attributes; /* for the next label */
        p->above.comment = comment;
    } while (!is_default && rtl_scan_accept(s, ','));
    p->above.count = 0;
    p->above.comment = NULL;
    return rtl_scan_expect(s, '{') && push_block(p, (rtl_open){.block = first, .labels = labels - 1});
}

static bool parse_for(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    rtl_size bound[3] = {{0}};
    static const char *const words[3] = {NULL, "to", "step"};
    weir_rtl_var iterator = {rtl_scan_var(s)};
    if (!iterator.id || !rtl_scan_expect(s, '=')) return false;
    for (int i = 0; i < 3; i++)
        if ((words[i] && !rtl_scan_expect_word(s, words[i])) || !rtl_scan_size(s, &bound[i])) return false;
    if (!rtl_parse_origin(p)) return false;
    weir_rtl_block body = rtl_add_for(s->design, (weir_rtl_block){here(p)}, iterator, bound);
    weir_rtl_stmt made = {body.id ? s->design->block[body.id].owner : 0};
    return rtl_finish_item(p, WEIR_RTL_ITEM(made)) && open_block(p, body.id);
}

/* The clock of a property, which may be left to infer_property_clocking. */
static void parse_clocking(rtl_scan *s, weir_rtl_property *property) {
    const bool falls = rtl_scan_accept_word(s, rtl_edge_words[WEIR_RTL_NEGEDGE]);
    if (!falls && !rtl_scan_accept_word(s, rtl_edge_words[WEIR_RTL_POSEDGE])) return;
    property->edge = falls ? WEIR_RTL_NEGEDGE : WEIR_RTL_POSEDGE;
    property->clock.id = rtl_scan_var(s);
}

static bool parse_assertion(rtl_parser *p, bool is_property) {
    rtl_scan *s = &p->scan;
    weir_rtl_property property = {0};
    uint64_t cycles[2] = {0};
    property.kind = (weir_rtl_assertion)rtl_scan_choice(s, rtl_assertion_words, RTL_ASSERTION_WORDS,
                                                        "'assert', 'assume' or 'cover'");
    if (is_property && !s->failed) {
        parse_clocking(s, &property);
        if (rtl_scan_accept_word(s, "disable")) property.disable = rtl_scan_expr_as(s, 1, false);
        if (rtl_scan_accept_word(s, "when")) property.antecedent = rtl_scan_expr_as(s, 1, false);
        if (rtl_scan_accept_word(s, "after") &&
            (!rtl_scan_count(s, UINT32_MAX, &cycles[0]) || !rtl_scan_expect_word(s, "to") ||
             !rtl_scan_count(s, UINT32_MAX, &cycles[1])))
            return false;
    }
    if (s->failed || !rtl_scan_expect_word(s, "then")) return false;
    property.consequent = rtl_scan_expr_as(s, 1, false);
    property.low = (uint32_t)cycles[0];
    property.high = (uint32_t)cycles[1];
    if (rtl_scan_peek(s, '"') && rtl_scan_string(s))
        property.message = weir_strings_intern(s->design->strings, s->word.data);
    if (rtl_scan_accept_word(s, "call")) property.call = rtl_scan_name(s);
    if (s->failed || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt made = is_property ? weir_rtl_add_property(s->design, (weir_rtl_module){s->module}, &property)
                                     : weir_rtl_add_assertion(s->design, (weir_rtl_block){here(p)}, property.kind,
                                                              property.consequent, property.message);
    if (made.id && property.call) weir_rtl_set_failure(s->design, made, property.message, property.call);
    if (made.id && is_property) weir_rtl_move_stmt(s->design, made, (weir_rtl_block){here(p)}, (weir_rtl_stmt){0});
    return rtl_finish_item(p, WEIR_RTL_ITEM(made));
}

/* ---- state machines ---- */

/* The machine whose body is being read, or 0. */
static uint32_t machine_here(const rtl_parser *p) {
    const weir_rtl_design *design = p->scan.design;
    uint32_t owner = design->block[here(p)].owner;
    return owner && design->stmt[owner].kind == WEIR_RTL_STMT_FSM ? design->stmt[owner].a : 0;
}

/* `posedge clk reset low rst mealy current x` of an outermost machine. */
static bool parse_machine_head(rtl_parser *p, rtl_fsm *model) {
    rtl_scan *s = &p->scan;
    model->edge = (weir_rtl_edge)rtl_scan_choice(s, rtl_edge_words, 2, "'posedge' or 'negedge'");
    model->clock = s->failed ? 0 : rtl_scan_var(s);
    if (!model->clock || !rtl_scan_expect_word(s, "reset")) return false;
    model->is_low = rtl_scan_accept_word(s, "low");
    model->reset = rtl_scan_var(s);
    model->is_mealy = rtl_scan_accept_word(s, "mealy");
    p->leads = 0;
    p->current = !s->failed && rtl_scan_accept_word(s, "current") ? rtl_scan_var(s) : 0;
    return !s->failed;
}

static bool parse_machine(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    rtl_fsm model = {.name = rtl_scan_name(s)};
    weir_rtl_fsm parent = {machine_here(p)}, made = {0};
    if (!model.name || (!parent.id && !parse_machine_head(p, &model)) || !rtl_parse_origin(p)) return false;
    if (!parent.id && s->design->block[here(p)].owner) return rtl_scan_fail(s, "no state machine here");
    if (parent.id) {
        made = weir_rtl_add_child_fsm(s->design, parent, model.name);
    } else {
        made = weir_rtl_add_fsm(s->design, (weir_rtl_module){s->module}, model.name, model.edge,
                                (weir_rtl_var){model.clock}, (weir_rtl_var){model.reset});
        weir_rtl_set_reset_low(s->design, made, model.is_low);
        weir_rtl_set_mealy(s->design, made, model.is_mealy);
    }
    weir_rtl_stmt stmt = {s->design->fsm[made.id].stmt};
    return rtl_finish_item(p, WEIR_RTL_ITEM(stmt)) && open_block(p, s->design->stmt[stmt.id].body);
}

static bool parse_state(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    weir_rtl_fsm fsm = {machine_here(p)};
    if (!fsm.id) return rtl_scan_fail(s, "states in a state machine only");
    const char *name = rtl_scan_name(s);
    bool is_start = name && rtl_scan_accept_word(s, "start");
    if (!name || !rtl_parse_origin(p)) return false;
    weir_rtl_state made = weir_rtl_add_state(s->design, fsm, name);
    if (is_start) weir_rtl_set_start(s->design, made);
    weir_rtl_stmt stmt = {s->design->state[made.id].stmt};
    return rtl_finish_item(p, WEIR_RTL_ITEM(stmt)) && open_block(p, s->design->stmt[stmt.id].body);
}

/* `goto inner.state when condition`; where it leads is found when all states are known. */
static bool parse_transition(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    uint32_t owner = s->design->block[here(p)].owner;
    if (!owner || s->design->stmt[owner].kind != WEIR_RTL_STMT_STATE)
        return rtl_scan_fail(s, "transitions in a state only");
    weir_rtl_state from = {s->design->stmt[owner].a};
    weir_text path = {0};
    do {
        const char *part = rtl_scan_name(s);
        weir_text_format(&path, "%s%s", path.size ? "." : "", part ? part : "");
    } while (!s->failed && s->at < s->end && *s->at == '.' && s->at++);
    rtl_lead lead = {.name = weir_strings_intern(s->design->strings, path.data), .line = s->line};
    weir_text_free(&path);
    weir_rtl_expr condition = {0};
    bool has_condition = !s->failed && rtl_scan_accept_word(s, "when");
    if (has_condition) condition = rtl_scan_expr_as(s, 1, false);
    if (s->failed || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt made = has_condition ? weir_rtl_add_transition(s->design, from, condition, from)
                                       : weir_rtl_add_default_transition(s->design, from, from);
    if (!rtl_finish_item(p, WEIR_RTL_ITEM(made))) return false;
    lead.stmt = made.id;
    p->lead = weir_grow(p->lead, &p->lead_capacity, p->leads + 1, sizeof *p->lead);
    p->lead[p->leads++] = lead;
    return !rtl_scan_peek(s, '{') || open_block(p, weir_rtl_transition_body(s->design, made).id);
}

/* A state by its path from the outermost machine. */
static weir_rtl_state find_state(rtl_scan *s, weir_rtl_fsm fsm, const char *path) {
    while (fsm.id && strchr(path, '.')) {
        const char *name = weir_strings_intern_n(s->design->strings, path, strcspn(path, "."));
        fsm = weir_rtl_find_child_fsm(s->design, fsm, name);
        path += strlen(name) + 1;
    }
    return weir_rtl_find_state(s->design, fsm, path);
}

/* The end of a machine: now all its states are known. */
static bool close_machine(rtl_parser *p, uint32_t fsm) {
    rtl_scan *s = &p->scan;
    if (s->design->fsm[fsm].parent) return true;
    for (size_t i = 0; i < p->leads; i++) {
        weir_rtl_state to = find_state(s, (weir_rtl_fsm){fsm}, p->lead[i].name);
        if (!to.id) {
            s->line = p->lead[i].line;
            return rtl_scan_fail_name(s, "unknown state", p->lead[i].name);
        }
        weir_rtl_set_destination(s->design, (weir_rtl_stmt){p->lead[i].stmt}, to);
    }
    if (p->current && !rtl_bind_current(s->design, fsm, p->current)) s->failed = true;
    return !s->failed;
}

/* ---- the rest ---- */

static bool parse_leaf(rtl_parser *p, weir_rtl_stmt_kind kind) {
    rtl_scan *s = &p->scan;
    weir_rtl_block block = {here(p)};
    weir_rtl_expr value = {0};
    const rtl_function *function = &s->design->function[s->function];
    if (kind == WEIR_RTL_STMT_RETURN) value = rtl_scan_expr_as(s, function->width, function->is_signed);
    uint32_t owner = s->design->block[block.id].owner;
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_CASE) return rtl_scan_fail(s, "an item before this");
    if (s->failed || !rtl_parse_origin(p)) return false;
    weir_rtl_stmt made = kind == WEIR_RTL_STMT_RETURN  ? weir_rtl_add_return(s->design, block, value)
                         : kind == WEIR_RTL_STMT_BREAK ? weir_rtl_add_break(s->design, block)
                                                       : (weir_rtl_stmt){rtl_new_stmt(s->design, block.id, kind)};
    return rtl_finish_item(p, WEIR_RTL_ITEM(made));
}

/* The blocks without a bracket that end with the one inside them. */
static void close_implicit(rtl_parser *p) {
    while (p->open_count > 0 && p->open[p->open_count - 1].is_implicit) p->open_count--;
}

/* `else {` or `else if` */
static bool parse_else(rtl_parser *p, uint32_t branch) {
    rtl_scan *s = &p->scan;
    if (!branch || s->design->stmt[branch].kind != WEIR_RTL_STMT_IF || s->design->stmt[branch].other)
        return rtl_scan_fail(s, "one else of an if");
    uint32_t other = weir_rtl_else(s->design, (weir_rtl_stmt){branch}).id;
    if (!rtl_scan_accept_word(s, "if")) return open_block(p, other) && rtl_scan_end_line(s);
    return push_block(p, (rtl_open){.block = other, .is_implicit = true}) && parse_branch(p, false) &&
           rtl_scan_end_line(s);
}

/* The end of what an if with a wrong head does; what it does otherwise is read the same way. */
static bool close_broken(rtl_parser *p, uint32_t block) {
    rtl_scan *s = &p->scan;
    const char *end = s->at;
    int line = s->line;
    rtl_scan_space(s);
    if (!rtl_scan_accept_word(s, "else")) {
        s->at = end;
        s->line = line;
        return rtl_scan_end_line(s);
    }
    if (rtl_scan_accept_word(s, "if")) rtl_scan_expr_as(s, 1, false);
    return rtl_scan_expect(s, '{') && push_block(p, (rtl_open){.block = block, .is_broken = true});
}

/* The end of a block, or what an if goes on with. */
static bool parse_close(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    rtl_open closed = p->open[--p->open_count];
    uint32_t owner = s->design->block[closed.block].owner;
    if (p->above.comment || p->above.count) return rtl_scan_fail(s, "a statement under its comment");
    if (closed.is_broken) return close_broken(p, closed.block);
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_FUNCTION) s->function = 0;
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_FSM && !close_machine(p, s->design->stmt[owner].a))
        return false;
    if (closed.labels && !rtl_close_labels(p, closed.block, closed.labels)) return false;
    if (closed.is_reset && !rtl_close_reset(p, closed.block)) return false;
    const char *end = s->at; /* an else may be in the next line */
    int line = s->line;
    if (owner && s->design->stmt[owner].kind == WEIR_RTL_STMT_IF) rtl_scan_space(s);
    if (!closed.is_reset && rtl_scan_accept_word(s, "else")) return parse_else(p, owner);
    s->at = end;
    s->line = line;
    close_implicit(p);
    return rtl_scan_end_line(s);
}

static bool parse_stmt(rtl_parser *p) {
    rtl_scan *s = &p->scan;
    for (size_t i = 0; i < RTL_TIMING_WORDS; i++)
        if (rtl_scan_accept_word(s, rtl_timing_words[i])) return parse_assign(p, (weir_rtl_timing)i);
    if (rtl_scan_accept_word(s, "item")) return parse_item(p, false);
    if (rtl_scan_accept_word(s, "default")) return parse_item(p, true);
    if (rtl_scan_accept_word(s, "immediate")) return parse_assertion(p, false);
    if (rtl_scan_accept_word(s, "property")) return parse_assertion(p, true);
    weir_rtl_stmt_kind kind = WEIR_RTL_STMT_NONE;
    for (int i = 1; i <= WEIR_RTL_STMT_TRANSITION && !kind; i++)
        if (*rtl_stmt_words[i] && rtl_scan_accept_word(s, rtl_stmt_words[i])) kind = (weir_rtl_stmt_kind)i;
    switch (kind) {
    case WEIR_RTL_STMT_ALWAYS:
    case WEIR_RTL_STMT_COMBINATIONAL:
    case WEIR_RTL_STMT_LATCH:
    case WEIR_RTL_STMT_INITIAL:
    case WEIR_RTL_STMT_FINAL: return parse_process(p, kind);
    case WEIR_RTL_STMT_FUNCTION: return parse_function_body(p);
    case WEIR_RTL_STMT_FSM: return parse_machine(p);
    case WEIR_RTL_STMT_STATE: return parse_state(p);
    case WEIR_RTL_STMT_TRANSITION: return parse_transition(p);
    case WEIR_RTL_STMT_INSTANCE: return parse_instance(p);
    case WEIR_RTL_STMT_IF: return parse_branch(p, false);
    case WEIR_RTL_STMT_CASE: return parse_branch(p, true);
    case WEIR_RTL_STMT_FOR: return parse_for(p);
    case WEIR_RTL_STMT_BREAK:
    case WEIR_RTL_STMT_RETURN:
    case WEIR_RTL_STMT_COMMENT: return parse_leaf(p, kind);
    default: return rtl_scan_fail(s, "a statement or '}'");
    }
}

/* After a statement that could not be read. The block of an if is read all the same. */
static bool recover_stmt(rtl_parser *p, rtl_spot start, size_t before) {
    rtl_scan *s = &p->scan;
    size_t unopened = 0;
    rtl_scan first = *s; /* what the line starts with */
    first.at = start.at;
    first.failed = false;
    bool is_if = rtl_scan_accept_word(&first, "if") || rtl_scan_accept_word(&first, "else");
    while (p->open_count > before && p->open[p->open_count - 1].is_implicit) p->open_count--;
    size_t opened = 0;
    for (size_t i = before; i < p->open_count; i++) opened += !p->open[i].is_implicit;
    if (!rtl_recover(p, start, opened, &unopened)) return false;
    if (!is_if || p->open_count == 0) return rtl_skip_blocks(p, unopened);
    for (; unopened > 0; unopened--)
        if (!push_block(p, (rtl_open){.block = here(p), .is_broken = true})) return false;
    return true;
}

bool rtl_parse_body(rtl_parser *p, const rtl_section *from) {
    rtl_scan *s = &p->scan;
    if (!from->body.at) return true;
    if (s->design->module[from->module].is_external) return rtl_scan_fail(s, "no body of an external module");
    rtl_go_to(s, from->module, from->body);
    p->open = weir_grow(p->open, &p->open_capacity, 1, sizeof *p->open);
    p->open[0] = (rtl_open){.block = s->design->module[from->module].body};
    p->open_count = 1;
    while (p->open_count > 0) {
        rtl_spot start;
        bool is_stmt = rtl_next_item(p, &start);
        if (s->failed) return false;
        size_t before = p->open_count - !is_stmt, errors = s->design->errors;
        bool fine = is_stmt ? parse_stmt(p) && rtl_scan_end_line(s) : parse_close(p);
        if (fine && !s->failed) continue;
        if (s->design->errors == errors) rtl_scan_fail(s, "something else");
        if (!is_stmt) start.at++; /* after the bracket */
        if (!recover_stmt(p, start, before)) return false;
    }
    return true;
}
