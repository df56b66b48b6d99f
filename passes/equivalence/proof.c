#include "passes/equivalence/proof.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "passes/equivalence/registers.h"
#include "passes/equivalence/stimulus.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/process/process.h"

enum { MAX_REGISTERS = 4000, MAX_STEPS = 24, SHOWN_CYCLES = 4 };

/* What uninitialised registers hold at the start. */
static const char *const starts[] = {"zero", "one"};
enum { STARTS = sizeof starts / sizeof starts[0] };

/* --- the question --- */
static void read_designs(const weir_proof *proof, weir_text *script) {
    for (size_t i = 0; i < proof->file_count; i++) weir_text_format(script, "read_verilog \"%s\"\n", proof->files[i]);
    for (size_t i = 0; i < 2; i++) weir_text_format(script, "read_verilog %s\n", proof->side[i].file);
    const char *before = weir_rtl_get_module(proof->side[0].design, proof->side[0].top).name;
    const char *after = weir_rtl_get_module(proof->side[1].design, proof->side[1].top).name;
    weir_text_add(script, "hierarchy -check\nproc\nsetattr -mod -unset keep_hierarchy\nflatten\n"
                          "memory_map\nasync2sync\nopt_clean\ncheck -assert\n");
    weir_text_format(script, "miter -equiv -make_outputs -make_outcmp %s %s miter\n", before, after);
    weir_text_add(script, "flatten miter\nhierarchy -top miter\n");
}

/* Registers that both have, which the invariant says are equal. */
static void add_registers(const weir_proof *proof, weir_text *arguments) {
    weir_rtl_register_list list[2] = {{0}};
    for (size_t i = 0; i < 2; i++)
        weir_rtl_list_registers(proof->side[i].design, proof->side[i].top, MAX_REGISTERS, &list[i]);
    for (size_t a = 0, b = 0; a < list[0].count && b < list[1].count;) {
        const int order = strcmp(list[0].entry[a].path, list[1].entry[b].path);
        if (order == 0 && list[0].entry[a].width == list[1].entry[b].width)
            weir_text_format(arguments, " -prove \\gold.%s \\gate.%s", list[0].entry[a].path, list[1].entry[b].path);
        a += order <= 0;
        b += order >= 0;
    }
    for (size_t i = 0; i < 2; i++) weir_rtl_free_registers(&list[i]);
}

static char *write_script(const weir_proof *proof, bool with_registers) {
    weir_text script = {0}, registers = {0};
    read_designs(proof, &script);
    weir_text_format(&script, "design -save prepared\nopt -fast\nselect -assert-max %zu t:*\n", proof->cells);
    weir_text_add(&registers, "");
    if (with_registers) add_registers(proof, &registers);
    /* What registers start with is said before anything is optimized: Yosys takes an unknown start for what it
     * likes. */
    for (size_t i = 0; i < STARTS; i++)
        weir_text_format(
            &script,
            "design -load prepared\nsetundef -%s -init\nopt -fast\ntee -o %s.log sat -tempinduct -prove trigger 0%s "
            "-show-inputs -show-outputs -dump_json %s.json -maxsteps %d -timeout %d miter\n",
            starts[i], starts[i], registers.data, starts[i], MAX_STEPS, proof->seconds < 1 ? 1 : (int)proof->seconds);
    weir_text_free(&registers);
    char *path = weir_path_join(proof->folder, "proof.ys");
    const bool fine = weir_file_write(path, script.data, script.size);
    weir_text_free(&script);
    if (fine) return path;
    free(path);
    return NULL;
}

/* --- the counterexample --- */
/* Value of a wave in a column, as text of bits; "" when unknown. In WaveJSON a dot repeats, = and the digits take the
 * next entry of "data" when there is one. */
static const char *wave_value(const json_t *signal, size_t column) {
    const char *wave = json_string_value(json_object_get(signal, "wave"));
    const json_t *data = json_object_get(signal, "data");
    const char *value = "";
    size_t entry = 0;
    for (size_t i = 0; wave != NULL && wave[i] != '\0' && i <= column; i++) {
        if (wave[i] == '.') continue;
        if (data != NULL) value = json_string_value(json_array_get(data, entry++));
        else value = wave[i] == '0' ? "0" : wave[i] == '1' ? "1" : "";
    }
    return value == NULL ? "" : value;
}

static const json_t *find_signal(const json_t *signals, const char *prefix, const char *name) {
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < json_array_size(signals); i++) {
        const char *own = json_string_value(json_object_get(json_array_get(signals, i), "name"));
        if (own != NULL && strncmp(own, prefix, length) == 0 && strcmp(own + length, name) == 0)
            return json_array_get(signals, i);
    }
    return NULL;
}

static void print_value(const char *bits, weir_text *text) {
    if (*bits == '\0') weir_text_add(text, "any value");
    else weir_stimulus_print_bits(bits, (uint32_t)strlen(bits), text);
}

static void print_inputs(const weir_proof *proof, const json_t *signals, size_t column, weir_text *text) {
    const weir_rtl_design *design = proof->side[0].design;
    const size_t ports = weir_rtl_get_module(design, proof->side[0].top).port_count;
    const char *separator = "";
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info p = weir_rtl_get_var(design, weir_rtl_port_at(design, proof->side[0].top, i));
        if (p.direction != WEIR_RTL_INPUT || p.kind == WEIR_RTL_CLOCK) continue;
        weir_text_format(text, "%s%s = ", separator, p.name);
        print_value(wave_value(find_signal(signals, "in_", p.name), column), text);
        separator = ", ";
    }
    if (*separator == '\0') weir_text_add(text, "none");
}

