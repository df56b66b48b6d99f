/* Damaged graphs and the verifier. `damage text SEED COUNT MODEL...` damages text forms by meaning (operands, numbers,
 * words, lines, arrays): each is refused with an error at its line, or is a graph on which the verifier, inference, the
 * text form and the executor agree. `damage pass SEED COUNT MODEL...` breaks graphs inside a pass: each break is named
 * by the verifying instrument. With `planted` in front of SEED a pass changes nothing: the run must fail.
 * Subjects are each model as imported, lowered and with components, and random graphs. The seed of a crash or a failure
 * is printed; `damage text SEED 1 MODEL...` repeats it. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/round_trip.h"
#include "exec/exec.h"
#include "frontend/import/onnx.h"
#include "ir/graph/print.h"
#include "ir/graph/verify.h"
#include "ir/shape/infer.h"
#include "pass/run/instrument.h"
#include "passes/passes.h"
#include "random/generator.h"
#include "support/memory/arena.h"

enum { STAGES = 3, ELEMENTS_TO_RUN = 1 << 18, MAX_FAILURES = 10 };

typedef struct subjects {
    weir_graph **graph;
    size_t count, capacity;
} subjects;

static uint64_t current_seed;

/* The seed is all that a crash leaves. */
static void on_crash(int number) {
    char text[64];
    const int size = snprintf(text, sizeof text, "crash at seed %llu\n", (unsigned long long)current_seed);
    if (write(STDOUT_FILENO, text, (size_t)size) != size) _exit(1);
    signal(number, SIG_DFL);
    raise(number);
}

static size_t located, unlocated; /* errors since the last reset, with a line and without */

static void count_locations(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    if (diagnostic->severity != WEIR_SEVERITY_ERROR) return;
    if (diagnostic->location.file != NULL && diagnostic->location.line > 0) located++;
    else unlocated++;
}

/* --- subjects --- */

static void add_subject(subjects *s, weir_graph *graph) {
    s->graph = weir_grow(s->graph, &s->capacity, s->count + 1, sizeof *s->graph);
    s->graph[s->count++] = graph;
}

static bool run_pipeline(weir_pass_registry *registry, const char *text, weir_module *module,
                         weir_pass_instrument *instrument) {
    weir_pass *pass = weir_pass_parse(registry, text, WEIR_NOWHERE);
    weir_pass_context *context = weir_pass_context_new(registry);
    if (instrument != NULL) weir_pass_context_add_instrument(context, instrument);
    const bool fine = pass != NULL && weir_pass_run(context, pass, module);
    weir_pass_context_free(context);
    weir_pass_free(pass);
    return fine;
}

static void add_model(subjects *s, weir_pass_registry *registry, const char *path) {
    static const char *const stages[STAGES] = {"model", "integer", "hardware"};
    weir_module *module = weir_module_new("m");
    weir_graph *model = weir_onnx_import(path, NULL);
    if (model == NULL) exit(1);
    weir_graph_set_name(model, "model");
    weir_module_add_graph(module, model);
    if (!run_pipeline(registry, "lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos", module,
                      NULL))
        exit(1);
    for (int i = 0; i < STAGES; i++) add_subject(s, weir_graph_copy(weir_module_find_graph(module, stages[i])));
    weir_module_free(module);
}

static const weir_graph *pick_subject(const subjects *s, random_source *r, weir_graph **made) {
    const int64_t choice = random_range(r, 0, (int64_t)s->count + 3);
    *made = NULL;
    if (choice < (int64_t)s->count) return s->graph[choice];
    return *made = choice % 2 == 0 ? random_float_graph(r) : random_integer_graph(r);
}

/* --- damage to texts --- */

typedef struct word {
    size_t at, size;
} word;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.'; }

/* A random word of the text: a name, a keyword, a number. */
static word pick_word(random_source *r, const weir_text *text) {
    word w = {(size_t)random_range(r, 0, (int64_t)text->size - 1), 0};
    while (w.at < text->size && !is_word(text->data[w.at])) w.at++;
    while (w.at > 0 && is_word(text->data[w.at - 1])) w.at--;
    while (w.at + w.size < text->size && is_word(text->data[w.at + w.size])) w.size++;
    return w;
}

