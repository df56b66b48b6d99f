#include "regress/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "regress/cause.h"
#include "support/file/file.h"
#include "support/file/json.h"
#include "support/memory/arena.h"
#include "support/memory/map.h"
#include "support/text/diag.h"

void weir_tally_free(weir_tally *results) {
    for (size_t i = 0; i < results->suite->points; i++) weir_record_clear(&results->record[i]);
    free(results->record);
    free(results->is_kept);
    free(results->worse);
}

size_t weir_tally_count(const weir_tally *results, weir_point_state state) {
    size_t count = 0;
    for (size_t i = 0; i < results->suite->points; i++) count += results->record[i].state == state;
    return count;
}

int weir_tally_status(const weir_tally *results) {
    if (weir_tally_count(results, WEIR_POINT_WRONG) > 0) return WEIR_EXIT_MISMATCH;
    if (weir_tally_count(results, WEIR_POINT_FAILED) > 0 || results->worses > 0) return WEIR_EXIT_INPUT;
    if (weir_tally_count(results, WEIR_POINT_LOST) > 0) return WEIR_EXIT_TOOL;
    return WEIR_EXIT_FINE;
}

/* --- baselines --- */
static void compare_metric(weir_tally *results, size_t point, const weir_suite_tolerance *t, double before,
                           double now) {
    const double allowed = t->is_relative ? fabs(before) * t->amount / 100 : t->amount;
    const double moved = t->is_upwards ? now - before : before - now;
    if (!(moved > allowed + 1e-12 * fabs(before))) return;
    results->worse = weir_grow(results->worse, &results->worse_capacity, results->worses + 1, sizeof *results->worse);
    results->worse[results->worses++] = (weir_worse){point, t, before, now};
}

bool weir_tally_compare(weir_tally *results, const char *path, weir_location asker) {
    json_error_t error;
    size_t size;
    char *text = weir_file_read_quietly(path, &size);
    json_t *root = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    const json_t *points = json_object_get(root, "points");
    const bool fine = json_is_object(points);
    if (text == NULL) weir_error(asker, "the baseline '%s' cannot be read", path);
    else if (!fine)
        weir_error(weir_at(path, root == NULL ? error.line : 0), "expected a baseline, an object with 'points'");
    if (!fine) weir_note("--save-baseline FILE writes one");
    results->has_baseline = fine;
    for (size_t i = 0; fine && i < results->suite->points; i++) {
        char *name = weir_suite_point_text(results->suite, &results->suite->point[i]);
        const json_t *before = json_object_get(points, name);
        results->fresh += before == NULL;
        for (size_t k = 0; k < results->suite->tolerances && results->record[i].state == WEIR_POINT_RIGHT; k++) {
            const weir_suite_tolerance *t = &results->suite->tolerance[k];
            const json_t *was = json_object_get(before, t->metric),
                         *is = json_object_get(results->record[i].metrics, t->metric);
            if (was != NULL && is != NULL) compare_metric(results, i, t, json_number_value(was), json_number_value(is));
        }
        free(name);
    }
    json_decref(root);
    free(text);
    return fine;
}

bool weir_tally_save_baseline(const weir_tally *results, const char *path) {
    json_t *points = json_object();
    for (size_t i = 0; i < results->suite->points; i++) {
        if (results->record[i].state != WEIR_POINT_RIGHT) continue;
        char *name = weir_suite_point_text(results->suite, &results->suite->point[i]);
        json_object_set(points, name, results->record[i].metrics);
        free(name);
    }
    json_t *root = json_pack("{s:i, s:s, s:o}", "schema", 1, "suite", results->suite->name, "points", points);
    const bool fine = weir_json_write(path, root, JSON_INDENT(2) | JSON_SORT_KEYS);
    json_decref(root);
    return fine;
}

const weir_worse *weir_tally_worse(const weir_tally *tally, size_t point, size_t *count) {
    size_t low = 0, high = tally->worses;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tally->worse[middle].point < point) low = middle + 1;
        else high = middle;
    }
    for (*count = 0; low + *count < tally->worses && tally->worse[low + *count].point == point;) ++*count;
    return tally->worse == NULL ? NULL : tally->worse + low;
}

/* --- groups --- */
typedef struct wanted {
    const weir_group *group;
    const char *text;
} wanted;

static bool is_wanted(const void *user, uint64_t key, uint64_t value) {
    const wanted *w = user;
    (void)key;
    return strcmp(w->group[value - 1].text, w->text) == 0;
}

weir_group *weir_tally_groups(const weir_tally *results, size_t *count) {
    weir_group *group = NULL;
    weir_map of = {0};
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i < results->suite->points; i++) {
        const weir_record *record = &results->record[i];
        if (record->state == WEIR_POINT_RIGHT || record->state == WEIR_POINT_OPEN) continue;
        char *text = weir_cause_group(results->suite, &results->suite->point[i], record);
        bool is_new;
        const wanted w = {group, text};
        weir_map_entry *e = weir_map_put_as(&of, weir_map_hash_text(text, strlen(text)), is_wanted, &w, &is_new);
        if (is_new) {
            group = weir_grow_zeroed(group, &capacity, *count + 1, sizeof *group);
            group[*count].text = text;
            e->value = ++*count;
        } else {
            free(text);
        }
        weir_group *g = &group[e->value - 1];
        g->point = weir_grow(g->point, &g->capacity, g->count + 1, sizeof *g->point);
        g->point[g->count++] = i;
    }
    weir_map_free(&of);
    return group;
}

void weir_groups_free(weir_group *group, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(group[i].text);
        free(group[i].point);
    }
    free(group);
}
