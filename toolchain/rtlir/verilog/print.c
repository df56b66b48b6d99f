/* Text of modules: header, ports, parameters and declarations. */
#include "rtlir/verilog/print.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/core/visitor.h"
#include "rtlir/verify/requirements_private.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verify/verify_private.h"
#include "rtlir/verilog/printer_private.h"
#include "support/file/file.h"
#include "support/text/keyword.h"

static const weir_rtl_print_options plain = {.dialect = WEIR_RTL_VERILOG};

/* ---- types ---- */

/* What a memory's elements are. */
static weir_rtl_shape packed_part(const weir_rtl_design *design, const rtl_var *var) {
    weir_rtl_shape shape = {{var->type}, var->width, var->is_signed, {var->formula}};
    while (design->type[shape.type.id].kind == WEIR_RTL_TYPE_MEMORY) shape = design->type[shape.type.id].element;
    return shape;
}

/* [0:15] for each dimension of a memory. */
static void print_unpacked(rtl_writer *w, uint32_t type) {
    assert(type < w->design->type_count);
    for (; w->design->type[type].kind == WEIR_RTL_TYPE_MEMORY; type = w->design->type[type].element.type.id) {
        const rtl_size count = {w->design->type[type].count, w->design->type[type].count_formula};
        rtl_put(w, " [0:");
        rtl_print_size(w, rtl_size_apply(w->design, WEIR_RTL_SUBTRACT, count, (rtl_size){.number = 1}), false);
        rtl_put_char(w, ']');
    }
}

/* ---- declarations ---- */

/* Columns of a group of declarations: what comes before the range, the range, the name. */
typedef struct columns {
    size_t type, range, name;
} columns;

static const char *type_text(const rtl_writer *w, const rtl_var *var) {
    static const char *const text[4][2] = {{"wire", "reg "},
                                           {"input  wire", "input  wire"},
                                           {"output wire", "output reg "},
                                           {"inout  wire", "inout  wire"}};
    static const char *const system[4] = {"logic", "input  logic", "output logic", "inout  wire logic"};
    static const char *const bare[4] = {"", "input  ", "output ", "inout  wire "};
    static const char *const net[4] = {"wire logic", "input  wire logic", "output wire logic", "inout  wire logic"};
    static const char *const bare_net[4] = {"wire ", "input  wire ", "output wire ", "inout  wire "};
    if (!rtl_is_system(w)) return text[var->direction][var->is_register];
    const bool is_net = w->shared[var - w->design->var];
    if (rtl_named_type(w->design, var->type)) return (is_net ? bare_net : bare)[var->direction];
    return (is_net ? net : system)[var->direction];
}

/* Width of a piece: printed at the end of the text, measured and taken away again. */
static size_t measure_type(rtl_writer *w, const rtl_var *var) {
    const uint32_t name = rtl_is_system(w) ? rtl_named_type(w->design, var->type) : 0;
    const size_t from = w->text->size;
    if (name) rtl_put_type_name(w, name);
    const size_t length = w->text->size - from;
    w->text->size = from;
    return strlen(type_text(w, var)) + length + (var->is_signed ? 7 : 0);
}

static size_t print_range(rtl_writer *w, const rtl_var *var) {
    size_t from = w->text->size;
    weir_rtl_shape shape = packed_part(w->design, var);
    const rtl_size width = {shape.width, shape.formula.id};
    if (shape.type.id || width.number > 1 || width.formula) rtl_print_type(w, shape.type.id, width, false);
    return w->text->size - from;
}

static size_t measure_range(rtl_writer *w, const rtl_var *var) {
    if (var->width < 2 && !var->type && !var->formula) return 0;
    size_t width = print_range(w, var);
    w->text->size -= width;
    return width;
}

static bool is_declared(const rtl_var *var) { return !var->is_path && !var->is_iterator; }

static columns measure(rtl_writer *w, const rtl_module *module, bool ports) {
    columns c = {0};
    for (uint32_t v = module->first_var; v; v = w->design->var[v].next) {
        const rtl_var *var = &w->design->var[v];
        if ((var->direction != WEIR_RTL_INTERNAL) != ports || !is_declared(var) || rtl_interface_of(w, v)) continue;
        size_t type = measure_type(w, var);
        c.type = type > c.type ? type : c.type;
        size_t range = measure_range(w, var);
        c.range = range > c.range ? range : c.range;
        size_t name = strlen(var->name);
        c.name = name > c.name && name <= 32 ? name : c.name;
    }
    return c;
}

