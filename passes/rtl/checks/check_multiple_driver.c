/* check_multiple_driver: no bit has two drivers. The same analysis stands behind weir_rtl_verify. */
#include "passes/rtl/rtl.h"
#include "rtlir/verify/verify.h"

bool weir_pass_check_multiple_driver(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    weir_pass_unchanged(context);
    return weir_rtl_check_drivers(design, weir_hardware_top(context));
}
