/* keep_state: an input and the output that is its next value become a State that is kept from frame to frame
 * (ir/trait/recurrence.h) and starts with zeros. O(inputs * outputs). */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir/shape/infer.h"
#include "ir/trait/recurrence.h"
#include "ir/trait/trait.h"
#include "passes/graph/rewrite.h"
#include "passes/graph/state_channels.h"
#include "passes/graph/state_parts.h"
#include "passes/passes.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"

/* --- the user's pairs --- */

enum { NOWHERE = -1 };

/* Of the graph, by index. */
typedef struct pair {
    size_t input, output;
} pair;

static const char *input_name(const weir_graph *graph, size_t index) {
    return weir_value_name(graph, weir_graph_input(graph, index));
}

static int find_name(const weir_graph *graph, bool of_output, const char *name) {
    const size_t count = of_output ? weir_graph_output_count(graph) : weir_graph_input_count(graph);
    for (size_t i = 0; i < count; i++)
        if (strcmp(of_output ? weir_graph_output_name(graph, i) : input_name(graph, i), name) == 0) return (int)i;
    const char **names = weir_calloc(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = of_output ? weir_graph_output_name(graph, i) : input_name(graph, i);
    weir_error(WEIR_NOWHERE, "state: the model has no %s '%s'", of_output ? "output" : "input", name);
    weir_suggest_note(name, names);
    free(names);
    return NOWHERE;
}

static bool fail_shapes(const weir_graph *graph, pair p) {
    const weir_type *a = weir_value_type(graph, weir_graph_input(graph, p.input)),
                    *b = weir_value_type(graph, weir_graph_output(graph, p.output));
    char x[WEIR_SHAPE_TEXT], y[WEIR_SHAPE_TEXT];
    weir_error(WEIR_NOWHERE, "state '%s=%s': expected one type, or more entries along an axis, found %s%s and %s%s",
               input_name(graph, p.input), weir_graph_output_name(graph, p.output), weir_dtype_name(a->dtype),
               weir_shape_print(&a->shape, x, sizeof x), weir_dtype_name(b->dtype),
               weir_shape_print(&b->shape, y, sizeof y));
    return false;
}

/* One type, or the output has the input's entries along an axis and more, as keys of attention with this step's: the
 * axis, else NOWHERE. */
static bool is_alike(const weir_graph *graph, size_t input, size_t output, int *axis) {
    const weir_type *a = weir_value_type(graph, weir_graph_input(graph, input)),
                    *b = weir_value_type(graph, weir_graph_output(graph, output));
    size_t count;
    *axis = NOWHERE;
    if (a->dtype != b->dtype || a->shape.rank != b->shape.rank || !weir_shape_count(&a->shape, &count) || count == 0)
        return false;
    for (int i = 0; i < a->shape.rank; i++) {
        if (a->shape.dim[i] == b->shape.dim[i]) continue;
        if (*axis != NOWHERE || b->shape.dim[i] < a->shape.dim[i]) return false;
        *axis = i;
    }
    return true;
}

/* Can it be computed in the next step only? What is no node's result is known before. */
static bool is_computed(const weir_graph *graph, size_t output) {
    return weir_value_producer(graph, weir_graph_output(graph, output)).id != 0;
}

/* --- the State --- */

/* One of the quantizers that read the value, where nothing else does and all are equal, of one scale. */
static weir_node joint_quantizer(const weir_graph *graph, weir_value value) {
    weir_node first = WEIR_NO_NODE;
    for (size_t i = 0; i < weir_value_use_count(graph, value); i++) {
        const weir_use use = weir_value_use(graph, value, i);
        if (weir_recurrence_names_state(graph, use.node, use.index)) continue;
        if (weir_trait_of(weir_node_op(graph, use.node))->task != WEIR_TASK_QUANTIZER) return WEIR_NO_NODE;
        if (first.id == 0) first = use.node;
        if (!weir_rewrite_same_node(graph, first, use.node)) return WEIR_NO_NODE;
    }
    const weir_array *scale = first.id == 0 ? NULL : weir_value_constant(graph, weir_node_input(graph, first, 1));
    return scale != NULL && scale->count == 1 ? first : WEIR_NO_NODE;
}

/* What is remembered has the codes that its readers make of it: the same numbers for them. */
static weir_value quantized_like(weir_rewrite *r, weir_value value, weir_node quantizer) {
    enum { MOST_INPUTS = 8 };
    weir_value input[MOST_INPUTS] = {value};
    const size_t count = weir_node_input_count(r->graph, quantizer);
    assert(count >= 2 && count <= MOST_INPUTS);
    for (size_t i = 1; i < count; i++) input[i] = weir_node_input(r->graph, quantizer, i);
    const weir_value made = weir_rewrite_start(r, weir_node_op(r->graph, quantizer), "quantized", input, count);
    weir_rewrite_copy_attributes(r, made, quantizer);
    weir_rewrite_infer(r, made);
    if (weir_dtype_is_float(weir_value_type(r->graph, made)->dtype)) return made;
    input[0] = made;
    return weir_rewrite_node(r, WEIR_OP_DEQUANTIZE_LINEAR, "dequantized", input, count);
}

/* The State in the input's place, whose name it takes; the input itself becomes its initial value. */
static weir_node add_state(weir_graph *graph, weir_value given) {
    char *name = weir_copy_string(weir_value_name(graph, given)), *start = weir_format("%s_start", name);
    const weir_node state =
        weir_graph_add_node(graph, WEIR_OP_STATE, name, &(weir_value){0}, 1, 1, weir_graph_first(graph));
    const weir_value held = weir_node_output(graph, state, 0);
    weir_node_set_int(graph, state, "steps", 1);
    weir_node_set_int(graph, state, "kept", 1);
    weir_value_replace(graph, given, held);
    weir_array *zeros = weir_array_new(weir_value_type(graph, given)->dtype, &weir_value_type(graph, given)->shape);
    weir_value_bind(graph, given, zeros);
    weir_value_set_name(graph, given, start);
    weir_value_set_name(graph, held, name);
    weir_node_set_input(graph, state, 0, given);
    weir_array_free(zeros);
    free(start);
    free(name);
    return state;
}

static weir_value whole_number(weir_graph *graph, const char *name, int64_t number) {
    weir_array *array = weir_array_new(WEIR_INT64, &(weir_shape){1, {1}});
    weir_array_set_int(array, 0, number);
    const weir_value made = weir_graph_add_constant(graph, name, array);
    weir_array_free(array);
    return made;
}

/* The latest entries along the axis, as many as the State has; none after an error. */
static weir_value latest_of(weir_graph *graph, weir_value value, int axis, int64_t count) {
    const int64_t all = weir_value_type(graph, value)->shape.dim[axis];
    const weir_value input[] = {value, whole_number(graph, "latest_begin", all - count),
                                whole_number(graph, "latest_end", all), whole_number(graph, "latest_axis", axis)};
    const weir_node slice = weir_graph_add_node(graph, WEIR_OP_SLICE, "latest", input, 4, 1, WEIR_NO_NODE);
    weir_node_set_location(graph, slice, weir_node_location(graph, weir_value_producer(graph, value)));
    return weir_infer_node(graph, slice) ? weir_node_output(graph, slice, 0) : WEIR_NO_VALUE;
}

static bool keep(weir_graph *graph, pair p) {
    int axis;
    is_alike(graph, p.input, p.output, &axis);
    const weir_value given = weir_graph_input(graph, p.input), last = weir_graph_output(graph, p.output);
    const weir_shape shape = weir_value_type(graph, given)->shape;
    const weir_value next = axis == NOWHERE ? last : latest_of(graph, last, axis, shape.dim[axis]);
    if (next.id == 0) return false;
    const weir_node state = add_state(graph, given);
    const bool fine = weir_infer_node(graph, state);
    const weir_value held = weir_node_output(graph, state, 0);
    const weir_node update = weir_graph_add_node(graph, WEIR_OP_UPDATE, weir_graph_output_name(graph, p.output),
                                                 (weir_value[]){next, held}, 2, 1, WEIR_NO_NODE);
    weir_graph_remove_output(graph, p.output);
    return fine && weir_infer_node(graph, update) && weir_state_take_apart(graph, state) > 0;
}

static bool share_quantizers(weir_graph *graph) {
    weir_rewrite r = {.graph = graph};
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE || !weir_recurrence_spans(graph, node)) continue;
        const weir_node quantizer = joint_quantizer(graph, weir_node_output(graph, node, 0));
        r.at = weir_recurrence_update(graph, node);
        if (quantizer.id == 0) continue;
        const weir_value next = weir_node_input(graph, r.at, 0);
        weir_node_set_input(graph, r.at, 0, quantized_like(&r, next, quantizer));
    }
    return weir_rewrite_finish(&r);
}

