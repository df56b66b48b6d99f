/* The executor: a list of kernel calls with their operands, laid out once; a run makes the calls and allocates no
 * values. Constants are used where the graph keeps them; nodes that depend on constants only are computed once,
 * beforehand, but for large ones where values pass: those are steps in front of their first reader. A batch runs in
 * blocks of frames that stay near the processor: kernels that can take a block as one array with more entries, the
 * others frame by frame; what they make of their constants is kept. */
#include "exec/exec.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/kept.h"
#include "exec/kernel.h"
#include "exec/recurrence.h"
#include "support/memory/arena.h"

typedef struct step {
    weir_node node;         /* of a recurrence the first */
    const weir_node *nodes; /* of a recurrence all, in execution order; else the one */
    size_t node_count;
    weir_recurrence_run *recurrence; /* NULL: a kernel's call */
    const weir_array **inputs;
    weir_array **outputs;
    struct step *window; /* of a depthwise convolution in a batch, whose outputs alone are read: its Window, left out */
    bool is_left_out;
    bool is_fixed; /* the same in every frame */
    /* of a batch: */
    bool is_joint;          /* its operands are the block's, not a frame's */
    weir_kernel_plan *plan; /* NULL: none */
    const weir_array **block_inputs;
    weir_array **block_outputs;
} step;

/* A block of frames: by value, all of them as one array, and the frame of which a kernel makes its call. */
typedef struct block {
    size_t room; /* frames */
    weir_array *all, *one;
    bool *is_here;           /* by value: it is no constant */
    const weir_array **read; /* by value: a frame of it, or the constant */
    weir_array **made;
} block;

/* Bytes of all values of a block, and its frames at most; bytes from which on what depends on constants only passes
 * too. */
enum { BLOCK_BYTES = 512 << 10, BLOCK_FRAMES = 64, LARGE_BYTES = 256 << 10 };

struct weir_executor {
    const weir_graph *graph;
    weir_arena *arena;        /* owns all of the following */
    weir_array **buffer;      /* by value: what the executor computes or takes in */
    bool *is_fixed;           /* by value: the same in every frame */
    const weir_array **value; /* by value: the buffer or the constant */
    step *steps;
    size_t step_count;
    block block;        /* made by the first batch */
    bool passes;        /* values last until their last reader has run, but for the graph's inputs and outputs */
    bool is_open;       /* States are inputs */
    bool *may_pass;     /* by value */
    bool *is_postponed; /* by node: no step yet, as none of its readers is one */
    size_t *last;       /* by value, where they pass: the step that reads it last, or that makes it */
    weir_recurrence *recurrences;
    size_t recurrence_count;
    weir_recurrence_run **runs; /* by recurrence */
    size_t *owner;              /* by node: 1 + its recurrence; 0: none */
    weir_kept *kept;            /* NULL: no State that frames leave to frames */
};

static weir_location source_of(const weir_graph *graph) { return weir_at(weir_graph_source(graph), 0); }

static void add_buffer(weir_executor *executor, weir_value value, bool passes) {
    assert(executor->buffer[value.id] == NULL);
    const weir_type *type = weir_value_type(executor->graph, value);
    if (passes) {
        weir_array *array = weir_arena_alloc(executor->arena, sizeof *array);
        *array = (weir_array){.dtype = type->dtype, .shape = type->shape};
        weir_shape_count(&type->shape, &array->count);
        executor->buffer[value.id] = array;
    } else {
        executor->buffer[value.id] = weir_array_in(executor->arena, type->dtype, &type->shape);
    }
    executor->value[value.id] = executor->buffer[value.id];
    executor->may_pass[value.id] = passes;
}

/* Values that pass: room for what the step makes, and no more for what it was the last to read. */
static void make_room(const weir_executor *executor, const step *s) {
    for (size_t n = 0; executor->passes && n < s->node_count; n++) {
        for (size_t i = 0; i < weir_node_output_count(executor->graph, s->nodes[n]); i++) {
            const weir_value value = weir_node_output(executor->graph, s->nodes[n], i);
            weir_array *array = executor->buffer[value.id];
            if (executor->may_pass[value.id]) array->data = weir_calloc(array->count, weir_dtype_size(array->dtype));
        }
    }
}

static void forget(const weir_executor *executor, weir_value value, size_t index) {
    assert(index < executor->step_count);
    if (value.id == 0 || !executor->may_pass[value.id] || executor->last[value.id] != index) return;
    free(executor->buffer[value.id]->data);
    executor->buffer[value.id]->data = NULL;
}

