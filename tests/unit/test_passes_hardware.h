/* Designs of the hardware IR that tests read from files and run passes on. */
#ifndef WEIR_TEST_PASSES_HARDWARE_H
#define WEIR_TEST_PASSES_HARDWARE_H

#include "test_rtlir_support.h"

#include "pass/run/instrument.h"
#include "rtlir/text/text.h"
#include "test_pass_bench.h"

/* Runs a pipeline, which must be fine. */
static inline void run_hardware(weir_module *module, const char *pipeline) {
    if (!run_pipeline(module, pipeline)) fail_msg("%s", messages.data);
}

/* The design of a file under the module `top` after a pipeline; folder: where passes write, NULL: here. The caller
 * frees the module. */
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
