#include "passes/equivalence/equivalence.h"

#include <stdlib.h>
#include <string.h>

#include "passes/equivalence/files.h"
#include "passes/equivalence/plain.h"
#include "passes/equivalence/proof.h"
#include "passes/equivalence/registers.h"
#include "passes/equivalence/replay.h"
#include "passes/rtl/rtl.h"
#include "rtlir/core/formula.h"
#include "rtlir/edit/specialize.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/file.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"
#include "support/text/once.h"

enum { SHOWN_CYCLES = 4 };

static const char *const prefixes[] = {"before", "after"};
static const char *const file_names[] = {"before.v", "after.v"};

/* One version, ready to be printed. */
typedef struct side {
    weir_rtl_design *design;
    weir_rtl_module top;
    const char *name;
    bool has_form; /* can be printed */
    bool is_sound; /* and all that is read is driven, once */
} side;

typedef struct comparison {
    const weir_rtl_equivalence *how;
    side side[2];
    weir_rtl_files files; /* of external modules */
    const char *folder;   /* to work in */
    weir_text *text;
} comparison;

/* --- the two sides --- */
static bool read_side(comparison *c, size_t index, const weir_rtl_version *version) {
    side *s = &c->side[index];
    weir_diag_log *log = weir_diag_capture();
    c->text->size = 0;
    s->design = weir_rtl_parse_text(version->text, version->size, prefixes[index]);
    bool fine = s->design != NULL;
    if (fine) s->top = weir_rtl_find_top(s->design, version->top);
    if (fine && s->top.id == 0) weir_text_format(c->text, "no module '%s' %s", version->top, prefixes[index]);
    /* Registers and ports are compared by their bits, so parameters need values. */
    if (fine && s->top.id != 0 && weir_rtl_find_parametrised(s->design, s->top).id != 0) {
        s->top = weir_rtl_specialize(s->design, s->top);
        fine = s->top.id != 0;
    }
    fine = fine && s->top.id != 0 && weir_rtl_make_plain(s->design, prefixes[index], c->text);
    if (fine) {
        s->name = weir_rtl_get_module(s->design, s->top).name;
        s->has_form = weir_rtl_verify_form(s->design, s->top);
        s->is_sound = s->has_form && weir_rtl_verify(s->design, s->top);
    }
    const char *error = weir_diag_log_error(log);
    if ((!fine || !s->is_sound) && c->text->size == 0) weir_text_format(c->text, "%s: %s", prefixes[index], error);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return fine;
}

/* Reads both. What is not sound before is not proved, because Yosys takes bits without a driver for what it likes; a
 * pass that leaves what is not sound has changed the design. */
static bool read_sides(comparison *c, const weir_rtl_version *versions[2], weir_rtl_verdict *verdict) {
    *verdict = WEIR_RTL_NOT_COMPARED;
    if (!read_side(c, 0, versions[0]) || !c->side[0].has_form) return false;
    char *why = weir_copy_string(c->text->size > 0 ? c->text->data : "");
    bool fine = read_side(c, 1, versions[1]);
    if (fine && (!c->side[1].has_form || (c->side[0].is_sound && !c->side[1].is_sound))) {
        *verdict = WEIR_RTL_DIFFERENT;
        fine = false;
    }
    if (fine) {
        c->text->size = 0;
        weir_text_add(c->text, why);
    }
    free(why);
    return fine;
}

static weir_rtl_var find_port(const side *s, const char *name) {
    const weir_rtl_var var = weir_rtl_find_var(s->design, s->top, name);
    const bool is_port = var.id != 0 && weir_rtl_get_var(s->design, var).direction != WEIR_RTL_INTERNAL;
    return is_port ? var : (weir_rtl_var){0};
}

/* Has the other side every port of this one? */
static bool check_ports(comparison *c, size_t index) {
    const side *own = &c->side[index], *other = &c->side[1 - index];
    const size_t ports = weir_rtl_get_module(own->design, own->top).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info p = weir_rtl_get_var(own->design, weir_rtl_port_at(own->design, own->top, i));
        const weir_rtl_var port = find_port(other, p.name);
        if (port.id == 0) {
            c->text->size = 0;
            weir_text_format(c->text, "port '%s' of the top exists only %s", p.name, prefixes[index]);
            return false;
        }
        const weir_rtl_var_info o = weir_rtl_get_var(other->design, port);
        if (o.direction == p.direction && o.width == p.width) continue;
        c->text->size = 0;
        weir_text_format(c->text, "port '%s' of the top changes its direction or its width", p.name);
        return false;
    }
    return true;
}