static void pass_on(const weir_executor *executor, size_t index) {
    assert(index < executor->step_count);
    const step *s = &executor->steps[index];
    for (size_t n = 0; executor->passes && n < s->node_count; n++) {
        for (size_t i = 0; i < weir_node_input_count(executor->graph, s->nodes[n]); i++)
            forget(executor, weir_node_input(executor->graph, s->nodes[n], i), index);
        for (size_t i = 0; i < weir_node_output_count(executor->graph, s->nodes[n]); i++)
            forget(executor, weir_node_output(executor->graph, s->nodes[n], i), index);
    }
}

static void find_last(weir_executor *executor) {
    const weir_graph *graph = executor->graph;
    executor->last = weir_arena_array(executor->arena, weir_graph_value_limit(graph), sizeof *executor->last);
    for (size_t k = 0; k < executor->step_count; k++) {
        const step *s = &executor->steps[k];
        for (size_t n = 0; n < s->node_count; n++) {
            for (size_t i = 0; i < weir_node_output_count(graph, s->nodes[n]); i++)
                executor->last[weir_node_output(graph, s->nodes[n], i).id] = k;
            for (size_t i = 0; i < weir_node_input_count(graph, s->nodes[n]); i++)
                executor->last[weir_node_input(graph, s->nodes[n], i).id] = k;
        }
    }
}

static bool depends_on_constants(const weir_executor *executor, weir_node node) {
    if (weir_node_op(executor->graph, node) == WEIR_OP_STATE) return false;
    for (size_t i = 0; i < weir_node_input_count(executor->graph, node); i++) {
        const weir_value value = weir_node_input(executor->graph, node, i);
        if (value.id != 0 && !executor->is_fixed[value.id]) return false;
    }
    return true;
}

/* Is what depends on constants only too large to be kept, or made of what is? */
static bool is_passing_constant(const weir_executor *executor, weir_node node) {
    const weir_graph *graph = executor->graph;
    size_t bytes = 0;
    for (size_t i = 0; executor->passes && i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id != 0 && executor->may_pass[value.id]) return true;
    }
    for (size_t i = 0; executor->passes && i < weir_node_output_count(graph, node); i++) {
        const weir_type *type = weir_value_type(graph, weir_node_output(graph, node, i));
        size_t count = 0;
        weir_shape_count(&type->shape, &count);
        bytes += count * weir_dtype_size(type->dtype);
    }
    return bytes >= LARGE_BYTES;
}

static void append_step(weir_executor *executor, weir_node node);

/* The steps of what the node reads that wait for their first reader. */
static void append_postponed(weir_executor *executor, weir_node node) {
    for (size_t i = 0; i < weir_node_input_count(executor->graph, node); i++) {
        const weir_value value = weir_node_input(executor->graph, node, i);
        const weir_node producer = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(executor->graph, value);
        if (producer.id == 0 || !executor->is_postponed[producer.id]) continue;
        executor->is_postponed[producer.id] = false;
        append_step(executor, producer);
    }
}

static void fill_step(const weir_executor *executor, weir_node node, step *s) {
    const weir_graph *graph = executor->graph;
    const size_t given = weir_node_input_count(graph, node), outputs = weir_node_output_count(graph, node);
    const int most = weir_node_info(graph, node)->inputs_max;
    const size_t slots = most > 0 && (size_t)most > given ? (size_t)most : given;
    weir_node *nodes = weir_arena_array(executor->arena, 1, sizeof *nodes);
    nodes[0] = node;
    *s = (step){.node = node, .nodes = nodes, .node_count = 1, .is_fixed = depends_on_constants(executor, node)};
    s->inputs = weir_arena_array(executor->arena, slots, sizeof *s->inputs);
    s->outputs = weir_arena_array(executor->arena, outputs, sizeof *s->outputs);
    for (size_t i = 0; i < given; i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id != 0) s->inputs[i] = executor->value[value.id];
    }
    for (size_t i = 0; i < outputs; i++) s->outputs[i] = executor->buffer[weir_node_output(graph, node, i).id];
}

static void append_step(weir_executor *executor, weir_node node) {
    assert(!executor->is_postponed[node.id]);
    append_postponed(executor, node);
    fill_step(executor, node, &executor->steps[executor->step_count++]);
}

