/* The context in which passes run: optimization level, required and disabled names, configuration, instruments, and
 * during a run which results are valid. Passed explicitly; used by one thread at a time. */
#ifndef WEIR_PASS_CONTEXT_H
#define WEIR_PASS_CONTEXT_H

#include <jansson.h>

#include "pass/core/module.h"
#include "pass/core/pass.h"

/* The registry must outlive the context. */
weir_pass_context *weir_pass_context_new(weir_pass_registry *registry);
/* A context inside another: it starts with the settings of the outer one (level, names, configuration, user) but
 * without instruments and statistics. Settings made in it end with it; the outer one does not change, however the runs
 * end. A module pass may run its own passes on its module in a nested context. */
weir_pass_context *weir_pass_context_nest(const weir_pass_context *around);
void weir_pass_context_free(weir_pass_context *context);
weir_pass_registry *weir_pass_context_registry(const weir_pass_context *context);

/* Setters return false after a reported error: a level outside 0..4, an unknown name (with the nearest known one). */
bool weir_pass_context_set_level(weir_pass_context *context, int level);
int weir_pass_context_level(const weir_pass_context *context);
/* Names of passes or registered pipelines, "a, b". Disabled beats required beats level; a name in both lists gives a
 * warning when a pass runs. */
bool weir_pass_context_require(weir_pass_context *context, const char *names);
bool weir_pass_context_disable(weir_pass_context *context, const char *names);
/* The results of these passes are valid for every unit when the next run starts: it continues where another one
 * stopped. */
bool weir_pass_context_assume(weir_pass_context *context, const char *names);
/* The caller's own pointer; not used here. */
void weir_pass_context_set_user(weir_pass_context *context, void *user);
void *weir_pass_context_user(const weir_pass_context *context);

/* Configuration: keys of the registry. Aborts on a key that is not registered or is read as another kind. */
bool weir_pass_config_set(weir_pass_context *context, const char *key, const char *text);
bool weir_pass_config_bool(const weir_pass_context *context, const char *key);
int64_t weir_pass_config_int(const weir_pass_context *context, const char *key);
double weir_pass_config_real(const weir_pass_context *context, const char *key);
const char *weir_pass_config_string(const weir_pass_context *context, const char *key);
int weir_pass_config_choice(const weir_pass_context *context, const char *key);

/* --- instruments (instrument.h): the context borrows them --- */
/* Not while the context is entered. */
void weir_pass_context_add_instrument(weir_pass_context *context, weir_pass_instrument *instrument);
size_t weir_pass_context_instrument_count(const weir_pass_context *context);
weir_pass_instrument *weir_pass_context_instrument(const weir_pass_context *context, size_t index);
/* Replaces the list, but not while a pass runs; in an entered context exits the old ones and enters the new ones. False
 * if a hook failed; then the list is empty. */
bool weir_pass_context_override(weir_pass_context *context, weir_pass_instrument *const *instruments, size_t count);
/* Enter and exit call the instruments' hooks. If an enter hook fails, those already entered exit in reverse order, the
 * list is emptied, and the context is not entered. If an exit hook fails, later ones are not called, the list is
 * emptied, and the context is exited nevertheless. */
bool weir_pass_context_enter(weir_pass_context *context);
bool weir_pass_context_exit(weir_pass_context *context);
bool weir_pass_context_is_entered(const weir_pass_context *context);

/* --- running --- */
/* Runs the pass on the module, and enters and exits the context around it unless it is entered.
 * A pass that fails stops the run; the last diagnostic names it. Results are valid until the run ends. Level and lists
 * of names choose among the passes of a pipeline; a single pass, given as such or as a text of one name, runs
 * regardless of them (TVM's direct application; with a warning if it is disabled). */
bool weir_pass_run(weir_pass_context *context, const weir_pass *pass, weir_module *module);
/* Would the context run it in a pipeline? */
bool weir_pass_enabled(const weir_pass_context *context, const weir_pass *pass);
/* What a run would do, one line a pass and why, requirements included: "run NAME: level 1 <= 2" (or "required by the
 * context", or "required by 'OTHER'"), "keep NAME: required by 'OTHER', and its result holds", "skip NAME: disabled"
 * (or "level 3 > 2"); a last line "fail NAME: ..." if the run would stop. False if the registry has errors. */
bool weir_pass_explain(const weir_pass_context *context, const weir_pass *pass, weir_text *text);
/* "NAME (3), OTHER (4)": the passes that a run would skip because of their level, which follows in parentheses. */
void weir_pass_list_skipped(const weir_pass_context *context, const weir_pass *pass, weir_text *text);
/* Name of the pass that made the last run fail, NULL if none did; lives until the next run. */
const char *weir_pass_failed_name(const weir_pass_context *context);

/* --- for passes, while they run --- */
/* Runs a pass that was built on the spot on the current unit (a module pass may run anything). A graph pass must get
 * its graph again afterwards, as it may have been replaced. */
bool weir_pass_run_here(weir_pass_context *context, const weir_pass *pass);
weir_module *weir_pass_module_of(const weir_pass_context *context);
weir_graph *weir_pass_graph_of(const weir_pass_context *context); /* the current unit; NULL unless it is a graph */
/* The current pass changed nothing: every result stays valid. */
void weir_pass_unchanged(weir_pass_context *context);
/* For a graph pass that builds a new graph: takes over the graph, which replaces the pass's unit once the pass has
 * succeeded; then the old one is freed. */
void weir_pass_replace_graph(weir_pass_context *context, weir_graph *graph);
/* Adds to a number that the statistics show under the current pass ("nodes folded"). The text is not copied. */
void weir_pass_count(weir_pass_context *context, const char *what, int64_t amount);
/* The findings of the current pass, as a JSON object to fill: MASE's info record. It belongs to the context, which
 * keeps the records of all runs in an array of {"pass", "graph" (of graph passes), "info"} in the order of the runs. */
json_t *weir_pass_record(weir_pass_context *context);
const json_t *weir_pass_records(const weir_pass_context *context);
/* The tables and reports of passes, of all runs so far. Passes add to it, the caller of the run prints it. */
weir_text *weir_pass_output(weir_pass_context *context);
/* Statistics of all runs so far, in order of appearance: "NAME: 12 nodes folded". */
void weir_pass_print_statistics(const weir_pass_context *context, weir_text *text);
int64_t weir_pass_statistic(const weir_pass_context *context, const char *pass, const char *what);

/* The result of an analysis, computed unless it is valid, or NULL after a reported error. It belongs to the context and
 * lives until a pass that does not preserve it ends. The unit is the current one; a module pass names the graph. */
const void *weir_pass_get_analysis(weir_pass_context *context, const char *name);
const void *weir_pass_get_graph_analysis(weir_pass_context *context, const char *name, const weir_graph *graph);

#endif