static word pick_number(random_source *r, const weir_text *text) {
    word w = {0, 0};
    for (int tries = 0; tries < 100; tries++) {
        w = pick_word(r, text);
        if (w.size > 0 && (isdigit((unsigned char)text->data[w.at]) || text->data[w.at] == '-')) break;
    }
    return w;
}

static word pick_line(random_source *r, const weir_text *text) {
    word w = {(size_t)random_range(r, 0, (int64_t)text->size - 1), 0};
    while (w.at > 0 && text->data[w.at - 1] != '\n') w.at--;
    while (w.at + w.size < text->size && text->data[w.at + w.size] != '\n') w.size++;
    w.size += w.at + w.size < text->size;
    return w;
}

static void replace(weir_text *text, word w, const char *with, size_t size) {
    weir_text made = {0};
    weir_text_add_n(&made, text->data, w.at);
    weir_text_add_n(&made, with, size);
    weir_text_add_n(&made, text->data + w.at + w.size, text->size - w.at - w.size);
    weir_text_free(text);
    *text = made;
}

static void change_number(random_source *r, weir_text *text) {
    static const char *const others[] = {"0", "1", "-1", "2", "64", "255", "4294967296", "9223372036854775807", "0.5"};
    const word w = pick_number(r, text);
    char made[64];
    const long long old = strtoll(text->data + w.at, NULL, 10);
    if (random_chance(r, 60)) snprintf(made, sizeof made, "%lld", old + (long long)random_range(r, -2, 2));
    else snprintf(made, sizeof made, "%s", others[random_range(r, 0, sizeof others / sizeof *others - 1)]);
    replace(text, w, made, strlen(made));
}

static void exchange_word(random_source *r, weir_text *text) {
    static const char *const words[] = {"int8",   "uint8",  "int32",    "float32",   "integer", "fixed",
                                        "binary", "s8",     "u4",       "half-even", "axis",    "Identity",
                                        "Relu",   "MatMul", "Reshape",  "Transpose", "low",     "shift",
                                        "simd",   "pe",     "in_lanes", "symmetric", "_",       "Gemm"};
    const word w = pick_word(r, text);
    if (random_chance(r, 40)) {
        const char *other = words[random_range(r, 0, sizeof words / sizeof *words - 1)];
        replace(text, w, other, strlen(other));
        return;
    }
    const word from = pick_word(r, text);
    char *copy = weir_format("%.*s", (int)from.size, text->data + from.at);
    replace(text, w, copy, from.size);
    free(copy);
}

/* Two operands change places. */
static void swap_operands(random_source *r, weir_text *text) {
    word w[2];
    for (int i = 0; i < 2; i++) {
        for (int tries = 0; tries < 200; tries++) {
            w[i] = pick_word(r, text);
            if (w[i].at > 0 && text->data[w[i].at - 1] == '%') break;
        }
    }
    if (w[0].at > w[1].at) {
        const word first = w[1];
        w[1] = w[0];
        w[0] = first;
    }
    if (w[0].at + w[0].size > w[1].at) return;
    char *a = weir_format("%.*s", (int)w[0].size, text->data + w[0].at);
    char *b = weir_format("%.*s", (int)w[1].size, text->data + w[1].at);
    replace(text, w[1], a, w[0].size);
    replace(text, w[0], b, w[1].size);
    free(a);
    free(b);
}

static void change_lines(random_source *r, weir_text *text) {
    const word w = pick_line(r, text), from = pick_line(r, text);
    char *copy = weir_format("%.*s", (int)from.size, text->data + from.at);
    if (random_chance(r, 50)) replace(text, w, "", 0);
    else replace(text, (word){w.at, random_chance(r, 50) ? w.size : 0}, copy, from.size);
    free(copy);
}

/* --- damage to arrays --- */

