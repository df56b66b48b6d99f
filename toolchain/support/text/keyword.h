/* The reserved words of Verilog and SystemVerilog. */
#ifndef WEIR_KEYWORD_H
#define WEIR_KEYWORD_H

#include <stdbool.h>

/* Of IEEE 1364-2005 or 1800-2017, or one that Verilator or Icarus takes for one of its own. */
bool weir_is_keyword(const char *word);
/* Of C++ or common in it: Verilator warns of names that are one. */
bool weir_is_cplusplus_word(const char *word);

#endif
