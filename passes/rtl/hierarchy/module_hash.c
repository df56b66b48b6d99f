/* Children are hashed before their parents. In a module, variables, instances, parameters and functions are numbers in
 * the order in which the module names them, and what they are goes into the hash where they are declared; so
 * expressions are hashes over numbers. */
#include "passes/rtl/hierarchy/module_hash.h"

#include <stdlib.h>
#include <string.h>

#include "passes/rtl/numbers.h"
#include "rtlir/core/formula.h"
#include "rtlir/core/fsm.h"
#include "rtlir/core/function.h"
#include "rtlir/core/interface.h"
#include "rtlir/core/type.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"

/* By id; those that were not set are zero. */
typedef struct hash_table {
    weir_hash *at;
    size_t capacity;
} hash_table;

struct weir_module_hashes {
    hash_table module;
};

/* What begins with one of these is no statement: those begin with larger numbers. */
enum { MARK_BODY = 1, MARK_OTHER, MARK_END, MARK_OVERRIDE, MARK_PORT, MARK_FUNCTION };

/* Hashes of the expressions of one module that have operands. */
typedef struct memo {
    weir_map index; /* in the list, by expression */
    weir_hash *hash;
    size_t count, capacity;
} memo;

typedef struct hasher {
    weir_rtl_design *design;
    weir_module_hashes *result;
    hash_table type;
    memo exprs;                                      /* of this module */
    weir_numbers var, instance, parameter, function; /* numbers in their module */
    uint32_t vars, functions;                        /* numbers given in this module */
    weir_hash hash;                                  /* of the module so far */
} hasher;

static weir_hash *hash_slot(hash_table *t, uint32_t id) {
    if (id >= t->capacity) t->at = weir_grow_zeroed(t->at, &t->capacity, (size_t)id + 1, sizeof *t->at);
    return &t->at[id];
}

static const weir_hash *memo_find(const memo *m, uint32_t expr) {
    const uint64_t *index = weir_map_find(&m->index, expr);
    return index == NULL ? NULL : &m->hash[*index];
}

static void memo_set(memo *m, uint32_t expr, weir_hash hash) {
    m->hash = weir_grow(m->hash, &m->capacity, m->count + 1, sizeof *m->hash);
    m->hash[m->count] = hash;
    *weir_map_put(&m->index, expr) = m->count++;
}

static void add(hasher *h, uint64_t number) { weir_hash_add_number(&h->hash, number); }

/* Eight characters at once, and how many there are. */
static void add_string(weir_hash *hash, const char *text) {
    uint64_t word = 0, size = 0;
    for (; text != NULL && text[size] != 0; size++) {
        word = word << 8 | (unsigned char)text[size];
        if (size % 8 == 7) weir_hash_add_number(hash, word);
    }
    weir_hash_add_number(hash, word);
    weir_hash_add_number(hash, size);
}

/* Parameters by their names, which go into the hash of their module. */
static void add_formula(const hasher *h, weir_hash *hash, weir_rtl_formula formula) {
    if (formula.id == 0) return;
    weir_text text = {NULL, 0, 0};
    weir_rtl_print_formula(h->design, formula, &text);
    add_string(hash, text.data);
    weir_text_free(&text);
}

static void add_text(hasher *h, const char *text) { add_string(&h->hash, text); }

static void add_attributes(hasher *h, weir_rtl_item item) {
    const size_t count = weir_rtl_get_item(h->design, item).attribute_count;
    add(h, count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_attribute_info info = weir_rtl_attribute_at(h->design, item, i);
        add_text(h, info.name);
        add(h, info.kind);
        if (info.kind == WEIR_RTL_ATTRIBUTE_TEXT) add_text(h, info.text);
        if (info.kind == WEIR_RTL_ATTRIBUTE_INTEGER) add(h, (uint64_t)info.integer);
    }
}

/* ---- types ---- */

static void add_shape(weir_hash *hash, hasher *h, weir_rtl_shape shape) {
    weir_hash_add_number(hash, (uint64_t)shape.width << 1 | shape.is_signed);
    add_formula(h, hash, shape.formula);
    weir_hash_add_hash(hash, *hash_slot(&h->type, shape.type.id));
}

