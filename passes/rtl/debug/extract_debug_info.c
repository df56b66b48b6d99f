/* extract_debug_info: a symbol table a module, in the form of the hgdb debugger's JSON schema ("generator", "top", and
 * a "table" of modules with variables, instances and scopes). Statements are entries of the scope of their source file:
 * an assignment with its variable, a branch as a block with its condition, in the language that the debugger reads
 * (debug_condition.h). What has no source location has that of what contains it, or its own in the Verilog. Beyond the
 * schema, which allows it, each entry says which line of the Verilog it became (rtl_line), what its condition is there
 * (rtl_condition, alone when the debugger's language cannot say it) and which passes touched it (passes). Where
 * ssa_transform was, the versions of variables are entries under the names of the source, each in a block with its
 * branch's condition and the versions that hold there (propagate_scope_variable); what only chooses among them is
 * none. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/checks/check.h"
#include "passes/rtl/debug/debug_condition.h"
#include "passes/rtl/debug/versions.h"
#include "passes/rtl/numbers.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/interface.h"
#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/json.h"
#include "support/memory/arena.h"

typedef struct symbols {
    weir_rtl_design *design;
    weir_numbers stmt_line, instance_line; /* 0: not printed */
    weir_numbers last;                     /* of versions (versions.h) */
    weir_rtl_module module;
    json_t *files;        /* scopes by name of the file, in order of appearance */
    const char *file;     /* of the scope that is being filled */
    weir_location around; /* the location of what is being filled */
    char *verilog;        /* the file of the module */
} symbols;

static void keep_line(void *user, int line, weir_rtl_item item) {
    symbols *s = user;
    if (item.kind == WEIR_RTL_ITEM_STMT) *weir_numbers_at(&s->stmt_line, item.id) = (uint32_t)line;
    else if (item.kind == WEIR_RTL_ITEM_INSTANCE) *weir_numbers_at(&s->instance_line, item.id) = (uint32_t)line;
}

/* Takes over the text. */
static json_t *string_of(weir_text *text) {
    json_t *string = json_stringn(text->data, text->size);
    weir_text_free(text);
    return string;
}

/* Text of unknown origin: JSON is UTF-8. */
static json_t *plain_string(const char *string) {
    weir_text text = {NULL, 0, 0};
    weir_text_plain(&text, string, strlen(string));
    weir_text_add(&text, "");
    return string_of(&text);
}

static json_t *variable(const char *name) {
    return json_pack("{s:s, s:s, s:b}", "name", name, "value", name, "rtl", 1);
}

/* The variable that an assignment to the expression changes; of a concatenation the first one. */
static const char *target_name(const weir_rtl_design *design, weir_rtl_expr target) {
    while (weir_rtl_get_expr(design, target).kind == WEIR_RTL_EXPR_CONCAT) target = weir_rtl_operand(design, target, 0);
    return weir_rtl_get_var(design, weir_rtl_get_expr(design, target).var).name;
}

/* Where the item comes from: its own location, that of what is around it, or its line of Verilog. */
static weir_location location_of(const symbols *s, weir_rtl_item item, int line) {
    const weir_location own = weir_rtl_get_item(s->design, item).location;
    if (own.file != NULL && own.line > 0) return own;
    return s->around.line > 0 ? s->around : weir_at(s->verilog, line);
}

static int line_of(const symbols *s, weir_rtl_item item) {
    if (item.kind == WEIR_RTL_ITEM_MODULE) return 1;
    return (int)weir_numbers_get(item.kind == WEIR_RTL_ITEM_STMT ? &s->stmt_line : &s->instance_line, item.id);
}

/* What every entry says: its location, its line of Verilog, its passes. */
static json_t *entry(const symbols *s, const char *type, weir_rtl_item item) {
    const weir_rtl_item_info info = weir_rtl_get_item(s->design, item);
    const int line = line_of(s, item);
    const weir_location location = location_of(s, item, line);
    json_t *made = json_pack("{s:s, s:i}", "type", type, "line", location.line), *passes = json_array();
    if (s->file != NULL && strcmp(location.file, s->file) != 0)
        json_object_set_new(made, "filename", plain_string(location.file));
    if (line > 0 && item.kind != WEIR_RTL_ITEM_MODULE) json_object_set_new(made, "rtl_line", json_integer(line));
    for (size_t i = 0; i < info.pass_count; i++)
        json_array_append_new(passes, json_string(weir_rtl_item_pass(s->design, item, i)));
    if (info.comment != NULL) json_object_set_new(made, "comment", plain_string(info.comment));
    json_object_set_new(made, "passes", passes);
    return made;
}

