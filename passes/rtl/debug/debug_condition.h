/* Conditions as the hgdb debugger reads them: decimal integers, names of signals, parentheses and the operators
 * ! ~ + - * / % < <= > >= == != & ^ | && || of C, computed in 64 signed bits. There are no shifts, concatenations,
 * reductions, conditionals or calls, and a signal is read as a signed number of 32 bits. */
#ifndef WEIR_PASSES_DEBUG_CONDITION_H
#define WEIR_PASSES_DEBUG_CONDITION_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

/* Appends the value of an expression's bits as an unsigned number, so that it is right for whatever the signals are.
 * False, with nothing appended, when the language cannot say it: bits above the 32nd of a signal, more than 62 bits,
 * calls, memories with a computed index, iterators, variables of functions, parameters that instances set, widths that
 * are formulas of parameters; or when it would take thousands of characters. */
bool weir_debug_value(const weir_rtl_design *design, weir_rtl_expr expr, weir_text *text);

#endif