/* What a type is made of was made before it. */
static void hash_types(hasher *h) {
    for (weir_rtl_type t = weir_rtl_first_type(h->design); t.id != 0; t = weir_rtl_next_type(h->design, t)) {
        const weir_rtl_type_info info = weir_rtl_get_type(h->design, t);
        weir_hash hash = weir_hash_start();
        weir_hash_add_number(&hash, info.kind);
        weir_hash_add_number(&hash, (uint64_t)info.width << 32 | info.count);
        add_string(&hash, info.name);
        add_shape(&hash, h, info.element);
        add_formula(h, &hash, info.count_formula);
        const bool has_fields = info.kind != WEIR_RTL_TYPE_ARRAY && info.kind != WEIR_RTL_TYPE_MEMORY;
        for (uint32_t i = 0; has_fields && i < info.count; i++) {
            const weir_rtl_field_info field = weir_rtl_field_at(h->design, t, i);
            add_string(&hash, field.name);
            weir_hash_add_number(&hash, field.value);
            add_shape(&hash, h, field.shape);
        }
        *hash_slot(&h->type, t.id) = hash;
    }
}

/* ---- declarations ---- */

static void add_parameters(hasher *h, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(h->design, module).parameter_count;
    add(h, count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_parameter parameter = weir_rtl_parameter_at(h->design, module, i);
        const weir_rtl_parameter_info info = weir_rtl_get_parameter(h->design, parameter);
        *weir_numbers_at(&h->parameter, parameter.id) = (uint32_t)i;
        add_text(h, info.name);
        add_formula(h, &h->hash, info.formula);
        if (info.is_bounded) add(h, (uint64_t)info.low << 32 ^ (uint64_t)info.high);
        add(h, (uint64_t)info.is_bounded << 3 | (uint64_t)info.is_local << 2 | (uint64_t)info.has_integer << 1 |
                   (info.text != NULL));
        add(h, (uint64_t)info.integer);
        add_text(h, info.text);
        add_attributes(h, WEIR_RTL_ITEM(parameter));
    }
}

/* Whether outputs and undecided variables are registers follows from the statements. */
static void add_var(hasher *h, weir_rtl_var var) {
    const weir_rtl_var_info info = weir_rtl_get_var(h->design, var);
    const bool is_register = info.is_register && !info.is_undecided && info.direction != WEIR_RTL_OUTPUT;
    *weir_numbers_at(&h->var, var.id) = h->vars++;
    add_text(h, info.name);
    add(h, (uint64_t)info.width << 32 | (uint64_t)info.direction << 16 | (uint64_t)info.kind << 8 |
               (uint64_t)info.is_signed << 3 | (uint64_t)is_register << 2 | (uint64_t)info.is_path << 1 |
               info.is_iterator);
    add_formula(h, &h->hash, info.formula);
    if (info.type.id != 0) weir_hash_add_hash(&h->hash, *hash_slot(&h->type, info.type.id));
    add_attributes(h, WEIR_RTL_ITEM(var));
}

/* Internal variables in the order of their declarations, ports in their own. */
static void add_vars(hasher *h, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(h->design, module);
    add(h, (uint64_t)info.port_count << 32 | info.var_count);
    for (size_t i = 0; i < info.port_count; i++) add_var(h, weir_rtl_port_at(h->design, module, i));
    for (weir_rtl_var v = weir_rtl_first_var(h->design, module); v.id != 0; v = weir_rtl_next_var(h->design, v))
        if (weir_rtl_get_var(h->design, v).direction == WEIR_RTL_INTERNAL) add_var(h, v);
}

static void add_var_number(hasher *h, weir_rtl_var var) {
    add(h, var.id != 0 ? 1 + *weir_numbers_at(&h->var, var.id) : 0);
}

/* Groups: what change_port_bundle_struct makes of the ports depends on them. Field by field the variables that they
 * say. */
static void add_groups(hasher *h, weir_rtl_module module) {
    const size_t count = weir_rtl_group_count(h->design, module);
    add(h, count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_group group = weir_rtl_group_at(h->design, module, i);
        const weir_rtl_group_info info = weir_rtl_get_group(h->design, group);
        const weir_rtl_interface_info interface = weir_rtl_get_interface(h->design, info.interface);
        add_text(h, info.name);
        add_text(h, interface.name);
        add_text(h, info.modport.id != 0 ? weir_rtl_modport_name(h->design, info.modport) : NULL);
        add(h, (uint64_t)info.is_interface << 33 | (uint64_t)interface.field_count << 1 | info.is_flipped);
        for (uint32_t f = 0; f < interface.field_count; f++)
            add_var_number(h, weir_rtl_group_var_at(h->design, group, f));
    }
}

