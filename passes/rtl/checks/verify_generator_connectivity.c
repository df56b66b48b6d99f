/* verify_generator_connectivity: every bit that is read, by a statement, an instance or the world outside an output,
 * has a driver. weir_rtl_verify uses the same analysis. */
#include "passes/rtl/rtl.h"
#include "rtlir/verify/verify.h"

bool weir_pass_verify_generator_connectivity(const weir_pass *pass, weir_pass_context *context,
                                             weir_rtl_design *design) {
    (void)pass;
    weir_pass_unchanged(context);
    return weir_rtl_check_connections(design, weir_hardware_top(context));
}
