/* Shared by the files of this library only: compiled options, registry entries, pass instances, run state. */
#ifndef WEIR_PASS_PRIVATE_H
#define WEIR_PASS_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "pass/core/context.h"
#include "pass/core/registry.h"
#include "pass/run/instrument.h"

/* --- option.c: options with their text checked and parsed --- */
typedef struct weir_pass_value {
    bool set; /* not the default */
    union {
        bool b;
        int64_t i;
        double r;
        char *s;       /* heap */
        size_t choice; /* of the spec's words */
    } as;
} weir_pass_value;

typedef struct weir_pass_spec {
    const weir_pass_option *option;
    int64_t low, high;          /* INT */
    double real_low, real_high; /* REAL */
    char **choice;              /* ENUM, heap */
    size_t choice_count;
    weir_pass_value otherwise;
} weir_pass_spec;

typedef struct weir_pass_specs {
    weir_pass_spec *item;
    size_t count, capacity;
} weir_pass_specs;

/* One value a spec; grows when the specs have grown. */
typedef struct weir_pass_values {
    const weir_pass_specs *specs;
    weir_pass_value *item;
    size_t count;
} weir_pass_values;

/* A position in a text: the column is left out of messages when it is 0. */
typedef struct weir_pass_position {
    weir_location location;
    int column;
} weir_pass_position;