/* The list of entries of a source file, made when it is new. */
static json_t *file_scope(const symbols *s, const char *file) {
    json_t *scope = json_object_get(s->files, file);
    if (scope == NULL) json_object_set_new_nocheck(s->files, file, scope = json_array());
    return scope;
}

static void add_block(symbols *s, weir_rtl_block block, json_t *scope);

/* A condition in the two languages. */
typedef struct condition {
    weir_text verilog, value;
    bool is_said; /* in the debugger's */
} condition;

static condition condition_of(const symbols *s, weir_rtl_expr expr) {
    condition c = {.is_said = true};
    weir_rtl_print_expr(s->design, expr, &c.verilog);
    c.is_said = weir_debug_value(s->design, expr, &c.value);
    return c;
}

static condition opposite_of(const symbols *s, weir_rtl_expr expr) {
    condition c = {.is_said = true};
    weir_text_add(&c.verilog, "!(");
    weir_rtl_print_expr(s->design, expr, &c.verilog);
    weir_text_char(&c.verilog, ')');
    weir_text_add(&c.value, "!(");
    c.is_said = weir_debug_value(s->design, expr, &c.value);
    weir_text_char(&c.value, ')');
    return c;
}

/* value == label, or for the default that it is none of the labels. */
static condition item_condition(const symbols *s, weir_rtl_stmt choice, weir_rtl_stmt item) {
    const weir_rtl_expr value = weir_rtl_get_stmt(s->design, choice).value;
    const weir_rtl_expr label = weir_rtl_get_stmt(s->design, item).value;
    const char *op = label.id == 0 ? " != " : " == ";
    condition c = {.is_said = true};
    for (weir_rtl_stmt i = weir_rtl_first(s->design, weir_rtl_get_stmt(s->design, choice).body); i.id != 0;
         i = weir_rtl_next(s->design, i)) {
        const weir_rtl_expr one = weir_rtl_get_stmt(s->design, i).value;
        if (one.id == 0 || (label.id != 0 && i.id != item.id)) continue;
        weir_text_add(&c.verilog, c.verilog.size > 0 ? " && " : "");
        weir_rtl_print_expr(s->design, value, &c.verilog);
        weir_text_add(&c.verilog, op);
        weir_rtl_print_expr(s->design, one, &c.verilog);
        weir_text_add(&c.value, c.value.size > 0 ? " && (" : "(");
        c.is_said = c.is_said && weir_debug_value(s->design, value, &c.value);
        weir_text_add(&c.value, op);
        c.is_said = c.is_said && weir_debug_value(s->design, one, &c.value);
        weir_text_char(&c.value, ')');
    }
    if (c.verilog.size == 0) {
        weir_text_char(&c.verilog, '1');
        weir_text_char(&c.value, '1');
    }
    return c;
}

/* A block of statements under a condition (NULL: none; its texts are freed), left out when nothing is in it. */
static void add_branch(symbols *s, weir_rtl_stmt stmt, condition *c, weir_rtl_block body, json_t *scope) {
    json_t *made = entry(s, "block", weir_rtl_item_stmt(stmt)), *inner = json_array();
    const weir_location around = s->around;
    s->around = location_of(s, WEIR_RTL_ITEM(stmt), line_of(s, WEIR_RTL_ITEM(stmt)));
    if (c != NULL && c->is_said) json_object_set_new(made, "condition", json_stringn(c->value.data, c->value.size));
    if (c != NULL) {
        json_object_set_new(made, "rtl_condition", json_stringn(c->verilog.data, c->verilog.size));
        weir_text_free(&c->verilog);
        weir_text_free(&c->value);
    }
    json_object_set_new(made, "scope", inner);
    if (body.id != 0) add_block(s, body, inner);
    if (json_array_size(inner) > 0) json_array_append_new(scope, made);
    else json_decref(made);
    s->around = around;
}

