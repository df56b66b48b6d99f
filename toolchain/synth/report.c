#include "synth/synth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/file/file.h"
#include "support/file/folder.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"
#include "support/text/table.h"
#include "synth/netlist/nodes.h"

enum { SCHEMA = 1 };

/* --- for people --- */

static void print_uses(const weir_synth *synth, weir_text *text) {
    static const char *const headers[] = {"resource", "used", "available", "share", "estimated"};
    weir_cost_use uses[WEIR_COST_USES], estimated[WEIR_COST_USES];
    weir_cost_uses(&synth->cost, synth->device, uses);
    weir_cost_uses(&synth->estimate.total, synth->device, estimated);
    weir_table *table = weir_table_new(headers, sizeof headers / sizeof *headers);
    for (size_t i = 0; i < WEIR_COST_USES; i++) {
        weir_table_add(table, uses[i].name);
        weir_table_format(table, "%lld", (long long)uses[i].used);
        weir_table_format(table, "%lld", (long long)uses[i].available);
        if (uses[i].available == 0) weir_table_add(table, "-");
        else weir_table_format(table, "%.1f %%", 100.0 * (double)uses[i].used / (double)uses[i].available);
        weir_table_format(table, "%lld", (long long)estimated[i].used);
    }
    weir_table_print(table, WEIR_TABLE_PLAIN, text);
    weir_table_free(table);
}

/* "25.6", without the locale. */
static void add_fixed(weir_text *text, double value, int64_t unit) {
    assert(value >= 0 && (unit == 1 || unit == 10 || unit == 100));
    const int64_t scaled = (int64_t)(value * (double)unit + 0.5);
    weir_text_format(text, "%lld", (long long)(scaled / unit));
    if (unit == 10) weir_text_format(text, ".%lld", (long long)(scaled % unit));
    if (unit == 100) weir_text_format(text, ".%02lld", (long long)(scaled % unit));
}

static void print_seeds(const weir_synth *synth, weir_text *text) {
    weir_text_add(text, "  seeds:");
    for (size_t i = 0; i < synth->placements.count; i++) {
        const weir_placement *item = &synth->placements.item[i];
        const bool is_placed = item->end == WEIR_PLACE_PLACED;
        const char *end = is_placed ? "at " : item->end == WEIR_PLACE_LATE ? "too late" : "broken";
        weir_text_format(text, "%s %lld %s", i == 0 ? "" : ",", (long long)item->seed, end);
        if (!is_placed) continue;
        add_fixed(text, item->fmax_mhz, 10);
        weir_text_add(text, " MHz");
    }
    weir_text_char(text, '\n');
}

static void print_estimated_clock(const weir_synth *synth, weir_text *text) {
    if (synth->estimate.total.delay_ps == 0) return;
    weir_text_add(text, "  estimated: ");
    add_fixed(text, weir_cost_mhz(&synth->estimate.total), 10);
    weir_text_add(text, " MHz, ");
    add_fixed(text, weir_cost_inferences(synth->hardware, &synth->estimate), 1);
    weir_text_add(text, " inferences/s\n");
}

static void print_placement(const weir_synth *synth, weir_text *text) {
    const weir_placement *best = weir_synth_best(synth);
    const bool is_met = best->fmax_mhz >= (double)synth->clock_mhz;
    weir_text_format(text, "\nplaced by %s (%s):\n  ", synth->nextpnr.name, synth->nextpnr.version);
    add_fixed(text, best->fmax_mhz, 10);
    weir_text_format(text, " MHz with seed %lld; the goal of %lld MHz is %s\n", (long long)best->seed,
                     (long long)synth->clock_mhz, is_met ? "met" : "missed");
    if (synth->placements.count > 1) print_seeds(synth, text);
    weir_text_add(text, "  ");
    add_fixed(text, weir_synth_inferences(synth), 1);
    weir_text_format(text, " inferences/s, at %lld cycles a frame\n", (long long)synth->interval);
    print_estimated_clock(synth, text);
    if (!synth->has_path) return;
    weir_text_add(text, "  critical path: ");
    weir_synth_path_print(&synth->path, text);
    weir_text_add(text, "\n    ");
    add_fixed(text, synth->path.delay_ns, 10);
    weir_text_add(text, " ns: ");
    add_fixed(text, synth->path.logic_ns, 10);
    weir_text_add(text, " of logic, ");
    add_fixed(text, synth->path.routing_ns, 10);
    weir_text_format(text, " of routing, %zu cells between the registers\n", synth->path.levels);
}

