/* The instrument that prints units around chosen passes and after a failure. */
#include "pass/core/private.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"

typedef struct printer {
    weir_pass_instrument instrument;
    FILE *file;
    char *before, *after; /* "all" or names; NULL: none */
} printer;

/* Is the pass in the list? "all" means every pass that is no sequence. */
static bool is_chosen(const char *names, const weir_pass *pass) {
    if (!names || strcmp(names, "all") == 0) {
        return names && !weir_pass_is_sequence(pass);
    }
    bool found = false;
    for (char *name; !found && (name = weir_pass_next_name(&names)); free(name)) {
        found = strcmp(name, weir_pass_name(pass)) == 0;
    }
    return found;
}

static void print(const printer *p, const char *when, const weir_pass_site *site) {
    weir_text text = {0};
    weir_text_format(&text, "*** %s %s on ", when, weir_pass_name(site->pass));
    weir_pass_site_name(site, &text);
    weir_text_add(&text, "\n");
    weir_pass_site_text(site, &text);
    fputs(text.data, p->file);
    weir_text_free(&text);
}

static bool before_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    const printer *p = instrument->user;
    if (is_chosen(p->before, site->pass)) {
        print(p, "before", site);
    }
    return true;
}

static bool after_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    const printer *p = instrument->user;
    if (is_chosen(p->after, site->pass)) {
        print(p, "after", site);
    }
    return true;
}

static void pass_failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (!weir_pass_is_sequence(site->pass)) {
        print(instrument->user, "after failing", site);
    }
}

static void release(weir_pass_instrument *instrument) {
    printer *p = instrument->user;
    free(p->before);
    free(p->after);
    free(p);
}

weir_pass_instrument *weir_pass_printer_new(FILE *file, const char *before, const char *after, bool failed) {
    printer *p = weir_calloc(1, sizeof *p);
    p->instrument = (weir_pass_instrument){.name = "print", .user = p};
    p->instrument.before_pass = before_pass;
    p->instrument.after_pass = after_pass;
    p->instrument.pass_failed = failed ? pass_failed : NULL;
    p->instrument.release = release;
    p->file = file;
    p->before = before ? weir_copy_string(before) : NULL;
    p->after = after ? weir_copy_string(after) : NULL;
    return &p->instrument;
}
