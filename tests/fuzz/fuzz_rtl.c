/* The text form of the hardware IR under fuzzing: whatever the text is, weir_rtl_parse_text returns a design or at
 * least one error, never both and never neither; a design prints to a text that parses back to the same text; walks,
 * the verifier and the Verilog printer end on it. Built with WEIR_FUZZ_DRIVER the file is a deterministic stand-in for
 * libFuzzer:
 *   run_rtl_mutations SEED ROUNDS FILE   mutates the text of the file
 * Built with WEIR_FUZZ_PASSES, each design also goes through four hardware passes and the pipeline `verilog`. Passes
 * may fail; one that does not leaves a design that is sound in form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_onnx.h"
#ifdef WEIR_FUZZ_PASSES
#include "pass/core/registry.h"
#include "passes/passes.h"
#include "support/memory/hash.h"
#endif
#include "rtlir/analysis/uses.h"
#include "rtlir/core/visitor.h"
#include "rtlir/edit/rewrite.h"
#include "rtlir/text/text.h"
#include "rtlir/verify/verify.h"
#include "rtlir/verilog/print.h"
#include "support/file/file.h"
#include "support/text/diag.h"

static void ignore(void *user, const weir_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

static void check(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_rtl: %s\n", what);
    abort();
}

static void use_design(weir_rtl_design *design) {
    weir_text verilog = {0};
    weir_rtl_uses *uses = weir_rtl_uses_new(design);
    size_t count = weir_rtl_module_count(design);
    weir_rtl_module m = weir_rtl_first_module(design);
    for (size_t i = 0; i < count; i++, m = weir_rtl_next_module(design, m)) {
        weir_rtl_uses_build(uses, m);
        weir_rtl_print_verilog(design, m, &verilog);
        weir_rtl_verify(design, m);
        if (!weir_rtl_get_module(design, m).is_external) weir_rtl_clone_module(design, m);
    }
    weir_rtl_uses_free(uses);
    weir_text_free(&verilog);
}

#ifdef WEIR_FUZZ_PASSES
/* Passes that write no files, one after the other while they succeed; which ones follows from the text. */
static void run_passes(const weir_text *text) {
    weir_pass_registry *registry = weir_pass_registry_new();
    weir_passes_register(registry);
    weir_rtl_design *design = weir_rtl_parse_text(text->data, text->size, "passes");
    const weir_rtl_module top = weir_rtl_choose_top(design, NULL);
    const char *name = weir_rtl_get_module(design, top.id ? top : weir_rtl_first_module(design)).name;
    weir_module *module = weir_module_new("fuzz");
    weir_module_set_rtl(module, design, name);
    weir_pass_context *context = weir_pass_context_new(registry);
    weir_hash hash = weir_hash_start();
    weir_hash_add(&hash, text->data, text->size);
    bool fine = weir_rtl_verify_form(design, weir_rtl_find_module(design, name));
    for (uint64_t which = hash.low, i = 0; fine && i < 5; i++, which = which * 0x9E3779B97F4A7C15u + 1) {
        size_t index = (size_t)(which >> 33) % weir_pass_registry_count(registry);
        const weir_pass_info *info = weir_pass_registry_at(registry, index);
        if (info->kind != WEIR_PASS_HARDWARE || strncmp(info->name, "generate_", 9) == 0 ||
            strncmp(info->name, "extract_", 8) == 0 || strncmp(info->name, "save_", 5) == 0)
            continue;
        weir_pass *pass = i < 4 ? weir_pass_new(registry, info->name) : weir_pass_new(registry, "verilog");
        fine = weir_pass_run(context, pass, module);
        if (fine && !weir_rtl_verify_form(design, weir_rtl_find_module(design, name))) {
            fprintf(stderr, "after pass '%s'\n", weir_pass_name(pass));
            check(false, "a pass leaves a design that is not sound");
        }
        weir_pass_free(pass);
    }
    weir_pass_context_free(context);
    weir_module_free(module);
    weir_pass_registry_free(registry);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    weir_diag_set_handler(ignore, NULL);
    weir_rtl_design *design = weir_rtl_parse_text((const char *)data, size, "fuzz");
    check((design == NULL) == (weir_diag_errors() > 0), "neither a design nor an error, or both");
    if (design) {
        weir_text first = {0}, second = {0};
        weir_rtl_print_text(design, &first);
        weir_rtl_design *again = weir_rtl_parse_text(first.data, first.size, "printed");
        check(again != NULL, "what was printed does not parse");
        weir_rtl_print_text(again, &second);
        check(first.size == second.size && memcmp(first.data, second.data, first.size) == 0,
              "what was printed reads back as something else");
        use_design(again);
        weir_rtl_design_free(again);
#ifdef WEIR_FUZZ_PASSES
        run_passes(&first);
#endif
        weir_text_free(&first);
        weir_text_free(&second);
    }
    weir_rtl_design_free(design);
    return design ? WEIR_FUZZ_ACCEPTED : 0;
}

