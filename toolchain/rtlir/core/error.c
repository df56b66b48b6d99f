/* Reporting: an error is counted in the design that it is about. */
#include <stdarg.h>

#include "rtlir/core/private.h"

void rtl_error(weir_rtl_design *design, weir_location location, const char *format, ...) {
    weir_text text = {0};
    va_list arguments;
    if (design->is_muted) return;
    va_start(arguments, format);
    weir_text_vformat(&text, format, arguments);
    va_end(arguments);
    weir_error(location, "%s", text.data ? text.data : "");
    weir_text_free(&text);
    design->errors++;
}