static bool find_files(comparison *c, size_t index) {
    weir_text why = {0};
    const bool fine = weir_rtl_find_files(c->side[index].design, c->side[index].top, &c->files, &why);
    if (!fine) {
        c->text->size = 0;
        weir_text_add(c->text, why.size > 0 ? why.data : "the files of external modules were not found");
    }
    weir_text_free(&why);
    return fine;
}

static bool write_side(const comparison *c, size_t index) {
    const side *s = &c->side[index];
    weir_text text = {0};
    const weir_rtl_print_options options = {.dialect = WEIR_RTL_VERILOG, .starts = true};
    char *path = weir_path_join(c->folder, file_names[index]);
    const bool fine =
        weir_print_hardware(s->design, s->top, &options, &text) && weir_file_write(path, text.data, text.size);
    free(path);
    weir_text_free(&text);
    return fine;
}

/* --- the test --- */
/* A difference between the traces: row and output; false when there is none. */
static bool find_difference(const comparison *c, const weir_trace *traces, size_t *row, weir_rtl_var_info *port,
                            size_t *at) {
    const side *s = &c->side[0];
    const uint32_t width = traces[0].width;
    size_t first = 0;
    const size_t size = traces[0].rows * width;
    while (first < size &&
           (traces[0].bit[first] == traces[1].bit[first] || traces[0].bit[first] == 'x' || traces[0].bit[first] == 'z'))
        first++;
    if (first == size) return false;
    *row = first / width;
    const uint32_t bit = width - 1 - (uint32_t)(first % width);
    const size_t ports = weir_rtl_get_module(s->design, s->top).port_count;
    uint32_t low = 0;
    for (size_t i = 0; i < ports; i++) {
        *port = weir_rtl_get_var(s->design, weir_rtl_port_at(s->design, s->top, i));
        if (port->direction != WEIR_RTL_OUTPUT) continue;
        *at = *row * width + (width - low - port->width);
        if (bit < low + port->width) break;
        low += port->width;
    }
    return true;
}

static void print_difference(const comparison *c, const weir_trace *traces, const weir_stimulus *stimulus, size_t row,
                             const weir_rtl_var_info *port, size_t at) {
    const size_t cycle = row / WEIR_STIMULUS_ROWS;
    weir_text_format(c->text, "cycle %zu: '%s' is ", cycle, port->name);
    weir_stimulus_print_bits(traces[0].bit + at, port->width, c->text);
    weir_text_add(c->text, " before and ");
    weir_stimulus_print_bits(traces[1].bit + at, port->width, c->text);
    weir_text_format(c->text, " after (%s, seed %llu)", weir_simulator_name(c->how->simulator),
                     (unsigned long long)c->how->seed);
    for (size_t i = cycle + 1 > SHOWN_CYCLES ? cycle + 1 - SHOWN_CYCLES : 0; i <= cycle; i++) {
        weir_text_format(c->text, "\ninputs in cycle %zu: ", i);
        weir_stimulus_print_row(stimulus, i * WEIR_STIMULUS_ROWS, c->text);
    }
}

static weir_rtl_verdict judge(const comparison *c, const weir_trace *traces, const weir_stimulus *stimulus) {
    size_t row = 0, at = 0;
    weir_rtl_var_info port = {0};
    if (find_difference(c, traces, &row, &port, &at)) {
        c->text->size = 0;
        print_difference(c, traces, stimulus, row, &port, at);
        return WEIR_RTL_DIFFERENT;
    }
    char *why = c->text->size > 0 ? weir_format(" (not proved: %s)", c->text->data) : weir_copy_string("");
    c->text->size = 0;
    weir_text_format(c->text, "tested, %zu cycles, seed %llu%s", stimulus->rows / WEIR_STIMULUS_ROWS,
                     (unsigned long long)c->how->seed, why);
    free(why);
    return WEIR_RTL_TESTED;
}

