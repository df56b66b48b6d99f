/* What stands for what: a map a kind; and what an expression became, which holds until the next mapping. */
#include "rtlir/edit/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/private.h"
#include "rtlir/edit/mutate.h"
#include "rtlir/edit/rewrite_private.h"
#include "support/text/unreachable.h"

typedef enum mapped_kind {
    MAPPED_VAR,
    MAPPED_PARAMETER,
    MAPPED_PORT,
    MAPPED_INSTANCE,
    MAPPED_MODULE,
    MAPPED_FUNCTION,
    MAPPED_STATE,
    MAPPED_KINDS
} mapped_kind;

struct weir_rtl_rewriter {
    weir_rtl_design *design;
    weir_map mapped[MAPPED_KINDS]; /* by id, that of a port with its instance */
    weir_map made;                 /* expressions to what they became */
    rtl_substitution *substitution;
    bool reads_only;
};

weir_rtl_rewriter *weir_rtl_rewriter_new(weir_rtl_design *design) {
    weir_rtl_rewriter *rewriter = weir_calloc(1, sizeof *rewriter);
    rewriter->design = design;
    return rewriter;
}

void weir_rtl_rewriter_free(weir_rtl_rewriter *rewriter) {
    if (!rewriter) return;
    for (size_t i = 0; i < MAPPED_KINDS; i++) weir_map_free(&rewriter->mapped[i]);
    weir_map_free(&rewriter->made);
    free(rewriter);
}

void weir_rtl_rewriter_clear(weir_rtl_rewriter *rewriter) {
    for (size_t i = 0; i < MAPPED_KINDS; i++) weir_map_clear(&rewriter->mapped[i]);
    weir_map_clear(&rewriter->made);
}

void weir_rtl_rewrite_reads_only(weir_rtl_rewriter *rewriter, bool reads_only) { rewriter->reads_only = reads_only; }

weir_rtl_design *rtl_rewriter_design(const weir_rtl_rewriter *rewriter) { return rewriter->design; }

/* ---- mappings ---- */

static uint32_t find(const weir_rtl_rewriter *r, mapped_kind kind, uint32_t a, uint32_t b) {
    return (uint32_t)weir_map_get(&r->mapped[kind], (uint64_t)b << 32 | a, 0);
}

static void map(weir_rtl_rewriter *r, mapped_kind kind, uint32_t a, uint32_t b, uint32_t value) {
    *weir_map_put(&r->mapped[kind], (uint64_t)b << 32 | a) = value;
    weir_map_clear(&r->made);
}

/* Where widths are formulas, these must agree. */
static bool agrees(weir_rtl_design *design, const char *name, rtl_size width, bool is_signed, uint32_t value) {
    assert(value < design->expr_count);
    const rtl_expr *expr = &design->expr[value];
    if (rtl_same_size(design, rtl_width_of(design, value), width) && expr->is_signed == is_signed) return true;
    const bool differs = expr->width != width.number || expr->is_signed != is_signed;
    rtl_error(design, design->location, "'%s' (%u %s bits) cannot replace '%s' (%lld %s bits)%s",
              rtl_describe(design, value), (unsigned)expr->width, expr->is_signed ? "signed" : "unsigned", name,
              (long long)width.number, is_signed ? "signed" : "unsigned",
              differs ? "" : " whatever the parameters are");
    return false;
}

bool weir_rtl_map_var(weir_rtl_rewriter *r, weir_rtl_var var, weir_rtl_expr value) {
    if (!var.id || !value.id) return false;
    const rtl_var *record = &r->design->var[var.id];
    if (!agrees(r->design, record->name, (rtl_size){record->width, record->formula}, record->is_signed, value.id))
        return false;
    map(r, MAPPED_VAR, var.id, 0, value.id);
    return true;
}

bool weir_rtl_map_parameter(weir_rtl_rewriter *r, weir_rtl_parameter parameter, weir_rtl_expr value) {
    if (!parameter.id || !value.id) return false;
    if (!agrees(r->design, r->design->parameter[parameter.id].name, (rtl_size){.number = 32}, true, value.id))
        return false;
    map(r, MAPPED_PARAMETER, parameter.id, 0, value.id);
    return true;
}

bool weir_rtl_map_port(weir_rtl_rewriter *r, weir_rtl_instance instance, weir_rtl_var port, weir_rtl_expr value) {
    if (!instance.id || !port.id || !value.id) return false;
    const rtl_var *record = &r->design->var[port.id];
    rtl_size width;
    if (!rtl_port_size(r->design, instance.id, port.id, &width)) return false;
    record = &r->design->var[port.id];
    if (!agrees(r->design, record->name, width, record->is_signed, value.id)) return false;
    map(r, MAPPED_PORT, instance.id, port.id, value.id);
    return true;
}

