/* Fits estimates to what was measured (scripts/cost), and tells how far they are off.
 *
 * cost_fit MEASURED.csv: the errors of the estimates that are compiled in, of each family of devices. --modules: of
 * each module. cost_fit MEASURED.csv COST.def: fits coefficients of lookup tables, and writes them; the errors of these
 * are told. With a MODULE behind only its rows are written, the others stay. cost_fit PLACED.csv [--delays]: the same
 * of clocks; with --delays fits those of the devices' profiles and prints them. --rows: each row, its estimate beside
 * it. Least squares of the relative error over coefficients that are not negative. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cost_rows.h"
#include "support/file/file.h"
#include "support/memory/arena.h"

typedef struct sample {
    const cost_row *row;
    weir_cost_part part;
    weir_cost estimate;
} sample;

typedef struct samples {
    sample *item;
    size_t count;
} samples;

static bool estimate_all(const cost_rows *rows, samples *all) {
    *all = (samples){weir_calloc(rows->count + 1, sizeof *all->item), rows->count};
    for (size_t i = 0; i < rows->count; i++) {
        const cost_row *row = &rows->item[i];
        all->item[i].row = row;
        weir_cost_terms_of_module(row->device, row->module, row->parameter, row->parameters, row->alone,
                                  &all->item[i].part);
        if (!cost_rows_estimate(row, &all->item[i].estimate)) return false;
    }
    return true;
}

static const char *family_of(const sample *s) {
    return weir_device_family_name((weir_device_family)s->row->device->family);
}

/* --- errors --- */

typedef double error_of(const sample *s);

static double of_luts(const sample *s) { return cost_rows_error((double)s->estimate.luts, s->row->measured.luts); }

static double of_flip_flops(const sample *s) {
    return cost_rows_error((double)s->estimate.flip_flops, s->row->measured.flip_flops);
}

static double of_clock(const sample *s) {
    return fabs(weir_cost_mhz(&s->estimate) - s->row->fmax_mhz) / s->row->fmax_mhz;
}

/* NULL: any. */
static bool is_of(const sample *s, const char *family, const char *module) {
    return (family == NULL || strcmp(family_of(s), family) == 0) &&
           (module == NULL || strcmp(s->row->module, module) == 0);
}

static void print_spread(const samples *all, const char *family, const char *module, const char *what,
                         error_of *error) {
    double *errors = weir_calloc(all->count + 1, sizeof *errors);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (is_of(&all->item[i], family, module)) errors[count++] = error(&all->item[i]);
    }
    const cost_spread spread = cost_rows_spread(errors, count);
    printf("; %s off by %.1f %% (median), %.1f %% (nine of ten), %.1f %% (worst)", what, 100 * spread.median,
           100 * spread.ninth, 100 * spread.worst);
    free(errors);
}

static void print_errors(const samples *all, const char *family, const char *module) {
    size_t count = 0, flip_flops = 0, multipliers = 0, blocks = 0;
    bool placed = false;
    for (size_t i = 0; i < all->count; i++) {
        const sample *s = &all->item[i];
        if (!is_of(s, family, module)) continue;
        count++;
        placed = s->row->fmax_mhz > 0;
        flip_flops += s->estimate.flip_flops != s->row->measured.flip_flops;
        multipliers += s->estimate.multipliers != s->row->measured.multipliers;
        blocks += s->estimate.memory_blocks != s->row->measured.memory_blocks;
    }
    if (count == 0) return;
    printf("%-8s%s%s %4zu configurations", family, module == NULL ? "" : " ", module == NULL ? "" : module, count);
    if (placed) {
        print_spread(all, family, module, "clock", of_clock);
    } else {
        print_spread(all, family, module, "LUTs", of_luts);
        print_spread(all, family, module, "flip-flops", of_flip_flops);
        printf("; not exact: flip-flops in %zu, multipliers in %zu, memory blocks in %zu", flip_flops, multipliers,
               blocks);
    }
    printf("\n");
}

/* --- coefficients --- */

static double weight_of(const sample *s) {
    return cost_rows_error((double)s->row->measured.luts + 1, s->row->measured.luts);
}

/* How much a family leans on what was fitted to all of them, or what a network is on modules alone: few samples say
 * little about each term. */
#define LEANING 0.02
#define NETWORKS_LEANING 0.1

/* Coordinate descent on sum of (weight * (c . terms - measured))^2, c >= 0, with a pull towards `prior` unless it is
 * NULL. */
