#include "host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { LONGEST_DELAY = 4096 };

typedef struct slot {
    int order, value;
} slot;

typedef struct arrival {
    int count, broken;
    uint8_t bytes[4];
} arrival;

static struct {
    FILE *to, *from;
    pid_t simulator;
    char to_name[512], from_name[512];
    int delay;
    uint64_t now;
    slot out[LONGEST_DELAY];
    arrival in[LONGEST_DELAY];
} wire;

static uint32_t state = 1;

void host_seed(uint32_t seed) { state = seed * 2654435761u + 1; }

uint32_t host_random(void) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

size_t host_encode(const packet *p, uint8_t *out) {
    uint8_t plain[600];
    size_t size = 5 + (size_t)p->length;
    plain[0] = (uint8_t)(p->type | p->flags << 4 | (p->length >> 8) << 7);
    plain[1] = (uint8_t)p->length;
    plain[2] = (uint8_t)p->position;
    plain[3] = (uint8_t)((p->position >> 8 & 15) | (p->acknowledged & 15) << 4);
    plain[4] = (uint8_t)(p->acknowledged >> 4);
    memcpy(plain + 5, p->payload, (size_t)p->length);
    uint32_t crc = (uint32_t)crc32(0, plain, (uInt)size);
    for (int i = 0; i < 4; i++) plain[size++] = (uint8_t)(crc >> 8 * i);
    /* Blocks of up to 254 bytes that are not zero. */
    size_t at = 0, written = 0;
    for (;;) {
        size_t run = 0;
        while (run < 254 && at + run < size && plain[at + run] != 0) run++;
        out[written++] = (uint8_t)(run + 1);
        memcpy(out + written, plain + at, run);
        written += run;
        at += run;
        if (at == size) break;
        if (run < 254) at++; /* the zero that the block stands for */
    }
    out[written++] = 0;
    return written;
}

bool host_decode(const uint8_t *bytes, size_t size, packet *p) {
    uint8_t plain[700];
    bool dropped[700] = {false};
    if (size < 2 || size > sizeof plain) return false;
    memcpy(plain, bytes, size);
    size_t at = size - 1; /* a pointer; plain[at] goes */
    dropped[at] = true;
    for (;;) {
        size_t back = bytes[at];
        if (back == 0 || back > at + 1) return false;
        if (back == at + 1) break;
        at -= back;
        if (bytes[at] == 255) {
            dropped[at] = true;
        } else {
            plain[at] = 0;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        if (!dropped[i]) plain[count++] = plain[i];
    if (count < 9) return false;
    int length = plain[1] | (plain[0] >> 7) << 8;
    if (count != 9 + (size_t)length || length > MOST_BYTES) return false;
    uint32_t crc = (uint32_t)crc32(0, plain, (uInt)count - 4), found = 0;
    for (int i = 0; i < 4; i++) found |= (uint32_t)plain[count - 4 + (size_t)i] << 8 * i;
    if (crc != found) return false;
    p->type = plain[0] & 15;
    p->flags = plain[0] >> 4 & 7;
    p->length = length;
    p->position = plain[2] | (plain[3] & 15) << 8;
    p->acknowledged = plain[3] >> 4 | plain[4] << 4;
    memcpy(p->payload, plain + 5, (size_t)length);
    return true;
}

void wire_open(char *const *command, int delay) {
    const char *folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
    char *arguments[32], to[600], from[600];
    int count = 0;
    snprintf(wire.to_name, sizeof wire.to_name, "%s/weir-board-%ld-to", folder, (long)getpid());
    snprintf(wire.from_name, sizeof wire.from_name, "%s/weir-board-%ld-from", folder, (long)getpid());
    snprintf(to, sizeof to, "+to=%s", wire.to_name);
    snprintf(from, sizeof from, "+from=%s", wire.from_name);
    while (command[count] != NULL && count < 28) {
        arguments[count] = command[count];
        count++;
    }
    arguments[count++] = to;
    arguments[count++] = from;
    arguments[count] = NULL;
    if (mkfifo(wire.to_name, 0600) != 0 || mkfifo(wire.from_name, 0600) != 0) {
        perror("mkfifo");
        exit(1);
    }
    wire.simulator = fork();
    if (wire.simulator == 0) {
        execvp(arguments[0], arguments);
        perror(arguments[0]);
        _exit(127);
    }
    alarm(1000); /* a simulator that does not open its pipes */
    wire.from = fopen(wire.from_name, "r");
    wire.to = fopen(wire.to_name, "w");
    unlink(wire.to_name);
    unlink(wire.from_name);
    if (wire.from == NULL || wire.to == NULL) {
        fprintf(stderr, "no pipe\n");
        exit(1);
    }
    wire.delay = delay;
    wire.now = 0;
    memset(wire.out, 0, sizeof wire.out);
    memset(wire.in, 0, sizeof wire.in);
}

void wire_close(void) {
    int status;
    fputc(4, wire.to);
    fputc(0, wire.to);
    fclose(wire.to);
    while (fgetc(wire.from) != EOF) continue;
    fclose(wire.from);
    waitpid(wire.simulator, &status, 0);
    if (status != 0) {
        fprintf(stderr, "the simulator ends with status %d\n", status);
        exit(1);
    }
}

uint64_t wire_now(void) { return wire.now; }

int wire_turn(int order, int value, uint8_t *came, int *broken) {
    char line[128];
    arrival *in = &wire.in[wire.now % LONGEST_DELAY];
    memset(in, 0, sizeof *in);
    if (fgets(line, sizeof line, wire.from) == NULL) {
        fprintf(stderr, "the simulator has ended\n");
        exit(1);
    }
    for (char *at = line; *at != '.' && in->count < 4; at += 4) {
        unsigned word = (unsigned)strtoul(at, NULL, 16);
        in->broken += (word & 256) != 0;
        in->bytes[in->count++] = (uint8_t)word;
    }
    wire.out[(wire.now + (uint64_t)wire.delay) % LONGEST_DELAY] = (slot){order, value};
    slot *out = &wire.out[wire.now % LONGEST_DELAY];
    fputc(out->order, wire.to);
    fputc(out->value, wire.to);
    fflush(wire.to);
    *out = (slot){0, 0};
    wire.now++;
    if (wire.now <= (uint64_t)wire.delay) return 0;
    in = &wire.in[(wire.now - 1 - (uint64_t)wire.delay) % LONGEST_DELAY];
    memcpy(came, in->bytes, sizeof in->bytes);
    *broken += in->broken;
    return in->count;
}
