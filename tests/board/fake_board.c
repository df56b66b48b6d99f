#include "fake_board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { DATA = 1, REGISTER, STATUS, START };
enum { REPEAT = 1, GAP = 1, BUSY = 2, ROOM = 4 };
enum { ACCELERATOR, ECHO, SINK, SOURCE, BENCHMARK, READ, LOAD };
enum { FRAMING = 1, CRC = 2, PLACE = 4, NO_ROOM = 8 };

typedef struct queue {
    uint8_t *data;
    size_t capacity;
    uint64_t in, out; /* counts */
} queue;

struct fake_board {
    fake_board_settings settings;
    /* From the host. */
    uint8_t cobs[FAKE_WIRE];
    size_t cobs_size;
    bool cobs_broken; /* a stop bit was missing */
    queue received;   /* .in counts the stream */
    size_t lost;      /* bytes that never reached `received`, though they count */
    bool was_busy;
    /* To the host: taken out at what is acknowledged. */
    queue results;
    uint64_t next; /* byte to send */
    bool owes_start, owes_answer, owes_acknowledgement, owes_gap, owes_busy, owes_room;
    unsigned start_number;
    uint8_t answer[6];
    /* Inside. */
    uint8_t *frame, *result;
    size_t frame_size, result_at; /* bytes of each that are there, and that went out */
    bool has_result;
    uint64_t ready, counter;
    unsigned frames_in, frames_out;
    uint32_t errors, control, model, place; /* `place`: the register `memory` */
    size_t word, byte;                      /* of the memory that comes next */
    bool is_over;                           /* word 0 has come */
    unsigned mode;
    bool has_failed;
};

/* --- packets --- */

static size_t frame_packet(const fake_packet *packet, uint8_t bytes[FAKE_PACKET]) {
    bytes[0] = (uint8_t)(packet->type | packet->flags << 4 | (packet->length & 256) >> 1);
    bytes[1] = (uint8_t)(packet->length & 255);
    bytes[2] = (uint8_t)(packet->position & 255);
    bytes[3] = (uint8_t)((packet->position >> 8 & 15) | (packet->acknowledged & 15) << 4);
    bytes[4] = (uint8_t)(packet->acknowledged >> 4 & 255);
    memcpy(bytes + 5, packet->payload, packet->length);
    const uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)(5 + packet->length));
    for (int i = 0; i < 4; i++) bytes[5 + packet->length + (size_t)i] = (uint8_t)(crc >> (8 * i) & 255);
    return 9 + packet->length;
}

size_t fake_bytes_to_host(const uint8_t *bytes, size_t size, uint8_t *wire) {
    size_t at = 0;
    unsigned d = 1;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == 0) {
            wire[at++] = (uint8_t)d;
            d = 1;
        } else {
            wire[at++] = bytes[i];
            d++;
            if (d == 255) {
                wire[at++] = 255;
                d = 1;
            }
        }
    }
    wire[at++] = (uint8_t)d;
    wire[at++] = 0;
    return at;
}

size_t fake_packet_to_host(const fake_packet *packet, uint8_t wire[FAKE_WIRE]) {
    uint8_t bytes[FAKE_PACKET];
    return fake_bytes_to_host(bytes, frame_packet(packet, bytes), wire);
}

bool fake_packet_from_host(const uint8_t *wire, size_t size, fake_packet *packet) {
    uint8_t bytes[2 * FAKE_WIRE];
    size_t count = 0, at = 0;
    while (at < size) {
        const size_t code = wire[at++];
        if (code == 0) return false;
        for (size_t i = 1; i < code; i++) {
            if (at == size || count == FAKE_PACKET) return false;
            bytes[count++] = wire[at++];
        }
        if (code != 255 && at < size) bytes[count++] = 0;
        if (count > FAKE_PACKET) return false;
    }
    if (count < 9) return false;
    packet->length = bytes[1] | (size_t)(bytes[0] >> 7) << 8;
    if (packet->length + 9 != count || packet->length > 256) return false;
    const uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)(count - 4));
    for (int i = 0; i < 4; i++)
        if (bytes[count - 4 + (size_t)i] != (crc >> (8 * i) & 255)) return false;
    packet->type = bytes[0] & 15;
    packet->flags = bytes[0] >> 4 & 7;
    packet->position = bytes[2] | (unsigned)(bytes[3] & 15) << 8;
    packet->acknowledged = bytes[3] >> 4 | (unsigned)bytes[4] << 4;
    memcpy(packet->payload, bytes + 5, packet->length);
    return packet->type >= DATA && packet->type <= START;
}