/* A comment beside its declaration when it is one short line, else above it. */
static bool beside(const rtl_writer *w, const char *comment, size_t column) {
    return comment && !strchr(comment, '\n') && column + strlen(comment) + 5 <= w->columns;
}

static void print_declaration(rtl_writer *w, uint32_t id, const columns *c, const char *end) {
    assert(id < w->design->var_count);
    const rtl_var *var = &w->design->var[id];
    const char *comment = rtl_comment_of(w->design, &var->common);
    const char *public = rtl_public_of(w->design, &var->common);
    size_t length = strlen(var->name) + (public ? strlen(public) : 0) + strlen(end);
    size_t pad = c->name + 1 > length ? c->name + 1 - length : 0;
    size_t column = RTL_INDENT + c->type + c->range + 1 + length + pad;
    bool is_beside = beside(w, comment, column);
    if (!is_beside) rtl_print_comment(w, comment, RTL_INDENT);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_VAR, id}, &var->common, RTL_INDENT);
    rtl_put_blanks(w, RTL_INDENT);
    rtl_put(w, type_text(w, var));
    const uint32_t name = rtl_is_system(w) ? rtl_named_type(w->design, var->type) : 0;
    if (name) rtl_put_type_name(w, name);
    if (var->is_signed) rtl_put(w, " signed");
    rtl_put_blanks(w, c->type - measure_type(w, var));
    rtl_put_blanks(w, c->range - print_range(w, var));
    rtl_put_char(w, ' ');
    rtl_put(w, var->name);
    print_unpacked(w, var->type);
    if (public) rtl_put(w, public);
    rtl_put(w, end);
    if (is_beside) {
        rtl_put_blanks(w, pad + 1);
        rtl_put_comment(w, comment, strlen(comment));
    }
    rtl_put_char(w, '\n');
}

/* Of an interface, the first port stands for all. */
static bool is_shown(const rtl_writer *w, uint32_t port) {
    return !rtl_interface_of(w, port) || rtl_leads_interface(w->design, port);
}

static void print_interface_port(rtl_writer *w, uint32_t group, const char *end) {
    assert(group < w->design->group_count);
    rtl_print_member_comments(w, group);
    rtl_put_blanks(w, RTL_INDENT);
    rtl_put_interface_type(w, group);
    weir_text_format(w->text, " %s%s\n", w->design->group[group].name, end);
}

static void print_ports(rtl_writer *w, const rtl_module *module) {
    if (module->ports.count == 0) {
        rtl_put(w, ";\n");
        return;
    }
    columns c = measure(w, module, true);
    size_t last = module->ports.count - 1;
    while (!is_shown(w, module->ports.id[last])) last--; /* the first one is */
    rtl_put(w, " (\n");
    for (size_t i = 0; i <= last; i++) {
        const uint32_t port = module->ports.id[i], group = rtl_interface_of(w, port);
        if (!is_shown(w, port)) continue;
        if (group) print_interface_port(w, group, i < last ? "," : "");
        else print_declaration(w, port, &c, i < last ? "," : "");
    }
    rtl_put(w, ");\n");
}

static void print_variables(rtl_writer *w, const rtl_module *module, bool registers) {
    columns c = measure(w, module, false);
    bool first = true;
    for (uint32_t v = module->first_var; v; v = w->design->var[v].next) {
        const rtl_var *var = &w->design->var[v];
        if (var->direction != WEIR_RTL_INTERNAL || var->is_register != registers || !is_declared(var) ||
            rtl_interface_of(w, v))
            continue;
        if (first) rtl_put_char(w, '\n');
        first = false;
        print_declaration(w, v, &c, ";");
    }
}

/* Iterators of loops of processes, and in space, and what a break sets; functions have their own. */
static void print_iterators(rtl_writer *w, const rtl_module *module) {
    if (rtl_is_system(w)) return;
    bool first = true;
    for (uint32_t s = w->design->block[module->body].first; s; s = w->design->stmt[s].next) {
        if (w->design->stmt[s].kind == WEIR_RTL_STMT_FUNCTION) continue;
        for (uint32_t i = s; i; i = rtl_walk_next(w->design, i, s)) {
            if (w->design->stmt[i].kind != WEIR_RTL_STMT_FOR) continue;
            if (first) rtl_put_char(w, '\n');
            first = false;
            rtl_print_iterator(w, i, RTL_INDENT);
        }
    }
}

/* ---- parameters ---- */

/* A value of at most 32 bits has a type; a larger one brings its own width and a string has none. */
static bool is_typed(const rtl_value *value) {
    return value->kind == RTL_VALUE_INTEGER && value->integer >= INT32_MIN && value->integer <= INT32_MAX;
}

