#include "dse/stages/pipeline.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dse/mapping/schema.h"
#include "support/memory/arena.h"
#include "support/process/progress.h"
#include "support/text/diag.h"
#include "support/text/suggest.h"
#include "support/text/text.h"

enum { MOST_STAGES = 64 };

struct weir_dse_pipeline {
    const weir_dse_registry *registry;
    weir_arena *arena;
    int count;
    weir_dse_stage stage[MOST_STAGES];
};

weir_dse_pipeline *weir_dse_pipeline_new(const weir_dse_registry *registry) {
    weir_dse_pipeline *pipeline = weir_calloc(1, sizeof *pipeline);
    pipeline->registry = registry;
    pipeline->arena = weir_arena_new();
    return pipeline;
}

void weir_dse_pipeline_free(weir_dse_pipeline *pipeline) {
    if (pipeline != NULL) weir_arena_free(pipeline->arena);
    free(pipeline);
}

/* --- options --- */

static bool read_value(const weir_dse_stage_info *info, const weir_dse_option *option, const char *text,
                       double *number) {
    static const char *const expected[] = {"a whole number of at least 0", "a number", "true or false", "text"};
    char *end;
    bool fine = true;
    *number = 0;
    switch (option->kind) {
    case WEIR_DSE_COUNT:
        *number = weir_parse_double(text, &end);
        fine = end != text && *end == '\0' && *number >= 0 && *number <= 1e9 && *number == trunc(*number);
        break;
    case WEIR_DSE_REAL:
        *number = weir_parse_double(text, &end);
        fine = end != text && *end == '\0' && isfinite(*number);
        break;
    case WEIR_DSE_FLAG:
        *number = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
        fine = *number != 0 || strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
        break;
    case WEIR_DSE_TEXT: break;
    }
    if (!fine)
        weir_error(WEIR_NOWHERE, "stage '%s': %s: expected %s, found '%.60s'", info->name, option->name,
                   expected[option->kind], text);
    return fine;
}

/* Index by either name, -1: there is none. */
static int find_option(const weir_dse_stage_info *info, const char *name) {
    for (int i = 0; info->body->options != NULL && info->body->options[i].name != NULL; i++) {
        const weir_dse_option *o = &info->body->options[i];
        if (strcmp(o->name, name) == 0 || (o->published != NULL && strcmp(o->published, name) == 0)) return i;
    }
    return -1;
}

static bool set_initial(weir_dse_stage *stage) {
    for (int i = 0; stage->info->body->options != NULL && stage->info->body->options[i].name != NULL; i++) {
        const weir_dse_option *option = &stage->info->body->options[i];
        stage->value[i].text = option->initial;
        if (option->initial != NULL && !read_value(stage->info, option, option->initial, &stage->value[i].number))
            return false;
    }
    return true;
}

static bool insert(weir_dse_pipeline *pipeline, int at, const char *name) {
    assert(at >= 0 && at <= pipeline->count);
    const weir_dse_stage_info *info = weir_dse_registry_find(pipeline->registry, name);
    if (info == NULL) return false;
    if (pipeline->count == MOST_STAGES) {
        weir_error(WEIR_NOWHERE, "expected at most %d stages", (int)MOST_STAGES);
        return false;
    }
    weir_dse_stage *stage = pipeline->stage;
    memmove(&stage[at + 1], &stage[at], (size_t)(pipeline->count++ - at) * sizeof *stage);
    stage[at] = (weir_dse_stage){.info = info};
    for (int i = 0; i + 1 < pipeline->count; i++) stage[i].below = &stage[i + 1];
    return set_initial(&stage[at]);
}

bool weir_dse_pipeline_add(weir_dse_pipeline *pipeline, const char *name) {
    return insert(pipeline, pipeline->count, name);
}

bool weir_dse_pipeline_prepend(weir_dse_pipeline *pipeline, const char *name) { return insert(pipeline, 0, name); }

bool weir_dse_pipeline_set(weir_dse_pipeline *pipeline, const char *name, const char *value) {
    assert(pipeline->count > 0);
    weir_dse_stage *stage = &pipeline->stage[pipeline->count - 1];
    const int index = find_option(stage->info, name);
    if (index >= 0) {
        stage->value[index].text = weir_arena_copy_string(pipeline->arena, value);
        stage->value[index].is_set = true;
        return read_value(stage->info, &stage->info->body->options[index], value, &stage->value[index].number);
    }
    const char *names[WEIR_DSE_OPTIONS];
    size_t count = 0;
    for (int i = 0; stage->info->body->options != NULL && stage->info->body->options[i].name != NULL; i++)
        names[count++] = stage->info->body->options[i].name;
    const char *near = weir_suggest(name, names, count);
    weir_error(WEIR_NOWHERE, "stage '%s' has no option '%.60s'", stage->info->name, name);
    if (near != NULL) weir_note("did you mean '%s'?", near);
    return false;
}

