/* A program on the library boards/host/graph: data through a simulated board as a function of the model's tensors.
 *   remote_tool FOLDER DATA OUT.npz
 * writes the model's outputs by name. Exit status 1 with the library's words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/session.h"
#include "board/simulated_transport.h"
#include "cosim/frames.h"
#include "graph/remote.h"
#include "support/memory/arena.h"

enum { IN_FLIGHT = 3, SECOND = 1000000 };

static int tell(const weir_failure *why) {
    fprintf(stderr, "%s: %s\n", weir_failure_name(why->error), why->text);
    return 1;
}

static void keep(weir_array *all, const weir_array *frame, int64_t index) {
    const size_t size = frame->count * weir_dtype_size(frame->dtype);
    memcpy((char *)all->data + (size_t)index * size, frame->data, size);
}

/* All frames, as many in flight as may be. False: why. */
static bool run(weir_remote *remote, const weir_frames *frames, weir_array **all, weir_failure *why) {
    const weir_graph *head = weir_remote_head(remote);
    const size_t outputs = weir_graph_output_count(weir_remote_tail(remote));
    weir_array **output = weir_calloc(outputs + 1, sizeof *output);
    const int64_t count = weir_frames_count(frames);
    for (int64_t sent = 0, received = 0; received < count;) {
        if (sent < count) {
            weir_array **input = weir_frames_frame(frames, head, sent);
            const weir_wire_error error = weir_remote_submit(remote, (const weir_array *const *)input, 0, why);
            weir_frames_free_frame(head, input);
            if (error == WEIR_WIRE_OK && ++sent < count) continue;
            if (error != WEIR_WIRE_OK && error != WEIR_WIRE_FULL) return false;
        }
        if (weir_remote_receive(remote, output, SECOND, why) != WEIR_WIRE_OK) return false;
        for (size_t i = 0; i < outputs; i++) {
            keep(all[i], output[i], received);
            weir_array_free(output[i]);
        }
        received++;
    }
    free(output);
    return true;
}

int main(int argc, char **argv) {
    weir_board_session session;
    weir_remote *remote;
    weir_failure why;
    int status = 0;
    if (argc < 4) return 2;
    if (weir_remote_new(&remote, argv[1], IN_FLIGHT, &why) != WEIR_WIRE_OK) return tell(&why);
    if (weir_board_session_open(argv[1], argv[2], 0, 0, &session) != 0) return 1;
    const weir_sim_serial_options line = {.clock_hz = (double)session.board->clock.hz};
    weir_board_sim *sim = weir_simulated_start(argv[1], session.board, WEIR_SIM_VERILATOR, &line, &status);
    weir_transport transport;
    if (sim == NULL || weir_simulated_transport_open(&transport, sim, weir_remote_baud(remote), &why) != WEIR_WIRE_OK)
        return 1;
    if (weir_remote_connect(remote, &transport, &why) != WEIR_WIRE_OK) status = tell(&why);
    const weir_graph *tail = weir_remote_tail(remote);
    weir_frames *frames = weir_frames_read(weir_remote_head(remote), argv[2]);
    weir_archive archive;
    weir_archive_init(&archive);
    weir_array **all = weir_calloc(weir_graph_output_count(tail) + 1, sizeof *all);
    for (size_t i = 0; i < weir_graph_output_count(tail); i++) {
        const weir_type *type = weir_value_type(tail, weir_graph_output(tail, i));
        weir_shape shape = {.rank = 1, .dim = {weir_frames_count(frames)}};
        for (int d = type->shape.rank > 0 && type->shape.dim[0] == 1; d < type->shape.rank; d++)
            shape.dim[shape.rank++] = type->shape.dim[d];
        all[i] = weir_array_new(type->dtype, &shape);
    }
    if (status == 0 && !run(remote, frames, all, &why)) status = tell(&why);
    for (size_t i = 0; i < weir_graph_output_count(tail); i++)
        weir_archive_add(&archive, weir_graph_output_name(tail, i), all[i]);
    if (status == 0 && !weir_npz_write(argv[3], &archive)) status = 1;
    weir_remote_free(remote);
    weir_board_sim_stop(sim);
    weir_frames_free(frames);
    weir_archive_free(&archive);
    free(all);
    weir_board_session_free(&session);
    return status;
}