bool weir_rtl_map_instance(weir_rtl_rewriter *r, weir_rtl_instance instance, weir_rtl_instance other) {
    if (!instance.id || !other.id) return false;
    map(r, MAPPED_INSTANCE, instance.id, 0, other.id);
    return true;
}

uint32_t rtl_mapped_instance(const weir_rtl_rewriter *r, uint32_t instance) {
    return find(r, MAPPED_INSTANCE, instance, 0);
}

void rtl_map_var(weir_rtl_rewriter *r, uint32_t var, uint32_t value) { map(r, MAPPED_VAR, var, 0, value); }

void rtl_map_module(weir_rtl_rewriter *r, uint32_t instance, uint32_t module) {
    map(r, MAPPED_MODULE, instance, 0, module);
}

uint32_t rtl_mapped_module(const weir_rtl_rewriter *r, uint32_t instance) {
    return find(r, MAPPED_MODULE, instance, 0);
}

void rtl_rewriter_substitute(weir_rtl_rewriter *r, rtl_substitution *substitution) { r->substitution = substitution; }

rtl_substitution *rtl_rewriter_substitution(const weir_rtl_rewriter *r) { return r->substitution; }

rtl_size rtl_rewritten_size(const weir_rtl_rewriter *r, int64_t number, uint32_t formula) {
    if (!formula || !r->substitution) return (rtl_size){number, formula};
    return rtl_size_of(r->design, rtl_substitute(r->substitution, formula));
}

void rtl_map_function(weir_rtl_rewriter *r, uint32_t function, uint32_t other) {
    map(r, MAPPED_FUNCTION, function, 0, other);
}

uint32_t rtl_mapped_function(const weir_rtl_rewriter *r, uint32_t function) {
    return find(r, MAPPED_FUNCTION, function, 0);
}

void rtl_map_state(weir_rtl_rewriter *r, uint32_t state, uint32_t other) { map(r, MAPPED_STATE, state, 0, other); }

uint32_t rtl_mapped_state(const weir_rtl_rewriter *r, uint32_t state) { return find(r, MAPPED_STATE, state, 0); }

/* ---- expressions ---- */

/* The port of the copy of an instance: by name when that is of another module. */
static weir_rtl_expr mapped_port(const weir_rtl_rewriter *r, uint32_t instance, uint32_t port) {
    assert(instance < r->design->instance_count);
    assert(port < r->design->var_count);
    const bool is_same = r->design->var[port].module == r->design->instance[instance].module;
    const uint32_t own = is_same ? port : rtl_find_port(r->design, instance, r->design->var[port].name);
    return weir_rtl_port_of(r->design, (weir_rtl_instance){instance}, (weir_rtl_var){own});
}

/* The leaf's replacement; itself when there is none. */
static weir_rtl_expr rewrite_leaf(weir_rtl_rewriter *r, uint32_t id) {
    assert(id < r->design->expr_count);
    const rtl_expr *e = &r->design->expr[id];
    uint32_t value = 0;
    if (e->kind == WEIR_RTL_EXPR_VAR) value = find(r, MAPPED_VAR, e->a, 0);
    if (e->kind == WEIR_RTL_EXPR_PARAMETER) value = find(r, MAPPED_PARAMETER, e->a, 0);
    if (e->kind == WEIR_RTL_EXPR_PORT) {
        value = find(r, MAPPED_PORT, e->a, e->b);
        uint32_t instance = value ? 0 : find(r, MAPPED_INSTANCE, e->a, 0);
        if (instance) return mapped_port(r, instance, e->b);
    }
    return (weir_rtl_expr){value ? value : id};
}

static weir_rtl_expr rewrite_list(weir_rtl_rewriter *r, const rtl_expr *e, uint32_t id) {
    weir_rtl_expr *parts = weir_malloc(e->b * sizeof *parts);
    bool same = true;
    for (uint32_t i = 0; i < e->b; i++) {
        uint32_t old = r->design->operand[e->a + i];
        parts[i] = weir_rtl_rewrite_expr(r, (weir_rtl_expr){old});
        same = same && parts[i].id == old;
    }
    uint32_t function = e->kind == WEIR_RTL_EXPR_CALL ? rtl_mapped_function(r, e->c) : 0;
    weir_rtl_expr result = {id};
    if (e->kind == WEIR_RTL_EXPR_CALL && (!same || function))
        result = weir_rtl_call(r->design, (weir_rtl_function){function ? function : e->c}, e->b, parts);
    else if (!same) result = weir_rtl_concat(r->design, e->b, parts);
    free(parts);
    return result;
}

