/* Text of statements of a module's body: assignments, instances, loops in space, properties. */
#include <string.h>

#include "rtlir/analysis/group_plan_private.h"
#include "rtlir/verilog/printer_private.h"

/* ---- instances ---- */

/* `.name (`, the names of a list being aligned. */
static void begin_binding(rtl_writer *w, const char *name, size_t width, int indent) {
    enum { MOST = 32 };
    rtl_begin_line(w, indent);
    rtl_put_char(w, '.');
    rtl_put(w, name);
    size_t length = strlen(name);
    size_t column = width < MOST ? width : MOST;
    rtl_put_blanks(w, column > length ? column - length : 0);
    rtl_put_char(w, '(');
}

static void end_binding(rtl_writer *w, bool last) {
    rtl_put(w, last ? ")" : "),");
    rtl_end_line(w);
}

/* An open port says that this is on purpose. */
static void print_open(rtl_writer *w, const char *name, bool last, int indent) {
    rtl_begin_line(w, indent);
    rtl_put(w, "/* verilator lint_off PINCONNECTEMPTY */ .");
    rtl_put(w, name);
    rtl_put(w, last ? "()" : "(),");
    rtl_put(w, " /* verilator lint_on PINCONNECTEMPTY */ // left open on purpose");
    rtl_end_line(w);
}

static const rtl_value *override_of(const weir_rtl_design *design, const rtl_instance *instance, uint32_t parameter) {
    assert(parameter < design->parameter_count);
    uint32_t slot = design->parameter[parameter].slot;
    bool any = slot < instance->override_count && instance->override[slot].kind != RTL_VALUE_NONE;
    return any ? &instance->override[slot] : NULL;
}

static void print_overrides(rtl_writer *w, const rtl_instance *instance, int indent) {
    const weir_rtl_design *design = w->design;
    const rtl_ids *ids = &design->module[instance->module].parameters;
    size_t width = 0;
    size_t left = 0;
    for (size_t i = 0; i < ids->count; i++) {
        size_t length = strlen(design->parameter[ids->id[i]].name);
        if (!override_of(design, instance, ids->id[i])) continue;
        left++;
        width = length > width ? length : width;
    }
    if (left == 0) return;
    rtl_put(w, " #(\n");
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_value *value = override_of(design, instance, ids->id[i]);
        if (!value) continue;
        begin_binding(w, design->parameter[ids->id[i]].name, width, indent + RTL_INDENT);
        if (value->kind == RTL_VALUE_INTEGER) rtl_print_integer(value->integer, w->text);
        else if (value->kind == RTL_VALUE_STRING) rtl_print_string(value->text, w->text);
        else if (value->kind == RTL_VALUE_FORMULA) rtl_print_formula(w, value->formula, false);
        else rtl_print_broken(w, value->expr);
        end_binding(w, --left == 0);
    }
    rtl_put_blanks(w, (size_t)indent);
    rtl_put_char(w, ')');
}

static uint32_t connection_of(const rtl_instance *instance, const rtl_var *port) {
    return port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
}

/* Ports carry bits, whatever their sign; Yosys stops at a cast that is a whole connection. */
static uint32_t without_casts(const weir_rtl_design *design, uint32_t expr) {
    assert(expr < design->expr_count);
    while (design->expr[expr].kind == WEIR_RTL_EXPR_CAST) expr = design->expr[expr].a;
    return expr;
}

/* A port of an interface stands for all of them. */
static const char *binding_name(const rtl_writer *w, uint32_t port) {
    assert(port < w->design->var_count);
    const uint32_t group = rtl_interface_of(w, port);
    return group ? w->design->group[group].name : w->design->var[port].name;
}

static bool is_bound(const rtl_writer *w, const rtl_instance *instance, uint32_t port) {
    assert(port < w->design->var_count);
    if (instance->is_wired && !connection_of(instance, &w->design->var[port])) return false;
    return !rtl_interface_of(w, port) || rtl_leads_interface(w->design, port);
}