static bool add_node(weir_executor *executor, weir_node node) {
    const weir_graph *graph = executor->graph;
    if (executor->is_open && weir_node_op(graph, node) == WEIR_OP_STATE) {
        add_buffer(executor, weir_node_output(graph, node, 0), false);
        return true;
    }
    if (weir_node_op(graph, node) != WEIR_OP_STATE && !weir_kernel_supports(graph, node)) {
        const weir_value first = weir_node_input(graph, node, 0);
        weir_error(weir_node_location(graph, node), "node '%s' (%s): no kernel for input type %s",
                   weir_node_name(graph, node), weir_node_info(graph, node)->full_name,
                   weir_dtype_name(weir_value_type(graph, first)->dtype));
        return false;
    }
    const bool is_fixed = depends_on_constants(executor, node);
    const bool passes = executor->passes && (!is_fixed || is_passing_constant(executor, node));
    bool is_output = false;
    for (size_t i = 0; i < weir_node_output_count(graph, node); i++) {
        const weir_value value = weir_node_output(graph, node, i);
        add_buffer(executor, value, passes && !weir_value_is_output(graph, value));
        executor->is_fixed[value.id] = is_fixed;
        is_output = is_output || weir_value_is_output(graph, value);
    }
    if (is_fixed && passes && !is_output) {
        executor->is_postponed[node.id] = true;
    } else if (is_fixed && !passes) {
        step once;
        fill_step(executor, node, &once);
        weir_kernel_run(graph, node, once.inputs, once.outputs);
    } else append_step(executor, node);
    return true;
}

/* --- recurrences --- */

static bool find_recurrences(weir_executor *executor) {
    const weir_graph *graph = executor->graph;
    executor->owner = weir_arena_array(executor->arena, weir_graph_node_limit(graph) + 1, sizeof *executor->owner);
    if (executor->is_open) return true;
    executor->recurrence_count = weir_recurrences_find(graph, executor->arena, &executor->recurrences);
    executor->runs = weir_arena_array(executor->arena, executor->recurrence_count, sizeof *executor->runs);
    static const weir_recurrence_engine engine = {weir_executor_new, weir_executor_free, weir_executor_run,
                                                  weir_executor_value};
    bool fine = true;
    for (size_t i = 0; i < executor->recurrence_count; i++) {
        const weir_recurrence *r = &executor->recurrences[i];
        executor->runs[i] = weir_recurrence_run_new(graph, r, &engine, executor->arena);
        fine &= executor->runs[i] != NULL;
        for (size_t n = 0; n < r->node_count; n++) {
            executor->owner[r->node[n].id] = 1 + i;
            for (size_t o = 0; o < weir_node_output_count(graph, r->node[n]); o++) {
                const weir_value value = weir_node_output(graph, r->node[n], o);
                add_buffer(executor, value, executor->passes && !weir_value_is_output(graph, value));
            }
        }
    }
    return fine;
}

/* What a step reads before it: a node's inputs, or a recurrence's. */
static weir_value reads(const weir_executor *executor, weir_node node, size_t index) {
    const size_t owner = executor->owner[node.id];
    if (owner > 0) return weir_recurrence_run_input(executor->runs[owner - 1], index);
    return weir_node_input(executor->graph, node, index);
}

static size_t read_count(const weir_executor *executor, weir_node node) {
    const size_t owner = executor->owner[node.id];
    size_t count = 0;
    if (owner == 0) return weir_node_input_count(executor->graph, node);
    while (weir_recurrence_run_input(executor->runs[owner - 1], count).id != 0) count++;
    return count;
}

static bool is_ready(const weir_executor *executor, weir_node node, const bool *is_done) {
    for (size_t i = 0; i < read_count(executor, node); i++) {
        const weir_value value = reads(executor, node, i);
        const weir_node producer = value.id == 0 ? WEIR_NO_NODE : weir_value_producer(executor->graph, value);
        if (producer.id != 0 && !is_done[producer.id]) return false;
    }
    return true;
}

static void add_recurrence(weir_executor *executor, size_t index, bool *is_done) {
    const weir_recurrence *r = &executor->recurrences[index];
    for (size_t i = 0; weir_recurrence_run_input(executor->runs[index], i).id != 0; i++) {
        const weir_node producer =
            weir_value_producer(executor->graph, weir_recurrence_run_input(executor->runs[index], i));
        if (producer.id == 0 || !executor->is_postponed[producer.id]) continue;
        executor->is_postponed[producer.id] = false;
        append_step(executor, producer);
    }
    executor->steps[executor->step_count++] =
        (step){.node = r->node[0], .nodes = r->node, .node_count = r->node_count, .recurrence = executor->runs[index]};
    for (size_t i = 0; i < r->node_count; i++) is_done[r->node[i].id] = true;
}

/* Adds the node, or all of its recurrence, unless that has been done; false after an error. */
static bool add_once(weir_executor *executor, weir_node node, bool *is_done) {
    const size_t owner = executor->owner[node.id];
    if (is_done[node.id]) return true;
    if (owner > 0) add_recurrence(executor, owner - 1, is_done);
    is_done[node.id] = true;
    return owner > 0 || add_node(executor, node);
}

/* In execution order; a recurrence is computed once all is known that it reads, so what reads it may come later than
 * the graph says. */