/* The function's number; the first time its declaration goes into the hash of the module. */
static uint32_t function_number(hasher *h, weir_rtl_function function) {
    if (*weir_numbers_at(&h->function, function.id) != 0) return *weir_numbers_at(&h->function, function.id);
    const weir_rtl_function_info info = weir_rtl_get_function(h->design, function);
    const uint32_t number = ++h->functions;
    *weir_numbers_at(&h->function, function.id) = number;
    add(h, MARK_FUNCTION);
    add_text(h, info.name);
    add(h, (uint64_t)info.width << 1 | info.is_signed);
    add(h, (uint64_t)info.argument_count << 32 | info.local_count);
    for (size_t i = 0; i < info.argument_count; i++) add_var(h, weir_rtl_argument_at(h->design, function, i));
    for (size_t i = 0; i < info.local_count; i++) add_var(h, weir_rtl_local_var_at(h->design, function, i));
    return number;
}

/* ---- expressions ---- */

static weir_hash hash_expr(hasher *h, weir_rtl_expr expr);

static void add_constant(hasher *h, weir_hash *hash, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    for (uint32_t i = 0; i < (info->width + 63) / 64; i++) weir_hash_add_number(hash, info->words[i]);
    const weir_rtl_type type = weir_rtl_type_of(h->design, expr);
    if (info->parameter.id != 0) weir_hash_add_number(hash, 1 + *weir_numbers_at(&h->parameter, info->parameter.id));
    add_string(hash, type.id != 0 ? weir_rtl_get_type(h->design, type).name : NULL);
}

static void add_leaf(hasher *h, weir_hash *hash, weir_rtl_expr expr, const weir_rtl_expr_info *info) {
    switch (info->kind) {
    case WEIR_RTL_EXPR_CONSTANT: add_constant(h, hash, expr, info); break;
    case WEIR_RTL_EXPR_VAR: weir_hash_add_number(hash, *weir_numbers_at(&h->var, info->var.id)); break;
    case WEIR_RTL_EXPR_PARAMETER:
        weir_hash_add_number(hash, *weir_numbers_at(&h->parameter, info->parameter.id));
        break;
    case WEIR_RTL_EXPR_PORT:
        weir_hash_add_number(hash, *weir_numbers_at(&h->instance, info->instance.id));
        weir_hash_add_number(hash, weir_rtl_get_var(h->design, info->var).port);
        break;
    case WEIR_RTL_EXPR_SLICE: weir_hash_add_number(hash, info->low); break;
    case WEIR_RTL_EXPR_REPEAT: weir_hash_add_number(hash, info->repeat); break;
    case WEIR_RTL_EXPR_FIELD: add_string(hash, info->field); break;
    case WEIR_RTL_EXPR_CALL: weir_hash_add_number(hash, function_number(h, info->function)); break;
    default: break;
    }
}

/* Recursion is bounded by the depth of expressions (expr.h). */
static weir_hash hash_expr(hasher *h, weir_rtl_expr expr) {
    if (expr.id == 0) return (weir_hash){0, 0};
    const weir_rtl_expr_info info = weir_rtl_get_expr(h->design, expr);
    const weir_hash *known = info.operand_count > 0 ? memo_find(&h->exprs, expr.id) : NULL;
    if (known != NULL) return *known;
    weir_hash hash = weir_hash_start();
    weir_hash_add_number(&hash, (uint64_t)info.width << 32 | (uint64_t)info.kind << 24 | (uint64_t)info.op << 16 |
                                    (uint64_t)info.carries << 8 | info.is_signed);
    add_leaf(h, &hash, expr, &info);
    add_formula(h, &hash, info.formula);
    add_formula(h, &hash, info.low_formula);
    add_formula(h, &hash, info.repeat_formula);
    weir_hash_add_number(&hash, info.operand_count);
    for (size_t i = 0; i < info.operand_count; i++)
        weir_hash_add_hash(&hash, hash_expr(h, weir_rtl_operand(h->design, expr, i)));
    if (info.operand_count > 0) memo_set(&h->exprs, expr.id, hash);
    return hash;
}