/* Both get the inputs of the first; ports are found by name. */
static weir_rtl_verdict test(const comparison *c) {
    const side *s = c->side;
    weir_stimulus *stimulus = weir_stimulus_new(s->design, s->top, c->how->cycles, c->how->seed);
    const weir_replay_top tops[] = {{s->design, s->top, s[0].name, stimulus}, {s->design, s->top, s[1].name, stimulus}};
    char *own[] = {weir_path_join(c->folder, file_names[0]), weir_path_join(c->folder, file_names[1])};
    const char **files = weir_calloc(c->files.count + 2, sizeof *files);
    for (size_t i = 0; i < 2; i++) files[i] = own[i];
    for (size_t i = 0; i < c->files.count; i++) files[i + 2] = c->files.path[i];
    const weir_replay replay = {.simulator = c->how->simulator,
                                .tops = tops,
                                .top_count = 2,
                                .files = files,
                                .file_count = c->files.count + 2,
                                .folder = c->folder};
    weir_trace traces[2];
    weir_diag_log *log = weir_diag_capture();
    const int status = weir_replay_run(&replay, traces);
    weir_rtl_verdict verdict = WEIR_RTL_NOT_COMPARED;
    if (status == WEIR_EXIT_FINE) {
        verdict = judge(c, traces, stimulus);
    } else {
        c->text->size = 0;
        weir_text_add(c->text, weir_diag_log_error(log));
    }
    weir_diag_release(log);
    weir_diag_log_free(log);
    for (size_t i = 0; i < 2; i++) {
        weir_trace_free(&traces[i]);
        free(own[i]);
    }
    free(files);
    weir_stimulus_free(stimulus);
    return verdict;
}

/* --- the comparison --- */
/* A solver knows 0 and 1 only; simulators also know unknown values. */
static void say_proved(const comparison *c) {
    weir_text why = {0};
    weir_text_add(c->text, "proved");
    for (size_t i = 0; i < 2 && why.size == 0; i++)
        weir_rtl_find_unknown(c->side[i].design, c->side[i].top, strlen(prefixes[i]) + 1, &why);
    if (why.size > 0) weir_text_format(c->text, " for bits that are 0 or 1; unknown ones may matter: %s", why.data);
    weir_text_free(&why);
}

static weir_rtl_verdict prove_or_test(const comparison *c) {
    if (c->how->method == WEIR_RTL_PROOF && !c->side[0].is_sound) return WEIR_RTL_NOT_COMPARED;
    if (c->how->method != WEIR_RTL_TEST && c->side[0].is_sound) {
        const weir_proof proof = {.side = {{c->side[0].design, c->side[0].top, file_names[0]},
                                           {c->side[1].design, c->side[1].top, file_names[1]}},
                                  .files = (const char *const *)c->files.path,
                                  .file_count = c->files.count,
                                  .folder = c->folder,
                                  .cells = c->how->cells,
                                  .seconds = c->how->seconds};
        const weir_proof_end end = weir_proof_run(&proof, c->text);
        if (end == WEIR_PROOF_EQUAL) say_proved(c);
        if (end == WEIR_PROOF_EQUAL) return WEIR_RTL_PROVED;
        if (end == WEIR_PROOF_DIFFERENT) return WEIR_RTL_DIFFERENT;
        if (c->how->method == WEIR_RTL_PROOF) return WEIR_RTL_NOT_COMPARED;
    }
    return test(c);
}

static weir_rtl_verdict compare(comparison *c, const weir_rtl_version *before, const weir_rtl_version *after) {
    const weir_rtl_version *versions[2] = {before, after};
    weir_rtl_verdict verdict;
    if (!read_sides(c, versions, &verdict)) return verdict;
    if (!check_ports(c, 0) || !check_ports(c, 1)) return WEIR_RTL_NOT_COMPARED;
    for (size_t i = 0; i < 2; i++)
        if (!find_files(c, i)) return WEIR_RTL_NOT_COMPARED;
    weir_scratch *scratch = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "equivalence-");
    c->folder = scratch == NULL ? NULL : weir_scratch_path(scratch);
    verdict = WEIR_RTL_NOT_COMPARED;
    if (scratch != NULL && write_side(c, 0) && write_side(c, 1)) verdict = prove_or_test(c);
    else weir_text_add(c->text, "files cannot be written");
    weir_scratch_free(scratch);
    return verdict;
}

weir_rtl_verdict weir_rtl_compare(const weir_rtl_version *before, const weir_rtl_version *after,
                                  const weir_rtl_equivalence *how, weir_text *text) {
    comparison c = {.how = how, .text = text};
    text->size = 0;
    const weir_rtl_verdict verdict = compare(&c, before, after);
    for (size_t i = 0; i < 2; i++) weir_rtl_design_free(c.side[i].design);
    weir_rtl_free_files(&c.files);
    return verdict;
}

/* --- the instrument --- */
/* The design before a pass that runs; passes nest. */
typedef struct record {
    weir_text text;
    char *top;
    struct record *around;
} record;

typedef struct state {
    weir_rtl_equivalence how;
    record *now;
    weir_once warned; /* reasons */
} state;

