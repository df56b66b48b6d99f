/* MaxPool: the largest element of each window. */
#include "dataflow/component/pool/pool_private.h"

const weir_component_rules weir_max_pool_rules = WEIR_POOL_RULES(WEIR_RESULT_INPUT);
