/* Fits toolchain/dataflow/cost.def to what Yosys made of random parameters: cost_fit MEASURED.csv [COST.def]
 * For each module and family of devices, least squares of the relative error over non-negative coefficients. Prints the error
 * of the fit: median and largest, in per cent of the lookup tables (at least 16 of them). Without COST.def the errors of the
 * coefficients that are compiled in are printed instead. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataflow/cost.h"
#include "support/arena.h"
#include "support/diag.h"

enum { SAMPLES_MAX = 4096, PARAMETERS_MAX = 32, FLOOR = 16 };

typedef struct sample {
    char family[16], module[64];
    weir_cost_part part;
    weir_cost measured;
    double estimate; /* lookup tables */
} sample;

static const struct {
    const char *word, *device;
} families[] = {{"ice40", "ice40hx8k"},
                {"ice40u", "ice40up5k"},
                {"ecp5", "ecp5-25k"},
                {"gowin", "gw1nr-9"},
                {"xilinx7", "xc7a35t"}};
enum { FAMILIES = sizeof families / sizeof *families };

static weir_device *device_of(const char *family, weir_device **devices) {
    for (size_t i = 0; i < FAMILIES; i++) {
        int status;
        if (strcmp(families[i].word, family) != 0) continue;
        if (devices[i] == NULL) devices[i] = weir_device_read(families[i].device, &status);
        return devices[i];
    }
    return NULL;
}

static size_t parse_parameters(char *text, weir_cost_parameter *parameters) {
    size_t count = 0;
    for (char *at = strtok(text, " "); at != NULL && count < PARAMETERS_MAX; at = strtok(NULL, " ")) {
        char *value = strchr(at, '=');
        weir_storage storage;
        if (value == NULL) continue;
        *value++ = '\0';
        parameters[count].name = at;
        parameters[count++].value = weir_storage_parse(value, &storage) ? (int64_t)storage : strtoll(value, NULL, 10);
    }
    return count;
}

static bool parse_line(char *line, weir_device **devices, sample *s) {
    char *cell[7] = {strtok(line, ",")};
    for (size_t i = 1; i < 7; i++) cell[i] = strtok(NULL, ",\n");
    if (cell[6] == NULL || strcmp(cell[0], "family") == 0) return false;
    weir_cost_parameter parameters[PARAMETERS_MAX];
    snprintf(s->family, sizeof s->family, "%s", cell[0]);
    snprintf(s->module, sizeof s->module, "weir_%s", cell[1]);
    s->measured = (weir_cost){strtoll(cell[3], NULL, 10), strtoll(cell[4], NULL, 10), strtoll(cell[5], NULL, 10),
                              strtoll(cell[6], NULL, 10)};
    const size_t count = parse_parameters(cell[2], parameters);
    const weir_device *device = device_of(s->family, devices);
    weir_cost cost;
    if (device == NULL || !weir_cost_terms_of_module(device, s->module, parameters, count, &s->part)) return false;
    weir_cost_of_module(device, s->module, parameters, count, &cost);
    s->estimate = (double)cost.luts;
    return true;
}

static double weight_of(const sample *s) { return 1 / (double)(s->measured.luts > FLOOR ? s->measured.luts : FLOOR); }

/* How much a family leans on what was fitted to all of them: few samples say little about each term. */
#define LEANING 0.05

