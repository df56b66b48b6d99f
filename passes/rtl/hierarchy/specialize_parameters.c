/* specialize_parameters: a module without parameters for each module with parameters and each set of values that its
 * instances give them (rtlir/core/formula.h). */
#include <stdlib.h>
#include <string.h>

#include "passes/rtl/rtl.h"
#include "rtlir/core/formula.h"
#include "rtlir/edit/specialize.h"
#include "support/memory/arena.h"

static bool has_parameters(weir_rtl_design *design, weir_rtl_module top) {
    size_t count = 0;
    bool any = false;
    weir_rtl_module *modules = weir_rtl_modules_below(design, top, WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        const weir_rtl_module_info info = weir_rtl_get_module(design, modules[i]);
        any = any || (!info.is_external && info.parameter_count > 0);
    }
    free(modules);
    return any;
}

/* `WIDTH=16, DEPTH=4`: heap memory. False after a reported error. */
static bool read_settings(const weir_rtl_design *design, weir_rtl_module top, const char *text,
                          weir_rtl_setting **settings, size_t *count) {
    size_t capacity = 0;
    while (*(text += strspn(text, ", ")) != '\0') {
        const size_t size = strcspn(text, "= ,");
        char *name = weir_format("%.*s", (int)size, text), *end = NULL;
        const weir_rtl_parameter parameter = weir_rtl_find_parameter(design, top, name);
        const char *value = text + size + strspn(text + size, " ");
        const bool is_one = parameter.id != 0 && !weir_rtl_get_parameter(design, parameter).is_local &&
                            weir_rtl_get_parameter(design, parameter).text == NULL;
        const long long number = *value == '=' ? strtoll(value + 1, &end, 10) : 0;
        const bool is_number =
            end != NULL && end != value + 1 && strchr(", ", *end) != NULL && number >= INT32_MIN && number <= INT32_MAX;
        if (!is_one || !is_number)
            weir_error(WEIR_NOWHERE, "specialize_parameters: values: expected PARAMETER=NUMBER, found '%s', %s", text,
                       is_one ? "whose value is not a 32-bit number" : "which names no parameter of the top");
        free(name);
        if (!is_one || !is_number) return false;
        *settings = weir_grow(*settings, &capacity, *count + 1, sizeof **settings);
        (*settings)[(*count)++] = (weir_rtl_setting){parameter, number};
        text = end;
    }
    return true;
}

bool weir_pass_specialize_parameters(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_rtl_module top = weir_hardware_top(context);
    const size_t before = weir_rtl_module_count(design), first = weir_rtl_id_limit(design, WEIR_RTL_ITEM_MODULE);
    weir_rtl_setting *settings = NULL;
    size_t count = 0;
    bool fine = read_settings(design, top, weir_pass_string(pass, "values"), &settings, &count);
    if (fine && !has_parameters(design, top)) weir_pass_unchanged(context);
    else if (fine) fine = weir_rtl_specialize_for(design, top, count, settings).id != 0;
    free(settings);
    const size_t added = weir_rtl_id_limit(design, WEIR_RTL_ITEM_MODULE) - first;
    weir_pass_count(context, "modules made", (int64_t)added);
    weir_pass_count(context, "modules removed", (int64_t)(before + added - weir_rtl_module_count(design)));
    return fine;
}
