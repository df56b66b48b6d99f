/* Random designs in the text form (random_text.h) as the reader, the printers and the tools see them: usage:
 * check_random_text SEED COUNT SIMULATED [--planted CHECK] COUNT designs from SEED on are read without a message and
 * are sound; what is printed of each is read again and printed as the same text, and gives the same Verilog in both
 * dialects. SIMULATED of them are compiled by Icarus in Verilog and, as they are read again, by Verilator in one of the
 * dialects, and compute the same in both, as far as Icarus knows it. Exit status 0 when all holds, or with --planted,
 * when exactly that check fails; 77 without the tools. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "common/messages.h"
#include "common/text_case.h"
#include "passes/rtl/rtl.h"
#include "random_text.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "support/file/scratch.h"
#include "support/memory/arena.h"

static weir_text messages;

typedef struct run {
    const char *planted;
    batch *simulated[2]; /* in Icarus, in Verilator */
} run;

static bool is_planted(const run *r, const char *check) { return r->planted != NULL && strcmp(r->planted, check) == 0; }

static weir_rtl_module top_of(const weir_rtl_design *design, uint64_t seed) {
    char *name = weir_format("t%llu_top", (unsigned long long)seed);
    const weir_rtl_module top = weir_rtl_find_module(design, name);
    free(name);
    return top;
}

static void complain_of(const char *check, uint64_t seed, const char *what) {
    char *text = weir_format("seed %llu: %s", (unsigned long long)seed, what);
    complain(check, text);
    free(text);
}

/* Reads a text that must be right; NULL, after a complaint, where it is not. */
static weir_rtl_design *read_text(uint64_t seed, const weir_text *text, const char *file) {
    messages.size = 0;
    weir_text_add(&messages, "");
    weir_rtl_design *design = weir_rtl_parse_text(text->data, text->size, file);
    if (design != NULL && weir_rtl_verify(design, top_of(design, seed)) && messages.size == 0) return design;
    complain_of("read", seed, messages.data);
    weir_rtl_design_free(design);
    return NULL;
}

/* Prints a design in both dialects. */
static void print_verilog(weir_rtl_design *design, uint64_t seed, weir_text *text) {
    for (weir_rtl_dialect dialect = WEIR_RTL_VERILOG; dialect <= WEIR_RTL_SYSTEMVERILOG; dialect++) {
        const weir_rtl_print_options options = {.dialect = dialect};
        weir_print_hardware(design, top_of(design, seed), &options, text);
    }
}

/* Reads what the design prints, and compares what that one prints; the text goes to `printed`. */
static void check_again(const run *r, uint64_t seed, weir_rtl_design *design, weir_text *printed) {
    weir_text again = {0}, verilog[2] = {{0}, {0}};
    weir_rtl_print_text(design, printed);
    weir_rtl_design *other = read_text(seed, printed, "printed");
    if (other == NULL) return;
    weir_rtl_print_text(other, &again);
    if (is_planted(r, "text")) again.data[again.size / 2] ^= 1;
    check_equal("text", printed->data, again.data);
    print_verilog(design, seed, &verilog[0]);
    print_verilog(other, seed, &verilog[1]);
    if (strcmp(verilog[0].data, verilog[1].data) != 0)
        complain_of("verilog", seed, "what is printed is read as another design");
    weir_rtl_design_free(other);
    weir_text_free(&again);
    for (int i = 0; i < 2; i++) weir_text_free(&verilog[i]);
}

/* In Icarus the design in Verilog, in Verilator what is read from its own text, in one of both dialects. */
static void add_simulation(run *r, uint64_t seed, const weir_text *text, int k) {
    char *name = weir_format("t%llu", (unsigned long long)seed);
    weir_rtl_design *design = read_text(seed, text, "simulated");
    const weir_rtl_dialect dialect = k == 1 && seed % 2 ? WEIR_RTL_SYSTEMVERILOG : WEIR_RTL_VERILOG;
    if (design != NULL && !batch_add_as(r->simulated[k], design, top_of(design, seed), name, dialect)) {
        complain_of("simulation", seed, "it has too many inputs");
        weir_rtl_design_free(design);
    }
    free(name);
}

static void check_design(run *r, uint64_t seed, bool simulates) {
    weir_text text = {0}, printed = {0};
    random_text(seed, &text);
    if (is_planted(r, "read")) strstr(text.data, "input in0")[5] = '_';
    weir_rtl_design *design = read_text(seed, &text, "random");
    if (design != NULL) check_again(r, seed, design, &printed);
    for (int k = 0; design != NULL && simulates && k < 2; k++) add_simulation(r, seed, k == 0 ? &text : &printed, k);
    weir_rtl_design_free(design);
    weir_text_free(&text);
    weir_text_free(&printed);
}

static void check_simulation(const run *r) {
    size_t ones = 0, unknown = 0;
    batch *icarus = r->simulated[0], *verilator = r->simulated[1];
    if (icarus->count == 0 || !batch_simulate(icarus, WEIR_SIM_ICARUS) ||
        !batch_simulate(verilator, WEIR_SIM_VERILATOR))
        return;
    if (is_planted(r, "simulation"))
        for (size_t i = 0; i < verilator->trace[0].rows * verilator->trace[0].width; i++)
            verilator->trace[0].bit[i] ^= 1;
    for (size_t i = 0; i < icarus->count; i++) {
        weir_text text = {0};
        batch_result result;
        weir_text_format(&text, "%s: ", icarus->top[i].name);
        if (!batch_compare(&icarus->trace[i], &verilator->trace[i], icarus->top[i].stimulus, &result, &text))
            complain("simulation", text.data);
        ones += result.ones;
        unknown += result.unknown;
        weir_text_free(&text);
    }
    printf("%zu designs in Icarus and in Verilator: %zu ones, %zu bits unknown\n", icarus->count, ones, unknown);
}

int main(int count, char **arguments) {
    run r = {.planted = count == 6 && strcmp(arguments[4], "--planted") == 0 ? arguments[5] : NULL};
    if (count != 4 && r.planted == NULL) {
        fprintf(stderr, "usage: check_random_text SEED COUNT SIMULATED [--planted CHECK]\n");
        return 2;
    }
    const uint64_t seed = strtoull(arguments[1], NULL, 10), designs = strtoull(arguments[2], NULL, 10);
    const uint64_t simulated = strtoull(arguments[3], NULL, 10);
    if (simulated > 0 && !batch_has_tools()) {
        fprintf(stderr, "check_random_text: skipped: verilator, iverilog or yosys is missing\n");
        return BATCH_SKIPPED;
    }
    weir_scratch *work = weir_scratch_new(NULL, WEIR_SCRATCH_PREFIX "random-text-");
    if (work == NULL) return 1;
    weir_diag_set_handler(keep_message, &messages);
    r.simulated[0] = batch_new(weir_scratch_path(work), "icarus");
    r.simulated[1] = batch_new(weir_scratch_path(work), "verilator");
    printf("seeds %llu to %llu\n", (unsigned long long)seed, (unsigned long long)(seed + designs - 1));
    for (uint64_t i = 0; i < designs; i++) check_design(&r, seed + i, i < simulated);
    check_simulation(&r);
    for (int i = 0; i < 2; i++) batch_free(r.simulated[i]);
    weir_scratch_free(work);
    const int status = case_status(r.planted);
    weir_text_free(&messages);
    return status;
}