static bool add_nodes(weir_executor *executor) {
    const weir_graph *graph = executor->graph;
    bool *is_done = weir_calloc(weir_graph_node_limit(graph) + 1, sizeof *is_done);
    bool fine = find_recurrences(executor), any = true, waits = true;
    while (fine && any && waits) {
        any = waits = false;
        for (weir_node node = weir_graph_first(graph); node.id != 0; node = weir_node_next(graph, node)) {
            if (is_done[node.id]) continue;
            const bool ready = executor->recurrence_count == 0 || is_ready(executor, node, is_done);
            any |= ready;
            waits |= !ready;
            fine = (!ready || add_once(executor, node, is_done)) && fine;
        }
    }
    assert(!fine || !waits);
    free(is_done);
    return fine;
}

/* Finds the depthwise convolutions whose windows nothing else reads. */
static void join_windows(weir_executor *executor) {
    const weir_graph *graph = executor->graph;
    for (size_t i = 0; i < executor->step_count; i++) {
        step *window = &executor->steps[i];
        if (weir_node_op(graph, window->node) != WEIR_OP_WINDOW) continue;
        const weir_value value = weir_node_output(graph, window->node, 0);
        if (weir_value_use_count(graph, value) != 1 || weir_value_is_output(graph, value)) continue;
        const weir_use use = weir_value_use(graph, value, 0);
        const weir_node reader = use.node;
        size_t k = i + 1;
        while (k < executor->step_count && executor->steps[k].node.id != reader.id) k++;
        if (k == executor->step_count || use.index != 0 || !weir_kernel_is_depthwise(graph, window->node, reader))
            continue;
        executor->steps[k].window = window;
        window->is_left_out = true;
    }
}

static weir_executor *make(const weir_graph *graph, bool passes, bool is_open) {
    weir_arena *arena = weir_arena_new();
    weir_executor *executor = weir_arena_alloc(arena, sizeof *executor);
    const uint32_t limit = weir_graph_value_limit(graph);
    executor->graph = graph;
    executor->arena = arena;
    executor->passes = passes;
    executor->is_open = is_open;
    executor->buffer = weir_arena_array(arena, limit, sizeof *executor->buffer);
    executor->value = weir_arena_array(arena, limit, sizeof *executor->value);
    executor->is_fixed = weir_arena_array(arena, limit, sizeof *executor->is_fixed);
    executor->may_pass = weir_arena_array(arena, limit, sizeof *executor->may_pass);
    executor->is_postponed = weir_arena_array(arena, weir_graph_node_limit(graph) + 1, sizeof *executor->is_postponed);
    executor->steps = weir_arena_array(arena, weir_graph_node_count(graph), sizeof *executor->steps);
    for (uint32_t id = 1; id < limit; id++) {
        const weir_value value = {id};
        if (weir_value_exists(graph, value)) executor->value[id] = weir_value_constant(graph, value);
        executor->is_fixed[id] = executor->value[id] != NULL;
    }
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) add_buffer(executor, weir_graph_input(graph, i), false);
    executor->kept = is_open ? NULL : weir_kept_new(graph, arena);
    if (add_nodes(executor)) {
        join_windows(executor);
        find_last(executor);
        return executor;
    }
    weir_executor_free(executor);
    return NULL;
}

bool weir_executor_reads_last(const weir_executor *executor, weir_node node, weir_value value) {
    assert(value.id < weir_graph_value_limit(executor->graph));
    if (executor->step_count == 0) return false;
    const step *s = &executor->steps[executor->last[value.id]];
    return s->nodes[s->node_count - 1].id == node.id;
}

weir_executor *weir_executor_new(const weir_graph *graph) { return make(graph, false, false); }

weir_executor *weir_executor_new_passing(const weir_graph *graph) { return make(graph, true, false); }

weir_executor *weir_executor_new_open(const weir_graph *graph, bool passing) { return make(graph, passing, true); }

void weir_executor_give(weir_executor *executor, weir_value state, const weir_array *data) {
    weir_array *to = executor->buffer[state.id];
    assert(executor->is_open && to != NULL && to->dtype == data->dtype && to->count == data->count);
    memcpy(to->data, data->data, to->count * weir_dtype_size(to->dtype));
}

void weir_executor_restart(weir_executor *executor) {
    weir_kept_restart(executor->kept);
    for (size_t i = 0; i < executor->recurrence_count; i++) weir_recurrence_run_restart(executor->runs[i]);
}

void weir_executor_free(weir_executor *executor) {
    if (executor == NULL) return;
    for (size_t i = 0; i < executor->recurrence_count; i++) weir_recurrence_run_free(executor->runs[i]);
    weir_arena_free(executor->arena);
}

/* What a node computes, also of States that are no loop's. */
static void call(weir_executor *executor, weir_node node, const weir_array **inputs, weir_array **outputs) {
    if (executor->kept != NULL && weir_kept_gives(executor->kept, node, inputs[0], outputs[0])) return;
    weir_kernel_run(executor->graph, node, inputs, outputs);
    if (executor->kept != NULL) weir_kept_takes(executor->kept, node, outputs[0]);
}

