/* Reading SUITE.yaml: keys, steps, limits, tolerances; errors with their line and remedy. */
#ifndef WEIR_REGRESS_SUITE_READ_H
#define WEIR_REGRESS_SUITE_READ_H

#include "regress/suite.h"

/* NULL after reported errors. */
weir_suite *weir_suite_read(const char *path, const weir_suite_choice *choice);
/* The same without points, to run some that another process made; `folder` is where the steps run. */
weir_suite *weir_suite_read_steps(const char *path, const char *folder);

#endif
