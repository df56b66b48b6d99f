/* Scale: clip((x * m + a) >> shift). */
#include "dataflow/multiplier.h"

static void build(weir_builder *b, weir_node node) { weir_multiplier_build(b, node); }

const weir_component_rules weir_requantize_rules = {.asks = "multipliers of 0 or more",
                                                    .fits = weir_multiplier_fits,
                                                    .quantizes = true,
                                                    .pieces = weir_multiplier_pieces,
                                                    .timing = weir_multiplier_timing,
                                                    .wait = weir_multiplier_wait,
                                                    .memory = weir_multiplier_memory,
                                                    .content = weir_multiplier_content,
                                                    .build = build,
                                                    .describe = weir_multiplier_describe,
                                                    .has_active = true};