/* Coordinate descent on sum of (weight * (c . terms - measured))^2, c >= 0, with a pull towards `prior` unless it is NULL. */
static void fit(const sample *samples, size_t count, const bool *mine, const double *prior, double *c) {
    for (int round = 0; round < 5000; round++) {
        for (size_t k = 0; k < WEIR_COST_TERMS; k++) {
            double up = 0, down = 1e-9;
            for (size_t i = 0; i < count; i++) {
                if (!mine[i]) continue;
                const double w = weight_of(&samples[i]), t = samples[i].part.term[k] * w;
                double rest = (double)samples[i].measured.luts;
                for (size_t j = 0; j < WEIR_COST_TERMS; j++) rest -= j == k ? 0 : c[j] * samples[i].part.term[j];
                up += t * rest * w;
                down += t * t;
            }
            if (prior != NULL) {
                up += LEANING * down * prior[k];
                down += LEANING * down;
            }
            c[k] = up > 0 ? up / down : 0;
        }
    }
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_errors(const char *module, const char *family, sample *samples, size_t count, const bool *mine) {
    double *errors = weir_calloc(count + 1, sizeof *errors);
    size_t n = 0, flip_flops = 0, multipliers = 0, blocks = 0;
    for (size_t i = 0; i < count; i++) {
        if (!mine[i]) continue;
        const sample *s = &samples[i];
        errors[n++] = 100 * fabs(s->estimate - (double)s->measured.luts) * weight_of(s);
        const int64_t off = s->part.cost.flip_flops - s->measured.flip_flops, most = s->measured.flip_flops / 10 + 4;
        flip_flops += off > most || off < -most;
        multipliers += s->part.cost.multipliers != s->measured.multipliers;
        blocks += s->part.cost.memory_blocks != s->measured.memory_blocks;
    }
    qsort(errors, n, sizeof *errors, ascending);
    if (n > 0)
        printf(
            "%-22s %-8s %3zu samples: LUTs off by %5.1f %% (median), %5.1f %% (most); off: flip-flops %zu, multipliers %zu, memory blocks %zu\n",
            module, family, n, errors[n / 2], errors[n - 1], flip_flops, multipliers, blocks);
    free(errors);
}

static void fit_all(sample *samples, size_t count, weir_device **devices, FILE *out) {
    static const char *const words[] = {"ICE40", "ECP5", "GOWIN", "XILINX7"};
    bool *mine = weir_calloc(count + 1, sizeof *mine);
    for (size_t first = 0; first < count; first++) {
        const char *module = samples[first].module;
        bool seen = false;
        for (size_t i = 0; i < first; i++) seen |= strcmp(samples[i].module, module) == 0;
        double all[WEIR_COST_TERMS] = {0};
        for (size_t i = 0; i < count; i++) mine[i] = strcmp(samples[i].module, module) == 0;
        if (!seen && out != NULL) fit(samples, count, mine, NULL, all);
        for (size_t f = 0; !seen && f < WEIR_DEVICE_FAMILIES; f++) {
            size_t terms = 0;
            double c[WEIR_COST_TERMS] = {0};
            for (size_t i = 0; i < count; i++) {
                mine[i] = strcmp(samples[i].module, module) == 0 &&
                          device_of(samples[i].family, devices)->family == (int64_t)f;
                if (mine[i]) terms = samples[i].part.terms;
            }
            if (terms == 0) continue;
            if (out != NULL) {
                fit(samples, count, mine, all, c);
                for (size_t i = 0; i < count; i++) {
                    if (!mine[i]) continue;
                    samples[i].estimate = 0;
                    for (size_t k = 0; k < WEIR_COST_TERMS; k++) samples[i].estimate += c[k] * samples[i].part.term[k];
                }
                fprintf(out, "WEIR_COST(\"%s\", %s", module, words[f]);
                for (size_t k = 0; k < terms; k++) fprintf(out, ", %.4g", c[k]);
                fprintf(out, ")\n");
            }
            print_errors(module, weir_device_family_name((weir_device_family)f), samples, count, mine);
        }
    }
    free(mine);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: cost_fit MEASURED.csv [COST.def]\n");
        return 2;
    }
    FILE *in = fopen(argv[1], "r"), *out = NULL;
    sample *samples = weir_calloc(SAMPLES_MAX, sizeof *samples);
    weir_device *devices[FAMILIES] = {NULL};
    size_t count = 0;
    if (in == NULL || (argc == 3 && (out = fopen(argv[2], "w")) == NULL)) {
        perror(argv[in == NULL ? 1 : 2]);
        return 1;
    }
    for (char line[1024]; count < SAMPLES_MAX && fgets(line, sizeof line, in) != NULL;)
        count += parse_line(line, devices, &samples[count]);
    if (out != NULL)
        fputs(
            "/* Lookup tables a unit of each term of a module, on a family of devices:\n"
            " *   WEIR_COST(module, family, constant, term 1, term 2, ...)\n"
            " * Made by scripts/cost/fit from scripts/cost/measured.csv; the terms stand in the component's `cost`. */\n",
            out);
    fit_all(samples, count, devices, out);
    fclose(in);
    bool fine = out == NULL || fclose(out) == 0;
    for (size_t i = 0; i < FAMILIES; i++) weir_device_free(devices[i]);
    free(samples);
    return fine ? 0 : 1;
}
