#include "cli/estimate.h"

#include <stdio.h>

#include "dataflow/cost/cost.h"
#include "support/text/diag.h"

int weir_estimate_open(const char *name, weir_device **device) {
    int status = WEIR_EXIT_FINE;
    *device = NULL;
    if (name != NULL) *device = weir_device_read(name, &status);
    return *device != NULL ? WEIR_EXIT_FINE : status;
}

json_t *weir_estimate_report(const weir_device *device, const weir_module *module) {
    const weir_graph *hardware = weir_module_find_graph(module, "hardware");
    weir_cost_report report = weir_cost_of_graph(hardware, device);
    weir_text text = {NULL, 0, 0};
    weir_cost_print(hardware, &report, device, &text);
    fwrite(text.data, 1, text.size, stdout);
    fflush(stdout);
    weir_text_free(&text);
    weir_cost_check(&report, device);
    json_t *json = weir_cost_json(hardware, &report, device);
    weir_cost_report_free(&report);
    return json;
}
