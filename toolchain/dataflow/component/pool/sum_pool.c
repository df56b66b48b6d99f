/* SumPool: the sum of x - zero over each window. */
#include "dataflow/component/pool/pool_private.h"

const weir_component_rules weir_sum_pool_rules = {.asks = WEIR_POOL_ASKS,
                                                  .fits = weir_pool_fits,
                                                  .result = WEIR_RESULT_RANGE,
                                                  .legal = weir_pool_legal,
                                                  .derive = weir_pool_derive,
                                                  .ideal = weir_pool_ideal,
                                                  .timing = weir_pool_timing,
                                                  .start = weir_pool_start,
                                                  .late = weir_pool_late,
                                                  .service = weir_pool_service,
                                                  .cost = weir_pool_cost,
                                                  .build = weir_pool_build,
                                                  .describe = weir_pool_describe,
                                                  .pauses = true,
                                                  .has_active = true};
