/* The values of each name and their product. */
#ifndef WEIR_REGRESS_EXPAND_H
#define WEIR_REGRESS_EXPAND_H

#include "regress/suite.h"
#include "support/text/yaml.h"

/* The points of `matrix`, `include` and `exclude` of the suite's file; false after reported errors. */
bool weir_suite_expand(weir_suite *suite, const weir_yaml *root, const weir_suite_choice *choice);

#endif