bool weir_dse_pipeline_default(weir_dse_pipeline *pipeline, const char *option, const char *value) {
    for (int i = 0; i < pipeline->count; i++) {
        weir_dse_stage *stage = &pipeline->stage[i];
        const int index = find_option(stage->info, option);
        if (index < 0 || stage->value[index].is_set) continue;
        stage->value[index].text = weir_arena_copy_string(pipeline->arena, value);
        if (!read_value(stage->info, &stage->info->body->options[index], value, &stage->value[index].number))
            return false;
    }
    return true;
}

weir_dse_stage *weir_dse_pipeline_vary(const weir_dse_stage *stage, const char *option, const char *value,
                                       bool *known) {
    size_t count = 0;
    for (const weir_dse_stage *s = stage; s != NULL; s = s->below) count++;
    weir_dse_stage *copy = weir_calloc(count, sizeof *copy);
    *known = false;
    for (size_t i = 0; i < count; i++, stage = stage->below) {
        copy[i] = *stage;
        if (i > 0) copy[i - 1].below = &copy[i];
        const int index = find_option(copy[i].info, option);
        if (index < 0) continue;
        *known = true;
        copy[i].value[index].text = value;
        if (read_value(copy[i].info, &copy[i].info->body->options[index], value, &copy[i].value[index].number))
            continue;
        free(copy);
        return NULL;
    }
    return copy;
}

bool weir_dse_pipeline_has(const weir_dse_pipeline *pipeline, const char *name) {
    for (int i = 0; i < pipeline->count; i++)
        if (strcmp(pipeline->stage[i].info->name, name) == 0) return true;
    return false;
}

/* --- text --- */

static char *take_word(weir_arena *arena, const char **at, const char *stops) {
    *at += strspn(*at, " \t\n");
    size_t length = strcspn(*at, stops);
    const char *start = *at;
    *at += length;
    while (length > 0 && isspace((unsigned char)start[length - 1])) length--;
    return weir_arena_format(arena, "%.*s", (int)length, start);
}

/* "key=value key=value}", commas or blanks between; a value may be in quotes. */
static bool parse_options(weir_dse_pipeline *pipeline, const char **at) {
    for (;;) {
        *at += strspn(*at, " \t\n,");
        if (**at == '}') break;
        const char *name = take_word(pipeline->arena, at, "=,} \t\n");
        if (**at != '=') {
            weir_error(WEIR_NOWHERE, "stages: expected '%s=VALUE' or '}'", name);
            return false;
        }
        ++*at;
        const bool quoted = **at == '"';
        *at += quoted;
        const char *value = take_word(pipeline->arena, at, quoted ? "\"" : ",} \t\n");
        if (quoted && **at == '"') ++*at;
        if (!weir_dse_pipeline_set(pipeline, name, value)) return false;
    }
    ++*at;
    return true;
}

bool weir_dse_pipeline_parse(weir_dse_pipeline *pipeline, const char *text) {
    const char *at = text;
    for (;;) {
        const char *name = take_word(pipeline->arena, &at, ",{");
        if (!weir_dse_pipeline_add(pipeline, name)) return false;
        if (*at == '{') {
            at++;
            if (!parse_options(pipeline, &at)) return false;
            at += strspn(at, " \t\n");
        }
        if (*at == '\0') return true;
        if (*at++ != ',') {
            weir_error(WEIR_NOWHERE, "stages: expected a comma after '%s'", name);
            return false;
        }
    }
}

static bool read_options(weir_dse_pipeline *pipeline, const weir_yaml *options) {
    if (!weir_dse_schema_kind(options, WEIR_YAML_MAPPING, "a mapping of options")) return false;
    for (size_t i = 0; i < options->count; i++) {
        if (!weir_dse_schema_kind(options->item[i], WEIR_YAML_SCALAR, "a value")) return false;
        if (weir_dse_pipeline_set(pipeline, options->key[i], options->item[i]->text)) continue;
        weir_note_at(options->key_location[i], "here");
        return false;
    }
    return true;
}

static bool read_stages(weir_dse_pipeline *pipeline, const weir_yaml *root) {
    if (!weir_dse_schema_kind(root, WEIR_YAML_SEQUENCE, "a list of stages")) return false;
    for (size_t i = 0; i < root->count; i++) {
        const weir_yaml *item = root->item[i];
        const bool has_options = item->kind == WEIR_YAML_MAPPING && item->count == 1;
        if (!has_options && !weir_dse_schema_kind(item, WEIR_YAML_SCALAR, "a stage, or a stage with its options"))
            return false;
        if (!weir_dse_pipeline_add(pipeline, has_options ? item->key[0] : item->text)) {
            weir_note_at(item->location, "here");
            return false;
        }
        if (has_options && !read_options(pipeline, item->item[0])) return false;
    }
    return true;
}

bool weir_dse_pipeline_read(weir_dse_pipeline *pipeline, const char *path) {
    weir_yaml *root = weir_yaml_read(path);
    const bool fine = root != NULL && read_stages(pipeline, root);
    weir_yaml_free(root);
    return fine;
}

