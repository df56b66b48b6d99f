/* What a pass is: the record that describes it, its options, and instances of it (a record with option values), single
 * or in sequences that nest. */
#ifndef WEIR_PASS_PASS_H
#define WEIR_PASS_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pass/core/types.h"
#include "support/text/diag.h"
#include "support/text/text.h"

typedef enum weir_pass_kind {
    WEIR_PASS_MODULE,   /* runs once on a weir_module */
    WEIR_PASS_GRAPH,    /* runs on every graph of the module, one after the other */
    WEIR_PASS_HARDWARE, /* runs on the module's weir_rtl_design */
    WEIR_PASS_KIND_COUNT
} weir_pass_kind;

typedef enum weir_pass_option_kind {
    WEIR_PASS_BOOL,   /* true, false */
    WEIR_PASS_INT,    /* decimal, or 0x hexadecimal */
    WEIR_PASS_REAL,   /* decimal, finite */
    WEIR_PASS_STRING, /* anything; quoted in pipelines unless it is one word */
    WEIR_PASS_ENUM    /* one of the domain's words */
} weir_pass_option_kind;

/* One option. The default and the domain are text, as a pipeline would write them, and are checked on registration. */
typedef struct weir_pass_option {
    const char *name;
    weir_pass_option_kind kind;
    const char *otherwise; /* the default */
    const char *domain;    /* INT and REAL: "low..high", either end may be left out; ENUM: "a|b|c"; NULL: no limit */
    const char *help;      /* one line */
} weir_pass_option;

/* The work. Returns false to stop the pipeline, after reporting why. The context provides what the pass may use besides
 * its unit (context.h). */
typedef bool weir_pass_module_run(const weir_pass *pass, weir_pass_context *context, weir_module *module);
typedef bool weir_pass_graph_run(const weir_pass *pass, weir_pass_context *context, weir_graph *graph);
typedef bool weir_pass_hardware_run(const weir_pass *pass, weir_pass_context *context, weir_rtl_design *design);

/* Levels: 0 always, 2 default, 3 costly, 4 experimental. */
enum { WEIR_PASS_LEVEL_MAX = 4, WEIR_PASS_LEVEL_DEFAULT = 2 };

/* What a pass promises about the results that graphs compute, for every input. A module pass that adds a graph makes
 * the promise for it, too, relative to the previous last graph. */
typedef enum weir_pass_promise {
    WEIR_PASS_EXACT,       /* the same bits */
    WEIR_PASS_APPROXIMATE, /* the same except for the rounding of intermediate results */
    WEIR_PASS_CHANGES      /* other results, on purpose: quantize, prune */
} weir_pass_promise;

/* What a hardware pass does with widths that are formulas of parameters (rtlir/core/formula.h). */
typedef enum weir_pass_formulas {
    WEIR_PASS_FORMULAS_REFUSED, /* it requires the form fixed_widths */
    WEIR_PASS_FORMULAS_TAKEN,   /* it handles them, or does not depend on widths */
    WEIR_PASS_FORMULAS_VALUES   /* it changes nothing, and sees a module for each set of values that instances set */
} weir_pass_formulas;

/* A pass. Lists of names are text, "a, b"; NULL and "" are the empty list.
 * Passes in `requires` run first unless their result still holds; forms in it (weir_pass_form) must be those of the
 * unit, or the run ends before this pass. After this pass has run (and did not report that it changed nothing), results
 * of earlier passes and analyses stay valid if they are in `preserves` ("*": all) and not in `invalidates`; with only
 * `invalidates`, all others stay valid; with neither, none does. */
typedef struct weir_pass_info {
    const char *name; /* lower case letters, digits, '-', '_' and '.'; starts with a letter */
    weir_pass_kind kind;
    int level;
    weir_pass_promise promise;
    weir_pass_formulas formulas;
    const char *requires;
    const char *preserves;
    const char *invalidates;
    const weir_pass_option *options; /* ends with a NULL name; NULL: none */
    const char *help;                /* one line */
    union {
        weir_pass_module_run *module;
        weir_pass_graph_run *graph;
        weir_pass_hardware_run *hardware;
    } run; /* the member that belongs to the kind */
} weir_pass_info;

