/* compile --check: what Yosys maps a compiled design to decides whether it fits, not the estimate. */
#ifndef WEIR_CLI_FIT_H
#define WEIR_CLI_FIT_H

#include "cli/job.h"
#include "dataflow/cost/device.h"

/* weir_job_compile without a margin: where the folding that an objective chose does not fit the device by Yosys, the
 * best one with as much less of what it took too much of is compiled and checked in turn, a few times. *module is
 * compiled, or in its place one of the same model. Exit status: 1 where none fits, with the numbers, and nothing is
 * written. */
int weir_fit_compile(weir_job *job, weir_module **module, const char *folder, const weir_device *device);

#endif
