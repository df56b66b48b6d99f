/* Every array that the source names goes into a pool first; inputs and labels are picked from it by name. */
#include "cosim/frames.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cosim/random_input.h"
#include "ir/trait/recurrence.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

enum { RANDOM_SEED = 1 };

typedef struct item {
    char *name; /* NULL: the file gives none */
    char *file;
    weir_array *array;
    bool is_input;
    bool came_along; /* from an archive, unnamed: NAME=FILE takes its place */
} item;

struct weir_frames {
    weir_text_reader text; /* of labels: the model's classes */
    item *item;
    size_t items, capacity;
    const weir_array **input; /* of the items, by graph input */
    size_t first;             /* item of the first input that is read */
    size_t chosen;            /* item that FILE.npz:KEY named; SIZE_MAX: none */
    int64_t count;
};

/* --- which array is what --- */

static const char *const label_words[] = {"y", "label", "labels", "target", "targets", "class", "classes", "y_true"};
static const char *const data_words[] = {"x", "data", "input", "inputs", "images", "features"};
enum { LABEL_WORDS = sizeof label_words / sizeof *label_words, DATA_WORDS = sizeof data_words / sizeof *data_words };

/* "y", "Labels", "y_test": one of the words, with or without a suffix after '_'. */
static bool is_label_name(const char *name) {
    for (size_t i = 0; name != NULL && i < LABEL_WORDS; i++) {
        size_t size = strlen(label_words[i]);
        if (strncasecmp(name, label_words[i], size) == 0 && (name[size] == '\0' || name[size] == '_')) return true;
    }
    return false;
}

static item *find_item(const weir_frames *f, const char *name) {
    for (size_t i = 0; i < f->items; i++) {
        if (f->item[i].name != NULL && strcmp(f->item[i].name, name) == 0) return &f->item[i];
    }
    return NULL;
}

/* "'a', 'b', 'c'" of the items. Heap memory. */
static char *list_items(const weir_frames *f) {
    weir_text text = {NULL, 0, 0};
    weir_text_add(&text, "");
    for (size_t i = 0; i < f->items; i++)
        weir_text_format(&text, "%s'%s'", i == 0 ? "" : ", ", f->item[i].name == NULL ? "" : f->item[i].name);
    return text.data;
}

/* The data of a graph's only input where no array has the input's name; NULL after a reported error. */
static item *find_data(const weir_frames *f, const char *source, const char *input) {
    item *only = NULL;
    size_t candidates = 0;
    for (size_t i = 0; i < f->items; i++) {
        if (f->item[i].name == NULL || f->items == 1) return &f->item[i];
        if (is_label_name(f->item[i].name)) continue;
        only = &f->item[i];
        candidates++;
    }
    if (candidates == 1) return only;
    for (size_t word = 0; word < DATA_WORDS; word++) {
        for (size_t i = 0; i < f->items; i++) {
            if (strcasecmp(f->item[i].name, data_words[word]) == 0) return &f->item[i];
        }
    }
    char *names = list_items(f);
    weir_error(weir_at(f->items == 0 ? source : f->item[0].file, 0), "no array matches input '%s': found %s", input,
               f->items == 0 ? "none" : names);
    if (f->items > 0) weir_note("'%s:NAME' names one of them", f->item[0].file);
    free(names);
    return NULL;
}

/* Does anything read the input? */
static bool is_read(const weir_graph *graph, size_t index) {
    assert(index < weir_graph_input_count(graph));
    const weir_value input = weir_graph_input(graph, index);
    bool read = weir_value_use_count(graph, input) > 0;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) read |= weir_graph_output(graph, i).id == input.id;
    return read;
}

static size_t count_read(const weir_graph *graph) {
    size_t count = 0;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) count += is_read(graph, i);
    return count;
}

static item *find_input(const weir_frames *f, const weir_graph *graph, const char *source, size_t index) {
    assert(index < weir_graph_input_count(graph));
    const char *name = weir_value_name(graph, weir_graph_input(graph, index));
    item *found = find_item(f, name);
    if (found != NULL) return found;
    if (weir_graph_input_count(graph) == 1 || count_read(graph) == 1) return find_data(f, source, name);
    weir_error(weir_at(f->items == 0 ? source : f->item[0].file, 0), "no data for input '%s', one of the model's %zu",
               name, weir_graph_input_count(graph));
    weir_note("give NAME=FILE for each input, or an .npz file with an array of each one's name");
    return NULL;
}

