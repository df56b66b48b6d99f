#include "graph/remote.h"

#include <assert.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "graph/manifest.h"
#include "graph/stream.h"
#include "ir/graph/print.h"
#include "support/file/file.h"
#include "support/memory/arena.h"
#include "support/text/diag.h"

/* A graph before or behind the hardware. Its streams are the first of its outputs or inputs, what is carried past the
 * hardware follows them. */
typedef struct part {
    weir_graph *graph;
    weir_executor *executor;
    weir_remote_stream *stream;
    size_t streams, carried;
    size_t bytes;   /* of a frame */
    uint8_t *frame; /* room for one */
    pthread_mutex_t turn;
} part;

struct weir_remote {
    part head, tail;
    uint32_t build, model;
    unsigned baud;
    size_t in_flight;
    weir_wire *wire;
    /* A ring of frames that were submitted and not received, head.carried arrays each. Besides those that the wire has
     * in flight there may be one that is being received and one that is being submitted. */
    weir_array **carried;
    size_t submitted, received;
    pthread_mutex_t ring;
};

static size_t places(const weir_remote *remote) { return remote->in_flight + 2; }

/* --- the folder --- */

/* What libweir reports, as an error. */
static weir_wire_error take_report(weir_diag_log *log, weir_wire_error error, const char *of, weir_failure *why) {
    weir_diag_release(log);
    weir_failure_set(why, error, "%.80s: %s", of, weir_diag_log_error(log));
    weir_diag_log_free(log);
    return error;
}

static json_t *read_json(const char *folder, const char *name) {
    char *path = weir_path_join(folder, name);
    size_t size = 0;
    char *text = weir_file_exists(path) ? weir_file_read(path, &size) : NULL;
    json_error_t error = {.line = 0};
    json_t *root = text == NULL ? NULL : json_loadb(text, size, 0, &error);
    if (root == NULL)
        weir_error(weir_at(path, error.line), "%s: %s", name, text == NULL ? "cannot be read" : error.text);
    free(text);
    free(path);
    return root;
}

static bool read_board(weir_remote *remote, const char *folder) {
    char *path = weir_path_join(folder, WEIR_BOARD_MANIFEST);
    const bool is_there = weir_file_exists(path);
    free(path);
    if (!is_there) {
        weir_error(weir_at(folder, 0), WEIR_BOARD_MANIFEST ": cannot be read");
        return false;
    }
    weir_board_manifest manifest;
    const bool fine = weir_board_manifest_read(folder, &manifest);
    remote->build = manifest.build;
    remote->model = manifest.model;
    remote->baud = (unsigned)manifest.baud;
    weir_board_manifest_free(&manifest);
    return fine;
}

static bool read_stream(const json_t *row, weir_remote_stream *stream) {
    const json_int_t elements = json_integer_value(json_object_get(row, "elements")),
                     lanes = json_integer_value(json_object_get(row, "lanes")),
                     width = json_integer_value(json_object_get(row, "width"));
    *stream = (weir_remote_stream){.elements = (uint64_t)elements,
                                   .lanes = (uint32_t)lanes,
                                   .width = (uint32_t)width,
                                   .is_signed = json_is_true(json_object_get(row, "signed"))};
    return elements > 0 && elements <= INT32_MAX && lanes > 0 && lanes <= INT32_MAX / 64 && width > 0 && width <= 64;
}

/* Does the stream have as many codes as the graph's value has elements? */
static bool fits(const weir_graph *graph, weir_value value, const weir_remote_stream *stream) {
    size_t count;
    return weir_shape_count(&weir_value_type(graph, value)->shape, &count) && count == stream->elements;
}