static void add_expr(hasher *h, weir_rtl_expr expr) { weir_hash_add_hash(&h->hash, hash_expr(h, expr)); }

/* ---- statements ---- */

static void add_overrides(hasher *h, weir_rtl_instance instance, weir_rtl_module module) {
    const size_t count = weir_rtl_get_module(h->design, module).parameter_count;
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_override value =
            weir_rtl_override_of(h->design, instance, weir_rtl_parameter_at(h->design, module, i));
        if (!value.is_set) continue;
        add(h, MARK_OVERRIDE);
        add(h, (uint64_t)i << 1 | (value.text != NULL));
        add(h, (uint64_t)value.integer);
        add_text(h, value.text);
        add_formula(h, &h->hash, value.formula);
        add_expr(h, value.value);
    }
}

static void add_instance(hasher *h, weir_rtl_instance instance) {
    const weir_rtl_instance_info info = weir_rtl_get_instance(h->design, instance);
    const size_t ports = weir_rtl_get_module(h->design, info.module).port_count;
    add_text(h, info.name);
    add(h, (uint64_t)*weir_numbers_at(&h->instance, instance.id) << 1 | info.is_wired);
    weir_hash_add_hash(&h->hash, *hash_slot(&h->result->module, info.module.id));
    add_overrides(h, instance, info.module);
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_connection connection =
            weir_rtl_connection_of(h->design, instance, weir_rtl_port_at(h->design, info.module, i));
        if (connection.value.id == 0 && !connection.is_open) continue;
        add(h, MARK_PORT);
        add(h, (uint64_t)i << 1 | connection.is_open);
        add_expr(h, connection.value);
    }
    add(h, MARK_END);
    add_attributes(h, WEIR_RTL_ITEM(instance));
}

static void add_events(hasher *h, weir_rtl_stmt always) {
    const size_t count = weir_rtl_event_count(h->design, always);
    add(h, count);
    for (size_t i = 0; i < count; i++) {
        const weir_rtl_event event = weir_rtl_event_at(h->design, always, i);
        add(h, (uint64_t)event.edge << 32 | *weir_numbers_at(&h->var, event.var.id));
    }
}

static void add_assertion(hasher *h, weir_rtl_stmt stmt) {
    const weir_rtl_property property = weir_rtl_get_property(h->design, stmt);
    add(h, (uint64_t)property.kind << 1 | property.edge);
    add_var_number(h, property.clock);
    add(h, (uint64_t)property.low << 32 | property.high);
    add_expr(h, property.disable);
    add_expr(h, property.antecedent);
    add_expr(h, property.consequent);
    add_text(h, property.message);
    add_text(h, property.call);
}

static void add_state(hasher *h, weir_rtl_state state) {
    add_text(h, state.id != 0 ? weir_rtl_state_name(h->design, state, '.') : NULL);
}

static void add_fsm(hasher *h, weir_rtl_fsm fsm) {
    const weir_rtl_fsm_info info = weir_rtl_get_fsm(h->design, fsm);
    add_text(h, info.name);
    add(h, (uint64_t)info.edge << 2 | (uint64_t)info.is_low << 1 | info.is_mealy);
    add_var_number(h, info.clock);
    add_var_number(h, info.reset);
    add_var_number(h, info.current);
    add_state(h, info.start);
}

/* The statement without what is inside. */
static void add_stmt(hasher *h, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info) {
    if (info->kind == WEIR_RTL_STMT_COMMENT) return;
    add(h, (uint64_t)info->kind << 8 | info->timing);
    add_expr(h, info->target);
    add_expr(h, info->value);
    switch (info->kind) {
    case WEIR_RTL_STMT_INSTANCE: add_instance(h, info->instance); break;
    case WEIR_RTL_STMT_ALWAYS: add_events(h, stmt); break;
    case WEIR_RTL_STMT_FUNCTION: add(h, function_number(h, info->function)); break;
    case WEIR_RTL_STMT_FOR:
        add(h, *weir_numbers_at(&h->var, info->iterator.id));
        add(h, (uint64_t)info->start);
        add(h, (uint64_t)info->end);
        add(h, (uint64_t)info->step);
        add_formula(h, &h->hash, info->start_formula);
        add_formula(h, &h->hash, info->end_formula);
        add_formula(h, &h->hash, info->step_formula);
        break;
    case WEIR_RTL_STMT_ASSERT: add_assertion(h, stmt); break;
    case WEIR_RTL_STMT_FSM: add_fsm(h, info->fsm); break;
    case WEIR_RTL_STMT_STATE:
    case WEIR_RTL_STMT_TRANSITION: add_state(h, info->state); break;
    default: break;
    }
    add_attributes(h, WEIR_RTL_ITEM(stmt));
}

