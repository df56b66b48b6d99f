/* Instruments: hooks around passes, called in the order of the context's list, and the built-in ones.
 * should_run is not called for passes that the context requires; otherwise it is called for every instrument, and if
 * one says skip, no other hook is called. Sequences are passes too. If before_pass of an instrument succeeded, exactly
 * one of its after_pass and pass_failed is called. A failing hook stops the run: the later hooks of its phase are not
 * called, and the pass does not run (or its result is lost). */
#ifndef WEIR_PASS_INSTRUMENT_H
#define WEIR_PASS_INSTRUMENT_H

#include <stdio.h>

#include "pass/core/context.h"

/* Where a hook is called: a pass on a unit. */
typedef struct weir_pass_site {
    weir_pass_context *context;
    const weir_pass *pass;
    weir_module *module;
    weir_graph *graph; /* the unit of graph passes and graph sequences, else NULL */
    size_t depth;      /* of sequences and passes around this one */
    bool unchanged;    /* after a pass: it called weir_pass_unchanged */
} weir_pass_site;

typedef enum weir_pass_decision { WEIR_PASS_GO, WEIR_PASS_SKIP, WEIR_PASS_STOP } weir_pass_decision;

/* Plain data; hooks may be NULL. A hook fails by returning false (STOP), after reporting why. */
struct weir_pass_instrument {
    const char *name;
    void *user;
    bool (*enter_context)(weir_pass_instrument *instrument, weir_pass_context *context);
    bool (*exit_context)(weir_pass_instrument *instrument, weir_pass_context *context);
    weir_pass_decision (*should_run)(weir_pass_instrument *instrument, const weir_pass_site *site);
    bool (*before_pass)(weir_pass_instrument *instrument, const weir_pass_site *site);
    bool (*after_pass)(weir_pass_instrument *instrument, const weir_pass_site *site);
    void (*pass_failed)(weir_pass_instrument *instrument, const weir_pass_site *site);
    void (*release)(weir_pass_instrument *instrument); /* frees `user` and the instrument */
};

/* Calls release if there is one; NULL is allowed. */
void weir_pass_instrument_free(weir_pass_instrument *instrument);

/* The unit as text: a graph's text form and a line with the hash of each constant; for module passes all graphs and
 * the design; for hardware passes the design. Equal text means an equal unit. */
void weir_pass_site_text(const weir_pass_site *site, weir_text *text);
/* "graph 'main'", "module 'm'" or "the design of module 'm'", for messages. */
void weir_pass_site_name(const weir_pass_site *site, weir_text *text);

/* --- built in; the caller frees them --- */
/* Wall time as a tree of sequences and passes: total, share of the whole, self, runs. Print at any time; an entered
 * context adds to it. */
weir_pass_instrument *weir_pass_timing_new(void);
void weir_pass_timing_print(const weir_pass_instrument *timing, weir_text *text);
/* The tree as a new JSON array of {"pass", "runs", "seconds", "self", "passes": those within}. */
json_t *weir_pass_timing_json(const weir_pass_instrument *timing);
/* Verifies the graphs and the design before the first pass, and each pass's unit after it; fails with the pass's
 * name. */
weir_pass_instrument *weir_pass_verifier_new(void);
/* Writes what each pass changed, as a line diff with three lines of context or as the whole text; nothing for passes
 * that change nothing. The caller keeps the file. */
typedef enum weir_pass_change_style { WEIR_PASS_CHANGE_DIFF, WEIR_PASS_CHANGE_TEXT } weir_pass_change_style;
weir_pass_instrument *weir_pass_changes_new(FILE *file, weir_pass_change_style style);
/* Writes FOLDER/001_NAME.txt, FOLDER/002_NAME.GRAPH.txt, ... with the unit's text after each pass; makes the folder. */
weir_pass_instrument *weir_pass_dump_new(const char *folder);

/* Writes units before and after the passes of two lists of names ("a, b"; "all": every pass but sequences; NULL: none),
 * and, if `failed`, what a failed pass left. Put it after instruments whose failures count, too. */
weir_pass_instrument *weir_pass_printer_new(FILE *file, const char *before, const char *after, bool failed);
/* Numbers the executions of passes from 1, except sequences and passes that the context requires, and skips those over
 * the limit (-1: none). Writes "BISECT: running pass (1) NAME on UNIT" or "BISECT: NOT running pass ..." unless the
 * file is NULL. */
weir_pass_instrument *weir_pass_bisect_new(FILE *file, int64_t limit);
/* Executions numbered so far. */
int64_t weir_pass_bisect_count(const weir_pass_instrument *bisect);

/* Compares the unit's text before and after passes that call weir_pass_unchanged; one that lies fails. */
weir_pass_instrument *weir_pass_immutable_new(void);

/* Line diff of two texts: ' ', '-' and '+' lines with `around` lines of context and "@@" between the parts; empty if
 * they are equal. Differences beyond about 2000 lines each way are shown as one block. */
void weir_pass_diff(const char *before, const char *after, size_t around, weir_text *text);

#endif
