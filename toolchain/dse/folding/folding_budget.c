#include "dse/folding/folding_budget.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost/cost.h"
#include "support/text/diag.h"

enum { RESOURCES = WEIR_KNAPSACK_RESOURCES };

/* A number, or with '%' behind it a share of what there is, or with '-' before it what is left to others, as
 * weir_folding_budget_parse gives it. False: none. */
static bool read_amount(const char *text, int64_t available, int64_t *amount, const char **end) {
    assert(available >= 0);
    char *stop;
    const long long value = strtoll(text, &stop, 10);
    const bool is_share = stop != text && *stop == '%';
    *end = stop + is_share;
    if (stop == text || (**end != ',' && **end != '\0') || (is_share && (value < 0 || value > 100))) return false;
    if (value < -INT32_MAX) return false;
    *amount = is_share ? available * value / 100 : value < 0 ? value - 1 : value;
    return true;
}

static bool read_budget(const char *at, const weir_cost_use *uses, int64_t *budget) {
    static const char *const keys[RESOURCES] = {"lut", "ff", "dsp", "bram"};
    const bool is_share = *at != '\0' && strchr(at, '=') == NULL;
    const char *end = at;
    for (int r = 0; r < RESOURCES; r++) {
        budget[r] = -1;
        if (is_share && !read_amount(at, uses[r].available, &budget[r], &end)) return false;
    }
    if (is_share) return *end == '\0' && end[-1] == '%';
    while (*at != '\0') {
        const size_t size = strcspn(at, "=");
        int r = 0;
        while (r < RESOURCES && (strlen(keys[r]) != size || strncmp(keys[r], at, size) != 0)) r++;
        if (r == RESOURCES) return false;
        if (at[size] != '=' || !read_amount(at + size + 1, uses[r].available, &budget[r], &end)) return false;
        at = end + (*end == ',');
    }
    return true;
}

bool weir_folding_budget_parse(const char *text, const weir_device *device, int64_t *budget) {
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, device, uses);
    if (read_budget(text, uses, budget)) return true;
    weir_error(WEIR_NOWHERE, "budget '%s': expected NAME=NUMBER,... with the names lut, ff, dsp and bram", text);
    weir_note(
        "'50%%' instead of a number is a share of the device's resource, by itself a share of each resource; '-900' "
        "is all but 900");
    return false;
}

int64_t weir_folding_budget_of(int64_t budget, int64_t available) {
    if (budget >= 0) return budget < available ? budget : available;
    const int64_t left = available - (-1 - budget);
    return left > 0 ? left : 0;
}

void weir_folding_margin(const weir_device *device, int64_t *margin) {
    assert((size_t)device->family < WEIR_DEVICE_FAMILIES);
    static const int64_t percent[WEIR_DEVICE_FAMILIES][RESOURCES] = {
#define WEIR_FOLDING_MARGIN(family, luts, flip_flops, multipliers, memory_blocks)                                      \
    [WEIR_DEVICE_##family] = {luts, flip_flops, multipliers, memory_blocks},
#include "dse/folding/margin.def"
#undef WEIR_FOLDING_MARGIN
    };
    weir_cost_use uses[WEIR_COST_USES];
    weir_cost_uses(&(weir_cost){.luts = 0}, device, uses);
    for (int r = 0; r < RESOURCES; r++) margin[r] = uses[r].available * percent[device->family][r] / 100;
}