static void print_parameter(rtl_writer *w, uint32_t id, size_t name_width, const char *end) {
    assert(id < w->design->parameter_count);
    const rtl_parameter *parameter = &w->design->parameter[id];
    const rtl_value *value = &parameter->value;
    const uint32_t formula = parameter->formula;
    rtl_print_comment(w, rtl_comment_of(w->design, &parameter->common), RTL_INDENT);
    rtl_print_above(w, (weir_rtl_item){WEIR_RTL_ITEM_PARAMETER, id}, &parameter->common, RTL_INDENT);
    rtl_begin_line(w, RTL_INDENT);
    rtl_put(w, parameter->is_local ? "localparam" : "parameter");
    rtl_put(w, is_typed(value) ? " integer " : "         ");
    rtl_put(w, parameter->name);
    size_t length = strlen(parameter->name);
    rtl_put_blanks(w, name_width > length ? name_width - length : 0);
    rtl_put(w, " =");
    rtl_put_char(w, RTL_BREAK);
    if (w->design->formula[formula].kind != RTL_FORMULA_VALUE) rtl_print_formula(w, formula, false);
    else if (value->kind == RTL_VALUE_INTEGER) rtl_print_integer(value->integer, w->text);
    else if (value->kind == RTL_VALUE_STRING) rtl_print_string(value->text, w->text);
    rtl_put(w, end);
    rtl_end_line(w);
}

static void print_parameters(rtl_writer *w, const rtl_module *module, bool local) {
    size_t count = 0;
    size_t width = 0;
    for (size_t i = 0; i < module->parameters.count; i++) {
        const rtl_parameter *parameter = &w->design->parameter[module->parameters.id[i]];
        if (parameter->is_local != local) continue;
        size_t length = strlen(parameter->name);
        width = length > width ? length : width;
        count++;
    }
    if (count == 0) return;
    rtl_put(w, local ? "\n" : " #(\n");
    for (size_t i = 0; i < module->parameters.count; i++) {
        if (w->design->parameter[module->parameters.id[i]].is_local != local) continue;
        count--;
        print_parameter(w, module->parameters.id[i], width, local ? ";" : count ? "," : "");
    }
    if (!local) rtl_put_char(w, ')');
}

/* `if (CONDITION) begin : g_NAME`, and in it an instance of an undefined module whose name says what must hold: every
 * tool stops its elaboration with that name. */
static void begin_guard(rtl_writer *w) { rtl_put(w, "\n  generate\n    if ("); }

/* The name of no module. Verilator wants modules with `__` in their names at once, even where nothing has an
 * instance. */
static void put_undefined(rtl_writer *w, const char *module, const char *demand) {
    weir_text name = {0};
    char *wanted = weir_format("%s_%s", module, demand);
    for (const char *c = wanted; *c; c++)
        if (c[0] != '_' || c[1] != '_') weir_text_char(&name, *c);
    while (weir_rtl_find_module(w->design, name.data).id) weir_text_char(&name, 'x');
    rtl_put(w, name.data);
    weir_text_free(&name);
    free(wanted);
}

static void end_guard(rtl_writer *w, const char *module, const char *label, const char *demand) {
    char *wanted = weir_format("g_%s", label);
    rtl_put(w, ") begin : ");
    rtl_put_spare(w, wanted, "_guard");
    rtl_put(w, "\n      ");
    put_undefined(w, module, demand);
    rtl_put_char(w, ' ');
    rtl_put_spare(w, "u_error", "");
    rtl_put(w, " ();\n    end\n  endgenerate\n");
    free(wanted);
}

static void print_bounds_guard(rtl_writer *w, const char *module, const rtl_parameter *p) {
    char *bound[2];
    for (int i = 0; i < 2; i++) {
        const int64_t value = i ? p->high : p->low;
        bound[i] = weir_format("%s%lld", value < 0 ? "m" : "", (long long)(value < 0 ? -value : value));
    }
    char *demand = weir_format("%s_must_be_%s_to_%s", p->name, bound[0], bound[1]);
    begin_guard(w);
    weir_text_format(w->text, "%s < ", p->name);
    rtl_print_integer(p->low, w->text);
    weir_text_format(w->text, " || %s > ", p->name);
    rtl_print_integer(p->high, w->text);
    end_guard(w, module, p->name, demand);
    free(demand);
    free(bound[0]);
    free(bound[1]);
}

