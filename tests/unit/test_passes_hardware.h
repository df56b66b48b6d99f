/* Designs of the hardware IR that tests read from files and run passes on. */
#ifndef WEIR_TEST_PASSES_HARDWARE_H
#define WEIR_TEST_PASSES_HARDWARE_H

#include "test_rtlir_support.h"

#include "pass/run/instrument.h"
#include "passes/passes.h"
#include "rtlir/text/text.h"

/* Runs a pipeline, which must be fine. */
static inline void run_hardware(weir_module *module, const char *pipeline) {
    weir_pass_registry *registry = weir_pass_registry_new();
    assert_true(weir_passes_register(registry));
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_pass *pass = weir_pass_parse(registry, pipeline, weir_at("pipeline", 1));
    if (pass == NULL || !weir_pass_run(context, pass, module)) fail_msg("%s", messages.data);
    weir_pass_free(pass);
    weir_pass_context_free(context);
    weir_pass_registry_free(registry);
}

/* The design of a file under the module `top` after a pipeline; folder: where passes write, NULL: here. The caller frees
 * the module. */
static inline weir_module *load_hardware(const char *name, const char *top, const char *pipeline, const char *folder) {
    char *path = data_path(name);
    weir_rtl_design *design = weir_rtl_load_text(path);
    if (design == NULL) fail_msg("%s", messages.data);
    weir_module *module = weir_module_new(top);
    weir_module_set_rtl(module, design, top);
    if (folder != NULL) weir_module_set_folder(module, folder);
    run_hardware(module, pipeline);
    free(path);
    return module;
}

#endif