/* The steps of a frame are over when the first node is watched: what a watcher changes, only later steps read. */
static void run_recurrence(weir_executor *executor, const step *s, weir_executor_watch *watch, void *user) {
    weir_array *outputs[8];
    weir_recurrence_run_frame(s->recurrence, executor->value, executor->buffer);
    for (size_t n = 0; watch != NULL && n < s->node_count; n++) {
        const size_t count = weir_node_output_count(executor->graph, s->nodes[n]);
        weir_array **all = count <= 8 ? outputs : weir_calloc(count, sizeof *all);
        for (size_t o = 0; o < count; o++)
            all[o] = executor->buffer[weir_node_output(executor->graph, s->nodes[n], o).id];
        watch(user, s->nodes[n], all);
        if (all != outputs) free(all);
    }
}

static void run_steps(weir_executor *executor, weir_executor_watch *watch, void *user) {
    for (size_t i = 0; i < executor->step_count; i++) {
        const step *now = &executor->steps[i];
        make_room(executor, now);
        if (now->recurrence != NULL) {
            run_recurrence(executor, now, watch, user);
        } else {
            call(executor, now->node, now->inputs, now->outputs);
            if (watch != NULL && !now->is_fixed) watch(user, now->node, now->outputs);
        }
        pass_on(executor, i);
    }
}

/* --- blocks of frames --- */

static size_t bytes_of(const weir_array *array) { return array->count * weir_dtype_size(array->dtype); }

static bool is_in_frame(const weir_executor *executor, uint32_t id) {
    return executor->buffer[id] != NULL && !executor->is_fixed[id];
}

/* Frames that fit; never more than asked for, and one where it leaves something to the next. */
static size_t room_for(const weir_executor *executor, size_t frames) {
    size_t bytes = 1;
    if (executor->kept != NULL) return 1;
    for (uint32_t id = 1; id < weir_graph_value_limit(executor->graph); id++)
        bytes += is_in_frame(executor, id) ? bytes_of(executor->buffer[id]) : 0;
    const size_t most = BLOCK_BYTES / bytes < BLOCK_FRAMES ? BLOCK_BYTES / bytes : BLOCK_FRAMES;
    return most < 1 ? 1 : most < frames ? most : frames;
}

/* Only its first input, of a Sum the first two, may differ from frame to frame. */
static bool is_joint(const weir_executor *executor, weir_node node) {
    const weir_graph *graph = executor->graph;
    const size_t operands = weir_node_op(graph, node) == WEIR_OP_SUM ? 2 : 1;
    if (!weir_kernel_is_joint(graph, node) || weir_node_op(graph, node) == WEIR_OP_UPDATE) return false;
    for (size_t i = 0; i < weir_node_input_count(graph, node); i++) {
        const weir_value value = weir_node_input(graph, node, i);
        if (value.id != 0 && is_in_frame(executor, value.id) != (i < operands)) return false;
    }
    return true;
}

static void plan_step(weir_executor *executor, step *s) {
    const weir_graph *graph = executor->graph;
    if (s->recurrence != NULL) return;
    const size_t inputs = weir_node_input_count(graph, s->node), outputs = weir_node_output_count(graph, s->node);
    const int most = weir_node_info(graph, s->node)->inputs_max;
    const size_t slots = most > 0 && (size_t)most > inputs ? (size_t)most : inputs;
    s->is_joint = is_joint(executor, s->node);
    weir_array *arrays = s->is_joint ? executor->block.all : executor->block.one;
    s->block_inputs = weir_arena_array(executor->arena, slots, sizeof *s->block_inputs);
    s->block_outputs = weir_arena_array(executor->arena, outputs, sizeof *s->block_outputs);
    for (size_t i = 0; i < inputs; i++) {
        const weir_value value = weir_node_input(graph, s->node, i);
        const bool here = value.id != 0 && executor->block.is_here[value.id];
        s->block_inputs[i] = here ? &arrays[value.id] : s->inputs[i];
    }
    for (size_t i = 0; i < outputs; i++) s->block_outputs[i] = &arrays[weir_node_output(graph, s->node, i).id];
    if (s->is_joint && s->plan == NULL)
        s->plan = weir_kernel_plan_new(executor->arena, graph, s->node, s->inputs, s->outputs);
}