void weir_synth_warn(const weir_synth *synth) {
    const weir_placement *best = weir_synth_best(synth);
    if (best == NULL || best->fmax_mhz >= (double)synth->clock_mhz) return;
    weir_text path = {NULL, 0, 0};
    if (synth->has_path) weir_synth_path_print(&synth->path, &path);
    weir_warning(WEIR_NOWHERE, "the clock goal of %lld MHz is missed: %.1f MHz is the best of %zu seed%s",
                 (long long)synth->clock_mhz, best->fmax_mhz, synth->placements.count,
                 synth->placements.count == 1 ? "" : "s");
    if (synth->has_path) weir_note("the critical path: %s", path.data);
    weir_note("try more --seeds, or a lower --clock, also for 'weir compile'");
    weir_text_free(&path);
}

static void print_simulation(const weir_synth *synth, weir_text *text) {
    const json_t *result = synth->simulation.result;
    if (synth->simulation.why_not != NULL)
        weir_text_format(text, "\nnetlist not simulated: %s\n", synth->simulation.why_not);
    if (result == NULL) return;
    const json_t *wrong = json_object_get(result, "first_divergence");
    const char *data = json_string_value(json_object_get(result, "data"));
    weir_text_format(
        text, "\nnetlist simulated on %lld frames (%s), with and without stalls: %lld values compared, %lld wrong\n",
        (long long)json_integer_value(json_object_get(result, "frames")),
        strcmp(data, "random") == 0 ? "random" : "of the data",
        (long long)json_integer_value(json_object_get(result, "compared")),
        (long long)json_integer_value(json_object_get(result, "mismatches")));
    const char *limit = json_string_value(json_object_get(result, "limit"));
    if (limit != NULL) weir_text_format(text, "  no more frames: %s\n", limit);
    const json_t *malformed = json_object_get(result, "malformed");
    if (json_is_object(malformed))
        weir_text_format(
            text, "  again with %lld of them too short or too long: %lld values of the others compared, %lld wrong\n",
            (long long)json_integer_value(json_object_get(malformed, "damaged")),
            (long long)json_integer_value(json_object_get(malformed, "compared")),
            (long long)json_integer_value(json_object_get(malformed, "mismatches")));
    const long long nets = json_integer_value(json_object_get(result, "nets")),
                    toggled = json_integer_value(json_object_get(result, "toggled"));
    if (nets > 0) {
        weir_text_format(text, "  %lld of %lld nets were 0 and 1 (%.1f %%)", toggled, nets,
                         100.0 * (double)toggled / (double)nets);
        if (toggled < nets)
            weir_text_format(text, "; not so: %s%s", json_string_value(json_object_get(result, "still")),
                             nets - toggled > 8 ? " ..." : "");
        weir_text_add(text, "\n");
    }
    static const char *const rules[] = {"protocol", "miscounted"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *broken = json_string_value(json_object_get(result, rules[i]));
        if (broken != NULL) weir_text_format(text, "  %s: %s\n", rules[i], broken);
    }
    if (json_is_object(wrong)) {
        char *dump = json_dumps(wrong, JSON_PRESERVE_ORDER);
        weir_text_format(text, "  first divergence: %s\n", dump);
        free(dump);
    }
}

