/* The reserved words of Verilog and SystemVerilog. */
#ifndef WEIR_KEYWORD_H
#define WEIR_KEYWORD_H

#include <stdbool.h>

/* Of IEEE 1364-2005 or 1800-2017. */
bool weir_is_keyword(const char *word);

#endif