/* `key` names the streams in host.json's part: "outputs" of the head, "inputs" of the tail. */
static bool read_part(part *p, const char *folder, const json_t *host, const char *name, const char *key) {
    const json_t *root = json_object_get(host, name), *rows = json_object_get(root, key);
    const char *file = json_string_value(json_object_get(root, "graph"));
    const bool is_head = strcmp(key, "outputs") == 0;
    char *path = weir_path_join(folder, file == NULL || strchr(file, '/') != NULL ? "" : file);
    p->graph = weir_graph_load(path);
    free(path);
    p->executor = p->graph == NULL ? NULL : weir_executor_new(p->graph);
    if (p->executor == NULL) return false;
    p->streams = json_array_size(rows);
    p->carried = json_array_size(json_object_get(root, "carried"));
    p->stream = weir_calloc(p->streams + 1, sizeof *p->stream);
    const size_t values = is_head ? weir_graph_output_count(p->graph) : weir_graph_input_count(p->graph);
    bool fine = p->streams > 0 && values == p->streams + p->carried;
    for (size_t i = 0; fine && i < p->streams; i++) {
        const weir_value value = is_head ? weir_graph_output(p->graph, i) : weir_graph_input(p->graph, i);
        fine = read_stream(json_array_get(rows, i), &p->stream[i]) && fits(p->graph, value, &p->stream[i]);
        if (fine) p->bytes += weir_remote_stream_bytes(&p->stream[i]);
    }
    if (!fine) weir_error(weir_at(folder, 0), "host.json: '%s' differs from '%s'", name, file);
    p->frame = weir_calloc(p->bytes + 1, 1);
    return fine;
}

static bool read_folder(weir_remote *remote, const char *folder) {
    if (!read_board(remote, folder)) return false;
    char *design = weir_path_join(folder, WEIR_BOARD_DESIGN);
    json_t *root = read_json(design, "host.json");
    bool fine = root != NULL && read_part(&remote->head, design, root, "head", "outputs") &&
                read_part(&remote->tail, design, root, "tail", "inputs");
    if (fine && remote->head.carried != remote->tail.carried) {
        weir_error(weir_at(design, 0), "host.json: head and tail carry different tensors");
        fine = false;
    }
    json_decref(root);
    free(design);
    return fine;
}

weir_wire_error weir_remote_new(weir_remote **result, const char *folder, size_t in_flight, weir_failure *why) {
    *result = NULL;
    if (in_flight == 0) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "at least one frame must be in flight");
    weir_remote *remote = weir_calloc(1, sizeof *remote);
    pthread_mutex_init(&remote->head.turn, NULL);
    pthread_mutex_init(&remote->tail.turn, NULL);
    pthread_mutex_init(&remote->ring, NULL);
    remote->in_flight = in_flight;
    weir_diag_log *log = weir_diag_capture();
    if (!read_folder(remote, folder)) {
        weir_remote_free(remote);
        return take_report(log, WEIR_WIRE_FORMAT, folder, why);
    }
    weir_diag_release(log);
    weir_diag_log_free(log);
    remote->carried = weir_calloc(places(remote) * remote->head.carried + 1, sizeof *remote->carried);
    *result = remote;
    return WEIR_WIRE_OK;
}

static void free_part(part *p) {
    weir_executor_free(p->executor);
    weir_graph_free(p->graph);
    free(p->stream);
    free(p->frame);
    pthread_mutex_destroy(&p->turn);
}

void weir_remote_free(weir_remote *remote) {
    if (remote == NULL) return;
    if (remote->wire != NULL) weir_wire_close(remote->wire);
    for (size_t i = 0; remote->carried != NULL && i < places(remote) * remote->head.carried; i++)
        weir_array_free(remote->carried[i]);
    free(remote->carried);
    free_part(&remote->head);
    free_part(&remote->tail);
    pthread_mutex_destroy(&remote->ring);
    free(remote);
}

unsigned weir_remote_baud(const weir_remote *remote) { return remote->baud; }
const weir_graph *weir_remote_head(const weir_remote *remote) { return remote->head.graph; }
const weir_graph *weir_remote_tail(const weir_remote *remote) { return remote->tail.graph; }
weir_wire *weir_remote_wire(const weir_remote *remote) { return remote->wire; }

