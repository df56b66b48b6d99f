/* Text of modules: header, ports, parameters and declarations. */
#include "rtlir/print.h"

#include <stdlib.h>
#include <string.h>

#include "rtlir/printer.h"
#include "rtlir/visitor.h"
#include "support/file.h"

static void add_blanks(weir_text *text, size_t count) {
    while (count-- > 0) weir_text_char(text, ' ');
}

/* Greedy: wraps at the last mark before the right margin. Marks inside one call's line are few enough to rescan. */
void rtl_print_line(const weir_text *line, int indent, weir_text *text) {
    size_t at = 0;
    size_t margin = (size_t)indent;
    bool first = true;
    while (at < line->size) {
        size_t room = RTL_COLUMNS > margin + 20 ? RTL_COLUMNS - margin : 20;
        size_t end = line->size;
        size_t mark = 0; /* one past the last mark that still fits */
        for (size_t i = at; i < line->size; i++) {
            if (line->data[i] != RTL_BREAK) continue;
            if (i - at > room && mark) break;
            mark = i + 1;
            if (i - at > room) break;
        }
        bool wraps = line->size - at > room && mark;
        if (wraps) end = mark - 1;
        add_blanks(text, margin);
        for (size_t i = at; i < end; i++) weir_text_char(text, line->data[i] == RTL_BREAK ? ' ' : line->data[i]);
        weir_text_char(text, '\n');
        at = wraps ? mark : line->size;
        margin += first ? RTL_INDENT : 0;
        first = false;
    }
}

void rtl_print_comment(const char *comment, int indent, weir_text *text) {
    while (comment && *comment) {
        size_t length = strcspn(comment, "\n");
        size_t room = (size_t)(RTL_COLUMNS - 3 - (indent < 60 ? indent : 60));
        size_t take = length;
        if (take > room) {
            take = room;
            while (take > 0 && comment[take] != ' ') take--;
            if (take == 0) take = strcspn(comment, " \n");
        }
        add_blanks(text, (size_t)indent);
        size_t shown = take;
        while (shown > 0 && comment[shown - 1] == ' ') shown--;
        weir_text_add(text, shown ? "// " : "//");
        for (size_t i = 0; i < shown; i++) {
            bool is_control = (unsigned char)comment[i] < 0x20 || comment[i] == 0x7f;
            weir_text_char(text, is_control ? ' ' : comment[i]);
        }
        /* A backslash at the end of a line would continue the comment for some preprocessors. */
        weir_text_add(text, shown && comment[shown - 1] == '\\' ? " .\n" : "\n");
        comment += take;
        if (*comment == ' ' || *comment == '\n') comment++;
    }
}

void rtl_print_attributes(const weir_rtl_design *design, const rtl_common *common, int indent, weir_text *text) {
    uint32_t first = rtl_attributes_of(design, common);
    if (!first) return;
    weir_text line = {0};
    weir_text_add(&line, "(* ");
    for (uint32_t a = first; a; a = design->attribute[a].next) {
        const rtl_attribute *attribute = &design->attribute[a];
        weir_text_add(&line, attribute->name);
        if (attribute->kind != WEIR_RTL_ATTRIBUTE_FLAG) weir_text_add(&line, " = ");
        if (attribute->kind == WEIR_RTL_ATTRIBUTE_TEXT) rtl_print_string(attribute->text, &line);
        else if (attribute->kind == WEIR_RTL_ATTRIBUTE_INTEGER) rtl_print_integer(attribute->integer, &line);
        if (attribute->next) {
            weir_text_char(&line, ',');
            weir_text_char(&line, RTL_BREAK);
        }
    }
    weir_text_add(&line, " *)");
    rtl_print_line(&line, indent, text);
    weir_text_free(&line);
}

/* ---- declarations ---- */

/* Columns of a group of declarations: what stands left of the range, the range, the name. */
typedef struct columns {
    size_t type, range, name;
} columns;

static const char *type_text(const rtl_var *var) {
    static const char *const text[4][2] = {{"wire", "reg "},
                                           {"input  wire", "input  wire"},
                                           {"output wire", "output reg "},
                                           {"inout  wire", "inout  wire"}};
    return text[var->direction][var->is_register];
}