const weir_array *weir_frames_labels(const weir_frames *f, const char **name) {
    assert(f->first < f->items);
    /* Beside x_test belong y_test, labels_test, ... before y. */
    const char *data = f->item[f->first].name, *suffix = data == NULL ? NULL : strchr(data, '_');
    for (int plain = suffix == NULL; plain < 2; plain++) {
        for (size_t word = 0; word < LABEL_WORDS; word++) {
            char *wanted = weir_format("%s%s", label_words[word], plain ? "" : suffix);
            item *found = NULL;
            for (size_t i = 0; i < f->items && found == NULL; i++) {
                item *now = &f->item[i];
                if (now->name != NULL && !now->is_input && strcasecmp(now->name, wanted) == 0) found = now;
            }
            free(wanted);
            if (found == NULL) continue;
            *name = found->name;
            return found->array;
        }
    }
    return NULL;
}

/* --- reading --- */

static void free_item(item *i) {
    free(i->name);
    free(i->file);
    weir_array_free(i->array);
}

static bool add_item(weir_frames *f, const char *name, const char *file, weir_array *array, bool came_along) {
    if (array == NULL) return false;
    item new = {.file = weir_copy_string(file), .array = array, .came_along = came_along};
    item *old = name == NULL ? NULL : find_item(f, name);
    new.name = name == NULL ? NULL : weir_copy_string(name);
    for (size_t i = 0; i < f->items; i++) {
        if (name == NULL && f->item[i].name == NULL) old = &f->item[i];
    }
    if (old == NULL) {
        f->item = weir_grow(f->item, &f->capacity, f->items + 1, sizeof *f->item);
        f->item[f->items++] = new;
    } else if (old->came_along != came_along) {
        item *dropped = came_along ? &new : old;
        free_item(dropped);
        if (!came_along) *old = new;
    } else {
        weir_error(weir_at(file, 0), name == NULL ? "more than one file without NAME=" : "a second array '%s'", name);
        free_item(&new);
        return false;
    }
    return true;
}

static bool add_all(weir_frames *f, const char *file, weir_archive *archive, bool only_labels) {
    bool fine = true;
    for (size_t i = 0; fine && i < archive->count; i++) {
        if (archive->array[i] == NULL || (only_labels && !is_label_name(archive->name[i]))) continue;
        fine = add_item(f, archive->name[i], file, archive->array[i], true);
        archive->array[i] = NULL;
    }
    return fine;
}

/* The array of an archive that is wanted as `name`: the one of that name, the only one, or for labels those. */
static const char *choose_key(const weir_archive *archive, const char *name) {
    if (weir_archive_find(archive, name) != NULL) return name;
    for (size_t i = 0; i < archive->count; i++) {
        if (archive->count == 1 || (is_label_name(name) && is_label_name(archive->name[i]))) return archive->name[i];
    }
    return name;
}

/* Labels may be names of the model's classes. */
static weir_array *read_file(weir_frames *f, const char *name, const char *path) {
    return is_label_name(name) ? weir_array_read_text(path, &f->text) : weir_array_read(path, NULL);
}

/* A file as the array `name`, or (NULL) as what its arrays are called. Beside an array that a key names, only labels
 * count. */
static bool add_file(weir_frames *f, const char *name, const char *path) {
    char *key, *file = weir_array_split_path(path, &key);
    if (file == NULL) return add_item(f, name, path, read_file(f, name, path), false);
    weir_archive archive;
    f->text.takes = is_label_name(name) ? NULL : is_label_name;
    bool fine = weir_npz_read_numbers(file, &f->text, &archive);
    if (fine && key == NULL && name != NULL) key = weir_copy_string(choose_key(&archive, name));
    if (fine && key != NULL) {
        const char *as = name == NULL ? key : name;
        fine = add_item(f, as, file, weir_archive_take(&archive, file, key), false);
        if (fine && name == NULL) f->chosen = (size_t)(find_item(f, as) - f->item);
    }
    if (fine && name == NULL) fine = add_all(f, file, &archive, key != NULL);
    weir_archive_free(&archive);
    free(file);
    free(key);
    return fine;
}

