/* The leaf that takes foldings from a file: results of other runs, as `weir dse --json` writes them. */
#include <stdlib.h>

#include "dse/result/saved.h"
#include "dse/stages/stages.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

enum { LOAD_FILE };

static void release(void *arena) { weir_arena_free(arena); }

/* A result without a folding says of which parameters there is none. */
static bool pass(const json_t *saved, const char *file, weir_arena *arena, weir_dse_sink *sink, void *user) {
    weir_dse_result result;
    if (!weir_dse_saved_folding(saved, file, arena, &result)) return false;
    if (result.evaluation == NULL && result.parameters != NULL) weir_note("%s: no folding fits", result.parameters);
    return sink(user, &result);
}

static bool run_load(const weir_dse_stage *stage, const weir_dse_context *context, weir_dse_sink *sink, void *user) {
    const char *file = weir_dse_stages_need(stage, LOAD_FILE);
    if (file == NULL) return false;
    json_error_t error;
    json_t *root = json_load_file(file, 0, &error);
    const json_t *list = json_object_get(root, "results");
    bool fine = json_is_array(list);
    if (root == NULL) weir_error(weir_at(file, error.line), "cannot be read: %s", error.text);
    else if (!fine) weir_error(weir_at(file, 0), "expected results of 'weir dse --json'");
    weir_arena *arena = weir_arena_new();
    weir_dse_keep(context, arena, release);
    for (size_t i = 0; fine && i < json_array_size(list); i++)
        fine = pass(json_array_get(list, i), file, arena, sink, user);
    json_decref(root);
    return fine;
}

static const weir_dse_option load_options[] = {
    {"file", NULL, WEIR_DSE_TEXT, NULL, "what `weir dse --json` wrote of foldings"}, {.name = NULL}};

const weir_dse_stage_body weir_dse_stage_folding_load = {.is_leaf = true, .options = load_options, .run = run_load};
