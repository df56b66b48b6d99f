/* --device: what compiled hardware takes of an FPGA, before anything is synthesized. */
#ifndef WEIR_CLI_ESTIMATE_H
#define WEIR_CLI_ESTIMATE_H

#include <jansson.h>

#include "dataflow/cost/device.h"
#include "pass/core/module.h"

/* The device of that name or path; none, and fine, for NULL. Exit status. */
int weir_estimate_open(const char *name, weir_device **device);
/* Prints the estimate for the module's hardware graph, warns of what does not fit, and returns it as JSON. */
json_t *weir_estimate_report(const weir_device *device, const weir_module *module);

#endif