/* NAME=FILE where NAME is an input or is what labels are called; anything else is a file. */
static bool add_part(weir_frames *f, const weir_graph *graph, const char *part) {
    const char *equals = strchr(part, '=');
    if (equals == NULL || weir_file_exists(part)) return add_file(f, NULL, part);
    char *name = weir_format("%.*s", (int)(equals - part), part);
    size_t count = weir_graph_input_count(graph);
    const char **inputs = weir_calloc(count, sizeof *inputs);
    bool known = is_label_name(name), fine = false;
    for (size_t i = 0; i < count; i++) {
        inputs[i] = weir_value_name(graph, weir_graph_input(graph, i));
        known |= strcmp(inputs[i], name) == 0;
    }
    if (known) {
        fine = add_file(f, name, equals + 1);
    } else {
        const char *near = weir_suggest(name, inputs, count);
        weir_error(weir_at(part, 0), "the model has no input '%s'", name);
        weir_note(near != NULL ? "did you mean '%s'?" : "its first one is '%s'", near != NULL ? near : inputs[0]);
    }
    free(inputs);
    free(name);
    return fine;
}

/* Parts end at a line end, and at a comma that NAME= follows. */
static size_t part_size(const char *text) {
    size_t size = strcspn(text, ",\n");
    while (text[size] == ',' && text[size + 1 + strcspn(text + size + 1, ",=/\n")] != '=')
        size += 1 + strcspn(text + size + 1, ",\n");
    return size;
}

static bool add_parts(weir_frames *f, const weir_graph *graph, const char *source) {
    bool fine = true;
    for (size_t size; fine && *source != '\0'; source += size + (source[size] != '\0')) {
        size = part_size(source);
        char *part = weir_format("%.*s", (int)size, source);
        fine = add_part(f, graph, part);
        free(part);
    }
    return fine;
}

/* --- checking --- */

/* Is every element a number that the input's type holds? */
static bool check_finite(const weir_graph *graph, size_t index, const item *data, int64_t frames) {
    weir_value input = weir_graph_input(graph, index);
    const weir_array *array = data->array;
    if (!weir_dtype_is_float(array->dtype) || frames <= 0) return true;
    bool single = weir_value_type(graph, input)->dtype == WEIR_FLOAT32;
    size_t size = array->count / (size_t)frames;
    for (size_t i = 0; i < array->count; i++) {
        double v = weir_array_get(array, i);
        if (isfinite(v) && (!single || isfinite((float)v))) continue;
        weir_text text = {NULL, 0, 0};
        if (data->name != NULL) weir_text_format(&text, "array '%s', ", data->name);
        weir_text_format(&text, "frame %zu, element %zu is %g, expected a finite number", i / size, i % size, v);
        if (isfinite(v)) weir_text_add(&text, " that float32 holds");
        weir_error(weir_at(data->file, 0), "input '%s': %s", weir_value_name(graph, input), text.data);
        weir_text_free(&text);
        return false;
    }
    return true;
}

/* The axis of a file with whole sequences of so many frames, whose other axes are those of a frame, with a first one of
 * 1 or without it; 0: it has none. */
static int axis_of_steps(const weir_shape *file, const weir_shape *frame, int64_t steps) {
    const int less = file->rank - frame->rank;
    int axis = 0;
    if (steps < 2 || (less != 0 && less != 1)) return 0;
    for (int i = 1; i < file->rank; i++) {
        if (file->dim[i] == frame->dim[i - less]) continue;
        if (axis != 0 || file->dim[i] != steps || frame->dim[i - less] != 1) return 0;
        axis = i;
    }
    return axis;
}

/* The same with a frame for each step: the axis of steps comes second, and joins the first. */
static void split_steps(weir_array *array, int axis) {
    const weir_shape shape = array->shape;
    const size_t size = weir_dtype_size(array->dtype);
    size_t outer = 1, inner = size;
    for (int i = 1; i < axis; i++) outer *= (size_t)shape.dim[i];
    for (int i = axis + 1; i < shape.rank; i++) inner *= (size_t)shape.dim[i];
    const size_t steps = (size_t)shape.dim[axis], sequence = steps * outer * inner;
    char *from = weir_malloc(sequence + 1), *to = array->data;
    for (int64_t n = 0; outer > 1 && n < shape.dim[0]; n++, to += sequence) {
        memcpy(from, to, sequence);
        for (size_t t = 0; t < steps; t++)
            for (size_t o = 0; o < outer; o++)
                memcpy(to + (t * outer + o) * inner, from + (o * steps + t) * inner, inner);
    }
    free(from);
    array->shape.dim[0] *= shape.dim[axis];
    array->shape.dim[axis] = 1;
}