static bool watched(const weir_pass_site *site) {
    const weir_pass_info *info = weir_pass_info_of(site->pass);
    return info != NULL && info->kind == WEIR_PASS_HARDWARE && info->promise != WEIR_PASS_CHANGES;
}

/* One line a pass, unless the caller only counts. */
static void say(const state *s, const weir_pass_site *site, const char *what) {
    if (!s->how.silent) weir_note("after pass '%s': %s", weir_pass_name(site->pass), what);
}

static record *take(const weir_pass_site *site) {
    record *r = weir_calloc(1, sizeof *r);
    weir_rtl_design *design = weir_module_design(site->module);
    weir_rtl_print_text(design, &r->text);
    const weir_rtl_module top = weir_hardware_top(site->context);
    r->top = weir_copy_string(top.id == 0 ? "" : weir_rtl_get_module(design, top).name);
    return r;
}

static void release_record(record *r) {
    weir_text_free(&r->text);
    free(r->top);
    free(r);
}

static void pop(state *s) {
    record *r = s->now;
    s->now = r->around;
    release_record(r);
}

static bool before(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    if (!watched(site)) return true;
    record *r = take(site);
    r->around = s->now;
    s->now = r;
    return true;
}

/* A reason is warned of once. */
static void warn(state *s, const weir_pass_site *site, const char *why) {
    if (weir_once_add(&s->warned, why)) {
        weir_warning(WEIR_NOWHERE, "the design is not compared after pass '%s': %s", weir_pass_name(site->pass), why);
        return;
    }
    char *text = weir_format("not compared: %s", why);
    say(s, site, text);
    free(text);
}

static bool report(state *s, const weir_pass_site *site, weir_rtl_verdict verdict, const char *text) {
    const char *pass = weir_pass_name(site->pass), *inputs = strchr(text, '\n');
    switch (verdict) {
    case WEIR_RTL_PROVED:
    case WEIR_RTL_TESTED:
        weir_pass_count(site->context, verdict == WEIR_RTL_PROVED ? "designs proved equal" : "designs tested equal", 1);
        say(s, site, text);
        return true;
    case WEIR_RTL_NOT_COMPARED:
        weir_pass_count(site->context, "designs not compared", 1);
        if (!s->how.silent) warn(s, site, text);
        return true;
    case WEIR_RTL_DIFFERENT: break;
    }
    weir_error(WEIR_NOWHERE, "pass '%s' changed what the design computes: %.*s", pass, (int)strcspn(text, "\n"), text);
    if (inputs != NULL) weir_note("%s", inputs + 1);
    return false;
}

static bool check(state *s, const weir_pass_site *site) {
    record *then = s->now, *now = take(site);
    bool fine = true;
    if (strcmp(then->text.data, now->text.data) != 0) {
        weir_text text = {0};
        const weir_rtl_version versions[] = {{then->text.data, then->text.size, then->top},
                                             {now->text.data, now->text.size, now->top}};
        const weir_rtl_verdict verdict = weir_rtl_compare(&versions[0], &versions[1], &s->how, &text);
        fine = report(s, site, verdict, text.data == NULL ? "" : text.data);
        weir_text_free(&text);
    } else {
        say(s, site, "unchanged");
    }
    release_record(now);
    return fine;
}

static bool after(weir_pass_instrument *instrument, const weir_pass_site *site) {
    state *s = instrument->user;
    const weir_pass_info *info = weir_pass_info_of(site->pass);
    if (!watched(site)) {
        const bool is_hardware = info != NULL && info->kind == WEIR_PASS_HARDWARE;
        if (is_hardware) say(s, site, "not compared: the pass changes ports or cycles on purpose");
        return true;
    }
    const bool fine = check(s, site); /* whatever the pass says of itself */
    pop(s);
    return fine;
}

static void failed(weir_pass_instrument *instrument, const weir_pass_site *site) {
    if (watched(site)) pop(instrument->user);
}

static void release(weir_pass_instrument *instrument) {
    state *s = instrument->user;
    weir_once_free(&s->warned);
    free(s);
    free(instrument);
}

weir_pass_instrument *weir_rtl_equivalence_new(const weir_rtl_equivalence *how) {
    weir_pass_instrument *instrument = weir_calloc(1, sizeof *instrument);
    state *s = weir_calloc(1, sizeof *s);
    s->how = *how;
    *instrument = (weir_pass_instrument){.name = "equivalence",
                                         .user = s,
                                         .before_pass = before,
                                         .after_pass = after,
                                         .pass_failed = failed,
                                         .release = release};
    return instrument;
}
