/* inject_assertion_fail: the message of each assertion and assumption says where it comes from in the source;
 * simulators add the path of the instance. With the option `call`, a failure calls a function as well, as debuggers
 * want it: its arguments are the scope and the message. Cover statements cannot fail. */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/inner.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/function.h"
#include "support/memory/arena.h"

/* Heap memory: the message, prefixed with its location once. */
static char *message_with_place(const weir_rtl_design *design, weir_rtl_stmt stmt, const weir_rtl_property *property) {
    const weir_location location = weir_rtl_get_item(design, WEIR_RTL_ITEM(stmt)).location;
    const char *message = property->message                   ? property->message
                          : property->kind == WEIR_RTL_ASSUME ? "assumption failed"
                                                              : "assertion failed";
    char *front = location.file != NULL ? weir_format("%s:%d: ", location.file, location.line) : weir_format("%s", "");
    const bool has_place = strncmp(message, front, strlen(front)) == 0;
    char *text = weir_format("%s%s", has_place ? "" : front, message);
    free(front);
    return text;
}

static bool is_same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

/* Was something changed? */
static bool inject(weir_rtl_design *design, weir_rtl_stmt stmt, const char *call) {
    if (weir_rtl_kind_of(design, stmt) != WEIR_RTL_STMT_ASSERT) return false;
    const weir_rtl_property property = weir_rtl_get_property(design, stmt);
    if (property.kind == WEIR_RTL_COVER) return false;
    char *message = message_with_place(design, stmt, &property);
    const char *called = call[0] != '\0' ? call : property.call;
    const bool changes = !is_same(message, property.message) || !is_same(called, property.call);
    if (changes) {
        weir_rtl_set_failure(design, stmt, message, called);
        weir_rtl_touch(design, WEIR_RTL_ITEM(stmt));
    }
    free(message);
    return changes;
}

static bool may_call(const weir_rtl_design *design, weir_rtl_module module, const char *call) {
    const weir_rtl_module_info info = weir_rtl_get_module(design, module);
    const bool is_taken =
        weir_rtl_find_var(design, module, call).id != 0 || weir_rtl_find_parameter(design, module, call).id != 0 ||
        weir_rtl_find_instance(design, module, call).id != 0 || weir_rtl_find_function(design, module, call).id != 0;
    if (is_taken)
        weir_error(weir_rtl_get_item(design, WEIR_RTL_ITEM(module)).location,
                   "assertions of module '%s' cannot call '%s': that name means something else there", info.name, call);
    return !is_taken;
}

static size_t inject_module(weir_rtl_design *design, weir_rtl_module module, const char *call, weir_stmt_list *list) {
    size_t count = 0;
    weir_list_inner(design, module, list);
    for (weir_rtl_stmt s = weir_rtl_first(design, weir_rtl_get_module(design, module).body); s.id != 0;
         s = weir_rtl_next(design, s))
        weir_stmt_list_add(list, s);
    for (size_t i = 0; i < list->count; i++) count += inject(design, list->stmt[i], call);
    return count;
}

bool weir_pass_inject_assertion_fail(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const char *call = weir_pass_string(pass, "call");
    size_t count = 0, injected = 0;
    weir_stmt_list list = {NULL, 0, 0};
    if (call[0] != '\0' && !weir_rtl_name_is_legal(call)) {
        weir_error(weir_at("call", 0), "'%s' is not a legal name for a function", call);
        return false;
    }
    weir_rtl_module *modules = weir_hardware_modules(context, design, WEIR_RTL_CHILDREN_FIRST, &count);
    bool fine = modules != NULL;
    for (size_t i = 0; i < count && call[0] != '\0'; i++) fine = may_call(design, modules[i], call) && fine;
    for (size_t i = 0; i < count && fine; i++) injected += inject_module(design, modules[i], call, &list);
    if (injected == 0) weir_pass_unchanged(context);
    weir_pass_count(context, "assertions", (int64_t)injected);
    weir_stmt_list_free(&list);
    free(modules);
    return fine;
}