static void add_if(symbols *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info, json_t *scope) {
    condition taken = condition_of(s, info->value), passed = opposite_of(s, info->value);
    add_branch(s, stmt, &taken, info->body, scope);
    add_branch(s, stmt, &passed, info->other, scope);
}

static void add_case(symbols *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info, json_t *scope) {
    for (weir_rtl_stmt i = weir_rtl_first(s->design, info->body); i.id != 0; i = weir_rtl_next(s->design, i)) {
        condition c = item_condition(s, stmt, i);
        add_branch(s, i, &c, weir_rtl_get_stmt(s->design, i).body, scope);
    }
}

/* ---- versions ---- */

typedef struct version_entries {
    symbols *s;
    json_t *scope, *block; /* the list, and the entry of the statement in it; NULL so far */
} version_entries;

/* Are the names in a condition still those of conditions? A pass may have renamed them. */
static bool is_condition(const symbols *s, const char *when) {
    for (const char *at = when + strspn(when, "! &"); *at != '\0';) {
        const size_t size = strcspn(at, " ");
        char *name = weir_format("%.*s", (int)size, at);
        const weir_rtl_var var = weir_rtl_find_var(s->design, s->module, name);
        free(name);
        if (var.id == 0 || !weir_rtl_has_attribute(s->design, WEIR_RTL_ITEM(var), WEIR_VERSION_CONDITION)) return false;
        at += size;
        at += strspn(at, "! &");
    }
    return true;
}

/* A variable of the source that is something else in the Verilog. */
static json_t *mapped_variable(const char *name, const char *value) {
    json_t *made = variable(name);
    json_object_set_new(made, "value", json_string(value));
    return made;
}

/* Declares what holds at the statement: "a=a_0 b=b_2". */
static void add_declarations(const symbols *s, const char *text, json_int_t line, json_t *scope) {
    while (*text != '\0') {
        const size_t size = strcspn(text, " "), name = strcspn(text, "=");
        char *source = weir_format("%.*s", (int)name, text);
        char *version = weir_format("%.*s", name < size ? (int)(size - name - 1) : 0, text + name + 1);
        if (weir_rtl_find_var(s->design, s->module, version).id != 0)
            json_array_append_new(scope, json_pack("{s:s, s:I, s:o}", "type", "decl", "line", line, "variable",
                                                   mapped_variable(source, version)));
        free(source);
        free(version);
        text += size + strspn(text + size, " ");
    }
}

static void add_version(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    version_entries *v = user;
    const symbols *s = v->s;
    const char *when = weir_version_text(s->design, version, WEIR_VERSION_WHEN);
    const char *holds = weir_version_text(s->design, version, WEIR_VERSION_SCOPE);
    if (weir_rtl_has_attribute(s->design, WEIR_RTL_ITEM(version), WEIR_VERSION_MERGES)) return;
    json_t *made = entry(s, "assign", WEIR_RTL_ITEM(stmt));
    if (v->block == NULL) {
        v->block = entry(s, "block", WEIR_RTL_ITEM(stmt));
        json_object_set_new(v->block, "scope", json_array());
        if (when != NULL && is_condition(s, when)) {
            json_object_set_new(v->block, "condition", json_string(when));
            json_object_set_new(v->block, "rtl_condition", json_string(when));
        }
        json_array_append_new(v->scope, v->block);
        add_declarations(s, holds != NULL ? holds : "", json_integer_value(json_object_get(made, "line")),
                         json_object_get(v->block, "scope"));
    }
    json_object_set_new(made, "variable",
                        mapped_variable(weir_version_text(s->design, version, WEIR_VERSION_OF),
                                        weir_rtl_get_var(s->design, version).name));
    json_array_append_new(json_object_get(v->block, "scope"), made);
}