/* --- the board --- */

static weir_wire_error identify(weir_remote *remote, weir_failure *why) {
    weir_wire_identity identity = {0};
    weir_wire_rate rate;
    weir_wire_error error = weir_wire_probe(remote->wire, remote->baud, &rate, why);
    if (error == WEIR_WIRE_OK) error = weir_wire_identify(remote->wire, &identity, why);
    if (error != WEIR_WIRE_OK || (identity.build == remote->build && identity.model == remote->model)) return error;
    return weir_failure_set(why, WEIR_WIRE_STRANGER, "another bitstream: build %08x, model %08x, expected %08x, %08x",
                            identity.build, identity.model, remote->build, remote->model);
}

weir_wire_error weir_remote_connect(weir_remote *remote, const weir_transport *transport, weir_failure *why) {
    if (remote->wire != NULL) {
        transport->close(transport->user);
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "it is connected already");
    }
    const weir_wire_frames frames = {remote->head.bytes, remote->tail.bytes, remote->in_flight};
    weir_wire_error error = weir_wire_open(&remote->wire, transport, remote->baud, why);
    if (error != WEIR_WIRE_OK) return error;
    error = identify(remote, why);
    if (error == WEIR_WIRE_OK) error = weir_wire_begin(remote->wire, WEIR_MODE_ACCELERATOR, &frames, why);
    if (error == WEIR_WIRE_OK) return error;
    weir_wire_close(remote->wire);
    remote->wire = NULL;
    return error;
}

/* --- frames --- */

/* Runs the graph; what it reports becomes an error. */
static weir_wire_error compute(part *p, const weir_array *const *inputs, weir_failure *why) {
    weir_diag_log *log = weir_diag_capture();
    if (!weir_executor_run(p->executor, inputs))
        return take_report(log, WEIR_WIRE_ARGUMENT, weir_graph_name(p->graph), why);
    weir_diag_release(log);
    weir_diag_log_free(log);
    return WEIR_WIRE_OK;
}

static weir_wire_error check_inputs(const weir_graph *graph, const weir_array *const *inputs, weir_failure *why) {
    for (size_t i = 0; i < weir_graph_input_count(graph); i++) {
        const weir_value value = weir_graph_input(graph, i);
        const weir_type *type = weir_value_type(graph, value);
        char expected[128], found[128];
        if (inputs[i]->dtype == type->dtype && weir_shape_equal(&inputs[i]->shape, &type->shape)) continue;
        return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "input '%.60s' is %s%s, expected %s%s",
                                weir_value_name(graph, value), weir_dtype_name(inputs[i]->dtype),
                                weir_shape_print(&inputs[i]->shape, found, sizeof found), weir_dtype_name(type->dtype),
                                weir_shape_print(&type->shape, expected, sizeof expected));
    }
    return WEIR_WIRE_OK;
}

/* The head's streams as a frame's bytes. */
static void pack(part *p) {
    uint8_t *to = p->frame;
    for (size_t i = 0; i < p->streams; i++) {
        const weir_array *array = weir_executor_value(p->executor, weir_graph_output(p->graph, i));
        int64_t *code = weir_calloc(array->count + 1, sizeof *code);
        for (size_t k = 0; k < array->count; k++) code[k] = weir_array_get_int(array, k);
        weir_remote_pack(&p->stream[i], code, to);
        to += weir_remote_stream_bytes(&p->stream[i]);
        free(code);
    }
}

static weir_array **ring_at(const weir_remote *remote, size_t frame) {
    return remote->carried + frame % places(remote) * remote->head.carried;
}

