/* Do the designs of a folder have every construct of the hardware IR? usage: cover_designs FOLDER [MINIMUM]
 * Lists what no design has, and fails then; likewise when there are fewer than MINIMUM designs. Every operator counts
 * once with signed and once with unsigned operands. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rtlir/core/fsm.h"
#include "rtlir/core/interface.h"
#include "rtlir/core/type.h"
#include "rtlir/core/visitor.h"
#include "rtlir/text/text.h"
#include "support/memory/arena.h"

enum { NAMES = 32 };

/* What is counted: by the enum's value. A NULL name is not asked for. */
typedef struct kind {
    const char *what;
    const char *name[NAMES];
    size_t count[NAMES];
} kind;

enum { EXPRESSIONS, STATEMENTS, TYPES, CARRIES, DIRECTIONS, TIMINGS, EDGES, ASSERTIONS, FEATURES, KINDS };
enum {
    DEFAULT_ITEM,
    ELSE,
    DOWNWARDS,
    GENERATE,
    OPEN_PORT,
    OVERRIDE,
    ALIAS,
    EXTERNAL,
    WIRED,
    NAMESAKE,
    COMMENT,
    ATTRIBUTE,
    PLACE,
    LOCAL_PARAMETER,
    PARAMETER,
    EARLY_RETURN,
    ANTECEDENT,
    WIDE,
    PART_TARGET,
    CONCAT_TARGET,
    MEALY,
    INNER_MACHINE,
    CURRENT_STATE,
    PORT_GROUP,
    VARIABLE_GROUP
};

static kind kinds[KINDS] = {
    {"expression",
     {NULL, "constant", "variable", "parameter", "port of an instance", "slice", "select", "element", "field", "call",
      "concatenation", "repetition", "unary", "binary", "conditional", "cast"},
     {0}},
    {"statement",
     {NULL, "assignment", "instance",  "remark", "always", "combinational", "latch",  "initial", "final", "function",
      "if", "case",       "case item", "for",    "break",  "return",        "assert", "machine", "state", "transition"},
     {0}},
    {"type", {"vector", "struct", "union", "enum", "array", "memory"}, {0}},
    {"kind of variable", {"data", "clock", "reset", "asynchronous reset", "clock enable"}, {0}},
    {"direction", {"internal", "input", "output", "inout"}, {0}},
    {"assignment", {"continuous", "blocking", "nonblocking", "undecided"}, {0}},
    {"edge", {"rising", "falling"}, {0}},
    {"immediate", {"assert", "assume", "cover"}, {0}},
    {"feature",
     {"default item",
      "else",
      "loop downwards",
      "loop in space",
      "open port",
      "override by a number",
      "override by a parameter",
      "external module",
      "instance wired by assignments",
      "namesake",
      "comment",
      "attribute",
      "place in a source",
      "local parameter",
      "parameter",
      "return before the end",
      "assertion with an antecedent",
      "constant of more than 64 bits",
      "part as a target",
      "concatenation as a target",
      "mealy machine",
      "machine in a machine",
      "current state read elsewhere",
      "interface in ports",
      "interface inside"},
     {0}},
};
static size_t operators[WEIR_RTL_OPERATOR_COUNT][2]; /* unsigned, signed */

static void see(int k, int index) { kinds[k].count[index]++; }

static void see_item(const weir_rtl_design *design, weir_rtl_item item) {
    const weir_rtl_item_info info = weir_rtl_get_item(design, item);
    if (info.comment != NULL) see(FEATURES, COMMENT);
    if (info.attribute_count > 0) see(FEATURES, ATTRIBUTE);
    if (info.location.file != NULL) see(FEATURES, PLACE);
}

static void see_expr(weir_rtl_design *design, weir_rtl_expr expr, weir_rtl_stmt stmt, void *user) {
    (void)stmt;
    (void)user;
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, expr);
    see(EXPRESSIONS, (int)info.kind);
    if (info.kind == WEIR_RTL_EXPR_CONSTANT && info.width > 64) see(FEATURES, WIDE);
    if (info.kind != WEIR_RTL_EXPR_UNARY && info.kind != WEIR_RTL_EXPR_BINARY) return;
    operators[info.op][weir_rtl_get_expr(design, weir_rtl_operand(design, expr, 0)).is_signed]++;
}