void weir_pass_complain(weir_pass_position position, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes "did you mean 'x'?" when a candidate is near. */
void weir_pass_hint(const char *name, const char *const *candidates, size_t count);

/* `owner` is for messages: "pass 'x'". */
bool weir_pass_specs_add(weir_pass_specs *specs, const weir_pass_option *option, const char *owner);
void weir_pass_specs_free(weir_pass_specs *specs);
void weir_pass_values_init(weir_pass_values *values, const weir_pass_specs *specs);
/* Makes `to`, which is initialized, equal to `from`, of the same specs. */
void weir_pass_values_copy(weir_pass_values *to, const weir_pass_values *from);
void weir_pass_values_free(weir_pass_values *values);
bool weir_pass_values_set(weir_pass_values *values, const char *name, const char *text, const char *owner,
                          weir_pass_position position);
/* The value (its default when it was not set); aborts when there is no such option of one of the two kinds. */
const weir_pass_value *weir_pass_values_get(const weir_pass_values *values, const char *name,
                                            weir_pass_option_kind kind, weir_pass_option_kind other,
                                            const weir_pass_spec **spec);
/* "{a=1 b=two}" for the values that were set, nothing when none was. */
void weir_pass_values_print(const weir_pass_values *values, weir_text *text);
void weir_pass_value_print(const weir_pass_spec *spec, const weir_pass_value *value, weir_text *text);
/* Does the text print as a bare word? */
bool weir_pass_is_word(const char *text);

/* --- registry.c --- */
typedef enum weir_pass_entry_kind {
    WEIR_PASS_ENTRY_PASS,
    WEIR_PASS_ENTRY_ANALYSIS,
    WEIR_PASS_ENTRY_FORM,
    WEIR_PASS_ENTRY_PIPELINE
} weir_pass_entry_kind;

typedef struct weir_pass_entry {
    weir_pass_registry *registry;
    weir_pass_entry_kind what;
    uint32_t id;
    weir_pass_kind kind;
    const char *name; /* the record's, or heap memory of a pipeline */
    const weir_pass_info *info;
    const weir_pass_analysis *analysis;
    const weir_pass_form *form;
    char *pipeline, *help; /* heap, of a pipeline */
    weir_pass_specs specs;
    /* From weir_pass_registry_check: */
    struct weir_pass_entry **requires; /* in the order written */
    size_t require_count;
    uint64_t *survive; /* set of ids whose results hold after this pass */
    bool survive_all;
} weir_pass_entry;

/* Passes and pipelines may be named where something is to run. */
static inline bool weir_pass_can_run(const weir_pass_entry *entry) {
    return entry->what == WEIR_PASS_ENTRY_PASS || entry->what == WEIR_PASS_ENTRY_PIPELINE;
}

struct weir_pass_registry {
    weir_pass_entry **entry;
    size_t count, capacity;
    weir_pass_specs config;
    atomic_bool checked;
    pthread_mutex_t lock;  /* of the check */
    size_t words;          /* of a set of ids */
    uint64_t *hardware;    /* ids of hardware passes, analyses and forms */
    uint64_t *forms;       /* ids of forms */
    atomic_size_t running; /* contexts that run a pass */
    void **object;         /* of dlopen */
    char *folder;          /* of the one that is being loaded */
    size_t object_count, object_capacity;
};

/* plugin.c: frees the list of shared objects. */

weir_pass_entry *weir_pass_registry_entry(const weir_pass_registry *registry, const char *name);
/* Reports `what 'name'` as unknown, with the nearest name of a pass or pipeline. */
void weir_pass_registry_unknown(const weir_pass_registry *registry, const char *name, weir_pass_position position);
/* Takes the next name off a list "a, b"; heap memory, NULL at the end. */
char *weir_pass_next_name(const char **list);

static inline bool weir_pass_has(const uint64_t *set, uint32_t id) { return set[id >> 6] >> (id & 63) & 1; }
static inline void weir_pass_take(uint64_t *set, uint32_t id) { set[id >> 6] &= ~((uint64_t)1 << (id & 63)); }
static inline void weir_pass_put(uint64_t *set, uint32_t id) { set[id >> 6] |= (uint64_t)1 << (id & 63); }

/* --- pass.c --- */
struct weir_pass {
    weir_pass_entry *entry; /* NULL: a sequence that is not a registered pipeline */
    weir_pass_kind kind;
    int level;
    char *name;
    weir_pass_values values;
    bool is_sequence;
    bool is_open; /* the top of a parsed text: prints without parentheses */
    weir_pass **child;
    size_t count, capacity;
};

weir_pass *weir_pass_instance(weir_pass_entry *entry);

/* --- run.c and analysis.c --- */
/* What holds for one unit: the module with its design (id 0), or a graph by its number. */
typedef struct weir_pass_slot {
    uint32_t id;
    weir_graph *graph; /* NULL: the module */
    uint64_t *valid;
    struct weir_pass_result *result; /* of analyses */
    size_t result_count, result_capacity;
} weir_pass_slot;

typedef struct weir_pass_result {
    const weir_pass_entry *entry;
    void *data; /* NULL: being computed */
} weir_pass_result;

/* The pass that runs, and those around it. */
typedef struct weir_pass_frame {
    weir_pass_site site;
    weir_pass_slot *slot;    /* the graph's; NULL: the module's */
    json_t *record;          /* its "info"; belongs to the context; NULL: not asked for */
    weir_graph *replacement; /* owned until the pass ends */
    struct weir_pass_frame *around;
} weir_pass_frame;

typedef struct weir_pass_statistic_row {
    char *pass;
    const char *what;
    int64_t amount;
} weir_pass_statistic_row;

struct weir_pass_context {
    weir_pass_registry *registry;
    int level;
    uint8_t *flag; /* by id: WEIR_PASS_REQUIRED, WEIR_PASS_DISABLED, WEIR_PASS_ASSUMED */
    size_t flag_count;
    bool warned;
    weir_pass_values config;
    void *user;
    weir_pass_instrument **instrument;
    size_t instrument_count, instrument_capacity;
    bool entered;
    char *failed;
    weir_pass_statistic_row *row;
    size_t row_count, row_capacity;
    json_t *records;
    weir_text output;
    weir_pass **implicit; /* by id: default instances of required passes */
    size_t implicit_count;
    /* During a run: */
    weir_module *module;
    const weir_pass *direct; /* the pass that was asked for by itself: no list and no level keeps it back */
    weir_pass_frame *frame;
    weir_pass_slot *root;
    weir_pass_slot **slot;
    size_t slot_count, slot_capacity;
    const weir_pass **last; /* by id: the instance that a requirement runs again; NULL: the default one */
    size_t built;           /* depth of weir_pass_run_here: its instances may die, and are not kept in `last` */
};

enum { WEIR_PASS_REQUIRED = 1, WEIR_PASS_DISABLED = 2, WEIR_PASS_ASSUMED = 4 };

static inline unsigned weir_pass_flags(const weir_pass_context *context, uint32_t id) {
    return id < context->flag_count ? context->flag[id] : 0;
}

/* The one pass that is all of a pipeline, NULL when there is none: a sequence of one is not a pipeline when it was
 * written as a name. */
static inline const weir_pass *weir_pass_direct(const weir_pass *pass) {
    const weir_pass *one = pass->is_open && pass->count == 1 ? pass->child[0] : pass;
    return one->is_sequence ? NULL : one;
}

/* A slot on which nothing holds yet; its end. */
weir_pass_slot *weir_pass_slot_new(const weir_pass_context *context, uint32_t id);
void weir_pass_slot_free(const weir_pass_context *context, weir_pass_slot *slot);
/* Of what held, what survives and what is outside of the scope (flip UINT64_MAX) or inside of it (0) still does; a NULL
 * scope is the empty set. */
void weir_pass_slot_keep(const weir_pass_context *context, weir_pass_slot *slot, const uint64_t *survive,
                         const uint64_t *scope, uint64_t flip);
/* The slot of a graph of the module, made when new; NULL when the graph is not there. */
weir_pass_slot *weir_pass_slot_of(weir_pass_context *context, const weir_graph *graph, size_t index);
/* Frees the analysis results of the slot that `valid` no longer holds. */
void weir_pass_drop_results(weir_pass_slot *slot);
/* Adds the context "pass 'x' failed" to what was reported since `errors`, or reports it. */
void weir_pass_blame(size_t errors, const char *format, ...) __attribute__((format(printf, 2, 3)));
void weir_pass_add_count(weir_pass_context *context, const char *pass, const char *what, int64_t amount);
/* Hooks of instrument.c: enter all with roll-back, exit all. */
bool weir_pass_enter_instruments(weir_pass_context *context);
bool weir_pass_exit_instruments(weir_pass_context *context);

/* How the file of a reproducer starts. */
#define WEIR_PASS_REPRODUCER_START "# weir reproducer"

#endif