/* --- buffers --- */

static size_t filled(const queue *fifo) { return (size_t)(fifo->in - fifo->out); }
static size_t room(const queue *fifo) { return fifo->capacity - filled(fifo); }
static void put(queue *fifo, uint8_t byte) {
    assert(room(fifo) > 0);
    fifo->data[fifo->in++ % fifo->capacity] = byte;
}
static uint8_t get(queue *fifo) { return fifo->data[fifo->out++ % fifo->capacity]; }

fake_board *fake_board_new(const fake_board_settings *settings) {
    fake_board *board = calloc(1, sizeof *board);
    board->settings = *settings;
    board->model = 0x0de10000;
    board->received.capacity = (size_t)1 << settings->receive_log2;
    board->results.capacity = (size_t)1 << settings->send_log2;
    board->received.data = malloc(board->received.capacity);
    board->results.data = malloc(board->results.capacity);
    board->frame = malloc(settings->bytes_in + 1);
    board->result = malloc(settings->bytes_out + 1);
    fake_board_reset(board);
    return board;
}

void fake_board_free(fake_board *board) {
    free(board->received.data);
    free(board->results.data);
    free(board->frame);
    free(board->result);
    free(board);
}

static void start(fake_board *board) {
    board->received.in = board->received.out = board->results.in = board->results.out = board->next = 0;
    board->was_busy = board->owes_acknowledgement = board->owes_gap = board->owes_busy = board->owes_room = false;
    board->lost = 0;
    board->frame_size = board->result_at = 0;
    board->has_result = board->has_failed = false;
    board->counter = 0;
    board->frames_in = board->frames_out = 0;
    board->mode = board->control & 7;
    board->word = board->place & 0xfffff;
    board->byte = 0;
    board->is_over = board->settings.memory == NULL || board->place >> 20 != board->settings.memory_number;
}

void fake_board_reset(fake_board *board) {
    board->control = board->errors = 0;
    board->owes_start = board->owes_answer = false;
    board->cobs_size = 0;
    board->cobs_broken = false;
    start(board);
}

/* --- what comes --- */

static uint64_t taken(const fake_board *board) { return board->received.in + board->lost; }

static uint32_t read_register(const fake_board *board, unsigned address, uint64_t time) {
    const fake_board_settings *settings = &board->settings;
    switch (address) {
    case 0: return settings->fault == FAKE_OTHER_MAGIC ? 0x12345678 : 0x57454952;
    case 1:
        return (settings->fault == FAKE_OTHER_PROTOCOL ? 2u : 1u) | (uint32_t)settings->receive_log2 << 16 |
               (uint32_t)settings->send_log2 << 24 | (settings->memory != NULL ? 1u << 11 : 0u) |
               (settings->loadable ? 1u << 12 : 0u);
    case 2: return 0xb1d0000f;
    case 3: return board->model;
    case 4: return (uint32_t)settings->clock_hz;
    case 5: return (uint32_t)(uint64_t)((double)time * 1e-9 * settings->real_clock_hz);
    case 6: return (board->frames_in & 0xffffu) | (board->frames_out & 0xffffu) << 16;
    case 8: return board->errors;
    case 9: return board->control;
    case 40: return board->place;
    default: return 0;
    }
}

static void take_register(fake_board *board, const fake_packet *packet, uint64_t time) {
    const unsigned address = packet->payload[1] & 0x7f;
    uint32_t value = 0;
    if (packet->length == 6 && packet->payload[1] & 0x80) {
        for (int i = 0; i < 4; i++) value |= (uint32_t)packet->payload[2 + i] << (8 * i);
        if (address == 8) board->errors &= ~value;
        if (address == 9) board->control = value;
        if (address == 3 && board->settings.loadable) board->model = value;
        if (address == 40) board->place = value;
    } else {
        value = read_register(board, address, time);
    }
    memcpy(board->answer, packet->payload, 2);
    for (int i = 0; i < 4; i++) board->answer[2 + i] = (uint8_t)(value >> (8 * i));
    board->owes_answer = true;
}