static void type_and_sign(const rtl_var *var, weir_text *text) {
    text->size = 0;
    weir_text_add(text, type_text(var));
    if (var->is_signed) weir_text_add(text, " signed");
}

static void range_text(const rtl_var *var, weir_text *text) {
    text->size = 0;
    if (var->width > 1) weir_text_format(text, "[%u:0]", (unsigned)(var->width - 1));
}

static columns measure(const weir_rtl_design *design, const rtl_module *module, bool ports) {
    columns c = {0};
    weir_text text = {0};
    for (uint32_t v = module->first_var; v; v = design->var[v].next) {
        const rtl_var *var = &design->var[v];
        if ((var->direction != WEIR_RTL_INTERNAL) != ports || var->is_path) continue;
        type_and_sign(var, &text);
        c.type = text.size > c.type ? text.size : c.type;
        range_text(var, &text);
        c.range = text.size > c.range ? text.size : c.range;
        size_t name = strlen(var->name);
        c.name = name > c.name && name <= 32 ? name : c.name;
    }
    weir_text_free(&text);
    return c;
}

/* A comment beside its declaration when it is one short line, else above it. */
static bool beside(const char *comment, size_t column) {
    return comment && !strchr(comment, '\n') && column + strlen(comment) + 5 <= RTL_COLUMNS;
}

static void print_declaration(const weir_rtl_design *design, const rtl_var *var, const columns *c, const char *end,
                              weir_text *text) {
    weir_text line = {0};
    weir_text part = {0};
    type_and_sign(var, &part);
    add_blanks(&line, RTL_INDENT);
    weir_text_add(&line, part.data);
    add_blanks(&line, c->type - part.size);
    range_text(var, &part);
    if (c->range) {
        weir_text_char(&line, ' ');
        weir_text_add_n(&line, part.data, part.size);
        add_blanks(&line, c->range - part.size);
    }
    weir_text_format(&line, " %s%s", var->name, end);
    size_t length = strlen(var->name) + strlen(end);
    const char *comment = rtl_comment_of(design, &var->common);
    size_t pad = c->name + 1 > length ? c->name + 1 - length : 0;
    if (beside(comment, line.size + pad)) {
        add_blanks(&line, pad + 1);
        weir_text_format(&line, "// %s", comment);
    } else if (comment) {
        rtl_print_comment(comment, RTL_INDENT, text);
    }
    rtl_print_attributes(design, &var->common, RTL_INDENT, text);
    weir_text_add_n(text, line.data, line.size);
    weir_text_char(text, '\n');
    weir_text_free(&line);
    weir_text_free(&part);
}

static void print_ports(const weir_rtl_design *design, const rtl_module *module, weir_text *text) {
    if (module->ports.count == 0) {
        weir_text_add(text, ";\n");
        return;
    }
    columns c = measure(design, module, true);
    weir_text_add(text, " (\n");
    for (size_t i = 0; i < module->ports.count; i++)
        print_declaration(design, &design->var[module->ports.id[i]], &c, i + 1 < module->ports.count ? "," : "", text);
    weir_text_add(text, ");\n");
}

static void print_variables(const weir_rtl_design *design, const rtl_module *module, bool registers, weir_text *text) {
    columns c = measure(design, module, false);
    bool first = true;
    for (uint32_t v = module->first_var; v; v = design->var[v].next) {
        const rtl_var *var = &design->var[v];
        if (var->direction != WEIR_RTL_INTERNAL || var->is_register != registers || var->is_path) continue;
        if (first) weir_text_char(text, '\n');
        first = false;
        print_declaration(design, var, &c, ";", text);
    }
}

/* ---- parameters ---- */

static const rtl_value *default_of(const weir_rtl_design *design, const rtl_parameter *parameter) {
    return &design->formula[parameter->formula].value;
}

/* A value of at most 32 bits has a type; a larger one brings its own width and a string has none. */
static bool is_typed(const rtl_value *value) {
    return value->kind == RTL_VALUE_INTEGER && value->integer >= INT32_MIN && value->integer <= INT32_MAX;
}