/* Casts are made by what they change. */
static weir_rtl_expr remake_cast(weir_rtl_design *design, const rtl_expr *e, weir_rtl_expr value) {
    if (e->is_signed != design->expr[e->a].is_signed)
        return e->is_signed ? weir_rtl_as_signed(design, value) : weir_rtl_as_unsigned(design, value);
    return weir_rtl_as(design, value, e->carries);
}

/* A number as an index has as many bits as the largest index, which parameters decide. */
static weir_rtl_expr remake_index(const weir_rtl_rewriter *r, const rtl_expr *e, weir_rtl_expr value,
                                  weir_rtl_expr index) {
    weir_rtl_design *design = r->design;
    const rtl_expr *old = &design->expr[index.id];
    const bool is_number = old->kind == WEIR_RTL_EXPR_CONSTANT && !old->is_signed && old->width <= 32 && !old->b;
    if (!r->substitution || !is_number || index.id != e->b) return index;
    const rtl_type *type = &design->type[rtl_type_of(design, value.id)];
    const uint32_t count = e->kind == WEIR_RTL_EXPR_ELEMENT ? type->count : design->expr[value.id].width;
    const uint64_t number = rtl_words_of(design, old)[0];
    uint32_t bits = rtl_index_bits(count);
    while (bits < 32 && number >> bits) bits++;
    return weir_rtl_constant(design, bits, number);
}

static weir_rtl_expr remake(weir_rtl_rewriter *r, const rtl_expr *e, const weir_rtl_expr *operand) {
    weir_rtl_design *design = r->design;
    const rtl_size width = rtl_rewritten_size(r, e->width, e->formula);
    switch (e->kind) {
    case WEIR_RTL_EXPR_SLICE: return rtl_slice(design, operand[0], rtl_rewritten_size(r, e->b, e->c), width);
    case WEIR_RTL_EXPR_SELECT: return rtl_select(design, operand[0], remake_index(r, e, operand[0], operand[1]), width);
    case WEIR_RTL_EXPR_ELEMENT: return weir_rtl_element(design, operand[0], remake_index(r, e, operand[0], operand[1]));
    case WEIR_RTL_EXPR_FIELD: return weir_rtl_field(design, operand[0], design->field[e->b].name);
    case WEIR_RTL_EXPR_REPEAT: return rtl_repeat(design, rtl_rewritten_size(r, e->b, e->c), operand[0]);
    case WEIR_RTL_EXPR_UNARY: return weir_rtl_unary(design, e->op, operand[0]);
    case WEIR_RTL_EXPR_BINARY: return weir_rtl_binary(design, e->op, operand[0], operand[1]);
    case WEIR_RTL_EXPR_CONDITIONAL: return weir_rtl_conditional(design, operand[0], operand[1], operand[2]);
    case WEIR_RTL_EXPR_CAST: return remake_cast(design, e, operand[0]);
    default: weir_unreachable("an expression of operands that are not rewritten here");
    }
}

/* The bits of a parameter that another one, or a number, stands for. */
static weir_rtl_expr remake_constant(const weir_rtl_rewriter *r, const rtl_expr *e) {
    const rtl_size width = rtl_rewritten_size(r, e->width, e->formula);
    if (!e->b) {
        const uint64_t number = rtl_words_of(r->design, e)[0];
        return rtl_in_base(r->design, rtl_sized_constant(r->design, width, e->is_signed, number, 0), e->base);
    }
    const uint32_t value = rtl_substitute(r->substitution, rtl_of_parameter(r->design, e->b));
    const rtl_formula *f = &r->design->formula[value];
    if (f->kind == RTL_FORMULA_PARAMETER) return rtl_sized_constant(r->design, width, e->is_signed, 0, f->a);
    int64_t number = 0;
    if (rtl_formula_number(r->design, value, &number) && number >= 0)
        return rtl_sized_constant(r->design, width, e->is_signed, (uint64_t)number, 0);
    rtl_error(r->design, r->design->location, "'%s' is %lld, which unsigned bits cannot hold",
              rtl_describe_parameter(r->design, e->b), (long long)number);
    return (weir_rtl_expr){0};
}