/* Column 0 of the waves is the state before the first cycle, when there is any. False when the model differs in
 * registers only. */
static bool print_model(const weir_proof *proof, const json_t *signals, const char *start, weir_text *text) {
    const weir_rtl_design *design = proof->side[0].design;
    const json_t *trigger = find_signal(signals, "", "trigger");
    const char *wave = json_string_value(json_object_get(trigger, "wave"));
    if (wave == NULL || *wave == '\0') return false;
    const size_t first = *wave == '0' || *wave == '1' ? 0 : 1, last = strlen(wave) - 1;
    if (strcmp(wave_value(trigger, last), "1") != 0) return false;
    const size_t ports = weir_rtl_get_module(design, proof->side[0].top).port_count;
    for (size_t i = 0; i < ports; i++) {
        const weir_rtl_var_info p = weir_rtl_get_var(design, weir_rtl_port_at(design, proof->side[0].top, i));
        if (p.direction != WEIR_RTL_OUTPUT) continue;
        const char *before = wave_value(find_signal(signals, "gold_", p.name), last);
        const char *after = wave_value(find_signal(signals, "gate_", p.name), last);
        if (strcmp(before, after) == 0) continue;
        weir_text_format(text, "cycle %zu: '%s' is ", last - first, p.name);
        print_value(before, text);
        weir_text_add(text, " before and ");
        print_value(after, text);
        weir_text_add(text, " after");
        if (first > 0) weir_text_format(text, " (registers start with %ss)", start);
        break;
    }
    for (size_t c = last >= first + SHOWN_CYCLES ? last - SHOWN_CYCLES + 1 : first; c <= last; c++) {
        weir_text_format(text, "\ninputs in cycle %zu: ", c - first);
        print_inputs(proof, signals, c, text);
    }
    return true;
}

static bool print_counterexample(const weir_proof *proof, const char *start, weir_text *text) {
    char *name = weir_format("%s.json", start), *path = weir_path_join(proof->folder, name);
    size_t size = 0;
    char *content = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    for (size_t i = 0; i < size; i++) /* names that Yosys made have backslashes, which it does not escape */
        if (content[i] == '\\') content[i] = '.';
    json_t *waves = content == NULL ? NULL : json_loadb(content, size, 0, NULL);
    const bool found = print_model(proof, json_object_get(waves, "signal"), start, text);
    json_decref(waves);
    free(content);
    free(name);
    free(path);
    return found;
}

/* --- the answer --- */
static bool log_has(const weir_proof *proof, const char *start, const char *what) {
    char *name = weir_format("%s.log", start), *path = weir_path_join(proof->folder, name);
    size_t size = 0;
    char *log = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    const bool found = log != NULL && strstr(log, what) != NULL;
    free(log);
    free(name);
    free(path);
    return found;
}

/* Would another invariant help? */
static bool say_why(const char *messages, weir_text *why) {
    const char *error = messages == NULL ? NULL : strstr(messages, "ERROR: ");
    if (error != NULL && strstr(error, "Assertion failed: selection contains") != NULL)
        weir_text_add(why, "the designs are too large");
    else if (error != NULL) weir_text_format(why, "yosys says '%.*s'", (int)strcspn(error + 7, "\r\n"), error + 7);
    else weir_text_add(why, "yosys ended without an answer");
    return error != NULL && strstr(error, "proof expression") != NULL;
}

static weir_proof_end judge(const weir_proof *proof, bool *again, weir_text *text) {
    for (size_t i = 0; i < STARTS; i++) {
        if (log_has(proof, starts[i], "Induction step proven: SUCCESS!")) continue;
        if (log_has(proof, starts[i], "model found for base case") && print_counterexample(proof, starts[i], text))
            return WEIR_PROOF_DIFFERENT;
        weir_text_add(text, log_has(proof, starts[i], "TIMEOUT") ? "the solver takes too long"
                                                                 : "induction needs more steps");
        *again = true;
        return WEIR_PROOF_NONE;
    }
    return WEIR_PROOF_EQUAL;
}

/* `again`: without registers in the invariant there may be an answer. */
static weir_proof_end ask(const weir_proof *proof, bool with_registers, bool *again, weir_text *text) {
    char *script = write_script(proof, with_registers);
    *again = false;
    if (script == NULL) return WEIR_PROOF_NONE;
    const char *const arguments[] = {"yosys", "-s", "proof.ys", NULL};
    const weir_process process = {.arguments = arguments, .folder = proof->folder, .seconds = 4 * proof->seconds + 2};
    weir_text messages = {0};
    int status = 0;
    const weir_process_end end = weir_process_run(&process, &messages, &status);
    weir_proof_end result = WEIR_PROOF_NONE;
    if (end == WEIR_PROCESS_MISSING) weir_text_add(text, "yosys is missing");
    else if (end == WEIR_PROCESS_TIMEOUT) weir_text_add(text, "yosys takes too long");
    else if (end != WEIR_PROCESS_EXITED || status != 0) *again = say_why(messages.data, text);
    else result = judge(proof, again, text);
    weir_text_free(&messages);
    free(script);
    return result;
}

weir_proof_end weir_proof_run(const weir_proof *proof, weir_text *text) {
    const size_t start = text->size;
    for (size_t i = 0; i < 2; i++)
        if (!weir_rtl_has_one_clock(proof->side[i].design, proof->side[i].top, text)) return WEIR_PROOF_NONE;
    bool again;
    weir_proof_end end = ask(proof, true, &again, text);
    if (end == WEIR_PROOF_NONE && again) {
        text->size = start;
        end = ask(proof, false, &again, text);
    }
    return end;
}