/* Bounds of parameters, and widths that are none, or differ, with other values than those that were looked at. */
static void print_guards(rtl_writer *w, const rtl_module *module) {
    size_t count = 0;
    for (size_t i = 0; i < module->parameters.count; i++) {
        const rtl_parameter *p = &w->design->parameter[module->parameters.id[i]];
        if (p->is_bounded) print_bounds_guard(w, module->name, p);
    }
    rtl_requirement *list = rtl_requirements(w->design, w->module, &count);
    if (count > 0) {
        begin_guard(w);
        for (size_t i = 0; i < count; i++) {
            rtl_put(w, i ? " ||\n        " : "");
            rtl_print_formula(w, list[i].formula, true);
            rtl_put(w, list[i].is_zero ? " != 0" : " < 0");
        }
        end_guard(w, module->name, "parameters", "parameters_must_fit");
    }
    free(list);
}

/* ---- functions of the simulation ---- */

typedef struct calls {
    const char **name; /* interned */
    size_t count, capacity;
} calls;

static void add_call(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    calls *c = user;
    const rtl_stmt *record = &design->stmt[stmt.id];
    const char *name = record->kind == WEIR_RTL_STMT_ASSERT ? rtl_assertion_of(design, record)->call : NULL;
    if (!name) return;
    for (size_t i = 0; i < c->count; i++)
        if (c->name[i] == name) return;
    c->name = weir_grow(c->name, &c->capacity, c->count + 1, sizeof *c->name);
    c->name[c->count++] = name;
}

/* Assertions call them with their scope and with their message. */
static void print_calls(rtl_writer *w, weir_rtl_module module) {
    static const weir_rtl_visitor visitor = {.stmt = add_call};
    calls found = {NULL, 0, 0};
    if (rtl_is_system(w)) weir_rtl_visit_content(w->design, module, &visitor, &found);
    if (found.count) rtl_put(w, "\n`ifndef SYNTHESIS\n");
    for (size_t i = 0; i < found.count; i++) {
        rtl_put(w, "  import \"DPI-C\" function void ");
        rtl_put(w, found.name[i]);
        rtl_put(w, "(input string scope, input string message);\n");
    }
    if (found.count) rtl_put(w, "`endif\n");
    free(found.name);
}

/* ---- modules ---- */

static bool uses_enum(const weir_rtl_design *design, const bool *used) {
    for (uint32_t t = 1; t < design->type_count; t++)
        if (used[t] && design->type[t].kind == WEIR_RTL_TYPE_ENUM) return true;
    return false;
}

static bool has_cplusplus_word(const weir_rtl_design *design, const rtl_labels *names, const bool *used) {
    for (size_t i = 0; i < names->count; i++)
        if (weir_is_cplusplus_word(names->label[i].name)) return true;
    for (uint32_t t = 1; t < design->type_count; t++)
        for (uint32_t f = used[t] ? design->type[t].first : 0; f; f = design->field[f].next)
            if (weir_is_cplusplus_word(design->field[f].name)) return true;
    return false;
}

/* Has a module the name, or something in it? Instances are in any of them. */
static bool is_around(const weir_rtl_design *design, const char *name) {
    bool found = rtl_names_find(design, 0, name).id != 0;
    for (uint32_t m = 1; m < design->module_count && !found; m++)
        found = !design->module[m].is_removed && rtl_names_find(design, m, name).id;
    return found;
}

/* Does a function have a variable of a name that is around it too, or an instance of the module the name of something
 * in it? */
static bool hides_name(const rtl_writer *w) {
    const weir_rtl_design *design = w->design;
    const uint32_t module = w->module;
    const rtl_labels *members = &w->own_names.given;
    for (uint32_t s = design->block[design->module[module].body].first; s; s = design->stmt[s].next) {
        if (design->stmt[s].kind != WEIR_RTL_STMT_FUNCTION) continue;
        const rtl_function *function = rtl_function_of(design, &design->stmt[s]);
        const rtl_ids *own[] = {&function->arguments, &function->locals};
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < own[k]->count; i++)
                if (is_around(design, design->var[own[k]->id[i]].name)) return true;
    }
    for (uint32_t i = 1; i < design->instance_count; i++)
        if (design->instance[i].module == module && !design->instance[i].is_removed &&
            (rtl_names_find(design, module, design->instance[i].name).id ||
             rtl_labels_find(members, 0, design->instance[i].name)))
            return true;
    return false;
}

