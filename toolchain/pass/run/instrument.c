/* What the built-in instruments share: units as text and as names. */
#include "pass/run/instrument.h"

#include "ir/graph/graph.h"
#include "ir/graph/print.h"
#include "support/memory/hash.h"

void weir_pass_instrument_free(weir_pass_instrument *instrument) {
    if (instrument && instrument->release) {
        instrument->release(instrument);
    }
}

/* The text form leaves out the data of constants and the arrays of quantizations, so a hash stands for them. */
static void hash_value(const weir_graph *graph, weir_value value, weir_text *text) {
    const weir_array *data = weir_value_constant(graph, value);
    const weir_quant *quant = &weir_value_type(graph, value)->quant;
    if (!data && quant->count == 0) {
        return;
    }
    weir_hash hash = weir_hash_start();
    if (data) {
        weir_hash_add(&hash, data->data, data->count * weir_dtype_size(data->dtype));
    }
    if (quant->count && quant->scale) {
        weir_hash_add(&hash, quant->scale, quant->count * sizeof *quant->scale);
    }
    if (quant->count && quant->zero_point) {
        weir_hash_add(&hash, quant->zero_point, quant->count * sizeof *quant->zero_point);
    }
    char digits[33];
    weir_hash_print(&hash, digits);
    weir_text_format(text, "# data of %s: %s\n", weir_value_name(graph, value), digits);
}

static void print_graph(const weir_graph *graph, weir_text *text) {
    weir_graph_print(graph, text);
    uint32_t limit = weir_graph_value_limit(graph);
    for (uint32_t id = 1; id < limit; id++) {
        weir_value value = {id};
        if (weir_value_exists(graph, value)) {
            hash_value(graph, value, text);
        }
    }
}

static void print_design(const weir_module *module, weir_text *text) {
    if (weir_module_design(module) && weir_module_design_functions(module)->print) {
        weir_module_design_functions(module)->print(module, text);
    }
}

void weir_pass_site_text(const weir_pass_site *site, weir_text *text) {
    weir_text_add(text, "");
    if (site->graph) {
        print_graph(site->graph, text);
        return;
    }
    if (weir_pass_kind_of(site->pass) != WEIR_PASS_HARDWARE) {
        for (size_t i = 0; i < weir_module_graph_count(site->module); i++) {
            print_graph(weir_module_graph(site->module, i), text);
        }
    }
    print_design(site->module, text);
}

void weir_pass_site_name(const weir_pass_site *site, weir_text *text) {
    if (site->graph) {
        weir_text_format(text, "graph '%s'", weir_graph_name(site->graph));
    } else {
        weir_text_format(text, "%smodule '%s'",
                         weir_pass_kind_of(site->pass) == WEIR_PASS_HARDWARE ? "the design of " : "",
                         weir_module_name(site->module));
    }
}