static void see_target(const weir_rtl_design *design, weir_rtl_expr target) {
    const weir_rtl_expr_kind k = weir_rtl_get_expr(design, target).kind;
    if (k == WEIR_RTL_EXPR_CONCAT) see(FEATURES, CONCAT_TARGET);
    else if (k != WEIR_RTL_EXPR_VAR) see(FEATURES, PART_TARGET);
}

static void see_machine(const weir_rtl_design *design, weir_rtl_fsm fsm) {
    const weir_rtl_fsm_info info = weir_rtl_get_fsm(design, fsm);
    if (info.is_mealy) see(FEATURES, MEALY);
    if (info.parent.id != 0) see(FEATURES, INNER_MACHINE);
    else see(EDGES, (int)info.edge);
    if (info.current.id != 0) see(FEATURES, CURRENT_STATE);
}

static void see_stmt(weir_rtl_design *design, weir_rtl_stmt stmt, void *user) {
    (void)user;
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    see(STATEMENTS, (int)info.kind);
    see_item(design, WEIR_RTL_ITEM(stmt));
    if (info.kind == WEIR_RTL_STMT_ASSIGN) {
        see(TIMINGS, (int)info.timing);
        see_target(design, info.target);
    }
    if (info.kind == WEIR_RTL_STMT_FSM) see_machine(design, info.fsm);
    if (info.kind == WEIR_RTL_STMT_CASE_ITEM && info.value.id == 0) see(FEATURES, DEFAULT_ITEM);
    if (info.kind == WEIR_RTL_STMT_IF && info.other.id != 0) see(FEATURES, ELSE);
    if (info.kind == WEIR_RTL_STMT_FOR && info.step < 0) see(FEATURES, DOWNWARDS);
    if (info.kind == WEIR_RTL_STMT_FOR && weir_rtl_owner(design, info.block).id == 0) see(FEATURES, GENERATE);
    if (info.kind == WEIR_RTL_STMT_RETURN && weir_rtl_next(design, weir_rtl_owner(design, info.block)).id != 0)
        see(FEATURES, EARLY_RETURN);
    if (info.kind == WEIR_RTL_STMT_ASSERT) {
        const weir_rtl_property property = weir_rtl_get_property(design, stmt);
        see(ASSERTIONS, (int)property.kind);
        if (property.antecedent.id != 0) see(FEATURES, ANTECEDENT);
    }
    for (size_t i = 0; info.kind == WEIR_RTL_STMT_ALWAYS && i < weir_rtl_event_count(design, stmt); i++)
        see(EDGES, (int)weir_rtl_event_at(design, stmt, i).edge);
}

static void see_var(weir_rtl_design *design, weir_rtl_var var, void *user) {
    (void)user;
    const weir_rtl_var_info info = weir_rtl_get_var(design, var);
    see_item(design, WEIR_RTL_ITEM(var));
    see(TYPES, info.type.id == 0 ? 0 : (int)weir_rtl_get_type(design, info.type).kind);
    see(CARRIES, (int)info.kind);
    see(DIRECTIONS, (int)info.direction);
}

static void see_instance(weir_rtl_design *design, weir_rtl_instance instance, void *user) {
    (void)user;
    const weir_rtl_instance_info info = weir_rtl_get_instance(design, instance);
    const weir_rtl_module_info module = weir_rtl_get_module(design, info.module);
    if (info.is_wired) see(FEATURES, WIRED);
    for (size_t i = 0; i < module.port_count; i++)
        if (weir_rtl_connection_of(design, instance, weir_rtl_port_at(design, info.module, i)).is_open)
            see(FEATURES, OPEN_PORT);
    for (size_t i = 0; i < module.parameter_count; i++) {
        const weir_rtl_override o =
            weir_rtl_override_of(design, instance, weir_rtl_parameter_at(design, info.module, i));
        if (o.is_set) see(FEATURES, o.value.id != 0 ? ALIAS : OVERRIDE);
    }
}