static bool resolve_input(weir_frames *f, const weir_graph *graph, const char *source, size_t index, int64_t *frames) {
    assert(index < weir_graph_input_count(graph));
    const bool named = weir_graph_input_count(graph) > 1 || f->chosen == SIZE_MAX;
    item *found = named ? find_input(f, graph, source, index) : &f->item[f->chosen];
    if (found == NULL) return false;
    const weir_shape *frame = &weir_value_type(graph, weir_graph_input(graph, index))->shape;
    const int axis = axis_of_steps(&found->array->shape, frame, weir_recurrence_sequence(graph));
    if (axis > 0 && !found->is_input) split_steps(found->array, axis);
    found->is_input = true;
    f->input[index] = found->array;
    if (f->first == SIZE_MAX) f->first = (size_t)(found - f->item);
    size_t elements = 1;
    weir_shape_count(&weir_value_type(graph, weir_graph_input(graph, index))->shape, &elements);
    *frames = elements == 0 ? 0 : (int64_t)(found->array->count / elements);
    return check_finite(graph, index, found, *frames);
}

/* An input that nothing reads, and that no array is called as, gets zeros: as many frames as the one before has. */
static bool fill_input(weir_frames *f, const weir_graph *graph, size_t index, int64_t frames) {
    assert(index < weir_graph_input_count(graph) && frames > 0);
    const char *name = weir_value_name(graph, weir_graph_input(graph, index));
    const weir_type *type = weir_value_type(graph, weir_graph_input(graph, index));
    size_t elements = 1;
    weir_shape_count(&type->shape, &elements);
    weir_array *zeros = weir_array_new(type->dtype, &(weir_shape){2, {frames, (int64_t)elements}});
    weir_note("input '%s' needs no data: nothing reads it", name);
    f->input[index] = zeros;
    return add_item(f, name, f->item[f->first].file, zeros, false);
}

static bool resolve(weir_frames *f, const weir_graph *graph, const char *source) {
    const size_t count = weir_graph_input_count(graph), read = count_read(graph);
    if (count == 0) {
        weir_error(weir_at(weir_graph_source(graph), 0), "the model has no input, and so no frames");
        return false;
    }
    f->input = weir_calloc(count, sizeof *f->input);
    f->first = SIZE_MAX;
    int64_t frames = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = weir_value_name(graph, weir_graph_input(graph, i));
        if (read > 0 && !is_read(graph, i) && find_item(f, name) == NULL) continue;
        if (!resolve_input(f, graph, source, i, &frames)) return false;
    }
    for (size_t i = 0; i < count; i++)
        if (f->input[i] == NULL && !fill_input(f, graph, i, frames)) return false;
    f->count = weir_executor_count_frames(graph, f->input);
    if (f->count == 0) weir_error(weir_at(f->item[f->first].file, 0), "expected at least one frame of data");
    return f->count > 0;
}

/* Numbers that are the names of the model's classes become their positions. */
static void number_classes(const weir_frames *f, item *labels) {
    for (size_t c = 0; c < f->text.words.count; c++) {
        char *end;
        weir_parse_double(f->text.words.word[c], &end);
        if (*f->text.words.word[c] == '\0' || *end != '\0') return;
    }
    weir_array *positions = weir_array_new(WEIR_INT64, &labels->array->shape);
    for (size_t i = 0; i < positions->count; i++) {
        const double v = weir_array_get(labels->array, i);
        size_t c = 0;
        while (c < f->text.words.count && weir_parse_double(f->text.words.word[c], &(char *){NULL}) != v) c++;
        weir_array_set_int(positions, i, c < f->text.words.count ? (int64_t)c : WEIR_NO_WORD);
    }
    weir_array_free(labels->array);
    labels->array = positions;
}

static bool was_text(const weir_frames *f, const weir_array *array) {
    size_t i = 0;
    while (i < f->text.made_count && f->text.made[i] != array) i++;
    return i < f->text.made_count;
}

