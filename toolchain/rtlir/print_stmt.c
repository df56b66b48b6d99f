/* Text of statements and instances. */
#include <string.h>

#include "rtlir/printer.h"

static void add_indent(weir_text *text, int indent) {
    for (int i = 0; i < indent; i++) weir_text_char(text, ' ');
}

static void print_assign(const weir_rtl_design *design, const rtl_stmt *stmt, int indent, weir_text *text) {
    weir_text line = {0};
    uint32_t owner = design->block[stmt->block].owner;
    weir_rtl_timing timing = stmt->timing;
    if (timing == WEIR_RTL_UNDECIDED && owner)
        timing = design->stmt[rtl_root_stmt(design, owner)].kind == WEIR_RTL_STMT_ALWAYS ? WEIR_RTL_NONBLOCKING
                                                                                         : WEIR_RTL_BLOCKING;
    if (!owner) weir_text_add(&line, "assign ");
    rtl_print_broken(design, stmt->a, &line);
    weir_text_add(&line, timing == WEIR_RTL_NONBLOCKING ? " <=" : " =");
    weir_text_char(&line, RTL_BREAK);
    rtl_print_broken(design, stmt->b, &line);
    weir_text_char(&line, ';');
    rtl_print_line(&line, indent, text);
    weir_text_free(&line);
}

/* ---- instances ---- */

/* One `.name (value)` of a list; an open port says that this is on purpose. */
static void print_binding(const char *name, size_t width, const weir_text *value, bool last, weir_text *text) {
    enum { MOST = 32 };
    weir_text line = {0};
    bool open = value == NULL;
    if (open) weir_text_add(&line, "/* verilator lint_off PINCONNECTEMPTY */ ");
    weir_text_format(&line, ".%s", name);
    for (size_t i = strlen(name); i < (width < MOST ? width : MOST) && !open; i++) weir_text_char(&line, ' ');
    weir_text_char(&line, '(');
    if (!open) weir_text_add_n(&line, value->data, value->size);
    weir_text_add(&line, last ? ")" : "),");
    if (open) weir_text_add(&line, " /* verilator lint_on PINCONNECTEMPTY */ // left open on purpose");
    rtl_print_line(&line, 2 * RTL_INDENT, text);
    weir_text_free(&line);
}

static void value_text(const weir_rtl_design *design, const rtl_value *value, weir_text *text) {
    text->size = 0;
    if (value->kind == RTL_VALUE_INTEGER) rtl_print_integer(value->integer, text);
    else if (value->kind == RTL_VALUE_STRING) rtl_print_string(value->text, text);
    else rtl_print_broken(design, value->expr, text);
}

static const rtl_value *override_of(const weir_rtl_design *design, const rtl_instance *instance, uint32_t parameter) {
    uint32_t slot = design->parameter[parameter].slot;
    bool any = slot < instance->override_count && instance->override[slot].kind != RTL_VALUE_NONE;
    return any ? &instance->override[slot] : NULL;
}

static void print_overrides(const weir_rtl_design *design, const rtl_instance *instance, weir_text *text) {
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
    weir_text value = {0};
    weir_text_add(text, " #(\n");
    for (size_t i = 0; i < ids->count; i++) {
        const rtl_value *override = override_of(design, instance, ids->id[i]);
        if (!override) continue;
        value_text(design, override, &value);
        print_binding(design->parameter[ids->id[i]].name, width, &value, --left == 0, text);
    }
    add_indent(text, RTL_INDENT);
    weir_text_char(text, ')');
    weir_text_free(&value);
}

static void print_connections(const weir_rtl_design *design, const rtl_instance *instance, weir_text *text) {
    const rtl_ids *ports = &design->module[instance->module].ports;
    size_t width = 0;
    for (size_t i = 0; i < ports->count; i++) {
        size_t length = strlen(design->var[ports->id[i]].name);
        width = length > width ? length : width;
    }
    weir_text value = {0};
    for (size_t i = 0; i < ports->count; i++) {
        const rtl_var *port = &design->var[ports->id[i]];
        uint32_t expr = port->slot < instance->connection_count ? instance->connection[port->slot] : 0;
        bool open = expr == 0 || expr == RTL_OPEN;
        if (open && instance->is_wired) continue; /* assignments wire it */
        value.size = 0;
        if (!open) rtl_print_broken(design, expr, &value);
        print_binding(port->name, width, open ? NULL : &value, i + 1 == ports->count, text);
    }
    weir_text_free(&value);
}

static void print_instance(const weir_rtl_design *design, const rtl_stmt *stmt, weir_text *text) {
    const rtl_instance *instance = &design->instance[stmt->a];
    rtl_print_comment(rtl_comment_of(design, &instance->common), RTL_INDENT, text);
    rtl_print_attributes(design, &instance->common, RTL_INDENT, text);
    add_indent(text, RTL_INDENT);
    weir_text_add(text, design->module[instance->module].name);
    print_overrides(design, instance, text);
    weir_text_format(text, " %s (", instance->name);
    if (design->module[instance->module].ports.count) {
        weir_text_char(text, '\n');
        print_connections(design, instance, text);
        add_indent(text, RTL_INDENT);
    }
    weir_text_add(text, ");\n");
}

/* ---- processes ---- */

static void print_block(const weir_rtl_design *design, uint32_t block, int indent, weir_text *text);

static void end_block(int indent, const char *rest, weir_text *text) {
    add_indent(text, indent);
    weir_text_format(text, "end%s", rest);
}