/* --- pairs that names and shapes leave no doubt about --- */

/* Words that say which of the two it is, and words of what networks remember. */
static const char *const sides[] = {"in",      "input", "out",   "output", "prev",    "previous", "next",
                                    "new",     "old",   "last",  "past",   "present", "cur",      "current",
                                    "initial", "init",  "final", "0",      "n",       "t",        "1"};
static const char *const memories[] = {"state", "states", "cache", "hidden",  "cell",   "h",
                                       "c",     "hx",     "cx",    "hh",      "mem",    "memory",
                                       "buf",   "buffer", "ctx",   "context", "history"};

static bool is_word(const char *word, const char *const *list, size_t count) {
    size_t i = 0;
    while (i < count && strcmp(list[i], word) != 0) i++;
    return i < count;
}

static bool is_side(const char *word) { return is_word(word, sides, sizeof sides / sizeof *sides); }
static bool is_memory(const char *word) { return is_word(word, memories, sizeof memories / sizeof *memories); }

/* A word's first letters without a side at its end: "hn" and "h0" are "h". */
static void cut_side(char *word) {
    const size_t size = strlen(word);
    if (size == 2 && (word[0] == 'h' || word[0] == 'c') && (word[1] == '0' || word[1] == 'n')) word[1] = '\0';
}