/* Makes room for blocks of a batch of so many frames. */
static void prepare_block(weir_executor *executor, size_t frames) {
    block *b = &executor->block;
    const size_t room = room_for(executor, frames), limit = weir_graph_value_limit(executor->graph);
    if (room <= b->room) return;
    b->room = b->room == 0 ? room : room_for(executor, SIZE_MAX); /* it grows once */
    b->all = weir_arena_array(executor->arena, limit, sizeof *b->all);
    b->one = weir_arena_array(executor->arena, limit, sizeof *b->one);
    b->is_here = weir_arena_array(executor->arena, limit, sizeof *b->is_here);
    b->read = weir_arena_array(executor->arena, limit, sizeof *b->read);
    b->made = weir_arena_array(executor->arena, limit, sizeof *b->made);
    for (uint32_t id = 1; id < limit; id++) {
        b->is_here[id] = is_in_frame(executor, id);
        b->made[id] = &b->one[id];
        b->read[id] = b->is_here[id] ? b->made[id] : executor->value[id];
        if (!b->is_here[id]) continue;
        b->one[id] = *executor->buffer[id];
        b->one[id].data =
            weir_arena_array(executor->arena, b->room * b->one[id].count, weir_dtype_size(b->one[id].dtype));
        b->all[id] = b->one[id];
    }
    for (size_t i = 0; i < executor->step_count; i++) plan_step(executor, &executor->steps[i]);
    for (size_t i = 0; i < executor->step_count; i++) {
        step *s = &executor->steps[i];
        if (s->window == NULL || (s->is_joint && s->window->is_joint)) continue;
        s->window->is_left_out = false;
        s->window = NULL;
    }
}

/* The arrays of the block's values hold so many frames from now on. */
static void set_frames(weir_executor *executor, size_t frames) {
    assert(frames > 0 && frames <= executor->block.room);
    const block *b = &executor->block;
    for (uint32_t id = 1; id < weir_graph_value_limit(executor->graph); id++) {
        if (!b->is_here[id]) continue;
        weir_array *all = &b->all[id];
        all->count = frames * b->one[id].count;
        if (all->shape.rank > 0) all->shape.dim[0] = (int64_t)frames * b->one[id].shape.dim[0];
    }
}

/* The values' arrays of one frame show frame `index` of the block. */
static void show_frame(const weir_executor *executor, weir_value value, size_t index) {
    assert(value.id < weir_graph_value_limit(executor->graph) && index < executor->block.room);
    const block *b = &executor->block;
    if (value.id == 0 || !b->is_here[value.id]) return;
    weir_array *one = &b->one[value.id];
    one->data = (char *)b->all[value.id].data + index * bytes_of(one);
}

static void run_frames(weir_executor *executor, const step *s, size_t frames) {
    assert(frames > 0 && frames <= executor->block.room);
    const weir_graph *graph = executor->graph;
    for (size_t f = 0; f < frames; f++) {
        for (size_t n = 0; n < s->node_count; n++) {
            for (size_t i = 0; i < weir_node_input_count(graph, s->nodes[n]); i++)
                show_frame(executor, weir_node_input(graph, s->nodes[n], i), f);
            for (size_t i = 0; i < weir_node_output_count(graph, s->nodes[n]); i++)
                show_frame(executor, weir_node_output(graph, s->nodes[n], i), f);
        }
        if (s->recurrence != NULL) weir_recurrence_run_frame(s->recurrence, executor->block.read, executor->block.made);
        else call(executor, s->node, s->block_inputs, s->block_outputs);
    }
}

/* All steps on the block, as far as the graph's outputs go. */
static void run_block(weir_executor *executor, size_t frames) {
    const weir_graph *graph = executor->graph;
    for (size_t i = 0; i < executor->step_count; i++) {
        const step *now = &executor->steps[i];
        if (now->is_left_out) continue;
        if (now->window != NULL)
            weir_kernel_depthwise(graph, now->window->node, now->window->block_inputs[0], now->inputs[1],
                                  now->block_outputs[0]);
        else if (now->plan != NULL) weir_kernel_run_plan(now->plan, now->block_inputs[0], now->block_outputs[0]);
        else if (now->is_joint) weir_kernel_run(graph, now->node, now->block_inputs, now->block_outputs);
        else run_frames(executor, now, frames);
    }
}

/* Codes outside the proven range would invalidate every range that follows from it. */
static bool check_range(const weir_graph *graph, weir_value input, const weir_array *data) {
    const weir_type *type = weir_value_type(graph, input);
    if (weir_dtype_is_float(type->dtype) || !type->has_range) return true;
    for (size_t i = 0; i < data->count; i++) {
        const int64_t code = weir_array_get_int(data, i);
        if (code >= type->low && code <= type->high) continue;
        weir_error(source_of(graph), "input '%s': element %zu is %lld, expected a code in [%lld, %lld]",
                   weir_value_name(graph, input), i, (long long)code, (long long)type->low, (long long)type->high);
        return false;
    }
    return true;
}

bool weir_executor_run(weir_executor *executor, const weir_array *const *inputs) {
    return weir_executor_run_watched(executor, inputs, NULL, NULL);
}

