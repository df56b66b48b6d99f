/* hash_generators: the hashes of modules (module_hash.h), for later passes and, on request, as a report. */
#include <stdlib.h>

#include "passes/rtl/hierarchy/module_hash.h"

static void print_hashes(weir_pass_context *context, weir_rtl_design *design, const weir_module_hashes *hashes) {
    size_t count = 0;
    weir_rtl_module *modules =
        weir_rtl_modules_below(design, weir_hardware_top(context), WEIR_RTL_CHILDREN_FIRST, &count);
    for (size_t i = 0; modules != NULL && i < count; i++) {
        char text[33];
        const weir_hash hash = weir_module_hash(hashes, modules[i]);
        weir_hash_print(&hash, text);
        weir_text_format(weir_pass_output(context), "%s %s\n", text, weir_rtl_get_module(design, modules[i]).name);
    }
    free(modules);
}

bool weir_pass_hash_generators(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    const weir_module_hashes *hashes = weir_pass_get_analysis(context, WEIR_MODULE_HASHES);
    weir_pass_unchanged(context);
    if (hashes != NULL && weir_pass_bool(pass, "print")) print_hashes(context, design, hashes);
    return hashes != NULL;
}
