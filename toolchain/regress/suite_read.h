/* Reading SUITE.yaml: keys, steps, limits, tolerances; errors with their line and remedy. */
#ifndef WEIR_REGRESS_SUITE_READ_H
#define WEIR_REGRESS_SUITE_READ_H

#include "regress/suite.h"

/* `folder`: where the steps run and from where paths count, NULL: the file's own. NULL after reported errors. */
weir_suite *weir_suite_read(const char *path, const char *folder, const weir_suite_choice *choice);
/* The same without points, to run some that another process made. */
weir_suite *weir_suite_read_steps(const char *path, const char *folder);

#endif