static void change_array(random_source *r, weir_archive *archive) {
    static const double odd[] = {0, -1, 1e300, -1e-300, 0.0 / 1.0, 127, 128, 4294967296.0};
    if (archive->count == 0) return;
    const size_t at = (size_t)random_range(r, 0, (int64_t)archive->count - 1);
    const size_t other = (size_t)random_range(r, 0, (int64_t)archive->count - 1);
    weir_array *array = archive->array[at], *made = NULL;
    switch (random_range(r, 0, 4)) {
    case 0: /* exchange two */
        archive->array[at] = archive->array[other];
        archive->array[other] = array;
        return;
    case 1: made = weir_array_convert(array, (weir_dtype)random_range(r, 0, WEIR_DTYPE_COUNT - 1)); break;
    case 2: { /* another shape */
        weir_shape shape = array->shape;
        if (shape.rank > 0) shape.dim[random_range(r, 0, shape.rank - 1)] += random_range(r, 0, 1) * 2 - 1;
        else shape = (weir_shape){1, {2}};
        size_t count;
        if (!weir_shape_count(&shape, &count)) return;
        made = weir_array_new(array->dtype, &shape);
        for (size_t i = 0; i < made->count && i < array->count; i++) weir_array_set(made, i, weir_array_get(array, i));
        break;
    }
    default:
        if (array->count == 0) return;
        weir_array_set(array, (size_t)random_range(r, 0, (int64_t)array->count - 1),
                       odd[random_range(r, 0, sizeof odd / sizeof *odd - 1)]);
        return;
    }
    weir_array_free(array);
    archive->array[at] = made;
}

static void damage_text(random_source *r, weir_text *text, weir_archive *archive) {
    switch (random_range(r, 0, 9)) {
    case 0:
    case 1:
    case 2: change_number(r, text); break;
    case 3:
    case 4: exchange_word(r, text); break;
    case 5:
    case 6: swap_operands(r, text); break;
    case 7: change_lines(r, text); break;
    default: change_array(r, archive);
    }
}

/* --- what must hold of an accepted graph --- */

static bool is_small(const weir_graph *graph) {
    size_t sum = 0, count;
    for (uint32_t id = 1; id < weir_graph_value_limit(graph); id++) {
        if (!weir_value_exists(graph, (weir_value){id})) continue;
        if (!weir_shape_count(&weir_value_type(graph, (weir_value){id})->shape, &count)) return false;
        sum += count;
        if (sum > ELEMENTS_TO_RUN) return false;
    }
    return true;
}

static bool runs(random_source *r, const weir_graph *graph) {
    const size_t inputs = weir_graph_input_count(graph);
    weir_array **input = weir_calloc(inputs, sizeof *input);
    weir_executor *executor = weir_executor_new(graph);
    for (size_t i = 0; i < inputs; i++) input[i] = random_input(r, graph, i);
    const bool fine = executor == NULL
                          ? weir_diag_errors() > 0
                          : weir_executor_run(executor, (const weir_array *const *)input) || weir_diag_errors() > 0;
    for (size_t i = 0; i < inputs; i++) weir_array_free(input[i]);
    weir_executor_free(executor);
    free(input);
    return fine;
}

/* Types after inference are those before, but for ranges that were wider. */
static bool inference_agrees(const weir_graph *graph) {
    weir_graph *copy = weir_graph_copy(graph);
    bool fine = weir_infer_graph(copy) && weir_graph_verify(copy);
    for (uint32_t id = 1; fine && id < weir_graph_value_limit(graph); id++) {
        if (!weir_value_exists(graph, (weir_value){id})) continue;
        const weir_type *was = weir_value_type(graph, (weir_value){id}), *is = weir_value_type(copy, (weir_value){id});
        fine = weir_shape_equal(&was->shape, &is->shape) &&
               (!was->has_range || (is->has_range && is->low >= was->low && is->high <= was->high));
    }
    weir_graph_free(copy);
    return fine;
}

/* Reports, statistics, and for an imported model the whole way to components: none may crash. */
static void use(weir_pass_registry *registry, const weir_graph *graph) {
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_copy(graph));
    run_pipeline(registry,
                 "report_graph,report_node_type,report_node_shape,report_node_meta_param,report_node_hardware_type,"
                 "calculate_avg_bits_mg,add_natural_sparsity_metadata,default",
                 module, NULL);
    weir_module_free(module);
    if (strcmp(weir_graph_name(graph), "model") != 0) return;
    module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_copy(graph));
    run_pipeline(registry, "lower_integer,realize_requantize,choose_folding,insert_streams,size_fifos", module, NULL);
    weir_module_free(module);
}

static const char *judge(random_source *r, weir_pass_registry *registry, weir_graph *graph) {
    if (graph == NULL) {
        if (weir_diag_errors() == 0) return "refused without an error";
        return located == 0 || unlocated > 0 ? "refused without a line" : NULL;
    }
    if (weir_diag_errors() > 0) return "accepted with an error";
    if (!weir_graph_verify(graph)) return "accepted, but does not verify again";
    if (!text_round_trips(graph)) return "the text form does not round-trip";
    if (!inference_agrees(graph)) return "inference gives other types";
    if (!is_small(graph)) return NULL;
    if (!runs(r, graph)) return "does not run and says nothing";
    use(registry, graph);
    return NULL;
}