/* Does the statement only serve versions: a condition, a choice, a copy, or the last one's way into its variable? */
static bool serves_versions(const symbols *s, const weir_rtl_stmt_info *info) {
    weir_rtl_expr first = info->target;
    while (weir_rtl_get_expr(s->design, first).kind == WEIR_RTL_EXPR_CONCAT)
        first = weir_rtl_operand(s->design, first, 0);
    const weir_rtl_expr_info target = weir_rtl_get_expr(s->design, first);
    const weir_rtl_expr_info value = weir_rtl_get_expr(s->design, info->value);
    if (target.var.id != 0 && target.instance.id == 0 && weir_is_version(s->design, target.var)) return true;
    const char *of = value.kind == WEIR_RTL_EXPR_VAR ? weir_version_text(s->design, value.var, WEIR_VERSION_OF) : NULL;
    return of != NULL && target.kind == WEIR_RTL_EXPR_VAR && strcmp(of, target_name(s->design, info->target)) == 0;
}

static void add_assign(symbols *s, weir_rtl_stmt stmt, const weir_rtl_stmt_info *info, json_t *scope) {
    version_entries v = {s, scope, NULL};
    weir_visit_versions(s->design, stmt, &s->last, add_version, &v);
    if (v.block != NULL || serves_versions(s, info)) return;
    json_t *made = entry(s, "assign", weir_rtl_item_stmt(stmt));
    json_object_set_new(made, "variable", variable(target_name(s->design, info->target)));
    json_array_append_new(scope, made);
}

/* Nesting of blocks is bounded by the IR. */
static void add_stmt(symbols *s, weir_rtl_stmt stmt, json_t *scope) {
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(s->design, stmt);
    if (info.kind == WEIR_RTL_STMT_ASSIGN) {
        add_assign(s, stmt, &info, scope);
    } else if (info.kind == WEIR_RTL_STMT_INSTANCE) {
        json_t *made = entry(s, "none", weir_rtl_item_instance(info.instance));
        json_object_set_new(made, "name", json_string(weir_rtl_get_instance(s->design, info.instance).name));
        json_array_append_new(scope, made);
    } else if (info.kind == WEIR_RTL_STMT_IF) {
        add_if(s, stmt, &info, scope);
    } else if (info.kind == WEIR_RTL_STMT_CASE) {
        add_case(s, stmt, &info, scope);
    } else if (info.body.id != 0) {
        add_branch(s, stmt, NULL, info.body, scope);
    }
}

static void add_block(symbols *s, weir_rtl_block block, json_t *scope) {
    for (weir_rtl_stmt i = weir_rtl_first(s->design, block); i.id != 0; i = weir_rtl_next(s->design, i))
        add_stmt(s, i, scope);
}

static json_t *scopes(symbols *s, weir_rtl_module module) {
    json_t *list = json_array(), *scope;
    const char *file;
    s->files = json_object();
    for (weir_rtl_stmt i = weir_rtl_first(s->design, weir_rtl_get_module(s->design, module).body); i.id != 0;
         i = weir_rtl_next(s->design, i)) {
        const weir_rtl_instance instance = weir_rtl_get_stmt(s->design, i).instance;
        const weir_rtl_item item = instance.id != 0 ? WEIR_RTL_ITEM(instance) : WEIR_RTL_ITEM(i);
        s->file = location_of(s, item, line_of(s, item)).file;
        add_stmt(s, i, file_scope(s, s->file));
    }
    s->file = NULL;
    json_object_foreach(s->files, file, scope) {
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:O}", "type", "block", "filename", plain_string(file), "scope", scope));
    }
    json_decref(s->files);
    return list;
}

static json_t *describe(symbols *s, weir_rtl_module module) {
    const weir_rtl_module_info info = weir_rtl_get_module(s->design, module);
    json_t *made = entry(s, "module", weir_rtl_item_module(module)), *variables = json_array(),
           *instances = json_array();
    for (weir_rtl_var v = weir_rtl_first_var(s->design, module); v.id != 0; v = weir_rtl_next_var(s->design, v)) {
        const weir_rtl_var_info var = weir_rtl_get_var(s->design, v);
        if (!var.is_iterator && !var.is_path && var.function.id == 0 && !weir_is_version(s->design, v))
            json_array_append_new(variables, variable(var.name));
    }
    for (size_t i = 0; i < info.instance_count; i++) {
        const weir_rtl_instance_info u = weir_rtl_get_instance(s->design, weir_rtl_instance_at(s->design, module, i));
        json_array_append_new(instances, json_pack("{s:s, s:s}", "name", u.name, "module",
                                                   weir_rtl_get_module(s->design, u.module).name));
    }
    json_object_set_new(made, "name", json_string(info.name));
    json_object_set_new(made, "variables", variables);
    json_object_set_new(made, "instances", instances);
    json_object_set_new(made, "scope", scopes(s, module));
    return made;
}