/* What is carried of the frame that is submitted next. */
static void keep_carried(weir_remote *remote) {
    const part *head = &remote->head;
    pthread_mutex_lock(&remote->ring);
    assert(remote->submitted - remote->received < places(remote));
    weir_array **place = ring_at(remote, remote->submitted);
    for (size_t i = 0; i < head->carried; i++) {
        weir_array_free(place[i]);
        place[i] =
            weir_array_copy(weir_executor_value(head->executor, weir_graph_output(head->graph, head->streams + i)));
    }
    pthread_mutex_unlock(&remote->ring);
}

static weir_wire_error submit(weir_remote *remote, const weir_array *const *inputs, uint64_t limit, weir_failure *why) {
    weir_wire_error error = check_inputs(remote->head.graph, inputs, why);
    if (error == WEIR_WIRE_OK) error = compute(&remote->head, inputs, why);
    if (error != WEIR_WIRE_OK) return error;
    pack(&remote->head);
    keep_carried(remote);
    error = weir_wire_submit(remote->wire, remote->head.frame, limit, why);
    pthread_mutex_lock(&remote->ring);
    remote->submitted += error == WEIR_WIRE_OK;
    pthread_mutex_unlock(&remote->ring);
    return error;
}

weir_wire_error weir_remote_submit(weir_remote *remote, const weir_array *const *inputs, uint64_t limit,
                                   weir_failure *why) {
    if (remote->wire == NULL) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "no board is connected");
    pthread_mutex_lock(&remote->head.turn);
    const weir_wire_error error = submit(remote, inputs, limit, why);
    pthread_mutex_unlock(&remote->head.turn);
    return error;
}

/* The tail's streams out of a frame's bytes, then what was carried of it: heap arrays. */
static weir_array **tail_inputs(weir_remote *remote) {
    part *tail = &remote->tail;
    weir_array **inputs = weir_calloc(tail->streams + tail->carried + 1, sizeof *inputs);
    const uint8_t *from = tail->frame;
    for (size_t i = 0; i < tail->streams; i++) {
        const weir_type *type = weir_value_type(tail->graph, weir_graph_input(tail->graph, i));
        inputs[i] = weir_array_new(type->dtype, &type->shape);
        int64_t *code = weir_calloc(inputs[i]->count + 1, sizeof *code);
        weir_remote_unpack(&tail->stream[i], from, code);
        for (size_t k = 0; k < inputs[i]->count; k++) weir_array_set_int(inputs[i], k, code[k]);
        from += weir_remote_stream_bytes(&tail->stream[i]);
        free(code);
    }
    pthread_mutex_lock(&remote->ring);
    weir_array **place = ring_at(remote, remote->received);
    for (size_t i = 0; i < tail->carried; i++) {
        inputs[tail->streams + i] = place[i];
        place[i] = NULL;
    }
    remote->received++;
    pthread_mutex_unlock(&remote->ring);
    return inputs;
}

static weir_wire_error receive(weir_remote *remote, weir_array **outputs, uint64_t limit, weir_failure *why) {
    part *tail = &remote->tail;
    weir_wire_error error = weir_wire_receive(remote->wire, tail->frame, limit, why);
    if (error != WEIR_WIRE_OK) return error;
    weir_array **inputs = tail_inputs(remote);
    error = compute(tail, (const weir_array *const *)inputs, why);
    for (size_t i = 0; error == WEIR_WIRE_OK && i < weir_graph_output_count(tail->graph); i++)
        outputs[i] = weir_array_copy(weir_executor_value(tail->executor, weir_graph_output(tail->graph, i)));
    for (size_t i = 0; i < tail->streams + tail->carried; i++) weir_array_free(inputs[i]);
    free(inputs);
    return error;
}

weir_wire_error weir_remote_receive(weir_remote *remote, weir_array **outputs, uint64_t limit, weir_failure *why) {
    if (remote->wire == NULL) return weir_failure_set(why, WEIR_WIRE_ARGUMENT, "no board is connected");
    pthread_mutex_lock(&remote->tail.turn);
    const weir_wire_error error = receive(remote, outputs, limit, why);
    pthread_mutex_unlock(&remote->tail.turn);
    return error;
}