static void fit(const samples *all, const char *family, const char *module, const double *prior, double leaning,
                double *c) {
    for (int round = 0; round < 3000; round++) {
        for (size_t k = 0; k < WEIR_COST_TERMS; k++) {
            double up = 0, down = 0;
            for (size_t i = 0; i < all->count; i++) {
                const sample *s = &all->item[i];
                if (!is_of(s, family, module)) continue;
                const double w = weight_of(s), t = s->part.term[k] * w;
                double rest = (double)s->row->measured.luts;
                for (size_t j = 0; j < WEIR_COST_TERMS; j++) rest -= j == k ? 0 : c[j] * s->part.term[j];
                up += t * rest * w;
                down += t * t;
            }
            if (prior != NULL) {
                const double pull =
                    leaning * down + 1e-9; /* of a term that no sample has the prior is all that is known */
                up += pull * prior[k];
                down += pull;
            }
            c[k] = up > 0 ? up / down : 0;
        }
    }
}

static void fit_family(samples *all, weir_device_family family, const char *module, const double *prior, FILE *out) {
    static const char *const words[] = {"ICE40", "ECP5", "GOWIN", "XILINX7", "GATEMATE"};
    const char *name = weir_device_family_name(family);
    double c[WEIR_COST_TERMS] = {0};
    const sample *one = NULL;
    for (size_t i = 0; i < all->count; i++) {
        if (is_of(&all->item[i], name, module)) one = &all->item[i];
    }
    if (one == NULL || one->part.terms < 2) return;
    const size_t terms = one->part.terms;
    if (one->row->alone) fit(all, name, module, prior, LEANING, c);
    else fit(all, name, module, weir_cost_coefficients(one->row->device, module, true), NETWORKS_LEANING, c);
    for (size_t i = 0; i < all->count; i++) {
        sample *s = &all->item[i];
        if (!is_of(s, name, module)) continue;
        double sum = 0.5;
        for (size_t k = 0; k < WEIR_COST_TERMS; k++) sum += c[k] * s->part.term[k];
        s->estimate.luts = (int64_t)sum;
    }
    fprintf(out, "WEIR_COST(\"%s\", %s", module, words[family]);
    for (size_t k = 0; k < terms; k++) fprintf(out, ", %.4g", c[k]);
    fprintf(out, ")\n");
}

/* Is it the first sample of its module? */
static bool is_first(const samples *all, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (strcmp(all->item[i].row->module, all->item[at].row->module) == 0) return false;
    }
    return true;
}

static void fit_module(samples *all, const char *module, FILE *out) {
    double every[WEIR_COST_TERMS] = {0};
    for (size_t i = 0; i < all->count; i++)
        if (all->item[i].row->alone && is_of(&all->item[i], NULL, module)) {
            fit(all, NULL, module, NULL, 0, every);
            break;
        }
    for (size_t f = 0; f < WEIR_DEVICE_FAMILIES; f++) fit_family(all, (weir_device_family)f, module, every, out);
}

static void fit_all(samples *all, FILE *out) {
    const bool alone = all->count == 0 || all->item[0].row->alone;
    fprintf(out,
            "/* Lookup tables a unit of each term of a module%s, on a family of devices:\n"
            " *   WEIR_COST(module, family, constant, term 1, term 2, ...)\n"
            " * Made by tests/bench/cost_fit.c from scripts/%s.csv; the terms are in the component's `cost`. */\n",
            alone ? "" : " that is part of a network", alone ? "cost/measured" : "estimates/instances");
    for (size_t i = 0; i < all->count; i++)
        if (is_first(all, i)) fit_module(all, all->item[i].row->module, out);
}

/* The file's rows of the module become new ones, where they were or at the end; all else stays. */
static bool fit_one(samples *all, const char *module, const char *path) {
    size_t size;
    char *text = weir_file_read(path, &size), *start = weir_format("WEIR_COST(\"%s\",", module);
    FILE *out = text == NULL ? NULL : fopen(path, "w");
    bool done = false;
    for (const char *line = text, *end; out != NULL && *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        const bool old = strncmp(line, start, strlen(start)) == 0;
        if (old && !done) fit_module(all, module, out);
        done |= old;
        if (!old) fwrite(line, 1, (size_t)(end - line), out);
    }
    if (out != NULL && !done) fit_module(all, module, out);
    free(start);
    free(text);
    return out != NULL && fclose(out) == 0;
}

/* --- delays --- */

static int64_t *delay_at(weir_device_delays *d, size_t index) {
    int64_t *const all[] = {&d->flip_flop, &d->memory, &d->multiplier, &d->lut, &d->chain, &d->carry, &d->fanout};
    return index < sizeof all / sizeof *all ? all[index] : NULL;
}