/* An analysis: a result that is computed on request and kept while it is valid. A result must not point into another
 * analysis's result. `compute` returns NULL after a reported error. */
typedef struct weir_pass_analysis {
    const char *name;
    weir_pass_kind kind;
    const char *help;
    union {
        void *(*module)(weir_pass_context *context, weir_module *module);
        void *(*graph)(weir_pass_context *context, weir_graph *graph);
        void *(*hardware)(weir_pass_context *context, weir_rtl_design *design);
    } compute;
    void (*release)(void *result); /* NULL: nothing to free */
} weir_pass_analysis;

/* A form: a state that a unit must be in for passes that require it. It is checked when such a pass is about to run,
 * unless nothing has changed the unit since the last check, whatever passes declare to preserve. */
typedef struct weir_pass_form {
    const char *name;
    weir_pass_kind kind; /* MODULE or HARDWARE */
    const char *help;    /* one line: what holds in it */
    const char *remedy;  /* the pass or pipeline that establishes it; NULL: none does */
    union {
        /* False after reporting each violation. */
        bool (*module)(weir_pass_context *context, weir_module *module);
        bool (*hardware)(weir_pass_context *context, weir_rtl_design *design);
    } holds;
} weir_pass_form;

/* --- instances --- */
/* A registered pass with default options, or a registered pipeline; NULL after a reported error (an unknown name comes
 * with the nearest known one). The registry must outlive it; free it with weir_pass_free. */
weir_pass *weir_pass_new(weir_pass_registry *registry, const char *name);
void weir_pass_free(weir_pass *pass);
/* Sets an option from its text; false after a reported error. */
bool weir_pass_set(weir_pass *pass, const char *option, const char *text);

const char *weir_pass_name(const weir_pass *pass);
weir_pass_kind weir_pass_kind_of(const weir_pass *pass);
const char *weir_pass_kind_name(weir_pass_kind kind);          /* "module", "graph", "hardware" */
const char *weir_pass_promise_name(weir_pass_promise promise); /* "exact", "approximate", "changes" */
bool weir_pass_is_sequence(const weir_pass *pass);
/* The record; NULL for a sequence. */
const weir_pass_info *weir_pass_info_of(const weir_pass *pass);
int weir_pass_level(const weir_pass *pass);

/* Option values. Reading an option that the record does not have, or as another kind, is a bug and aborts. */
bool weir_pass_bool(const weir_pass *pass, const char *option);
int64_t weir_pass_int(const weir_pass *pass, const char *option);
double weir_pass_real(const weir_pass *pass, const char *option);
const char *weir_pass_string(const weir_pass *pass, const char *option); /* STRING and ENUM; lives with the pass */
int weir_pass_choice(const weir_pass *pass, const char *option);         /* ENUM: position in the domain, from 0 */
/* Was it set, rather than left at its default? */
bool weir_pass_is_set(const weir_pass *pass, const char *option);

/* --- sequences --- */
/* An empty sequence over a kind of unit. A module sequence may hold anything; a graph sequence holds graph passes and
 * graph sequences and runs all of them on one graph before the next; hardware likewise. The name (NULL: the kind's) is
 * copied. */
weir_pass *weir_pass_sequence_new(weir_pass_kind kind, const char *name, int level);
/* Takes over the pass in any case. False after a reported error: the pass is NULL or does not fit. */
bool weir_pass_sequence_add(weir_pass *sequence, weir_pass *pass);
size_t weir_pass_sequence_count(const weir_pass *sequence);
const weir_pass *weir_pass_sequence_at(const weir_pass *sequence, size_t index);

/* --- pipelines as text --- */
/* pipeline := [element {',' element}]      element := kind '(' pipeline ')' | name ['{' {option '=' value} '}']
 * with blanks, line ends and '#' comments between the parts, e.g. `graph(fold-constants,quantize{scheme=int8})`.
 * A value is a word or a "string". A graph pass outside graph(...) runs on every graph before the next pass starts.
 * Gives a module sequence, or NULL after reported errors; `where` is the text's file and first line (0 counts as 1),
 * the message has the column. */
weir_pass *weir_pass_parse(weir_pass_registry *registry, const char *text, weir_location where);
/* Text that parses back to the same; options at their default are omitted unless they were set. */
void weir_pass_print(const weir_pass *pass, weir_text *text);

#endif
