/* The text form of a design (files *.wrtl): everything that the IR holds, in lines that a person can read and diff.
 * Printing, parsing and printing again gives the same bytes. toolchain/rtlir/README.md describes it. */
#ifndef WEIR_RTLIR_TEXT_H
#define WEIR_RTLIR_TEXT_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

/* Appends the text of the whole design. */
void weir_rtl_print_text(const weir_rtl_design *design, weir_text *text);
/* The same with locations in the text that the design was read from, which items otherwise lose: whoever reads what is
 * printed sees that text, not this one, in messages and tables. It reads back to the same text. */
void weir_rtl_print_text_locations(const weir_rtl_design *design, weir_text *text);
/* A design, or NULL after a reported `file:line: error:`. An item whose location the text does not name has its line of
 * the text, which is not printed. Nothing in the text is trusted; what it says is checked as it is for building, the
 * verifier is up to the caller. Linear in the text. */
weir_rtl_design *weir_rtl_parse_text(const char *text, size_t size, const char *file);
/* The same with files. */
bool weir_rtl_save_text(const weir_rtl_design *design, const char *path);
weir_rtl_design *weir_rtl_load_text(const char *path);

#endif
