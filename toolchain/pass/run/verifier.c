/* The verifying instrument: everything before a run, what a pass worked on after it. */
#include "pass/run/instrument.h"

#include <stdlib.h>

#include "ir/graph/graph.h"
#include "ir/graph/verify.h"
#include "support/memory/arena.h"

static bool verify_design(const weir_module *module) {
    const weir_module_design_calls *calls = weir_module_design_functions(module);
    return !weir_module_design(module) || !calls->verify || calls->verify(module);
}

static bool verify_module(const weir_module *module) {
    bool ok = true;
    for (size_t i = 0; i < weir_module_graph_count(module); i++) {
        ok = weir_graph_verify(weir_module_graph(module, i)) && ok;
    }
    return verify_design(module) && ok;
}

static bool before_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    (void)instrument;
    if (site->depth > 0 || verify_module(site->module)) {
        return true;
    }
    weir_note("module '%s' is invalid as it was read, before any pass", weir_module_name(site->module));
    return false;
}

static bool after_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    (void)instrument;
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    bool ok = site->graph                                           ? weir_graph_verify(site->graph)
              : weir_pass_kind_of(site->pass) == WEIR_PASS_HARDWARE ? verify_design(site->module)
                                                                    : verify_module(site->module);
    if (!ok) {
        weir_text unit = {0};
        weir_pass_site_name(site, &unit);
        weir_note("pass '%s' left %s invalid", weir_pass_name(site->pass), unit.data);
        weir_text_free(&unit);
    }
    return ok;
}

static void release(weir_pass_instrument *instrument) { free(instrument); }

weir_pass_instrument *weir_pass_verifier_new(void) {
    weir_pass_instrument *instrument = weir_calloc(1, sizeof *instrument);
    instrument->name = "verify";
    instrument->before_pass = before_pass;
    instrument->after_pass = after_pass;
    instrument->release = release;
    return instrument;
}
