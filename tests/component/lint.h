/* A design as it is emitted, under the tools that read Verilog. */
#ifndef WEIR_TEST_COMPONENT_LINT_H
#define WEIR_TEST_COMPONENT_LINT_H

#include <stdbool.h>

/* Are verilator -Wall, iverilog -Wall and Yosys' check, those that are installed, silent on the design `component` in
 * the folder? What they say goes to stderr. */
bool lint_is_clean(const char *folder);
/* A wire that is read and never driven, of another width. */
bool lint_plant(const char *folder);
/* Has the design an instance of the module? */
bool lint_has_module(const char *folder, const char *module);

#endif