bool weir_executor_run_watched(weir_executor *executor, const weir_array *const *inputs, weir_executor_watch *watch,
                               void *user) {
    const weir_graph *graph = executor->graph;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_value input = weir_graph_input(graph, i);
        weir_array *to = executor->buffer[input.id];
        if (inputs[i]->dtype != to->dtype || !weir_shape_equal(&inputs[i]->shape, &to->shape)) {
            char expected[96], found[96];
            weir_error(source_of(graph), "input '%s' must be %s %s, is %s %s", weir_value_name(graph, input),
                       weir_dtype_name(to->dtype), weir_shape_print(&to->shape, expected, sizeof expected),
                       weir_dtype_name(inputs[i]->dtype), weir_shape_print(&inputs[i]->shape, found, sizeof found));
            return false;
        }
        if (!check_range(graph, input, inputs[i])) return false;
        memcpy(to->data, inputs[i]->data, to->count * weir_dtype_size(to->dtype));
    }
    run_steps(executor, watch, user);
    return true;
}

const weir_array *weir_executor_value(const weir_executor *executor, weir_value value) {
    assert(value.id < weir_graph_value_limit(executor->graph));
    return executor->value[value.id];
}

/* How many frames of an input the data holds, or -1 after a reported error. */
static int64_t count_frames(const weir_graph *graph, weir_value input, const weir_array *data) {
    const weir_shape *shape = &weir_value_type(graph, input)->shape;
    size_t frame = 0;
    const bool known = weir_shape_count(shape, &frame) && frame > 0;
    if (known && data->count == frame) return 1;
    if (known && data->shape.rank > 0 && data->count > 0) {
        /* Either one entry of the first axis is a frame, or the model's own batch of entries is. */
        const int64_t entries = data->shape.dim[0];
        const int64_t batch = shape->rank > 0 ? shape->dim[0] : 1;
        if (data->count / (size_t)entries == frame) return entries;
        if (entries % batch == 0 && data->count == (size_t)(entries / batch) * frame) return entries / batch;
    }
    char expected[96], found[96];
    weir_error(source_of(graph), "input '%s' takes frames of shape %s, but the data has shape %s",
               weir_value_name(graph, input), weir_shape_print(shape, expected, sizeof expected),
               weir_shape_print(&data->shape, found, sizeof found));
    weir_note("expected [N, ...] with %zu elements a frame", frame);
    return -1;
}

int64_t weir_executor_frames(const weir_graph *graph, const weir_array *data) {
    return count_frames(graph, weir_graph_input(graph, 0), data);
}

/* Frame `index` of an input's data into `to`: real numbers convert freely, codes must be integers that the type
 * holds. */
static bool convert_frame(const weir_graph *graph, weir_value input, const weir_array *data, int64_t index,
                          weir_array *to) {
    assert(index >= 0 && ((size_t)index + 1) * to->count <= data->count);
    const size_t first = (size_t)index * to->count;
    if (data->dtype == to->dtype) {
        const size_t size = weir_dtype_size(to->dtype);
        memcpy(to->data, (const char *)data->data + first * size, to->count * size);
        return true;
    }
    int64_t low = 0, high = 0;
    if (!weir_dtype_is_float(to->dtype)) weir_dtype_limits(to->dtype, &low, &high);
    for (size_t i = 0; i < to->count; i++) {
        const double v = weir_array_get(data, first + i);
        if (weir_dtype_is_float(to->dtype)) {
            weir_array_set(to, i, v);
            continue;
        }
        const int64_t code = weir_array_get_int(data, first + i);
        if ((weir_dtype_is_float(data->dtype) && v != trunc(v)) || code < low || code > high) {
            weir_error(source_of(graph), "input '%s' takes %s codes, but element %zu of frame %lld is %g",
                       weir_value_name(graph, input), weir_dtype_name(to->dtype), i, (long long)index, v);
            return false;
        }
        weir_array_set_int(to, i, code);
    }
    return true;
}

weir_array *weir_executor_frame_of(const weir_graph *graph, size_t input, const weir_array *data, int64_t index) {
    const weir_value value = weir_graph_input(graph, input);
    const int64_t frames = count_frames(graph, value, data);
    if (frames < 0) return NULL;
    if (index < 0 || index >= frames) {
        weir_error(source_of(graph), "frame %lld of %lld does not exist", (long long)index, (long long)frames);
        return NULL;
    }
    const weir_type *type = weir_value_type(graph, value);
    weir_array *frame = weir_array_new(type->dtype, &type->shape);
    if (convert_frame(graph, value, data, index, frame)) return frame;
    weir_array_free(frame);
    return NULL;
}

weir_array *weir_executor_frame(const weir_graph *graph, const weir_array *data, int64_t index) {
    return weir_executor_frame_of(graph, 0, data, index);
}