static void print_names(const json_t *names, const char *what, weir_text *text) {
    json_t *name;
    size_t i;
    json_array_foreach(names, i, name) {
        weir_text_format(text, "%s%s", i == 0 ? what : ", ", json_string_value(name));
    }
    if (json_array_size(names) > 0) weir_text_char(text, '\n');
}

static void print_proof(const weir_synth *synth, weir_text *text) {
    const json_t *result = synth->proof.result;
    if (synth->proof.why_not != NULL) weir_text_format(text, "\nmapping not proved: %s\n", synth->proof.why_not);
    if (result == NULL) return;
    const char *status = json_string_value(json_object_get(result, "status"));
    weir_text_format(
        text, "\nmapping %s: %lld of %lld functions equal, %lld of %lld registers and %lld of %lld blocks matched\n",
        strcmp(status, "proved") == 0      ? "proved"
        : strcmp(status, "different") == 0 ? "WRONG"
                                           : "not proved as a whole",
        (long long)json_integer_value(json_object_get(result, "functions_equal")),
        (long long)json_integer_value(json_object_get(result, "functions")),
        (long long)json_integer_value(json_object_get(result, "registers_matched")),
        (long long)json_integer_value(json_object_get(result, "registers")),
        (long long)json_integer_value(json_object_get(result, "blocks_matched")),
        (long long)json_integer_value(json_object_get(result, "blocks")));
    print_names(json_object_get(result, "different"), "  different: ", text);
    print_names(json_object_get(result, "open"), "  open: ", text);
}

void weir_synth_print(const weir_synth *synth, weir_text *text) {
    if (synth->netlist.json == NULL) return;
    weir_text_format(text, "%s synthesized for %s (%s) by %s:\n", synth->top, synth->device->name, synth->device->title,
                     synth->yosys.version);
    print_uses(synth, text);
    if (synth->netlist.absorbed.multiplier_bits + synth->netlist.absorbed.memory_bits > 0)
        weir_text_format(text, "  %lld bits of registers moved into multipliers, %lld into memory blocks\n",
                         (long long)synth->netlist.absorbed.multiplier_bits,
                         (long long)synth->netlist.absorbed.memory_bits);
    if (synth->is_proved) print_proof(synth, text);
    if (synth->is_simulated) print_simulation(synth, text);
    if (weir_synth_best(synth) != NULL) print_placement(synth, text);
}

/* --- for programs --- */

static json_t *json_of_uses(const weir_cost *cost, const weir_device *device) {
    weir_cost_use uses[WEIR_COST_USES];
    json_t *object = json_object();
    weir_cost_uses(cost, device, uses);
    for (size_t i = 0; i < WEIR_COST_USES; i++)
        json_object_set_new(
            object, uses[i].key,
            json_pack("{s:I, s:I}", "used", (json_int_t)uses[i].used, "available", (json_int_t)uses[i].available));
    return object;
}

static json_t *json_of_pins(const weir_synth *synth) {
    return json_pack("{s:I, s:I, s:I}", "port_bits", (json_int_t)synth->ports, "luts", (json_int_t)synth->pins.luts,
                     "flip_flops", (json_int_t)synth->pins.flip_flops);
}

static json_t *json_of_placement(const weir_synth *synth) {
    const weir_placement *best = weir_synth_best(synth);
    json_t *seeds = json_array();
    for (size_t i = 0; i < synth->placements.count; i++) {
        const weir_placement *item = &synth->placements.item[i];
        json_t *mhz = item->end == WEIR_PLACE_PLACED ? json_real(item->fmax_mhz) : json_null();
        json_array_append_new(seeds, json_pack("{s:I, s:o}", "seed", (json_int_t)item->seed, "fmax_mhz", mhz));
    }
    return json_pack("{s:s, s:s, s:s?, s:I, s:o, s:O, s:o}", "program", synth->nextpnr.name, "version",
                     synth->nextpnr.version, "placer", synth->placer, "seed", (json_int_t)best->seed, "seeds", seeds,
                     "utilization", json_object_get(best->report, "utilization"), "pins", json_of_pins(synth));
}