/* `if (a) begin ... end else if (b) begin ... end else begin ... end`, the chain being walked in a loop. */
static void print_if(const weir_rtl_design *design, const rtl_stmt *stmt, int indent, weir_text *text) {
    weir_text line = {0};
    for (bool chained = false;; chained = true) {
        line.size = 0;
        weir_text_add(&line, chained ? "end else if (" : "if (");
        rtl_print_broken(design, stmt->a, &line);
        weir_text_add(&line, ") begin");
        rtl_print_line(&line, indent, text);
        print_block(design, stmt->body, indent + RTL_INDENT, text);
        uint32_t first = stmt->other ? design->block[stmt->other].first : 0;
        if (!first) break;
        const rtl_stmt *next = &design->stmt[first];
        if (next->kind != WEIR_RTL_STMT_IF || next->next || next->common.extra) {
            end_block(indent, " else begin\n", text);
            print_block(design, stmt->other, indent + RTL_INDENT, text);
            break;
        }
        stmt = next;
    }
    end_block(indent, "\n", text);
    weir_text_free(&line);
}

static void print_item(const weir_rtl_design *design, const rtl_stmt *item, int indent, weir_text *text) {
    weir_text line = {0};
    rtl_print_comment(rtl_comment_of(design, &item->common), indent, text);
    if (item->a) rtl_print_broken(design, item->a, &line);
    else weir_text_add(&line, "default");
    weir_text_add(&line, ": begin");
    rtl_print_line(&line, indent, text);
    print_block(design, item->body, indent + RTL_INDENT, text);
    end_block(indent, "\n", text);
    weir_text_free(&line);
}

static void print_case(const weir_rtl_design *design, const rtl_stmt *stmt, int indent, weir_text *text) {
    weir_text line = {0};
    weir_text_add(&line, "case (");
    rtl_print_broken(design, stmt->a, &line);
    weir_text_char(&line, ')');
    rtl_print_line(&line, indent, text);
    for (int defaults = 0; defaults < 2; defaults++)
        for (uint32_t i = design->block[stmt->body].first; i; i = design->stmt[i].next)
            if ((design->stmt[i].a == 0) == (defaults == 1))
                print_item(design, &design->stmt[i], indent + RTL_INDENT, text);
    add_indent(text, indent);
    weir_text_add(text, "endcase\n");
    weir_text_free(&line);
}

static void print_process(const weir_rtl_design *design, const rtl_stmt *stmt, int indent, weir_text *text) {
    weir_text line = {0};
    if (stmt->kind == WEIR_RTL_STMT_INITIAL) weir_text_add(&line, "initial");
    else if (stmt->kind == WEIR_RTL_STMT_COMBINATIONAL) weir_text_add(&line, "always @*");
    else weir_text_add(&line, "always @(");
    if (stmt->kind == WEIR_RTL_STMT_ALWAYS) {
        for (uint32_t e = stmt->a; e; e = design->event[e].next)
            weir_text_format(&line, "%s %s%s", design->event[e].edge == WEIR_RTL_POSEDGE ? "posedge" : "negedge",
                             design->var[design->event[e].var].name, design->event[e].next ? " or " : ")");
    }
    weir_text_add(&line, " begin");
    rtl_print_line(&line, indent, text);
    print_block(design, stmt->body, indent + RTL_INDENT, text);
    end_block(indent, "\n", text);
    weir_text_free(&line);
}

static void print_stmt(const weir_rtl_design *design, const rtl_stmt *stmt, int indent, weir_text *text) {
    if (stmt->kind == WEIR_RTL_STMT_INSTANCE) {
        print_instance(design, stmt, text);
        return;
    }
    rtl_print_comment(rtl_comment_of(design, &stmt->common), indent, text);
    rtl_print_attributes(design, &stmt->common, indent, text);
    switch (stmt->kind) {
    case WEIR_RTL_STMT_ASSIGN: print_assign(design, stmt, indent, text); break;
    case WEIR_RTL_STMT_IF: print_if(design, stmt, indent, text); break;
    case WEIR_RTL_STMT_CASE: print_case(design, stmt, indent, text); break;
    case WEIR_RTL_STMT_ALWAYS:
    case WEIR_RTL_STMT_COMBINATIONAL:
    case WEIR_RTL_STMT_INITIAL: print_process(design, stmt, indent, text); break;
    default: break;
    }
}

/* Recursion is bounded by RTL_MAX_DEPTH. */
static void print_block(const weir_rtl_design *design, uint32_t block, int indent, weir_text *text) {
    for (uint32_t s = design->block[block].first; s; s = design->stmt[s].next)
        print_stmt(design, &design->stmt[s], indent, text);
}

/* Blank lines set off everything but neighbouring assignments and what follows its comment. */
void rtl_print_body(const weir_rtl_design *design, const rtl_module *module, weir_text *text) {
    weir_rtl_stmt_kind before = WEIR_RTL_STMT_NONE;
    for (uint32_t s = design->block[module->body].first; s; s = design->stmt[s].next) {
        const rtl_stmt *stmt = &design->stmt[s];
        bool joins = before == WEIR_RTL_STMT_COMMENT || (before == WEIR_RTL_STMT_ASSIGN && stmt->kind == before);
        if (!joins) weir_text_char(text, '\n');
        print_stmt(design, stmt, RTL_INDENT, text);
        before = stmt->kind;
    }
}