static void take_data(fake_board *board, const fake_packet *packet) {
    if (packet->position != taken(board) % 4096) {
        board->errors |= PLACE;
        if (board->was_busy) board->owes_busy = true;
        else board->owes_gap = true;
        return;
    }
    if (packet->length > room(&board->received)) {
        board->errors |= NO_ROOM;
        board->owes_busy = board->was_busy = true;
        return;
    }
    for (size_t i = 0; i < packet->length; i++) {
        if (board->settings.fault == FAKE_LOSES_BYTE && board->received.in == 1000 && !board->has_failed) {
            board->has_failed = true;
            board->lost = 1;
            continue;
        }
        put(&board->received, packet->payload[i]);
    }
    board->owes_acknowledgement = true;
}

static void take_packet(fake_board *board, uint64_t time) {
    fake_packet packet;
    if (!fake_packet_from_host(board->cobs, board->cobs_size, &packet)) {
        board->errors |= CRC;
        return;
    }
    if ((packet.type == START || packet.type == REGISTER) && (board->owes_start || board->owes_answer))
        return; /* one at a time */
    if (packet.type == START) {
        start(board);
        board->owes_start = true;
        board->start_number = packet.position;
        return;
    }
    const uint64_t step = (packet.acknowledged - board->results.out) % 4096;
    if (step <= filled(&board->results)) board->results.out += step;
    else if (step < 2048) board->errors |= PLACE; /* it was never there; what is further back is old */
    if (board->next < board->results.out) board->next = board->results.out;
    if (packet.type == DATA) take_data(board, &packet);
    if (packet.type == REGISTER) take_register(board, &packet, time);
    if (packet.type == STATUS && packet.flags & REPEAT) board->next = board->results.out;
}

void fake_board_byte(fake_board *board, uint8_t byte, uint64_t time) {
    if (board->settings.fault == FAKE_DEAF) return;
    if (byte != 0) {
        if (board->cobs_size < sizeof board->cobs) board->cobs[board->cobs_size++] = byte;
        return;
    }
    if (board->cobs_broken) board->errors |= CRC;
    else if (board->cobs_size > 0) take_packet(board, time);
    board->cobs_size = 0;
    board->cobs_broken = false;
}

void fake_board_framing_error(fake_board *board) {
    board->errors |= FRAMING;
    board->cobs_broken = true;
}

/* --- inside --- */

void fake_result(const uint8_t *frame, size_t bytes_in, uint8_t *result, size_t bytes_out) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes_in; i++) hash = (hash ^ frame[i]) * 0x100000001b3u;
    for (size_t i = 0; i < bytes_out; i++) {
        hash = (hash ^ i) * 0x100000001b3u;
        result[i] = hash % 11 == 0 ? 0 : (uint8_t)(hash >> 40);
    }
}

static void run_accelerator(fake_board *board, uint64_t time) {
    const fake_board_settings *settings = &board->settings;
    for (;;) {
        if (board->has_result) {
            if (time < board->ready) return;
            while (board->result_at < settings->bytes_out && room(&board->results) > 0)
                put(&board->results, board->result[board->result_at++]);
            if (board->result_at < settings->bytes_out) return;
            if (settings->fault == FAKE_EXTRA_RESULT && board->frames_out == 2 && !board->has_failed) {
                board->has_failed = true;
                board->result_at = 0;
                continue;
            }
            board->has_result = false;
            board->frames_out++;
        }
        while (board->frame_size < settings->bytes_in && filled(&board->received) > 0)
            board->frame[board->frame_size++] = get(&board->received);
        if (board->frame_size < settings->bytes_in) return;
        fake_result(board->frame, settings->bytes_in, board->result, settings->bytes_out);
        if (settings->fault == FAKE_WRONG_BIT && board->frames_in == 3) board->result[0] ^= 4;
        board->frame_size = board->result_at = 0;
        board->has_result = true;
        board->ready = time + settings->frame_time;
        board->frames_in++;
    }
}