static weir_rtl_expr rewrite(weir_rtl_rewriter *r, uint32_t id) {
    assert(id < r->design->expr_count);
    const rtl_expr e = r->design->expr[id]; /* the table grows */
    const bool has_formula = e.formula || ((e.kind == WEIR_RTL_EXPR_SLICE || e.kind == WEIR_RTL_EXPR_REPEAT) && e.c);
    if (e.kind == WEIR_RTL_EXPR_CONSTANT && r->substitution && (e.formula || e.b)) return remake_constant(r, &e);
    if (e.kind == WEIR_RTL_EXPR_CONSTANT) return (weir_rtl_expr){id};
    if (e.kind == WEIR_RTL_EXPR_HIGH_Z && r->substitution && e.formula)
        return rtl_high_z(r->design, rtl_rewritten_size(r, e.width, e.formula), e.is_signed);
    if (e.kind == WEIR_RTL_EXPR_CONCAT || e.kind == WEIR_RTL_EXPR_CALL) return rewrite_list(r, &e, id);
    size_t count = weir_rtl_get_expr(r->design, (weir_rtl_expr){id}).operand_count;
    if (count == 0) return rewrite_leaf(r, id);
    const uint32_t old[3] = {e.a, e.b, e.c};
    weir_rtl_expr operand[3];
    bool same = !has_formula || !r->substitution;
    for (size_t i = 0; i < count; i++) {
        operand[i] = weir_rtl_rewrite_expr(r, (weir_rtl_expr){old[i]});
        same = same && operand[i].id == old[i];
    }
    return same ? (weir_rtl_expr){id} : remake(r, &e, operand);
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
weir_rtl_expr weir_rtl_rewrite_expr(weir_rtl_rewriter *r, weir_rtl_expr expr) {
    if (!expr.id) return expr;
    const uint64_t *known = weir_map_find(&r->made, expr.id);
    if (known) return (weir_rtl_expr){(uint32_t)*known};
    weir_rtl_expr result = rewrite(r, expr.id);
    *weir_map_put(&r->made, expr.id) = result.id;
    return result;
}

/* A target, of which only the computed indices are read. */
static weir_rtl_expr rewrite_target(weir_rtl_rewriter *r, uint32_t id) {
    assert(id < r->design->expr_count);
    const rtl_expr e = r->design->expr[id];
    if (!r->reads_only) return weir_rtl_rewrite_expr(r, (weir_rtl_expr){id});
    if (rtl_is_part(e.kind)) {
        weir_rtl_expr operand[2] = {rewrite_target(r, e.a), {e.b}};
        bool is_indexed = e.kind == WEIR_RTL_EXPR_SELECT || e.kind == WEIR_RTL_EXPR_ELEMENT;
        if (is_indexed) operand[1] = weir_rtl_rewrite_expr(r, operand[1]);
        bool same = operand[0].id == e.a && operand[1].id == e.b;
        return same ? (weir_rtl_expr){id} : remake(r, &e, operand);
    }
    if (e.kind != WEIR_RTL_EXPR_CONCAT) return (weir_rtl_expr){id};
    weir_rtl_expr *parts = weir_malloc(e.b * sizeof *parts);
    bool same = true;
    for (uint32_t i = 0; i < e.b; i++) {
        uint32_t old = r->design->operand[e.a + i];
        parts[i] = rewrite_target(r, old);
        same = same && parts[i].id == old;
    }
    weir_rtl_expr result = same ? (weir_rtl_expr){id} : weir_rtl_concat(r->design, e.b, parts);
    free(parts);
    return result;
}

/* ---- statements ---- */

/* The variable that an event waits for must stay one. */
static uint32_t rewrite_event(weir_rtl_rewriter *r, uint32_t var) {
    uint32_t value = find(r, MAPPED_VAR, var, 0);
    if (!value) return var;
    if (r->design->expr[value].kind == WEIR_RTL_EXPR_VAR) return r->design->expr[value].a;
    rtl_error(r->design, r->design->location, "an always block cannot wait for '%s', which is not a variable",
              rtl_describe(r->design, value));
    return 0;
}

static bool rewrite_events(weir_rtl_rewriter *r, uint32_t stmt) {
    assert(stmt < r->design->stmt_count);
    for (uint32_t e = r->design->stmt[stmt].a; e; e = r->design->event[e].next) {
        uint32_t var = rewrite_event(r, r->design->event[e].var);
        if (!var) return false;
        r->design->event[e].var = var;
    }
    return true;
}

static bool rewrite_instance(weir_rtl_rewriter *r, uint32_t id) {
    weir_rtl_design *design = r->design;
    const rtl_ids *ports = &design->module[design->instance[id].module].ports;
    for (uint32_t i = 0; i < design->instance[id].override_count; i++) {
        rtl_value *value = &design->instance[id].override[i];
        if (value->kind == RTL_VALUE_EXPR) value->expr = weir_rtl_rewrite_expr(r, (weir_rtl_expr){value->expr}).id;
        if (value->kind == RTL_VALUE_EXPR && !value->expr) return false;
    }
    for (size_t i = 0; i < ports->count; i++) {
        weir_rtl_var port = {ports->id[i]};
        weir_rtl_expr old = weir_rtl_connection_of(design, (weir_rtl_instance){id}, port).value;
        if (!old.id) continue;
        bool drives = design->var[port.id].direction != WEIR_RTL_INPUT;
        weir_rtl_expr value = drives ? rewrite_target(r, old.id) : weir_rtl_rewrite_expr(r, old);
        if (!value.id) return false;
        if (value.id == old.id) continue;
        weir_rtl_disconnect(design, (weir_rtl_instance){id}, port);
        weir_rtl_connect(design, (weir_rtl_instance){id}, design->var[port.id].name, value);
        if (!weir_rtl_connection_of(design, (weir_rtl_instance){id}, port).value.id) return false;
    }
    return true;
}

static bool rewrite_assertion(weir_rtl_rewriter *r, uint32_t id) {
    assert(id < r->design->stmt_count);
    rtl_assertion *assertion = rtl_assertion_of(r->design, &r->design->stmt[id]);
    if (assertion->clock && !(assertion->clock = rewrite_event(r, assertion->clock))) return false;
    for (size_t i = 0; rtl_stmt_slot(r->design, id, i); i++) {
        uint32_t *slot = rtl_stmt_slot(r->design, id, i);
        weir_rtl_expr value = weir_rtl_rewrite_expr(r, (weir_rtl_expr){*slot});
        if (*slot && !value.id) return false;
        *slot = value.id;
    }
    return true;
}

/* The clock, the reset and the state's variable of a machine stay variables. */
static bool rewrite_machine(weir_rtl_rewriter *r, uint32_t id) {
    assert(id < r->design->fsm_count);
    rtl_fsm *fsm = &r->design->fsm[id];
    uint32_t *const var[3] = {&fsm->clock, &fsm->reset, &fsm->current};
    for (int i = 0; i < 3; i++)
        if (*var[i] && !(*var[i] = rewrite_event(r, *var[i]))) return false;
    return true;
}

static bool rewrite_one(weir_rtl_rewriter *r, uint32_t id) {
    weir_rtl_design *design = r->design;
    weir_rtl_stmt stmt = {id};
    rtl_stmt old = design->stmt[id];
    if (old.kind == WEIR_RTL_STMT_ALWAYS) return rewrite_events(r, id);
    if (old.kind == WEIR_RTL_STMT_INSTANCE) return rewrite_instance(r, old.a);
    if (old.kind == WEIR_RTL_STMT_ASSIGN) {
        weir_rtl_expr value = weir_rtl_rewrite_expr(r, (weir_rtl_expr){old.b});
        weir_rtl_expr target = rewrite_target(r, old.a);
        if (!value.id || !target.id) return false;
        if (value.id != old.b && !weir_rtl_set_value(design, stmt, value)) return false;
        return target.id == old.a || weir_rtl_set_target(design, stmt, target);
    }
    if (old.kind == WEIR_RTL_STMT_ASSERT) return rewrite_assertion(r, id);
    if (old.kind == WEIR_RTL_STMT_FSM) return rewrite_machine(r, old.a);
    bool has_value = old.kind == WEIR_RTL_STMT_IF || old.kind == WEIR_RTL_STMT_CASE ||
                     old.kind == WEIR_RTL_STMT_RETURN || (old.kind == WEIR_RTL_STMT_TRANSITION && old.a);
    if (!has_value) return true;
    weir_rtl_expr value = weir_rtl_rewrite_expr(r, (weir_rtl_expr){old.a});
    return value.id && (value.id == old.a || weir_rtl_set_value(design, stmt, value));
}

bool weir_rtl_rewrite_stmt(weir_rtl_rewriter *r, weir_rtl_stmt stmt) {
    bool fine = true;
    for (uint32_t s = stmt.id; fine && s; s = rtl_walk_next(r->design, s, stmt.id)) fine = rewrite_one(r, s);
    return fine;
}

bool weir_rtl_rewrite_module(weir_rtl_rewriter *r, weir_rtl_module module) {
    bool fine = true;
    uint32_t s = module.id ? r->design->block[r->design->module[module.id].body].first : 0;
    for (; fine && s; s = r->design->stmt[s].next) fine = weir_rtl_rewrite_stmt(r, (weir_rtl_stmt){s});
    return fine;
}
