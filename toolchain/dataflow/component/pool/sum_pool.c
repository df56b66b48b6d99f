/* SumPool: the sum of x - zero over each window. */
#include "dataflow/component/pool/pool_private.h"

const weir_component_rules weir_sum_pool_rules = WEIR_POOL_RULES(WEIR_RESULT_RANGE);
