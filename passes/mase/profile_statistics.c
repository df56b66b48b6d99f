/* profile_statistics: statistics (statistic.h) of parameters and of what flows into chosen nodes, and out of them when
 * profile_output_activation says so, as the facts software.args.NAME.stat and software.results.NAME.stat.
 * A sample of a parameter is the whole tensor, [1, N] when it has one axis, quantized ones in the real numbers that
 * they stand for; a sample of an activation is one entry of the batch that the graph takes, kept as [1, ...].
 * ceil(num_samples / batch_size) batches run. */
#include <stdlib.h>
#include <string.h>

#include "cosim/frames.h"
#include "ir/trait/mase.h"
#include "passes/mase/fact.h"
#include "passes/mase/statistic.h"
#include "passes/passes.h"
#include "passes/setting.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* An argument or result that is watched. */
typedef struct probe {
    weir_node node;
    weir_value value;
    char name[WEIR_MASE_NAME_SIZE];
    weir_statistic **statistic;
    size_t count;
} probe;

typedef struct profile {
    weir_graph *graph;
    const weir_pass *pass;
    bool by_type;
    int64_t batch; /* entries that the graph takes at once */
    probe *probes; /* parameters, then activations */
    size_t count, capacity, parameters;
} profile;

/* --- which nodes --- */

/* Is the name one of MASE's operators? */
static bool is_type(const char *name) {
    for (weir_op op = WEIR_OP_NONE + 1; op < weir_op_limit(); op++) {
        if (strcmp(weir_mase_name(op), name) == 0) return true;
    }
    return false;
}

static const char *label(const profile *p, weir_node node) {
    return p->by_type ? weir_mase_op(p->graph, node) : weir_node_name(p->graph, node);
}

/* Every target names a node, or an operator; of these the graph must have one, and lacks no other without a word. */
static bool check_targets(const profile *p, const char *option, const json_t *targets) {
    const char **names = weir_calloc(weir_graph_node_count(p->graph) + 1, sizeof *names);
    size_t count = 0, found = 0, index;
    for (weir_node node = weir_graph_first(p->graph); node.id != 0; node = weir_node_next(p->graph, node))
        names[count++] = label(p, node);
    json_t *target;
    bool fine = true;
    json_array_foreach(targets, index, target) {
        const char *name = json_is_string(target) ? json_string_value(target) : "";
        size_t at = 0;
        while (at < count && strcmp(names[at], name) != 0) at++;
        found += at < count;
        if (at < count) continue;
        const bool known = p->by_type && is_type(name) && (found > 0 || index + 1 < json_array_size(targets));
        (known ? weir_warning : weir_error)(weir_at(weir_graph_source(p->graph), 0), "%s: no %s '%s' in graph '%s'",
                                            option, p->by_type ? "operator" : "node", name, weir_graph_name(p->graph));
        const char *near = weir_suggest(name, names, count);
        if (near != NULL) weir_note("did you mean '%s'?", near);
        fine &= known;
    }
    free(names);
    return fine;
}

/* --- what is watched --- */

static bool add_probe(profile *p, weir_node node, weir_value value, const char *name, const json_t *statistics,
                      const char *option) {
    p->probes = weir_grow(p->probes, &p->capacity, p->count + 1, sizeof *p->probes);
    probe *new = &p->probes[p->count++];
    *new = (probe){.node = node, .value = value};
    strcpy(new->name, name);
    new->statistic = weir_calloc(json_object_size(statistics), sizeof(weir_statistic *));
    char *where = weir_format("%s: node '%s', %s", option, weir_node_name(p->graph, node), name);
    const char *key;
    json_t *arguments;
    bool fine = true;
    json_object_foreach((json_t *)statistics, key, arguments) {
        weir_statistic *statistic = weir_statistic_new(key, arguments, where);
        if (statistic != NULL) new->statistic[new->count++] = statistic;
        fine = fine && statistic != NULL;
    }
    free(where);
    return fine;
}

/* The node's parameters, or its data. */
static bool add_arguments(profile *p, weir_node node, bool parameters, const json_t *statistics, const char *option) {
    char name[WEIR_MASE_NAME_SIZE];
    for (size_t i = 0; i < weir_node_input_count(p->graph, node); i++) {
        weir_mase_role role = weir_mase_input(p->graph, node, i, name);
        weir_value value = weir_node_input(p->graph, node, i);
        bool fixed = role == WEIR_MASE_PARAMETER && weir_mase_constant(p->graph, value) != NULL;
        bool wanted = parameters ? fixed : role == WEIR_MASE_DATA || (role == WEIR_MASE_PARAMETER && !fixed);
        if (wanted && !add_probe(p, node, value, name, statistics, option)) return false;
    }
    for (size_t i = 0; !parameters && weir_pass_bool(p->pass, "profile_output_activation") &&
                       i < weir_node_output_count(p->graph, node);
         i++) {
        weir_mase_output(i, name);
        if (!add_probe(p, node, weir_node_output(p->graph, node, i), name, statistics, option)) return false;
    }
    return true;
}