typedef struct tally {
    uint64_t refused, accepted;
} tally;

static const char *try_text(const subjects *s, weir_pass_registry *registry, uint64_t seed, tally *t) {
    random_source r = random_from(seed);
    weir_graph *made;
    const weir_graph *subject = pick_subject(s, &r, &made);
    weir_text text = {0};
    weir_archive archive;
    weir_archive_init(&archive);
    weir_graph_print(subject, &text);
    weir_graph_collect(subject, &archive);
    for (int64_t more = random_range(&r, 1, 3); more > 0; more -= random_range(&r, 1, 2))
        damage_text(&r, &text, &archive);
    weir_diag_reset();
    located = unlocated = 0;
    weir_graph *graph = weir_graph_parse(text.data, text.size, &archive, "damaged.weir");
    t->accepted += graph != NULL;
    t->refused += graph == NULL;
    const char *what = judge(&r, registry, graph);
    weir_graph_free(graph);
    weir_graph_free(made);
    weir_archive_free(&archive);
    weir_text_free(&text);
    return what;
}

/* --- breaks inside a pass --- */

static random_source breaker;
static bool breaks_nothing, broke;

static weir_node pick_node(random_source *r, const weir_graph *graph) {
    weir_node node = weir_graph_first(graph);
    for (int64_t i = random_range(r, 0, (int64_t)weir_graph_node_count(graph) - 1); i > 0; i--)
        node = weir_node_next(graph, node);
    return node;
}

/* A result's type becomes one that no inference gives: always a break. */
static void break_type(random_source *r, weir_graph *graph, weir_node node) {
    const weir_value value = weir_node_output(graph, node, 0);
    weir_type type = *weir_value_type(graph, value);
    static const double scales[3] = {1, 2, 3};
    switch (random_range(r, 0, 5)) {
    case 0:
        if (type.shape.rank == 0) type.shape = (weir_shape){1, {3}};
        else type.shape.dim[random_range(r, 0, type.shape.rank - 1)] += random_range(r, 1, 3);
        break;
    case 1: type.shape.rank = (int)random_range(r, WEIR_MAX_RANK + 1, 1000); break;
    case 2: type.dtype = type.dtype == WEIR_FLOAT32 ? WEIR_INT8 : WEIR_FLOAT32; break;
    case 3: type.quant.format = type.quant.format == WEIR_FORMAT_FLOAT ? WEIR_FORMAT_INTEGER : WEIR_FORMAT_FLOAT; break;
    case 4:
        type.has_range = true;
        type.low = 5;
        type.high = 4;
        break;
    default:
        type.quant.count = 3;
        type.quant.axis = 5;
        type.quant.scale = scales;
        type.quant.zero_point = NULL;
    }
    weir_value_set_type(graph, value, &type);
}

/* An input becomes a value of another shape or element type, which no operator takes for the same one. */
static bool break_input(random_source *r, weir_graph *graph, weir_node node) {
    weir_array *odd = weir_array_new(random_chance(r, 50) ? WEIR_BOOL : WEIR_FLOAT16, &(weir_shape){3, {7, 1, 11}});
    const weir_value value = weir_graph_add_constant(graph, "odd", odd);
    weir_array_free(odd);
    weir_node_set_input(graph, node, 0, value);
    return true;
}

/* A user in front of the node that makes what it uses. */
static bool break_order(random_source *r, weir_graph *graph, weir_node node) {
    (void)r;
    const weir_value value = weir_node_output(graph, node, 0);
    if (weir_value_use_count(graph, value) == 0) return false;
    weir_graph_move_before(graph, weir_value_use(graph, value, 0).node, node);
    return true;
}

static void break_attribute(random_source *r, weir_graph *graph, weir_node node) {
    if (random_chance(r, 50)) weir_node_set_int(graph, node, "no_such_attribute", 1);
    else if (weir_node_attribute_count(graph, node) == 0) weir_node_set_string(graph, node, "axis", "one");
    else {
        const weir_attribute *attribute = weir_node_attribute_at(graph, node, 0);
        const char *name = attribute->name;
        if (attribute->kind == WEIR_ATTRIBUTE_STRING) weir_node_set_int(graph, node, name, 3);
        else weir_node_set_string(graph, node, name, "three");
    }
}