static double squares(samples *all, const weir_device *device) {
    double sum = 0;
    for (size_t i = 0; i < all->count; i++) {
        sample *s = &all->item[i];
        if (s->row->device != device) continue;
        cost_rows_estimate(s->row, &s->estimate);
        sum += of_clock(s) * of_clock(s);
    }
    return sum;
}

/* Steps of each delay up and down, smaller ones when none helps. */
static void fit_delays(samples *all, weir_device *device) {
    const weir_device_delays before = device->delays;
    device->delays = (weir_device_delays){1000, 6000, 6000, 600, 300, 60, 100, before.kept, before.doubling};
    double best = squares(all, device);
    for (int64_t step = 512; step > 0;) {
        bool better = false;
        for (size_t k = 0; delay_at(&device->delays, k) != NULL; k++) {
            for (int64_t sign = -1; sign <= 1; sign += 2) {
                int64_t *delay = delay_at(&device->delays, k);
                const int64_t last = *delay;
                *delay = last + sign * step;
                const double sum = *delay < 1 ? INFINITY : squares(all, device);
                if (sum < best) better = true;
                else *delay = last;
                if (sum < best) best = sum;
            }
        }
        if (!better) step /= 2;
    }
    squares(all, device);
    const weir_device_delays *d = &device->delays;
    printf(
        "%s\ndelays: {flip_flop: %lld, memory: %lld, multiplier: %lld, lut: %lld, chain: %lld, carry: %lld, fanout: %lld, "
        "kept: %lld, doubling: %lld}\n",
        device->name, (long long)d->flip_flop, (long long)d->memory, (long long)d->multiplier, (long long)d->lut,
        (long long)d->chain, (long long)d->carry, (long long)d->fanout, (long long)d->kept, (long long)d->doubling);
}

/* --- all of it --- */

static void print_rows(const samples *all) {
    for (size_t i = 0; i < all->count; i++) {
        const sample *s = &all->item[i];
        const weir_cost *e = &s->estimate, *m = &s->row->measured;
        printf("%-10s %-22s", s->row->family, s->row->module);
        if (s->row->fmax_mhz > 0) printf(" MHz %.0f/%.0f", weir_cost_mhz(e), s->row->fmax_mhz);
        printf(" LUTs %lld/%lld flip-flops %lld/%lld", (long long)e->luts, (long long)m->luts, (long long)e->flip_flops,
               (long long)m->flip_flops);
        printf(" memory blocks %lld/%lld", (long long)e->memory_blocks, (long long)m->memory_blocks);
        for (size_t k = 0; k < s->row->parameters; k++)
            printf(" %s=%lld", s->row->parameter[k].name, (long long)s->row->parameter[k].value);
        printf("\n");
    }
}

static void report(const samples *all, bool modules) {
    for (size_t f = 0; f < WEIR_DEVICE_FAMILIES; f++) {
        const char *family = weir_device_family_name((weir_device_family)f);
        for (size_t i = 0; modules && i < all->count; i++) {
            if (is_first(all, i)) print_errors(all, family, all->item[i].row->module);
        }
        print_errors(all, family, NULL);
    }
    if (all->count == 0 || all->item[0].row->fmax_mhz > 0) return;
    printf("Errors of LUTs and flip-flops are shares of what was measured, of at least %d of it.\n", COST_ROW_FLOOR);
}

/* `only`: a module whose rows alone are written; NULL: all. */
static int run(cost_rows *rows, const char *option, const char *only) {
    samples all;
    const bool modules = option != NULL && strcmp(option, "--modules") == 0;
    const bool each = option != NULL && strcmp(option, "--rows") == 0;
    const bool delays = option != NULL && strcmp(option, "--delays") == 0;
    bool fine = estimate_all(rows, &all);
    if (fine && only != NULL) fine = fit_one(&all, only, option);
    FILE *out = fine && option != NULL && only == NULL && !modules && !delays && !each ? fopen(option, "w") : NULL;
    if (out != NULL) fit_all(&all, out);
    if (out != NULL && fclose(out) != 0) fine = false;
    for (size_t i = 0; fine && delays && i < COST_ROW_DEVICES; i++) {
        if (rows->device[i] != NULL) fit_delays(&all, rows->device[i]);
    }
    if (fine && each) print_rows(&all);
    if (fine) report(&all, option != NULL && !each);
    free(all.item);
    return fine ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 4) {
        fprintf(
            stderr,
            "usage: cost_fit MEASURED.csv [--modules | --rows | COST.def [MODULE]] | cost_fit PLACED.csv [--rows | --delays]\n");
        return 2;
    }
    cost_rows rows;
    const int status =
        cost_rows_read(argv[1], &rows) ? run(&rows, argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL) : 1;
    cost_rows_free(&rows);
    return status;
}