/* Everything in a module's body; marks delimit its statements. */
static void add_body(hasher *h, weir_rtl_block block) {
    weir_rtl_stmt stmt = weir_rtl_first(h->design, block);
    for (;;) {
        if (stmt.id != 0) {
            const weir_rtl_stmt_info info = weir_rtl_get_stmt(h->design, stmt);
            add_stmt(h, stmt, &info);
            if (info.body.id != 0) {
                add(h, MARK_BODY);
                block = info.body;
                stmt = weir_rtl_first(h->design, block);
            } else {
                stmt = weir_rtl_next(h->design, stmt);
            }
            continue;
        }
        add(h, MARK_END);
        const weir_rtl_stmt owner = weir_rtl_owner(h->design, block);
        if (owner.id == 0) return;
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(h->design, owner);
        if (info.other.id != 0 && block.id == info.body.id) {
            add(h, MARK_OTHER);
            block = info.other;
            stmt = weir_rtl_first(h->design, block);
        } else {
            block = info.block;
            stmt = weir_rtl_next(h->design, owner);
        }
    }
}

/* ---- modules ---- */

/* The design has read the file, or has its path from its own text. */
static void add_file(hasher *h, const weir_rtl_module_info *info) {
    size_t size;
    char *text = info->text == NULL && info->path != NULL && weir_file_exists(info->path)
                     ? weir_file_read(info->path, &size)
                     : NULL;
    add_text(h, info->text != NULL ? info->text : text);
    free(text);
}

static void hash_module(hasher *h, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(h->design, module);
    h->hash = weir_hash_start();
    h->vars = h->functions = 0;
    h->exprs.count = 0;
    weir_map_clear(&h->exprs.index);
    add_text(h, info.name);
    add(h, (uint64_t)info.is_external << 1 | info.is_stub);
    add_attributes(h, WEIR_RTL_ITEM(module));
    add_parameters(h, module);
    add_vars(h, module);
    add_groups(h, module);
    if (info.is_external) {
        add_file(h, &info);
    } else {
        for (size_t i = 0; i < info.instance_count; i++)
            *weir_numbers_at(&h->instance, weir_rtl_instance_at(h->design, module, i).id) = (uint32_t)i;
        add_body(h, info.body);
    }
    *hash_slot(&h->result->module, module.id) = h->hash;
}

static void release(void *result) {
    weir_module_hashes *found = result;
    free(found->module.at);
    free(found);
}

static void *compute(weir_pass_context *context, weir_rtl_design *design) {
    size_t count = 0;
    weir_rtl_module *modules =
        weir_rtl_modules_below(design, weir_hardware_top(context), WEIR_RTL_CHILDREN_FIRST, &count);
    hasher h = {.design = design, .result = weir_calloc(1, sizeof *h.result)};
    if (modules != NULL) hash_types(&h);
    for (size_t i = 0; modules != NULL && i < count; i++) hash_module(&h, modules[i]);
    weir_map_free(&h.exprs.index);
    free(h.exprs.hash);
    free(h.type.at);
    weir_numbers *const own[] = {&h.var, &h.instance, &h.parameter, &h.function};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) weir_numbers_free(own[i]);
    if (modules == NULL) {
        release(h.result);
        return NULL;
    }
    free(modules);
    return h.result;
}

const weir_pass_analysis weir_module_hashes_analysis = {.name = WEIR_MODULE_HASHES,
                                                        .kind = WEIR_PASS_HARDWARE,
                                                        .help = "a hash of what each module means and prints",
                                                        .compute = {.hardware = compute},
                                                        .release = release};

weir_hash weir_module_hash(const weir_module_hashes *hashes, weir_rtl_module module) {
    return module.id < hashes->module.capacity ? hashes->module.at[module.id] : (weir_hash){0, 0};
}
