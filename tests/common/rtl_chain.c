#include "common/rtl_chain.h"

#include "rtlir/core/expr.h"
#include "rtlir/core/stmt.h"

weir_rtl_design *make_chain(int depth, uint32_t width) {
    weir_rtl_design *d = weir_rtl_design_new();
    weir_rtl_module below = {0};
    for (int i = depth; i >= 0; i--) {
        weir_rtl_module m = weir_rtl_add_generator(d, i == 0 ? "top" : "link");
        weir_rtl_expr x = weir_rtl_read(d, weir_rtl_add_input(d, m, "x", width));
        weir_rtl_expr y = weir_rtl_read(d, weir_rtl_add_output(d, m, "y", width));
        weir_rtl_expr sum = weir_rtl_binary(d, WEIR_RTL_ADD, x, weir_rtl_constant(d, width, 1));
        weir_rtl_instance u = weir_rtl_add_wired_instance(d, m, below, "u_next");
        if (u.id != 0) weir_rtl_assign(d, m, weir_rtl_read_port(d, u, "x"), sum);
        weir_rtl_assign(d, m, y, u.id != 0 ? weir_rtl_read_port(d, u, "y") : sum);
        below = m;
    }
    return d;
}
