/* The timing instrument: a tree of passes, one node for each name and nesting, with wall time and runs. */
#include "pass/run/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory/arena.h"
#include "support/process/process.h"
#include "support/process/seconds.h"

enum { NONE = -1 };

typedef struct timing_node {
    char *name;
    int parent, first, last, next; /* indices of nodes */
    double total, start;
    size_t runs;
} timing_node;

typedef struct timing {
    weir_pass_instrument instrument;
    timing_node *node; /* node 0 is the root */
    size_t count, capacity;
    int current;
} timing;

static int add_node(timing *t, int parent, const char *name) {
    t->node = weir_grow(t->node, &t->capacity, t->count + 1, sizeof *t->node);
    int index = (int)t->count++;
    t->node[index] =
        (timing_node){.name = weir_copy_string(name), .parent = parent, .first = NONE, .last = NONE, .next = NONE};
    if (parent != NONE) {
        timing_node *p = &t->node[parent];
        if (p->last == NONE) {
            p->first = index;
        } else {
            t->node[p->last].next = index;
        }
        p->last = index;
    }
    return index;
}

/* The node of that name below the parent, made when new. */
static int find_node(timing *t, int parent, const char *name) {
    int index = t->node[parent].first;
    while (index != NONE && strcmp(t->node[index].name, name) != 0) {
        index = t->node[index].next;
    }
    return index == NONE ? add_node(t, parent, name) : index;
}

static bool before_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    timing *t = instrument->user;
    t->current = find_node(t, t->current, weir_pass_name(site->pass));
    t->node[t->current].start = weir_seconds();
    return true;
}

static bool after_pass(weir_pass_instrument *instrument, const weir_pass_site *site) {
    (void)site;
    timing *t = instrument->user;
    timing_node *node = &t->node[t->current];
    node->total += weir_seconds() - node->start;
    node->runs++;
    t->current = node->parent;
    return true;
}

static void pass_failed(weir_pass_instrument *instrument, const weir_pass_site *site) { after_pass(instrument, site); }

static void release(weir_pass_instrument *instrument) {
    timing *t = instrument->user;
    for (size_t i = 0; i < t->count; i++) {
        free(t->node[i].name);
    }
    free(t->node);
    free(t);
}

weir_pass_instrument *weir_pass_timing_new(void) {
    timing *t = weir_calloc(1, sizeof *t);
    t->instrument = (weir_pass_instrument){.name = "timing", .user = t};
    t->instrument.before_pass = before_pass;
    t->instrument.after_pass = after_pass;
    t->instrument.pass_failed = pass_failed;
    t->instrument.release = release;
    t->current = add_node(t, NONE, "");
    return &t->instrument;
}

static double children_total(const timing *t, int index) {
    double total = 0;
    for (int child = t->node[index].first; child != NONE; child = t->node[child].next) {
        total += t->node[child].total;
    }
    return total;
}

/* Fixed point through integers: printf's fraction depends on the locale. */
static void print_milliseconds(double seconds, weir_text *text) {
    long long us = (long long)(seconds * 1e6 + 0.5);
    weir_text_format(text, "%7lld.%03lld ms ", us / 1000, us % 1000);
}

static void print_node(const timing *t, int index, int depth, double whole, weir_text *text) {
    const timing_node *node = &t->node[index];
    double self = node->total - children_total(t, index);
    long long permille = whole > 0 ? (long long)(node->total / whole * 1000 + 0.5) : 0;
    print_milliseconds(node->total, text);
    weir_text_format(text, "%4lld.%lld%% ", permille / 10, permille % 10);
    print_milliseconds(self > 0 ? self : 0, text);
    weir_text_format(text, "%6zu  %*s%s\n", node->runs, depth * 2, "", node->name);
    for (int child = node->first; child != NONE; child = t->node[child].next) {
        print_node(t, child, depth + 1, whole, text);
    }
}

void weir_pass_timing_print(const weir_pass_instrument *instrument, weir_text *text) {
    const timing *t = instrument->user;
    double whole = children_total(t, 0);
    weir_text_add(text, "      total       share        self       runs  pass\n");
    for (int child = t->node[0].first; child != NONE; child = t->node[child].next) {
        print_node(t, child, 0, whole, text);
    }
}

static json_t *children_json(const timing *t, int index) {
    json_t *list = json_array();
    for (int child = t->node[index].first; child != NONE; child = t->node[child].next) {
        const timing_node *node = &t->node[child];
        double self = node->total - children_total(t, child);
        json_t *object = json_object();
        json_object_set_new(object, "pass", json_string(node->name));
        json_object_set_new(object, "runs", json_integer((json_int_t)node->runs));
        json_object_set_new(object, "seconds", json_real(node->total));
        json_object_set_new(object, "self", json_real(self > 0 ? self : 0));
        json_object_set_new(object, "passes", children_json(t, child));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *weir_pass_timing_json(const weir_pass_instrument *instrument) { return children_json(instrument->user, 0); }
