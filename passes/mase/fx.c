#include "passes/mase/fx.h"

#include <stdlib.h>
#include <string.h>

#include "ir/trait/mase.h"
#include "support/memory/arena.h"

struct weir_fx_view {
    const weir_graph *graph;
    weir_arena *arena; /* names */
    weir_fx_node *node;
    size_t count, capacity;
    uint32_t *maker;   /* by value: the position of the node that gives it, plus 1; 0: none */
    uint32_t *operand; /* handles of all nodes' operands, one node after the other */
    size_t operand_count, operand_capacity;
    size_t *first; /* by node: where its operands start; one more at the end */
    size_t first_capacity;
    uint32_t *users; /* by node */
};

/* The base when neither a node nor another value has it, else with a number. */
static const char *free_name(weir_fx_view *view, const char *base, weir_value own) {
    const char *name = base;
    for (int i = 1;; i++) {
        weir_value holder = weir_graph_find_value(view->graph, name);
        bool is_free = holder.id == 0 || holder.id == own.id || weir_value_producer(view->graph, holder).id != 0;
        if (is_free && weir_graph_find_node(view->graph, name).id == 0) return name;
        name = weir_arena_format(view->arena, "%s_%d", base, i);
    }
}

static void add_operand(weir_fx_view *view, weir_value value) {
    view->operand = weir_grow(view->operand, &view->operand_capacity, view->operand_count + 1, sizeof *view->operand);
    view->operand[view->operand_count++] = value.id;
}

/* A node without operands yet; they are added next. */
static weir_fx_node *add_node(weir_fx_view *view, weir_fx_op op, const char *name) {
    view->node = weir_grow(view->node, &view->capacity, view->count + 1, sizeof *view->node);
    view->first = weir_grow(view->first, &view->first_capacity, view->count + 2, sizeof *view->first);
    view->first[view->count] = view->operand_count;
    weir_fx_node *node = &view->node[view->count++];
    *node = (weir_fx_node){.op = op, .name = name};
    return node;
}

static void add_value(weir_fx_view *view, weir_fx_op op, weir_value value, weir_mase_type type, const char *mase_op) {
    weir_fx_node *node = add_node(view, op, free_name(view, weir_value_name(view->graph, value), value));
    node->value = value;
    node->mase_type = type;
    node->mase_op = mase_op;
    view->maker[value.id] = (uint32_t)view->count;
}

/* Does input `index` come from another node of the view? */
static bool is_operand(const weir_graph *graph, weir_node node, size_t index) {
    char name[WEIR_MASE_NAME_SIZE];
    switch (weir_mase_input(graph, node, index, name)) {
    case WEIR_MASE_DATA: return true;
    case WEIR_MASE_PARAMETER:
    case WEIR_MASE_SETTING: return weir_mase_constant(graph, weir_node_input(graph, node, index)) == NULL;
    case WEIR_MASE_NOTHING: break;
    }
    return false;
}

static void add_call(weir_fx_view *view, weir_node node) {
    const weir_graph *graph = view->graph;
    size_t inputs = weir_node_input_count(graph, node);
    for (size_t i = 0; i < inputs; i++) {
        weir_value value = weir_node_input(graph, node, i);
        if (value.id != 0 && weir_value_constant(graph, value) != NULL && view->maker[value.id] == 0 &&
            is_operand(graph, node, i))
            add_value(view, WEIR_FX_GET_ATTR, value, WEIR_MASE_GET_ATTR, "constant");
    }
    weir_fx_op op = weir_mase_is_module(graph, node) ? WEIR_FX_CALL_MODULE : WEIR_FX_CALL_FUNCTION;
    weir_fx_node *call = add_node(view, op, weir_node_name(graph, node));
    call->node = node;
    call->mase_type = weir_mase_type_of(graph, node);
    call->mase_op = weir_mase_op(graph, node);
    for (size_t i = 0; i < inputs; i++)
        if (is_operand(graph, node, i)) add_operand(view, weir_node_input(graph, node, i));
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++)
        view->maker[weir_node_output(graph, node, i).id] = (uint32_t)view->count;
}

static void add_output(weir_fx_view *view) {
    const weir_graph *graph = view->graph;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        weir_value value = weir_graph_output(graph, i);
        if (view->maker[value.id] == 0) add_value(view, WEIR_FX_GET_ATTR, value, WEIR_MASE_GET_ATTR, "constant");
    }
    weir_fx_node *output = add_node(view, WEIR_FX_OUTPUT, free_name(view, "output", WEIR_NO_VALUE));
    output->mase_type = WEIR_MASE_OUTPUT;
    output->mase_op = "output";
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) add_operand(view, weir_graph_output(graph, i));
    view->first[view->count] = view->operand_count;
}

