/* The instruments that show units as text: what each pass changed, and one file a pass. */
#include "pass/run/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "ir/graph/graph.h"
#include "support/file/folder.h"
#include "support/memory/arena.h"

/* --- changes --- */
typedef struct changes {
    weir_pass_instrument instrument;
    FILE *file;
    weir_pass_change_style style;
    char **text; /* of the units of running passes, innermost last */
    size_t count, capacity;
} changes;

static bool changes_before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    changes *c = instrument->user;
    if (!weir_pass_is_sequence(site->pass)) {
        weir_text text = {0};
        weir_pass_site_text(site, &text);
        c->text = weir_grow(c->text, &c->capacity, c->count + 1, sizeof *c->text);
        c->text[c->count++] = text.data;
    }
    return true;
}

static bool changes_after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    changes *c = instrument->user;
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    char *before = c->text[--c->count];
    weir_text after = {0};
    weir_pass_site_text(site, &after);
    if (strcmp(before, after.data) != 0) {
        weir_text shown = {0};
        weir_text_format(&shown, "*** %s on ", weir_pass_name(site->pass));
        weir_pass_site_name(site, &shown);
        weir_text_add(&shown, "\n");
        if (c->style == WEIR_PASS_CHANGE_DIFF) {
            weir_pass_diff(before, after.data, 3, &shown);
        } else {
            weir_text_add(&shown, after.data);
        }
        fputs(shown.data, c->file);
        weir_text_free(&shown);
    }
    weir_text_free(&after);
    free(before);
    return true;
}

static void changes_failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    changes *c = instrument->user;
    if (!weir_pass_is_sequence(site->pass)) {
        free(c->text[--c->count]);
    }
}

static void changes_release(weir_pass_instrument *instrument) {
    changes *c = instrument->user;
    free(c->text);
    free(c);
}

weir_pass_instrument *weir_pass_changes_new(FILE *file, weir_pass_change_style style) {
    changes *c = weir_calloc(1, sizeof *c);
    c->instrument = (weir_pass_instrument){.name = "changes", .user = c};
    c->instrument.before_pass = changes_before;
    c->instrument.after_pass = changes_after;
    c->instrument.pass_failed = changes_failed;
    c->instrument.release = changes_release;
    c->file = file;
    c->style = style;
    return &c->instrument;
}

/* --- dump --- */
typedef struct dump {
    weir_pass_instrument instrument;
    char *folder;
    unsigned count;
} dump;

static bool dump_after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    dump *d = instrument->user;
    if (weir_pass_is_sequence(site->pass)) {
        return true;
    }
    weir_text name = {0}, text = {0};
    weir_text_format(&name, "%03u_%s", ++d->count, weir_pass_name(site->pass));
    if (site->graph) {
        weir_text_format(&name, ".%.64s", weir_graph_name(site->graph));
    }
    for (char *c = name.data; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = plain || strchr("-_.", *c) ? *c : '_';
    }
    weir_text_add(&name, ".txt");
    weir_pass_site_text(site, &text);
    bool ok = weir_folder_write(d->folder, name.data, text.data, text.size);
    weir_text_free(&text);
    weir_text_free(&name);
    return ok;
}

static void dump_release(weir_pass_instrument *instrument) {
    dump *d = instrument->user;
    free(d->folder);
    free(d);
}

weir_pass_instrument *weir_pass_dump_new(const char *folder) {
    dump *d = weir_calloc(1, sizeof *d);
    d->instrument = (weir_pass_instrument){.name = "dump", .user = d};
    d->instrument.after_pass = dump_after;
    d->instrument.release = dump_release;
    d->folder = weir_copy_string(folder);
    return &d->instrument;
}