static void see_group(const weir_rtl_design *design, weir_rtl_group group) {
    const weir_rtl_var first = weir_rtl_group_var_at(design, group, 0);
    if (first.id == 0) return;
    const bool is_port = weir_rtl_get_var(design, first).direction != WEIR_RTL_INTERNAL;
    see(FEATURES, is_port ? PORT_GROUP : VARIABLE_GROUP);
}

static void see_design(weir_rtl_design *design) {
    static const weir_rtl_visitor visitor = {
        .stmt = see_stmt, .expr = see_expr, .instance = see_instance, .var = see_var};
    for (weir_rtl_module m = weir_rtl_first_module(design); m.id != 0; m = weir_rtl_next_module(design, m)) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, m);
        see_item(design, WEIR_RTL_ITEM(m));
        if (info.is_external) see(FEATURES, EXTERNAL);
        if (weir_rtl_next_namesake(design, m).id != 0) see(FEATURES, NAMESAKE);
        if (info.is_external) continue;
        for (size_t i = 0; i < info.parameter_count; i++)
            see(FEATURES, weir_rtl_get_parameter(design, weir_rtl_parameter_at(design, m, i)).is_local ? LOCAL_PARAMETER
                                                                                                       : PARAMETER);
        for (size_t i = 0; i < weir_rtl_group_count(design, m); i++) see_group(design, weir_rtl_group_at(design, m, i));
        weir_rtl_visit_content(design, m, &visitor, NULL);
    }
}

static size_t see_folder(const char *path) {
    size_t count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *e = folder != NULL ? readdir(folder) : NULL; e != NULL; e = readdir(folder)) {
        const size_t length = strlen(e->d_name);
        if (length < 5 || strcmp(e->d_name + length - 5, ".wrtl") != 0) continue;
        char *file = weir_format("%s/%s", path, e->d_name);
        weir_rtl_design *design = weir_rtl_load_text(file);
        if (design != NULL) see_design(design);
        count += design != NULL;
        weir_rtl_design_free(design);
        free(file);
    }
    if (folder != NULL) closedir(folder);
    return count;
}

/* Operators that have no signed form: reductions are of bits, logical ones of one bit. */
static bool has_sign(weir_rtl_operator op) {
    switch (op) {
    case WEIR_RTL_REDUCE_AND:
    case WEIR_RTL_REDUCE_OR:
    case WEIR_RTL_REDUCE_XOR:
    case WEIR_RTL_LOGICAL_NOT:
    case WEIR_RTL_LOGICAL_AND:
    case WEIR_RTL_LOGICAL_OR: return false;
    default: return true;
    }
}

static size_t tell_missing(void) {
    static const char *const names[] = {
#define WEIR_RTL_OPERATOR(name, text, operands, rule, precedence) #name " '" text "'",
#include "rtlir/core/operator.def"
#undef WEIR_RTL_OPERATOR
    };
    size_t missing = 0;
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < NAMES; i++) {
            if (kinds[k].name[i] == NULL || kinds[k].count[i] > 0) continue;
            fprintf(stderr, "no design has %s '%s'\n", kinds[k].what, kinds[k].name[i]);
            missing++;
        }
    }
    for (int op = 0; op < WEIR_RTL_OPERATOR_COUNT; op++) {
        for (int sign = 0; sign <= has_sign((weir_rtl_operator)op); sign++) {
            if (operators[op][sign] > 0) continue;
            fprintf(stderr, "no design has operator %s, %s\n", names[op], sign ? "signed" : "unsigned");
            missing++;
        }
    }
    return missing;
}

int main(int count, char **arguments) {
    if (count != 2 && count != 3) {
        fprintf(stderr, "usage: cover_designs FOLDER [MINIMUM]\n");
        return 2;
    }
    const size_t designs = see_folder(arguments[1]), missing = tell_missing();
    const size_t minimum = count == 3 ? strtoul(arguments[2], NULL, 10) : 0;
    printf("%zu designs, %zu constructs missing\n", designs, missing);
    if (designs < minimum) fprintf(stderr, "expected at least %zu designs\n", minimum);
    return missing == 0 && designs >= minimum ? 0 : 1;
}
