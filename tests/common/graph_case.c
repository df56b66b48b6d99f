#include "common/graph_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/graph/print.h"
#include "support/memory/arena.h"
#include "support/memory/hash.h"
#include "support/memory/random.h"
#include "support/text/text.h"

uint64_t case_seed(const char *text) {
    weir_hash hash = weir_hash_start();
    weir_hash_add_string(&hash, text);
    return hash.low;
}

void case_fill_random(weir_array *array, uint64_t seed, double low, double high) {
    const bool is_float = weir_dtype_is_float(array->dtype);
    for (size_t i = 0; i < array->count; i++) {
        const uint64_t bits = weir_random_next(&seed);
        const double unit = (double)(bits >> 11) * 0x1p-53;
        if (!is_float) weir_array_set_int(array, i, (int64_t)floor(low + unit * (high - low + 1)));
        else if (low < 0 && high > 0 && (bits & 15) < 2) weir_array_set(array, i, (bits & 1) != 0 ? -0.0 : 0.0);
        else weir_array_set(array, i, low + unit * (high - low));
    }
}

char *case_find_line(const char *section, const char *name) {
    const size_t size = strlen(name);
    for (const char *line = section; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, name, size) == 0 && strncmp(line + size, " = ", 3) == 0) {
            const char *from = line + size + 3;
            return weir_format("%.*s", (int)(end == NULL ? strlen(from) : (size_t)(end - from)), from);
        }
        line = end == NULL ? NULL : end + 1;
    }
    return NULL;
}

bool case_fill(weir_array *array, const char *name, const char *line) {
    const bool is_float = weir_dtype_is_float(array->dtype);
    const uint64_t seed = case_seed(name);
    char *end;
    if (line == NULL) {
        case_fill_random(array, seed, is_float ? -1 : weir_dtype_is_signed(array->dtype) ? -8 : 0, is_float ? 1 : 8);
        return true;
    }
    if (strncmp(line, "random ", 7) == 0) {
        const double low = weir_parse_double(line + 7, &end);
        case_fill_random(array, seed, low, weir_parse_double(end, &end));
        return *end == '\0';
    }
    const char *at = line;
    for (size_t i = 0; i < array->count; i++) {
        if (*at == '\0') at = line;
        if (is_float) weir_array_set(array, i, weir_parse_double(at, &end));
        else weir_array_set_int(array, i, (int64_t)strtoull(at, &end, 10));
        if (end == at) return false;
        at = end + strspn(end, " ");
    }
    return true;
}

/* Reads "%NAME : DTYPE[SHAPE]" of a line `constant ...` and adds its data to the archive. */
static bool add_constant(char *line, const char *data, weir_archive *archive) {
    char *colon = strstr(line, " : "), *open = colon == NULL ? NULL : strchr(colon, '[');
    weir_dtype dtype;
    weir_shape shape = {0};
    if (open == NULL || line[0] != '%') return false;
    *colon = '\0';
    *open = '\0';
    if (!weir_dtype_parse(colon + 3, &dtype)) return false;
    for (char *at = open + 1; *at != ']' && *at != '\0'; at += *at == ',')
        shape.dim[shape.rank++] = strtoll(at, &at, 10);
    weir_array *array = weir_array_new(dtype, &shape);
    char *found = case_find_line(data, line + 1);
    const bool fine = case_fill(array, line + 1, found);
    weir_archive_add(archive, line + 1, array);
    free(found);
    return fine;
}

/* "NAME.scale = ..." and "NAME.zero_point = ..." are as long as their lists. */
static bool add_parameters(const char *data, weir_archive *archive) {
    char *copy = weir_copy_string(data == NULL ? "" : data);
    bool fine = true;
    for (char *line, *rest = copy; fine && (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        char *equal = strstr(line, " = ");
        if (equal == NULL) continue;
        *equal = '\0';
        const bool is_zero = strstr(line, ".zero_point") != NULL;
        if (!is_zero && strstr(line, ".scale") == NULL) continue;
        weir_shape shape = {.rank = 1};
        for (const char *at = equal + 3; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " ")) shape.dim[0]++;
        weir_array *array = weir_array_new(is_zero ? WEIR_INT64 : WEIR_FLOAT64, &shape);
        fine = case_fill(array, line, equal + 3);
        weir_archive_add(archive, line, array);
    }
    free(copy);
    return fine;
}

weir_graph *case_read_graph(const char *text, const char *data) {
    weir_archive archive;
    weir_archive_init(&archive);
    char *copy = weir_copy_string(text);
    bool fine = add_parameters(data, &archive);
    for (char *line, *rest = copy; fine && (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        if (strncmp(line, "constant ", 9) == 0 && !add_constant(line + 9, data, &archive)) {
            fprintf(stderr, "cannot make the data of '%s'\n", line + 9);
            fine = false;
        }
    }
    free(copy);
    weir_graph *graph = fine ? weir_graph_parse(text, strlen(text), &archive, "input") : NULL;
    weir_archive_free(&archive);
    return graph;
}
