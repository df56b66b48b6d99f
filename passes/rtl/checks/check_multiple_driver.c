/* check_multiple_driver: no bit has two drivers. weir_rtl_verify uses the same analysis. */
#include "passes/rtl/rtl.h"
#include "rtlir/verify/verify.h"

bool weir_pass_check_multiple_driver(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design) {
    (void)pass;
    weir_pass_unchanged(context);
    return weir_rtl_check_drivers(design, weir_hardware_top(context));
}