/* A byte of the memory to the host; in its place, where it is loaded, one that came. */
static void move_words(fake_board *board) {
    const fake_board_settings *settings = &board->settings;
    const bool loads = board->mode == LOAD;
    const size_t bytes = (settings->memory_bits + 7) / 8;
    while (!board->is_over && room(&board->results) > 0 && (!loads || filled(&board->received) > 0)) {
        const size_t at = board->word * bytes + board->byte;
        const unsigned more = board->byte + 1 == bytes ? (unsigned)(8 * bytes) - settings->memory_bits : 0;
        put(&board->results, settings->memory[at]);
        if (loads) settings->memory[at] = get(&board->received) & 0xff >> more;
        if (++board->byte < bytes) continue;
        board->byte = 0;
        board->is_over = board->word == 0;
        if (board->word > 0) board->word--;
    }
}

void fake_board_work(fake_board *board, uint64_t time) {
    switch (board->mode) {
    case ECHO:
        while (filled(&board->received) > 0 && room(&board->results) > 0) put(&board->results, get(&board->received));
        break;
    case SINK: board->received.out = board->received.in; break;
    case SOURCE:
        while (room(&board->results) > 0) put(&board->results, (uint8_t)board->counter++);
        break;
    case READ:
    case LOAD:
        if (board->mode == READ || !board->settings.loadable) board->received.out = board->received.in;
        if (board->mode == READ || board->settings.loadable) move_words(board);
        break;
    default:
        if (board->settings.bytes_in > 0) run_accelerator(board, time);
    }
    if (board->was_busy && room(&board->received) >= 256) {
        if (board->settings.fault == FAKE_FORGETS_ROOM) board->was_busy = false;
        else board->owes_room = true;
    }
}

uint64_t fake_board_next(const fake_board *board) {
    return board->has_result && room(&board->results) > 0 ? board->ready : UINT64_MAX;
}

/* --- what goes --- */

static size_t data_size(const fake_board *board) {
    const size_t left = (size_t)(board->results.in - board->next),
                 window = 2048 - (size_t)(board->next - board->results.out);
    const size_t size = left < window ? left : window;
    return size < 256 ? size : 256;
}

bool fake_board_has_to_send(const fake_board *board) {
    return board->owes_start || board->owes_answer || board->owes_gap || board->owes_busy || board->owes_room ||
           board->owes_acknowledgement || data_size(board) > 0;
}

size_t fake_board_send(fake_board *board, uint64_t time, uint8_t wire[FAKE_WIRE]) {
    (void)time;
    if (!fake_board_has_to_send(board)) return 0;
    fake_packet packet = {
        .type = STATUS, .position = (unsigned)(board->next % 4096), .acknowledged = (unsigned)(taken(board) % 4096)};
    if (board->owes_start) {
        packet.type = START;
        packet.position = board->start_number;
        board->owes_start = false;
    } else if (board->owes_answer) {
        packet.type = REGISTER;
        packet.length = 6;
        memcpy(packet.payload, board->answer, 6);
        board->owes_answer = false;
    } else if (board->owes_gap || board->owes_busy || board->owes_room) {
        packet.flags = (board->owes_gap ? GAP : 0u) | (board->owes_busy ? BUSY : 0u) | (board->owes_room ? ROOM : 0u);
        if (board->owes_room) board->was_busy = false;
        board->owes_gap = board->owes_busy = board->owes_room = false;
    } else if (data_size(board) > 0) {
        packet.type = DATA;
        packet.length = data_size(board);
        for (size_t i = 0; i < packet.length; i++)
            packet.payload[i] = board->results.data[(board->next + i) % board->results.capacity];
        board->next += packet.length;
    }
    board->owes_acknowledgement = false;
    const size_t size = fake_packet_to_host(&packet, wire);
    if (board->settings.fault == FAKE_BABBLES)
        for (size_t i = 0; i + 1 < size; i++) wire[i] = wire[i] == 0x55 ? 0x56 : wire[i] ^ 0x55;
    return size;
}