/* Each node counts once for a node, however many of its results it takes. */
static void count_users(weir_fx_view *view) {
    view->users = weir_calloc(view->count, sizeof *view->users);
    uint32_t *last = weir_calloc(view->count, sizeof *last);
    for (size_t i = 0; i < view->count; i++) {
        for (size_t k = view->first[i]; k < view->first[i + 1]; k++) {
            uint32_t maker = view->maker[view->operand[k]] - 1;
            if (last[maker] == i + 1) continue;
            last[maker] = (uint32_t)i + 1;
            view->users[maker]++;
        }
    }
    free(last);
}

weir_fx_view *weir_fx_view_new(const weir_graph *graph) {
    weir_fx_view *view = weir_calloc(1, sizeof *view);
    view->graph = graph;
    view->arena = weir_arena_new();
    view->maker = weir_calloc(weir_graph_value_limit(graph), sizeof *view->maker);
    for (size_t i = 0; i < weir_graph_input_count(graph); i++)
        add_value(view, WEIR_FX_PLACEHOLDER, weir_graph_input(graph, i), WEIR_MASE_PLACEHOLDER, "placeholder");
    for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node))
        add_call(view, node);
    add_output(view);
    count_users(view);
    return view;
}

void weir_fx_view_free(weir_fx_view *view) {
    if (view == NULL) return;
    weir_arena_free(view->arena);
    free(view->node);
    free(view->maker);
    free(view->operand);
    free(view->first);
    free(view->users);
    free(view);
}

const weir_graph *weir_fx_view_graph(const weir_fx_view *view) { return view->graph; }
size_t weir_fx_view_count(const weir_fx_view *view) { return view->count; }
const weir_fx_node *weir_fx_view_at(const weir_fx_view *view, size_t index) { return &view->node[index]; }

const weir_fx_node *weir_fx_view_of(const weir_fx_view *view, weir_node node) {
    return &view->node[view->maker[weir_node_output(view->graph, node, 0).id] - 1];
}

const weir_fx_node *weir_fx_view_find(const weir_fx_view *view, const char *name) {
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(view->node[i].name, name) == 0) return &view->node[i];
    return NULL;
}

const char *weir_fx_op_name(weir_fx_op op) {
    static const char *const names[WEIR_FX_OP_COUNT] = {"placeholder", "get_attr",    "call_function",
                                                        "call_method", "call_module", "output"};
    return names[op];
}

static size_t position(const weir_fx_view *view, const weir_fx_node *node) { return (size_t)(node - view->node); }

size_t weir_fx_operand_count(const weir_fx_view *view, const weir_fx_node *node) {
    size_t at = position(view, node);
    return view->first[at + 1] - view->first[at];
}

weir_value weir_fx_operand(const weir_fx_view *view, const weir_fx_node *node, size_t index) {
    return (weir_value){view->operand[view->first[position(view, node)] + index]};
}

size_t weir_fx_user_count(const weir_fx_view *view, const weir_fx_node *node) {
    return view->users[position(view, node)];
}

void weir_fx_value_name(const weir_fx_view *view, weir_value value, weir_text *text) {
    weir_text_add(text, view->node[view->maker[value.id] - 1].name);
    uint32_t index = weir_value_producer_output(view->graph, value);
    if (index > 0) weir_text_format(text, "[%u]", (unsigned)index);
}

void weir_fx_target(const weir_fx_view *view, const weir_fx_node *node, weir_text *text) {
    if (node->op == WEIR_FX_CALL_FUNCTION) weir_mase_target(view->graph, node->node, text);
    else weir_text_add(text, node->name);
}

void weir_fx_target_shown(const weir_fx_view *view, const weir_fx_node *node, weir_text *text) {
    if (node->op != WEIR_FX_CALL_FUNCTION) {
        weir_text_add(text, node->name);
        return;
    }
    weir_text target = {NULL, 0, 0};
    bool is_builtin = weir_mase_target(view->graph, node->node, &target) == WEIR_MASE_BUILTIN;
    weir_text_format(text, "<%s %s>", is_builtin ? "built-in" : "function", strrchr(target.data, '.') + 1);
    weir_text_free(&target);
}