static void print_parameter(const weir_rtl_design *design, const rtl_parameter *parameter, size_t name_width,
                            const char *end, weir_text *text) {
    const rtl_value *value = default_of(design, parameter);
    rtl_print_comment(rtl_comment_of(design, &parameter->common), RTL_INDENT, text);
    rtl_print_attributes(design, &parameter->common, RTL_INDENT, text);
    weir_text line = {0};
    weir_text_format(&line, "%s%s %s", parameter->is_local ? "localparam" : "parameter",
                     is_typed(value) ? " integer" : "        ", parameter->name);
    size_t length = strlen(parameter->name);
    add_blanks(&line, name_width > length ? name_width - length : 0);
    weir_text_add(&line, " =");
    weir_text_char(&line, RTL_BREAK);
    if (value->kind == RTL_VALUE_INTEGER) rtl_print_integer(value->integer, &line);
    else if (value->kind == RTL_VALUE_STRING) rtl_print_string(value->text, &line);
    weir_text_add(&line, end);
    rtl_print_line(&line, RTL_INDENT, text);
    weir_text_free(&line);
}

static void print_parameters(const weir_rtl_design *design, const rtl_module *module, bool local, weir_text *text) {
    size_t count = 0;
    size_t width = 0;
    for (size_t i = 0; i < module->parameters.count; i++) {
        const rtl_parameter *parameter = &design->parameter[module->parameters.id[i]];
        if (parameter->is_local != local) continue;
        size_t length = strlen(parameter->name);
        width = length > width ? length : width;
        count++;
    }
    if (count == 0) return;
    weir_text_add(text, local ? "\n" : " #(\n");
    for (size_t i = 0; i < module->parameters.count; i++) {
        const rtl_parameter *parameter = &design->parameter[module->parameters.id[i]];
        if (parameter->is_local != local) continue;
        count--;
        print_parameter(design, parameter, width, local ? ";" : count ? "," : "", text);
    }
    if (!local) weir_text_char(text, ')');
}

/* ---- modules ---- */

void weir_rtl_print_verilog(weir_rtl_design *design, weir_rtl_module module, weir_text *text) {
    const rtl_module *record = &design->module[module.id];
    if (!module.id || record->is_external) return;
    rtl_settle_registers(design, module.id);
    weir_text_format(text, "// %s\n", record->name);
    if (rtl_comment_of(design, &record->common)) {
        weir_text_add(text, "//\n");
        rtl_print_comment(rtl_comment_of(design, &record->common), 0, text);
    }
    weir_text_add(text, "//\n// Generated by weir; do not edit.\n\n`default_nettype none\n\n");
    rtl_print_attributes(design, &record->common, 0, text);
    weir_text_format(text, "module %s", record->name);
    print_parameters(design, record, false, text);
    print_ports(design, record, text);
    print_parameters(design, record, true, text);
    print_variables(design, record, false, text);
    print_variables(design, record, true, text);
    rtl_print_body(design, record, text);
    weir_text_add(text, "\nendmodule\n\n`default_nettype wire\n");
}

bool weir_rtl_write_module(weir_rtl_design *design, weir_rtl_module module, const char *folder) {
    weir_text text = {0};
    weir_text name = {0};
    weir_rtl_print_verilog(design, module, &text);
    weir_text_format(&name, "%s.v", design->module[module.id].name);
    char *path = weir_path_join(folder, name.data);
    bool written = weir_make_folder(folder) && weir_file_write_changed(path, text.data ? text.data : "", text.size);
    free(path);
    weir_text_free(&name);
    weir_text_free(&text);
    return written;
}

bool weir_rtl_write_design(weir_rtl_design *design, weir_rtl_module top, const char *folder) {
    size_t count = 0;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    bool written = modules != NULL;
    for (size_t i = 0; written && i < count; i++)
        if (!design->module[modules[i].id].is_external) written = weir_rtl_write_module(design, modules[i], folder);
    free(modules);
    return written;
}