/* [frames, elements of a frame]: a leading 1 of the model's output is its batch dimension. */
static weir_array *new_batch(const weir_graph *graph, const weir_array *one, int64_t frames) {
    assert(frames >= 0);
    weir_shape shape = {.rank = 1, .dim = {frames}};
    const int skip = one->shape.rank > 0 && one->shape.dim[0] == 1 ? 1 : 0;
    size_t count;
    for (int i = skip; i < one->shape.rank && shape.rank < WEIR_MAX_RANK; i++)
        shape.dim[shape.rank++] = one->shape.dim[i];
    if (one->shape.rank - skip + 1 > WEIR_MAX_RANK || !weir_shape_count(&shape, &count)) {
        weir_error(source_of(graph), "the results of %lld frames are too large for one array", (long long)frames);
        return NULL;
    }
    return weir_array_new(one->dtype, &shape);
}

/* Room for every output; false after a reported error. */
static bool new_batches(const weir_executor *executor, int64_t frames, weir_array **results) {
    const weir_graph *graph = executor->graph;
    bool fine = true;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        results[i] = fine ? new_batch(graph, executor->value[weir_graph_output(graph, i).id], frames) : NULL;
        fine = results[i] != NULL;
    }
    return fine;
}

/* Frames from `first` on, as many as a block takes. */
static bool run_next(weir_executor *executor, const weir_array *const *data, int64_t first, size_t frames,
                     weir_array **results) {
    assert(first >= 0 && frames > 0);
    const weir_graph *graph = executor->graph;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_value input = weir_graph_input(graph, i);
        weir_array *one = &executor->block.one[input.id];
        for (size_t f = 0; f < frames; f++) {
            show_frame(executor, input, f);
            if (!convert_frame(graph, input, data[i], first + (int64_t)f, one) || !check_range(graph, input, one))
                return false;
        }
    }
    set_frames(executor, frames);
    run_block(executor, frames);
    for (size_t i = 0; i < weir_graph_output_count(graph); i++) {
        const weir_value output = weir_graph_output(graph, i);
        const bool here = executor->block.is_here[output.id];
        const weir_array *result = executor->value[output.id];
        const size_t size = bytes_of(result);
        const char *from = here ? executor->block.all[output.id].data : result->data;
        char *to = (char *)results[i]->data + (size_t)first * size;
        for (size_t f = 0; f < frames; f++) memcpy(to + f * size, from + (here ? f * size : 0), size);
        if (here) memcpy(executor->buffer[output.id]->data, from + (frames - 1) * size, size);
    }
    return true;
}

int64_t weir_executor_count_frames(const weir_graph *graph, const weir_array *const *data) {
    int64_t frames = -1;
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const int64_t found = count_frames(graph, weir_graph_input(graph, i), data[i]);
        if (found < 0) return -1;
        if (i > 0 && found != frames) {
            weir_error(source_of(graph), "the data has %lld frames of input '%s', but %lld of input '%s'",
                       (long long)frames, weir_value_name(graph, weir_graph_input(graph, 0)), (long long)found,
                       weir_value_name(graph, weir_graph_input(graph, i)));
            return -1;
        }
        frames = found;
    }
    return frames;
}

bool weir_executor_run_batch(weir_executor *executor, const weir_array *const *data, int64_t frames,
                             weir_array **results) {
    const weir_graph *graph = executor->graph;
    const int64_t found = weir_executor_count_frames(graph, data);
    if (frames == 0 || frames > found) frames = found;
    memset(results, 0, weir_graph_output_count(graph) * sizeof *results);
    bool fine = found >= 0 && new_batches(executor, frames, results);
    if (fine) prepare_block(executor, (size_t)frames);
    for (int64_t i = 0; fine && i < frames;) {
        const int64_t left = frames - i, room = (int64_t)executor->block.room, count = left < room ? left : room;
        fine = run_next(executor, data, i, (size_t)count, results);
        i += count;
    }
    for (size_t i = 0; !fine && i < weir_graph_output_count(graph); i++) {
        weir_array_free(results[i]);
        results[i] = NULL;
    }
    return fine;
}

weir_array *weir_executor_run_all(weir_executor *executor, const weir_array *data, int64_t frames, size_t output) {
    const weir_graph *graph = executor->graph;
    if (weir_graph_input_count(graph) != 1) {
        weir_error(source_of(graph), "the graph has %zu inputs, expected 1", weir_graph_input_count(graph));
        return NULL;
    }
    weir_array **results = weir_calloc(weir_graph_output_count(graph), sizeof *results);
    weir_array *kept = weir_executor_run_batch(executor, &data, frames, results) ? results[output] : NULL;
    for (size_t i = 0; i < weir_graph_output_count(graph); i++)
        if (i != output) weir_array_free(results[i]);
    free(results);
    return kept;
}
