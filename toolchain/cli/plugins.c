#include "cli/plugins.h"

#include "pass/run/guard.h"
#include "passes/passes.h"
#include "support/text/diag.h"

bool weir_plugins_load(const weir_plugins *plugins, weir_pass_registry *registry) {
    bool fine = true;
    for (size_t i = 0; fine && i < plugins->files.count; i++)
        fine = weir_pass_registry_load(registry, plugins->files.item[i]);
    return fine && (plugins->files.count == 0 || weir_pass_registry_check(registry));
}

typedef struct guarded {
    weir_plugins *plugins;
    int (*body)(void *user);
    void *user;
} guarded;

static int run(weir_pass_instrument *witness, void *user) {
    const guarded *g = user;
    g->plugins->witness = witness;
    /* Once before a model is read, because it may have operators of theirs. */
    weir_pass_registry *registry = weir_pass_registry_new();
    bool fine = weir_passes_register(registry) && weir_plugins_load(g->plugins, registry);
    weir_pass_registry_free(registry);
    return fine ? g->body(g->user) : WEIR_EXIT_INPUT;
}

int weir_plugins_guard(weir_plugins *plugins, int (*body)(void *user), void *user) {
    guarded g = {plugins, body, user};
    return plugins->files.count == 0 && !plugins->guarded ? body(user) : weir_pass_guard(run, &g);
}
