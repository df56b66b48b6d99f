#include "synth/netlist/check.h"

#include <stdlib.h>

json_t *weir_synth_check_json(const weir_synth_check *check) {
    if (check->result == NULL) return json_pack("{s:s?}", "why_not", check->why_not);
    return json_deep_copy(check->result);
}

void weir_synth_check_free(weir_synth_check *check) {
    free(check->why_not);
    json_decref(check->result);
    *check = (weir_synth_check){NULL, NULL};
}
