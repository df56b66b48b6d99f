#include "passes/rtl/debug/versions.h"

#include <string.h>

#include "passes/rtl/inner.h"
#include "rtlir/analysis/uses.h"
#include "rtlir/core/type.h"

const char *weir_version_text(const weir_rtl_design *design, weir_rtl_var var, const char *attribute) {
    return weir_rtl_attribute_string(design, WEIR_RTL_ITEM(var), attribute);
}

bool weir_is_version(const weir_rtl_design *design, weir_rtl_var var) {
    return weir_version_text(design, var, WEIR_VERSION_OF) != NULL ||
           weir_rtl_has_attribute(design, WEIR_RTL_ITEM(var), WEIR_VERSION_CONDITION);
}

static void visit_target(const weir_rtl_design *design, weir_rtl_expr target, weir_rtl_stmt stmt,
                         weir_version_visitor *visit, void *user) {
    const weir_rtl_expr_info info = weir_rtl_get_expr(design, target);
    if (info.kind == WEIR_RTL_EXPR_CONCAT) {
        for (size_t i = 0; i < info.operand_count; i++)
            visit_target(design, weir_rtl_operand(design, target, i), stmt, visit, user);
        return;
    }
    const weir_rtl_expr_info base = weir_rtl_get_expr(design, weir_rtl_bits_of(design, target).base);
    if (base.kind == WEIR_RTL_EXPR_VAR && weir_version_text(design, base.var, WEIR_VERSION_OF) != NULL)
        visit(base.var, stmt, user);
}

static void keep_last(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    *weir_numbers_at(user, version.id) = stmt.id;
}

void weir_list_versions(const weir_rtl_design *design, weir_rtl_module module, weir_numbers *last) {
    weir_stmt_list list = {NULL, 0, 0};
    if (last->capacity > 0) memset(last->at, 0, last->capacity * sizeof *last->at);
    weir_list_inner(design, module, &list);
    for (size_t i = 0; i < list.count; i++) {
        const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, list.stmt[i]);
        if (info.kind == WEIR_RTL_STMT_ASSIGN) visit_target(design, info.target, list.stmt[i], keep_last, last);
    }
    weir_stmt_list_free(&list);
}

typedef struct filter {
    const weir_numbers *last;
    weir_version_visitor *visit;
    void *user;
    uint32_t previous;
} filter;

static void visit_last(weir_rtl_var version, weir_rtl_stmt stmt, void *user) {
    filter *f = user;
    const bool is_repeated = version.id == f->previous; /* several parts of it in one target */
    f->previous = version.id;
    if (!is_repeated && weir_numbers_get(f->last, version.id) == stmt.id) f->visit(version, stmt, f->user);
}

void weir_visit_versions(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_numbers *last,
                         weir_version_visitor *visit, void *user) {
    filter f = {last, visit, user, 0};
    const weir_rtl_stmt_info info = weir_rtl_get_stmt(design, stmt);
    if (info.kind == WEIR_RTL_STMT_ASSIGN) visit_target(design, info.target, stmt, visit_last, &f);
}