/* Ports without a connection: assignments wire them when the instance is wired. */
static void print_connections(rtl_writer *w, const rtl_instance *instance, int indent) {
    const weir_rtl_design *design = w->design;
    const rtl_ids *ports = &design->module[instance->module].ports;
    size_t width = 0;
    size_t left = 0;
    for (size_t i = 0; i < ports->count; i++) {
        if (!is_bound(w, instance, ports->id[i])) continue;
        const size_t length = strlen(binding_name(w, ports->id[i]));
        width = length > width ? length : width;
        left++;
    }
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        const uint32_t expr = connection_of(instance, port), group = rtl_interface_of(w, ports->id[i]);
        if (!is_bound(w, instance, ports->id[i])) continue;
        left--;
        if (expr == 0 || expr == RTL_OPEN) {
            print_open(w, port->name, left == 0, indent);
            continue;
        }
        begin_binding(w, binding_name(w, ports->id[i]), width, indent);
        if (group) rtl_put(w, design->group[rtl_group_connected(design, instance, &design->group[group])].name);
        else if (port->direction == WEIR_RTL_OUTPUT) rtl_print_target(w, expr);
        else rtl_print_value(w, port->type, port->type ? expr : without_casts(design, expr));
        end_binding(w, left == 0);
    }
}

static void print_instance(rtl_writer *w, const rtl_stmt *stmt, int indent) {
    const rtl_instance *instance = &w->design->instance[stmt->a];
    rtl_print_comment(w, rtl_comment_of(w->design, &instance->common), indent);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_INSTANCE, stmt->a}, &instance->common, indent);
    rtl_put_blanks(w, (size_t)indent);
    rtl_put(w, w->design->module[instance->module].name);
    print_overrides(w, instance, indent);
    rtl_put_char(w, ' ');
    rtl_put(w, instance->name);
    rtl_put(w, " (");
    if (w->design->module[instance->module].ports.count) {
        rtl_put_char(w, '\n');
        print_connections(w, instance, indent + RTL_INDENT);
        rtl_put_blanks(w, (size_t)indent);
    }
    rtl_put(w, ");\n");
}

/* ---- loops in space ---- */

static void print_block(rtl_writer *w, uint32_t block, int indent);

static void print_generate(rtl_writer *w, const rtl_stmt *stmt, int indent) {
    const rtl_loop *loop = rtl_loop_of(w->design, stmt);
    rtl_begin_line(w, indent);
    rtl_print_loop_head(w, loop, rtl_is_system(w) ? "genvar" : "");
    rtl_put(w, " : ");
    rtl_put_spare(w, "g_", w->design->var[loop->iterator].name);
    rtl_end_line(w);
    print_block(w, stmt->body, indent + RTL_INDENT);
    rtl_put_line(w, indent, "end");
}

/* ---- statements ---- */

/* Recursion, of loops in loops, is bounded by RTL_MAX_DEPTH. */
static void print_stmt(rtl_writer *w, uint32_t id, int indent) {
    assert(id < w->design->stmt_count);
    const rtl_stmt *stmt = &w->design->stmt[id];
    if (stmt->kind == WEIR_RTL_STMT_INSTANCE) {
        print_instance(w, stmt, indent);
        return;
    }
    rtl_print_trigger(w, id, indent);
    if (stmt->common.extra) rtl_print_comment(w, rtl_comment_of(w->design, &stmt->common), indent);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_STMT, id}, &stmt->common, indent);
    if (stmt->kind == WEIR_RTL_STMT_ASSIGN) rtl_print_assign(w, id, indent);
    else if (stmt->kind == WEIR_RTL_STMT_FOR) print_generate(w, stmt, indent);
    else if (stmt->kind == WEIR_RTL_STMT_ASSERT) rtl_print_property(w, id, indent);
    else if (stmt->kind != WEIR_RTL_STMT_COMMENT) rtl_print_process(w, id, indent);
}

/* Blank lines set off everything but neighbouring assignments and what follows its comment. */
static void print_block(rtl_writer *w, uint32_t block, int indent) {
    assert(block < w->design->block_count);
    weir_rtl_stmt_kind before = indent > RTL_INDENT ? WEIR_RTL_STMT_COMMENT : WEIR_RTL_STMT_NONE;
    for (uint32_t s = w->design->block[block].first; s; s = w->design->stmt[s].next) {
        weir_rtl_stmt_kind kind = w->design->stmt[s].kind;
        bool joins = before == WEIR_RTL_STMT_COMMENT || (before == WEIR_RTL_STMT_ASSIGN && kind == before);
        if (!joins) rtl_put_char(w, '\n');
        print_stmt(w, s, indent);
        before = kind;
    }
}

void rtl_print_body(rtl_writer *w, const rtl_module *module) { print_block(w, module->body, RTL_INDENT); }