/* Of Verilator, about names that are as the design has them. */
static void print_waivers(rtl_writer *w, const bool *used) {
    rtl_labels names = {0};
    rtl_take_names(w->design, w->module, &names);
    const bool is_word = has_cplusplus_word(w->design, &names, used), hides = hides_name(w);
    if (is_word) rtl_put(w, "/* verilator lint_off SYMRSVDWORD */ // C++ has words among the names\n");
    if (hides) rtl_put(w, "/* verilator lint_off VARHIDDEN */ // a name inside is one outside\n");
    if (is_word || hides) rtl_put_char(w, '\n');
    rtl_labels_free(&names);
}

void weir_rtl_print_module(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_print_options *options,
                           weir_text *text) {
    const rtl_module *record = &design->module[module.id];
    if (!module.id || record->is_external || !rtl_is_printable(design, module.id)) return;
    rtl_infer_registers(design, module.id);
    rtl_writer w = {.design = design, .options = options, .text = text, .module = module.id};
    w.is_system = options->dialect == WEIR_RTL_SYSTEMVERILOG;
    w.columns = options->columns > 0 ? (size_t)options->columns : RTL_COLUMNS;
    w.counted = text->size;
    w.line = 1;
    bool *used = rtl_used_types(design, module.id), *shared = rtl_shared_nets(design, module.id);
    w.shared = shared;
    const char *comment = rtl_comment_of(design, &record->common);
    weir_text_format(text, "// %s\n", record->name);
    if (comment) rtl_put(&w, "//\n");
    rtl_print_comment(&w, comment, 0);
    rtl_put(&w, "//\n// Generated by weir; do not edit.\n\n");
    if (!rtl_is_system(&w) && uses_enum(design, used)) {
        rtl_add_scopes(design, module.id, &w.scopes);
        w.own_names = rtl_name_types(design, used, &w.scopes, NULL);
        w.names = &w.own_names;
    }
    print_waivers(&w, used);
    if (!rtl_is_system(&w)) rtl_put(&w, "`default_nettype none\n\n");
    else rtl_print_package(&w, used);
    rtl_print_interfaces(&w);
    rtl_print_above(&w, WEIR_RTL_ITEM(module), &record->common, 0);
    weir_text_format(text, "module %s", record->name);
    rtl_print_import(&w);
    print_parameters(&w, record, false);
    print_ports(&w, record);
    if (rtl_public_of(design, &record->common)) rtl_put_line(&w, RTL_INDENT, "/*verilator public_module*/");
    print_parameters(&w, record, true);
    if (!rtl_is_system(&w)) rtl_print_members(&w, used);
    print_variables(&w, record, false);
    print_variables(&w, record, true);
    rtl_print_links(&w);
    print_iterators(&w, record);
    print_guards(&w, record);
    print_calls(&w, module);
    rtl_print_body(&w, record);
    rtl_put(&w, "\nendmodule\n");
    if (!rtl_is_system(&w)) rtl_put(&w, "\n`default_nettype wire\n");
    weir_rtl_package_free(w.own);
    rtl_free_type_names(&w.own_names);
    rtl_labels_free(&w.spares);
    free(w.scopes.id);
    free(shared);
    free(used);
}

void weir_rtl_print_verilog(weir_rtl_design *design, weir_rtl_module module, weir_text *text) {
    weir_rtl_print_module(design, module, &plain, text);
}

bool weir_rtl_write_module(weir_rtl_design *design, weir_rtl_module module, const weir_rtl_print_options *options,
                           const char *folder) {
    weir_text text = {0};
    size_t errors = design->errors;
    options = options ? options : &plain;
    weir_rtl_print_module(design, module, options, &text);
    char *name =
        weir_format("%s.%s", design->module[module.id].name, options->dialect == WEIR_RTL_SYSTEMVERILOG ? "sv" : "v");
    char *path = weir_path_join(folder, name);
    bool written = design->errors == errors && weir_make_folder(folder) &&
                   weir_file_write_changed(path, text.data ? text.data : "", text.size);
    free(path);
    free(name);
    weir_text_free(&text);
    return written;
}

bool weir_rtl_write_design(weir_rtl_design *design, weir_rtl_module top, const weir_rtl_print_options *options,
                           const char *folder) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    bool written = modules != NULL && weir_rtl_check_file_names(design, top);
    weir_rtl_print_options own = options ? *options : plain;
    weir_rtl_package *package = weir_rtl_package_new(design, top);
    own.package = package;
    for (size_t i = 0; written && i < count; i++)
        if (!design->module[modules[i].id].is_external)
            written = weir_rtl_write_module(design, modules[i], &own, folder);
    weir_rtl_package_free(package);
    free(modules);
    return written;
}
