/* Designs as elaborated (namesakes, instances wired by assignments, undecided assignments) made printable in the
 * plainest form: every port of a wired instance gets a variable of its own, every module a name of its own. The passes
 * that lower designs do better, and because they are held against this, it shares nothing with them. */
#ifndef WEIR_PASSES_EQUIVALENCE_PLAIN_H
#define WEIR_PASSES_EQUIVALENCE_PLAIN_H

#include "rtlir/core/rtl.h"
#include "support/text/text.h"

/* Changes the design; modules with content are called PREFIX_NAME, or near that. False when the design has something
 * that this cannot lower, which is added to `why` or reported. O(design). */
bool weir_rtl_make_plain(weir_rtl_design *design, const char *prefix, weir_text *why);

#endif