#ifdef WEIR_FUZZ_DRIVER
static uint64_t state;

static size_t random_below(size_t limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return limit ? (size_t)(state >> 33) % limit : 0;
}

/* The line around a place: its start and its length with the line end. */
static size_t line_at(const char *text, size_t size, size_t *at) {
    while (*at > 0 && text[*at - 1] != '\n') --*at;
    size_t end = *at;
    while (end < size && text[end] != '\n') end++;
    return end < size ? end + 1 - *at : end - *at;
}

/* A line removed or put in front of another one: mostly still a design. */
static size_t mutate_lines(char *text, size_t size, size_t room) {
    size_t at = random_below(size), from = random_below(size);
    const size_t removed = line_at(text, size, &at), length = line_at(text, size, &from);
    char line[256];
    if (random_below(2) == 0) {
        memmove(text + at, text + at + removed, size - at - removed);
        return size - removed;
    }
    if (length > sizeof line || size + length > room) return size;
    memcpy(line, text + from, length);
    memmove(text + at + length, text + at, size - at);
    memcpy(text + at, line, length);
    return size + length;
}

/* Some edits: a byte changed, a piece removed, or a piece of the text put somewhere else. */
static size_t mutate(char *text, size_t size, size_t room) {
    if (random_below(2) == 0) return mutate_lines(text, size, room);
    static const char bytes[] = " \n{}()[]:=@#\"$+-0123456789'hsabcdefxyz.,";
    for (size_t edits = 1 + random_below(3); edits > 0; edits--) {
        size_t at = random_below(size), length = 1 + random_below(24), from = random_below(size);
        if (at + length > size) length = size - at;
        switch (random_below(4)) {
        case 0: text[at] = bytes[random_below(sizeof bytes - 1)]; break;
        case 1:
            memmove(text + at, text + at + length, size - at - length);
            size -= length;
            break;
        case 2:
            if (from + length <= size && size + length <= room) {
                char piece[32];
                memcpy(piece, text + from, length);
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, piece, length);
                size += length;
            }
            break;
        default:
            if (from + length <= size) memmove(text + at, text + from, length);
            break;
        }
        if (size == 0) break;
    }
    return size;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    size_t size = 0, accepted = 0;
    char *seed = weir_file_read(argv[3], &size);
    long rounds = strtol(argv[2], NULL, 10);
    state = strtoull(argv[1], NULL, 10);
    if (!seed || LLVMFuzzerTestOneInput((const uint8_t *)seed, size) == 0) {
        fprintf(stderr, "fuzz_rtl: the seed '%s' is refused\n", argv[3]);
        return 1;
    }
    char *text = malloc(size + 4096);
    if (!text) return 1;
    for (long i = 0; i < rounds; i++) {
        memcpy(text, seed, size);
        size_t mutated = mutate(text, size, size + 4096);
        accepted += LLVMFuzzerTestOneInput((const uint8_t *)text, mutated) != 0;
    }
    printf("%ld mutations, %zu accepted\n", rounds, accepted);
    free(text);
    free(seed);
    return 0;
}
#endif
