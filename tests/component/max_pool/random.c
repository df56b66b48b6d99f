#include "component/pool.h"

static void build(component_case *c) { pool_finish(c, pool_add(c, WEIR_OP_MAX_POOL)); }

const component_test component_test_max_pool = {"max_pool", build, NULL, false};
