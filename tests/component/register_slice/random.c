/* The register slice alone. */
#include "component/case.h"

static void build(component_case *c) { case_stream(c, WEIR_OP_REGISTER_SLICE, 0); }

const component_test component_test_register_slice = {"register_slice", build, NULL, false};