/* The lines of one module's file, which is printed for them. */
static json_t *symbols_of(symbols *s, weir_rtl_module module, weir_rtl_print_options *options) {
    weir_text text = {NULL, 0, 0};
    free(s->verilog);
    s->verilog = weir_format("%s.%s", weir_rtl_get_module(s->design, module).name,
                             options->dialect == WEIR_RTL_SYSTEMVERILOG ? "sv" : "v");
    options->line = keep_line;
    options->user = s;
    weir_rtl_print_module(s->design, module, options, &text);
    weir_text_free(&text);
    s->module = module;
    weir_list_versions(s->design, module, &s->last);
    return describe(s, module);
}

static bool write_table(json_t *table, const char *top, const char *folder, const char *name) {
    json_t *whole = json_pack("{s:s, s:s, s:o}", "generator", "weir", "top", top, "table", table);
    char *path = weir_path_join(folder, name);
    const bool fine = weir_json_write(path, whole, JSON_INDENT(2));
    free(path);
    json_decref(whole);
    return fine;
}

static bool write_symbols(symbols *s, weir_rtl_module *modules, size_t count, weir_rtl_print_options *options,
                          const char *folder, const char *file, const char *top) {
    json_t *table = json_array();
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        json_t *one = symbols_of(s, modules[i], options);
        const char *module = weir_rtl_get_module(s->design, modules[i]).name;
        if (*file != '\0') {
            json_array_append_new(table, one);
            continue;
        }
        char *name = weir_format("%s.%s.json", module, options->dialect == WEIR_RTL_SYSTEMVERILOG ? "sv" : "v");
        fine = write_table(json_pack("[o]", one), module, folder, name);
        free(name);
    }
    if (*file == '\0') json_decref(table);
    else fine = write_table(table, top, folder, file);
    return fine;
}

/* The debugger knows variables and ports by one name in their module. */
static bool has_plain_names(const weir_rtl_design *design, const weir_rtl_module *modules, size_t count,
                            const weir_rtl_print_options *options) {
    bool fine = true;
    for (size_t i = 0; i < count && options->dialect == WEIR_RTL_SYSTEMVERILOG; i++)
        for (size_t k = 0; k < weir_rtl_group_count(design, modules[i]); k++) {
            const weir_rtl_group_info group = weir_rtl_get_group(design, weir_rtl_group_at(design, modules[i], k));
            if (!group.is_interface) continue;
            weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(modules[i])).location,
                       "group '%s' of module '%s' is an interface, whose members a symbol table cannot name",
                       group.name, weir_rtl_get_module(design, modules[i]).name);
            fine = false;
        }
    return fine;
}

bool weir_pass_extract_debug_info(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    weir_rtl_print_options options = weir_verilog_options(pass);
    symbols s = {.design = design};
    size_t count = 0;
    char *folder = weir_path_join(weir_module_folder(weir_pass_module_of(context)), weir_pass_string(pass, "folder"));
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    const size_t errors = weir_rtl_errors(design);
    weir_rtl_package *package =
        weir_rtl_package_new(design, weir_hardware_top(context)); /* lines are those of the files */
    options.package = package;
    weir_pass_unchanged(context);
    const bool can = modules != NULL && has_plain_names(design, modules, count, &options);
    weir_folder *output = !can ? NULL : weir_folder_open(folder, WEIR_FOLDER_SHARED);
    bool fine = output != NULL &&
                write_symbols(&s, modules, count, &options, weir_folder_staging(output), weir_pass_string(pass, "file"),
                              weir_rtl_get_module(design, weir_hardware_top(context)).name) &&
                weir_rtl_errors(design) == errors; /* modules that cannot be printed */
    if (fine) fine = weir_folder_commit(output);
    else weir_folder_abandon(output);
    free(modules);
    free(folder);
    free(s.verilog);
    weir_rtl_package_free(package);
    weir_numbers_free(&s.stmt_line);
    weir_numbers_free(&s.instance_line);
    weir_numbers_free(&s.last);
    return fine;
}