/* The name's words without sides, each with '_' behind it. Heap memory. */
static char *stem_of(const char *name, bool *remembers) {
    weir_text stem = {NULL, 0, 0};
    weir_text_add(&stem, "");
    *remembers = false;
    for (const char *at = name; *at != '\0';) {
        char word[64];
        size_t size = 0;
        const char *start = at;
        for (; isalnum((unsigned char)*at) &&
               (at == start || !isupper((unsigned char)*at) || isupper((unsigned char)at[-1]));
             at++)
            if (size < sizeof word - 1) word[size++] = (char)tolower((unsigned char)*at);
        if (at == start) {
            at++;
            continue;
        }
        word[size] = '\0';
        cut_side(word);
        *remembers |= is_memory(word);
        if (!is_side(word)) weir_text_format(&stem, "%s_", word);
    }
    return stem.data;
}

/* The only output whose name is that of the input but for its side; NOWHERE: none, or several. */
static int output_of(const weir_graph *graph, size_t input) {
    bool remembers;
    char *stem = stem_of(input_name(graph, input), &remembers);
    int found = NOWHERE;
    size_t count = 0;
    for (size_t i = 0; *stem != '\0' && remembers && i < weir_graph_output_count(graph); i++) {
        bool other;
        char *own = stem_of(weir_graph_output_name(graph, i), &other);
        if (strcmp(own, stem) == 0) {
            count++;
            found = (int)i;
        }
        free(own);
    }
    free(stem);
    int axis;
    return count == 1 && is_alike(graph, input, (size_t)found, &axis) && is_computed(graph, (size_t)found) ? found
                                                                                                           : NOWHERE;
}

/* All that are found; none where an output would be two States' or nothing else would come in or go out. */
static size_t find_pairs(const weir_graph *graph, pair *to) {
    size_t count = 0;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const int output = output_of(graph, i);
        if (output == NOWHERE) continue;
        for (size_t k = 0; k < count; k++)
            if (to[k].output == (size_t)output) return 0;
        to[count++] = (pair){i, (size_t)output};
    }
    return count < weir_graph_input_count(graph) && count < weir_graph_output_count(graph) ? count : 0;
}

/* --- the pass --- */