/* --- composition --- */

typedef struct key_set {
    const char *key[128];
    int count;
} key_set;

static int find_key(const key_set *set, const char *key) {
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->key[i], key) == 0) return i;
    return -1;
}

static void add_key(key_set *set, const char *key) {
    if (find_key(set, key) < 0 && set->count < 128) set->key[set->count++] = key;
}

static void remove_key(key_set *set, const char *key) {
    const int at = find_key(set, key);
    if (at >= 0) set->key[at] = set->key[--set->count];
}

static void suggest_givers(const weir_dse_registry *registry, const char *key) {
    weir_text list = {NULL, 0, 0};
    for (size_t i = 0; i < weir_dse_registry_count(registry); i++) {
        const weir_dse_stage_info *info = weir_dse_registry_at(registry, i);
        for (const char *const *k = info->body->gives; k != NULL && *k != NULL; k++)
            if (strcmp(*k, key) == 0) weir_text_format(&list, "%s%s", list.size == 0 ? "" : ", ", info->name);
    }
    if (list.size > 0) weir_note("stages that give it: %s", list.data);
    weir_text_free(&list);
}

static bool check_place(const weir_dse_pipeline *pipeline, int i) {
    assert(i >= 0 && i < pipeline->count);
    const weir_dse_stage_info *info = pipeline->stage[i].info;
    const bool is_last = i + 1 == pipeline->count;
    if (info->body->is_leaf && !is_last) {
        weir_error(WEIR_NOWHERE, "stage %d '%s' makes results: expected it last, found '%s' below it", i + 1,
                   info->name, pipeline->stage[i + 1].info->name);
        return false;
    }
    if (!info->body->is_leaf && is_last) {
        weir_error(WEIR_NOWHERE, "stage %d '%s' makes no results of its own: expected a stage below it", i + 1,
                   info->name);
        weir_note("a pipeline ends with a stage such as 'cost_model'");
        return false;
    }
    if (i > 0 && strcmp(info->name, "main") == 0) {
        weir_error(WEIR_NOWHERE, "stage %d 'main': expected it first", i + 1);
        return false;
    }
    return true;
}

bool weir_dse_pipeline_check(const weir_dse_pipeline *pipeline, const char *const *keys) {
    key_set set = {.count = 0};
    for (; *keys != NULL; keys++) add_key(&set, *keys);
    if (pipeline->count == 0) {
        weir_error(WEIR_NOWHERE, "expected at least one stage");
        return false;
    }
    for (int i = 0; i < pipeline->count; i++) {
        const weir_dse_stage_info *info = pipeline->stage[i].info;
        if (!check_place(pipeline, i)) return false;
        for (const char *const *k = info->body->takes; k != NULL && *k != NULL; k++) {
            if (find_key(&set, *k) >= 0) continue;
            weir_error(WEIR_NOWHERE, "stage %d '%s' needs '%s', which no stage above it gives", i + 1, info->name, *k);
            suggest_givers(pipeline->registry, *k);
            return false;
        }
        for (const char *const *k = info->body->excludes; k != NULL && *k != NULL; k++) {
            if (find_key(&set, *k) < 0) continue;
            weir_error(WEIR_NOWHERE, "stage %d '%s': expected it above the stage that gives '%s'", i + 1, info->name,
                       *k);
            return false;
        }
        for (const char *const *k = info->body->takes; k != NULL && *k != NULL; k++) remove_key(&set, *k);
        for (const char *const *k = info->body->gives; k != NULL && *k != NULL; k++) add_key(&set, *k);
    }
    return true;
}

/* --- running --- */

#define RUN "run"

typedef struct kept_object {
    struct kept_object *next;
    void *object;
    void (*release)(void *object);
} kept_object;

typedef struct run {
    pthread_mutex_t lock;
    kept_object *kept;
} run;

void weir_dse_keep(const weir_dse_context *context, void *object, void (*release)(void *object)) {
    run *r = (run *)weir_dse_get(context, RUN);
    kept_object *kept = weir_malloc(sizeof *kept);
    pthread_mutex_lock(&r->lock);
    *kept = (kept_object){r->kept, object, release};
    r->kept = kept;
    pthread_mutex_unlock(&r->lock);
}

bool weir_dse_pipeline_run(const weir_dse_pipeline *pipeline, const weir_dse_context *context, weir_dse_sink *sink,
                           void *user) {
    assert(pipeline->count > 0);
    run r = {.kept = NULL};
    pthread_mutex_init(&r.lock, NULL);
    const weir_dse_context frame = {context, RUN, &r};
    const bool fine = pipeline->stage[0].info->body->run(&pipeline->stage[0], &frame, sink, user);
    weir_progress_end();
    while (r.kept != NULL) {
        kept_object *first = r.kept;
        r.kept = first->next;
        first->release(first->object);
        free(first);
    }
    pthread_mutex_destroy(&r.lock);
    return fine;
}
