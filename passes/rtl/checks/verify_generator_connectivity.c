/* verify_generator_connectivity: every bit that is read, by a statement, an instance or the world behind an output, has a
 * driver. The same analysis stands behind weir_rtl_verify. */
#include "passes/rtl/rtl.h"
#include "rtlir/verify/verify.h"

bool weir_pass_verify_generator_connectivity(const weir_pass *pass, weir_pass_context *context,
                                             weir_rtl_design *design) {
    (void)pass;
    weir_pass_unchanged(context);
    return weir_rtl_check_connections(design, weir_hardware_top(context));
}