/* What labels say in the words of the model is its classes' positions. */
static void read_classes(weir_frames *f) {
    if (f->text.unknown > 0) {
        const char *near = weir_suggest(f->text.first, f->text.words.word, f->text.words.count);
        weir_warning(weir_at(weir_frames_file(f), 0),
                     "%zu labels name no class of the model, the first '%s'; these count as wrong", f->text.unknown,
                     f->text.first);
        weir_note(near != NULL ? "did you mean '%s'?" : "the first class is '%s'",
                  near != NULL ? near : f->text.words.word[0]);
    }
    for (size_t i = 0; f->text.words.count > 0 && i < f->items; i++) {
        item *now = &f->item[i];
        if (!now->is_input && is_label_name(now->name) && !was_text(f, now->array)) number_classes(f, now);
    }
}

weir_frames *weir_frames_read(const weir_graph *graph, const char *source) {
    weir_frames *f = weir_calloc(1, sizeof *f);
    f->chosen = SIZE_MAX;
    f->text.words = weir_graph_classes(graph);
    const bool fine = add_parts(f, graph, source) && resolve(f, graph, source);
    if (fine) read_classes(f);
    if (fine) return f;
    weir_frames_free(f);
    return NULL;
}

void weir_frames_free(weir_frames *f) {
    for (size_t i = 0; f != NULL && i < f->items; i++) free_item(&f->item[i]);
    if (f != NULL) {
        free(f->text.made);
        free(f->item);
        free(f->input);
    }
    free(f);
}

int64_t weir_frames_count(const weir_frames *f) { return f->count; }
const weir_array *const *weir_frames_arrays(const weir_frames *f) { return f->input; }
const char *weir_frames_file(const weir_frames *f) {
    assert(f->first < f->items);
    return f->item[f->first].file;
}

weir_array **weir_frames_frame(const weir_frames *f, const weir_graph *graph, int64_t index) {
    assert(index >= 0);
    size_t count = weir_graph_input_count(graph);
    weir_array **frame = weir_calloc(count, sizeof *frame);
    for (size_t i = 0; i < count; i++) {
        frame[i] = weir_executor_frame_of(graph, i, f->input[i], index);
        if (frame[i] != NULL) continue;
        weir_frames_free_frame(graph, frame);
        return NULL;
    }
    return frame;
}

void weir_frames_free_frame(const weir_graph *graph, weir_array **frame) {
    for (size_t i = 0; frame != NULL && i < weir_graph_input_count(graph); i++) weir_array_free(frame[i]);
    free(frame);
}

/* --- running --- */

/* One frame of random numbers for all inputs. */
static int64_t run_random(const weir_graph *graph, weir_frames_visitor *visit, void *user) {
    weir_warning(weir_at(weir_graph_source(graph), 0), "no data for graph '%s': one frame of random numbers, seed %d",
                 weir_graph_name(graph), RANDOM_SEED);
    weir_archive inputs;
    size_t count = weir_graph_input_count(graph);
    const weir_array **frame = weir_calloc(count, sizeof *frame);
    weir_executor *executor = weir_executor_new(graph);
    bool fine = executor != NULL;
    if (fine) {
        weir_archive_init(&inputs);
        weir_random_frame(graph, RANDOM_SEED, &inputs);
        for (size_t i = 0; i < count; i++)
            frame[i] = weir_archive_find(&inputs, weir_value_name(graph, weir_graph_input(graph, i)));
        fine = weir_executor_run(executor, frame) && visit(user, executor);
        weir_archive_free(&inputs);
    }
    weir_executor_free(executor);
    free(frame);
    return fine ? 1 : -1;
}

int64_t weir_frames_run(const weir_graph *graph, const char *source, int64_t limit, weir_frames_visitor *visit,
                        void *user) {
    if (*source == '\0') return run_random(graph, visit, user);
    weir_frames *f = weir_frames_read(graph, source);
    weir_executor *executor = f == NULL ? NULL : weir_executor_new(graph);
    bool fine = executor != NULL;
    int64_t frames = fine ? f->count : 0;
    if (limit > 0 && frames > limit) frames = limit;
    for (int64_t i = 0; fine && i < frames; i++) {
        weir_array **frame = weir_frames_frame(f, graph, i);
        fine = frame != NULL && weir_executor_run(executor, (const weir_array *const *)frame) && visit(user, executor);
        weir_frames_free_frame(graph, frame);
    }
    weir_executor_free(executor);
    weir_frames_free(f);
    return fine ? frames : -1;
}