/* Probes at the nodes of one option with the statistics of another. */
static bool add_targets(profile *p, const char *option, const char *statistics_option, bool parameters) {
    json_t *targets = weir_setting_list(p->pass, option);
    json_t *statistics = weir_setting_mapping(p->pass, statistics_option);
    bool fine = targets != NULL && statistics != NULL && check_targets(p, option, targets);
    if (fine && json_array_size(targets) > 0 && json_object_size(statistics) == 0) {
        weir_error(WEIR_NOWHERE, "profile_statistics: '%s' needs '%s'", option, statistics_option);
        fine = false;
    }
    for (weir_node node = weir_graph_first(p->graph); fine && node.id != 0; node = weir_node_next(p->graph, node)) {
        if (weir_setting_has(targets, label(p, node)))
            fine = add_arguments(p, node, parameters, statistics, statistics_option);
    }
    json_decref(targets);
    json_decref(statistics);
    return fine;
}

/* --- samples --- */

static bool update(const probe *to, const weir_array *sample) {
    for (size_t i = 0; i < to->count; i++) {
        if (!weir_statistic_update(to->statistic[i], sample)) return false;
    }
    return true;
}

static bool see_parameters(const profile *p) {
    if (p->parameters == 0) return true;
    weir_executor *executor = weir_executor_new(p->graph);
    bool fine = executor != NULL;
    for (size_t i = 0; fine && i < p->parameters; i++) {
        weir_array whole = *weir_executor_value(executor, p->probes[i].value);
        if (whole.shape.rank == 1) whole.shape = (weir_shape){2, {1, whole.shape.dim[0]}};
        fine = update(&p->probes[i], &whole);
    }
    weir_executor_free(executor);
    return fine;
}

/* The entries of the batch one by one, where the value has one for each. */
static bool see_frame(void *user, const weir_executor *executor) {
    const profile *p = user;
    for (size_t i = p->parameters; i < p->count; i++) {
        const weir_array *whole = weir_executor_value(executor, p->probes[i].value);
        bool batched = whole->shape.rank > 0 && whole->shape.dim[0] == p->batch &&
                       weir_value_constant(p->graph, p->probes[i].value) == NULL;
        int64_t entries = batched ? p->batch : 1;
        weir_array entry = *whole;
        entry.count /= (size_t)entries;
        if (entries > 1) entry.shape.dim[0] = 1;
        for (int64_t e = 0; e < entries; e++) {
            entry.data = (char *)whole->data + (size_t)e * entry.count * weir_dtype_size(entry.dtype);
            if (!update(&p->probes[i], &entry)) return false;
        }
    }
    return true;
}

/* Samples that ran; -1 after a reported error. */
static int64_t see_activations(profile *p) {
    if (p->count == p->parameters) return 0;
    const char *data = weir_pass_string(p->pass, "input_generator");
    if (*data == '\0') {
        weir_error(WEIR_NOWHERE, "profile_statistics: 'target_activation_nodes' needs 'input_generator', a data file");
        return -1;
    }
    int64_t size = weir_pass_int(p->pass, "batch_size"), samples = weir_pass_int(p->pass, "num_samples");
    samples = (samples + size - 1) / size * size;
    int64_t frames = weir_frames_run(p->graph, data, (samples + p->batch - 1) / p->batch, see_frame, p);
    return frames < 0 ? -1 : frames * p->batch;
}

/* --- results --- */

static void keep_results(const profile *p, json_t *record) {
    json_t *nodes = json_object();
    for (size_t i = 0; i < p->count; i++) {
        const probe *from = &p->probes[i];
        const char *node = weir_node_name(p->graph, from->node);
        json_t *stat = json_object();
        for (size_t s = 0; s < from->count; s++)
            json_object_set_new(stat, weir_statistic_name(from->statistic[s]),
                                weir_statistic_result(from->statistic[s]));
        if (json_object_get(nodes, node) == NULL) json_object_set_new(nodes, node, json_object());
        json_object_set_new(json_object_get(nodes, node), from->name, json_deep_copy(stat));
        weir_fact_set(p->graph, from->node, from->name, "stat", stat);
    }
    json_object_set_new(record, "nodes", nodes);
}

static bool run(profile *p, weir_pass_context *context) {
    weir_value input = weir_graph_input_count(p->graph) > 0 ? weir_graph_input(p->graph, 0) : WEIR_NO_VALUE;
    const weir_type *type = input.id == 0 ? NULL : weir_value_type(p->graph, input);
    p->batch = type != NULL && type->shape.rank > 1 ? type->shape.dim[0] : 1;
    if (!add_targets(p, "target_weight_nodes", "weight_statistics", true)) return false;
    p->parameters = p->count;
    if (!add_targets(p, "target_activation_nodes", "activation_statistics", false)) return false;
    if (!see_parameters(p)) return false;
    int64_t samples = see_activations(p);
    if (samples < 0) return false;
    json_t *record = weir_pass_record(context);
    json_object_set_new(record, "num_samples", json_integer(samples));
    keep_results(p, record);
    weir_pass_count(context, "tensors profiled", (int64_t)p->count);
    return true;
}

bool weir_pass_profile_statistics(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    weir_pass *own = weir_setting_read(pass, context);
    if (own == NULL) return false;
    profile p = {.graph = graph, .pass = own, .by_type = strcmp(weir_pass_string(own, "by"), "type") == 0};
    bool fine = run(&p, context);
    for (size_t i = 0; i < p.count; i++) {
        for (size_t s = 0; s < p.probes[i].count; s++) weir_statistic_free(p.probes[i].statistic[s]);
        free(p.probes[i].statistic);
    }
    free(p.probes);
    weir_pass_free(own);
    return fine;
}