static void break_metadata(random_source *r, weir_graph *graph, weir_node node) {
    weir_metadata *metadata = weir_node_metadata(graph, node);
    if (random_chance(r, 50)) {
        metadata->software = (weir_meta_software){4, 2, 1};
        return;
    }
    metadata->hardware.assigned = true;
    metadata->hardware.in_lanes += 1;
    weir_settings_set(&metadata->hardware.settings, "simd", WEIR_SETTINGS_BEFORE_LANES, -1);
}

static bool run_breaker(const weir_pass *pass, weir_pass_context *context, weir_graph *graph) {
    (void)pass;
    (void)context;
    random_source *r = &breaker;
    broke = weir_graph_node_count(graph) > 0;
    if (!broke) return true;
    weir_node node = pick_node(r, graph);
    if (breaks_nothing) {
        weir_node_rename(graph, node, "renamed", "");
        return true;
    }
    switch (random_range(r, 0, 4)) {
    case 0: break_type(r, graph, node); break;
    case 1: broke = break_input(r, graph, node); break;
    case 2: broke = break_order(r, graph, node); break;
    case 3: break_attribute(r, graph, node); break;
    default: break_metadata(r, graph, node);
    }
    return true;
}

static const weir_pass_info breaking = {
    .name = "break_something", .kind = WEIR_PASS_GRAPH, .help = "breaks the graph", .run = {.graph = run_breaker}};

static const char *try_pass(const subjects *s, weir_pass_registry *registry, uint64_t seed, tally *t) {
    breaker = random_from(seed);
    weir_graph *made;
    const weir_graph *subject = pick_subject(s, &breaker, &made);
    weir_module *module = weir_module_new("m");
    weir_module_add_graph(module, weir_graph_copy(subject));
    weir_pass_instrument *verifier = weir_pass_verifier_new();
    weir_diag_reset();
    const bool fine = run_pipeline(registry, "break_something", module, verifier);
    const char *what = broke && fine ? "the verifier names nothing" : NULL;
    if (!fine && weir_diag_errors() == 0) what = "fails without an error";
    t->accepted += fine;
    t->refused += !fine;
    weir_pass_instrument_free(verifier);
    weir_module_free(module);
    weir_graph_free(made);
    return what;
}

int main(int argc, char **argv) {
    int at = 2;
    const bool in_pass = argc > 1 && strcmp(argv[1], "pass") == 0;
    if (argc > at && strcmp(argv[at], "planted") == 0) breaks_nothing = at++ > 0;
    if (argc < at + 3) {
        fprintf(stderr, "usage: %s text|pass [planted] SEED COUNT MODEL...\n", argv[0]);
        return 2;
    }
    const uint64_t first = strtoull(argv[at], NULL, 10), count = strtoull(argv[at + 1], NULL, 10);
    subjects s = {0};
    weir_pass_registry *registry = weir_pass_registry_new();
    if (!weir_passes_register(registry) || !weir_pass_registry_add(registry, &breaking)) return 1;
    for (int i = at + 2; i < argc; i++) add_model(&s, registry, argv[i]);
    const int crashes[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], on_crash);
    weir_diag_set_handler(count_locations, NULL);
    printf("%s, seeds %llu to %llu\n", argv[1], (unsigned long long)first, (unsigned long long)(first + count - 1));
    tally t = {0, 0};
    int failures = 0;
    for (uint64_t i = 0; i < count && failures < MAX_FAILURES; i++) {
        current_seed = first + i;
        const char *what = in_pass ? try_pass(&s, registry, first + i, &t) : try_text(&s, registry, first + i, &t);
        if (what == NULL) continue;
        printf("seed %llu: %s: %s\n", (unsigned long long)(first + i), what, weir_diag_last_error());
        failures++;
    }
    printf("%llu refused, %llu still graphs, %d wrong\n", (unsigned long long)t.refused, (unsigned long long)t.accepted,
           failures);
    for (size_t i = 0; i < s.count; i++) weir_graph_free(s.graph[i]);
    free(s.graph);
    weir_pass_registry_free(registry);
    return failures > 0;
}