json_t *weir_synth_json(const weir_synth *synth) {
    const weir_placement *best = weir_synth_best(synth);
    json_t *json =
        json_pack("{s:i, s:s, s:s, s:s}", "schema", SCHEMA, "design", synth->top, "device", synth->device->name,
                  "family", weir_device_family_name((weir_device_family)synth->device->family));
    json_object_set_new(json, "synthesis",
                        json_pack("{s:s, s:s}", "program", synth->yosys.name, "version", synth->yosys.version));
    json_object_set_new(json, "clock_goal_mhz", json_integer((json_int_t)synth->clock_mhz));
    json_object_set_new(json, "clock_met",
                        best == NULL ? json_null() : json_boolean(best->fmax_mhz >= (double)synth->clock_mhz));
    json_object_set_new(json, "fmax_mhz", best == NULL ? json_null() : json_real(best->fmax_mhz));
    json_object_set_new(json, "interval", json_integer((json_int_t)synth->interval));
    json_object_set_new(json, "inferences_per_second",
                        best == NULL ? json_null() : json_real(weir_synth_inferences(synth)));
    json_object_set_new(json, "utilization", json_of_uses(&synth->cost, synth->device));
    json_object_set_new(json, "nodes",
                        weir_synth_nodes_json(synth->netlist.json, synth->top, synth->hardware, synth->device));
    json_object_set_new(json, "absorbed",
                        json_pack("{s:I, s:I}", "multiplier_bits", (json_int_t)synth->netlist.absorbed.multiplier_bits,
                                  "memory_bits", (json_int_t)synth->netlist.absorbed.memory_bits));
    json_object_set_new(json, "estimate", weir_cost_json(synth->hardware, &synth->estimate, synth->device));
    json_object_set_new(json, "critical_path", synth->has_path ? weir_synth_path_json(&synth->path) : json_null());
    json_object_set_new(json, "placement", best == NULL ? json_null() : json_of_placement(synth));
    json_object_set_new(json, "proof", synth->is_proved ? weir_synth_check_json(&synth->proof) : json_null());
    json_object_set_new(json, "simulation",
                        synth->is_simulated ? weir_synth_check_json(&synth->simulation) : json_null());
    return json;
}

/* --- files --- */

static bool copy(const weir_synth *synth, const char *folder, const char *name) {
    char *from = weir_path_join(synth->netlist.folder, name), *to = weir_path_join(folder, name);
    const bool fine = weir_file_copy(from, to);
    free(from);
    free(to);
    return fine;
}

static bool write_text(const char *folder, const char *name, const char *text) {
    char *path = weir_path_join(folder, name);
    const bool fine = weir_file_write(path, text, strlen(text));
    free(path);
    return fine;
}

static bool write_json(const char *folder, const char *name, const json_t *value) {
    char *path = weir_path_join(folder, name);
    const bool fine = weir_json_write(path, value, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    free(path);
    return fine;
}

static bool write_all(const weir_synth *synth, const json_t *report, const char *folder) {
    static const char *const names[] = {"netlist.json", "netlist.v", "yosys.log"};
    const weir_placement *best = weir_synth_best(synth);
    bool fine = write_json(folder, "synthesis.json", report);
    for (size_t i = 0; fine && i < sizeof names / sizeof *names; i++) fine = copy(synth, folder, names[i]);
    if (fine && best != NULL)
        fine = write_text(folder, "nextpnr.log", best->log) && write_json(folder, "nextpnr.json", best->report);
    return fine;
}

bool weir_synth_write(const weir_synth *synth, const json_t *report, const char *folder) {
    if (synth->netlist.json == NULL) return true;
    weir_folder *output = weir_folder_open(folder, WEIR_FOLDER_WHOLE);
    if (output == NULL) return false;
    if (write_all(synth, report, weir_folder_staging(output))) return weir_folder_commit(output);
    weir_folder_abandon(output);
    return false;
}