static bool read_pair(const weir_graph *graph, const char *text, pair *to) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0') {
        weir_error(WEIR_NOWHERE, "state '%s': expected IN=OUT, an input and the output that is its next value", text);
        return false;
    }
    char *in = weir_format("%.*s", (int)(equals - text), text);
    const int input = find_name(graph, false, in),
              output = input == NOWHERE ? NOWHERE : find_name(graph, true, equals + 1);
    free(in);
    if (output == NOWHERE) return false;
    *to = (pair){(size_t)input, (size_t)output};
    int axis;
    if (!is_alike(graph, to->input, to->output, &axis)) return fail_shapes(graph, *to);
    if (is_computed(graph, to->output)) return true;
    weir_error(WEIR_NOWHERE, "state '%s': no node computes output '%s'", text, equals + 1);
    return false;
}

/* Several pairs at once would be out of order: each is kept before the next one is read. */
static bool keep_named(weir_graph *graph, const char *states, int64_t *made) {
    char *items = weir_copy_string(states), *rest = NULL;
    bool fine = true;
    for (char *text = strtok_r(items, ",\n", &rest); fine && text != NULL; text = strtok_r(NULL, ",\n", &rest)) {
        pair p;
        fine = read_pair(graph, text, &p);
        if (fine && (weir_graph_output_count(graph) == 1 || weir_graph_input_count(graph) == 1)) {
            weir_error(WEIR_NOWHERE, "state '%s': the model would have no %s left", text,
                       weir_graph_output_count(graph) == 1 ? "output" : "input");
            fine = false;
        }
        fine = fine && keep(graph, p);
        *made += fine;
    }
    free(items);
    return fine;
}

static bool keep_found(weir_graph *graph, int64_t *made) {
    pair *found = weir_calloc(weir_graph_input_count(graph) + 1, sizeof *found);
    const size_t count = find_pairs(graph, found);
    bool fine = true;
    for (size_t i = count; fine && i-- > 0;) {
        weir_note("input '%s' is kept on the chip from frame to frame: output '%s' is its next value",
                  input_name(graph, found[i].input), weir_graph_output_name(graph, found[i].output));
        fine = keep(graph, found[i]);
        for (size_t k = 0; k < i; k++) found[k].output -= found[k].output > found[i].output;
        *made += fine;
    }
    if (count > 0) weir_note("'--state none' leaves %s to the host", count == 1 ? "it" : "them");
    free(found);
    return fine;
}

/* Of the data, for software: hardware is told by whoever sends the frames. */
static bool set_sequence(weir_graph *graph, int64_t frames) {
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
        if (weir_node_op(graph, node) != WEIR_OP_STATE || !weir_recurrence_is_kept(graph, node)) continue;
        const int64_t longest = weir_node_int(graph, node, "longest", 0);
        if (longest > 0 && frames > longest) {
            weir_error(WEIR_NOWHERE, "a sequence of %lld frames: the model has room for %lld", (long long)frames,
                       (long long)longest);
            weir_note("export it with more, or let it forget the oldest ones: --decode IN=AXIS:ring");
            return false;
        }
        weir_node_set_int(graph, node, "sequence", frames);
    }
    return true;
}

bool weir_pass_keep_state(const weir_pass *pass, weir_pass_context *context, weir_module *module) {
    weir_graph *graph = weir_module_find_graph(module, "model");
    const char *states = weir_pass_string(pass, "states");
    const int64_t sequence = weir_pass_int(pass, "sequence");
    int64_t made = 0;
    bool fine = *states == '\0' ? keep_found(graph, &made) : keep_named(graph, states, &made);
    if (fine && sequence > 0 && weir_recurrence_first_kept(graph).id == 0) {
        weir_error(WEIR_NOWHERE, "a sequence of %lld frames: the model keeps no state", (long long)sequence);
        weir_note("name it with --state IN=OUT");
        fine = false;
    }
    fine = fine && (made == 0 || (share_quantizers(graph) && weir_state_channels_innermost(graph)));
    fine = fine && (sequence == 0 || set_sequence(graph, sequence));
    weir_pass_count(context, "states", made);
    return fine;
}
