/* The instrument that numbers executions of passes and lets only the first of them happen. The executions up to the
 * limit are those of a run without one, so a number means the same in every run. */
#include "pass/run/instrument.h"

#include <stdlib.h>

#include "support/memory/arena.h"

typedef struct bisect {
    weir_pass_instrument instrument;
    FILE *file;
    int64_t limit, count;
} bisect;

static weir_pass_decision should_run(weir_pass_instrument *instrument, const weir_pass_site *site) {
    bisect *b = instrument->user;
    if (weir_pass_is_sequence(site->pass)) {
        return WEIR_PASS_GO;
    }
    bool runs = b->limit < 0 || b->count < b->limit;
    b->count++;
    if (b->file) {
        weir_text unit = {0};
        weir_pass_site_name(site, &unit);
        fprintf(b->file, "BISECT: %srunning pass (%lld) %s on %s\n", runs ? "" : "NOT ", (long long)b->count,
                weir_pass_name(site->pass), unit.data);
        weir_text_free(&unit);
    }
    return runs ? WEIR_PASS_GO : WEIR_PASS_SKIP;
}

static void release(weir_pass_instrument *instrument) { free(instrument->user); }

weir_pass_instrument *weir_pass_bisect_new(FILE *file, int64_t limit) {
    bisect *b = weir_calloc(1, sizeof *b);
    b->instrument = (weir_pass_instrument){.name = "bisect", .user = b};
    b->instrument.should_run = should_run;
    b->instrument.release = release;
    b->file = file;
    b->limit = limit;
    return &b->instrument;
}

int64_t weir_pass_bisect_count(const weir_pass_instrument *instrument) {
    const bisect *b = instrument->user;
    return b->count;
}
