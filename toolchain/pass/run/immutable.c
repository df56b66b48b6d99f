/* Holds passes to weir_pass_unchanged: the unit's text from before is kept until the pass has said what it did. Passes
 * nest, so these texts form a stack. */
#include <stdlib.h>
#include <string.h>

#include "pass/run/instrument.h"
#include "support/memory/arena.h"

typedef struct record {
    weir_text text;
    struct record *around;
} record;

static bool before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    record *r = weir_calloc(1, sizeof *r);
    weir_pass_site_text(site, &r->text);
    r->around = instrument->user;
    instrument->user = r;
    return true;
}

static void pop(weir_pass_instrument *instrument) {
    record *r = instrument->user;
    instrument->user = r->around;
    weir_text_free(&r->text);
    free(r);
}

enum { SHOWN_LINES = 4 };

/* The first lines that went or came. */
static void show_first(const char *was, const char *is) {
    weir_text diff = {0};
    weir_pass_diff(was, is, 0, &diff);
    const char *line = diff.data;
    for (int shown = 0; line && *line && shown < SHOWN_LINES;) {
        size_t size = strcspn(line, "\n");
        if (*line == '-' || *line == '+') {
            weir_note("%.*s", (int)size, line);
            shown++;
        }
        line += size + (line[size] == '\n');
    }
    weir_text_free(&diff);
}

static bool after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    const record *r = instrument->user;
    bool ok = true;
    if (site->unchanged) {
        weir_text now = {0};
        weir_pass_site_text(site, &now);
        ok = strcmp(r->text.data, now.data) == 0;
        if (!ok) {
            weir_text unit = {0};
            weir_pass_site_name(site, &unit);
            weir_error(WEIR_NOWHERE, "pass '%s' reported no change, but it changed %s", weir_pass_name(site->pass),
                       unit.data);
            show_first(r->text.data, now.data);
            weir_text_free(&unit);
        }
        weir_text_free(&now);
    }
    pop(instrument);
    return ok;
}

static void failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (!weir_pass_is_sequence(site->pass)) {
        pop(instrument);
    }
}

static void release(weir_pass_instrument *instrument) { free(instrument); }

weir_pass_instrument *weir_pass_immutable_new(void) {
    weir_pass_instrument *instrument = weir_calloc(1, sizeof *instrument);
    *instrument = (weir_pass_instrument){
        .name = "immutable", .before_pass = before, .after_pass = after, .pass_failed = failed, .release = release};
    return instrument;
}
