#include "wire/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "weir recording 1\n";

/* --- writing --- */

typedef struct writer {
    weir_transport inner;
    FILE *file;
    char *path, *part;
    uint64_t begin, time; /* of the inner transport; of the last line, since then */
} writer;

static weir_wire_error fail_file(const char *path, weir_failure *why) {
    const int error = errno;
    return weir_failure_set(why,
                            error == ENOENT   ? WEIR_WIRE_NOT_FOUND
                            : error == EACCES ? WEIR_WIRE_NOT_ALLOWED
                                              : WEIR_WIRE_SYSTEM,
                            "%s: %s", path, strerror(error));
}

/* Lines reach the file when its buffer is full; an error is seen by whoever comes next. */
static void begin_line(writer *recorder, const char *what) {
    recorder->time = recorder->inner.now(recorder->inner.user) - recorder->begin;
    fprintf(recorder->file, "%" PRIu64 " %s", recorder->time, what);
}

static void write_bytes(writer *recorder, const char *what, const uint8_t *data, size_t size) {
    static const char digits[] = "0123456789abcdef";
    begin_line(recorder, what);
    if (size > 0) putc(' ', recorder->file);
    for (size_t i = 0; i < size; i++) {
        putc(digits[data[i] >> 4], recorder->file);
        putc(digits[data[i] & 15], recorder->file);
    }
    putc('\n', recorder->file);
}

static int write_failure(writer *recorder, const weir_failure *why) {
    begin_line(recorder, "fail");
    fprintf(recorder->file, " %s %s\n", weir_failure_name(why->error), why->text);
    return -1;
}

static bool is_written(writer *recorder, weir_failure *why) {
    if (!ferror(recorder->file)) return true;
    weir_failure_set(why, WEIR_WIRE_SYSTEM, "%s: writing the recording failed", recorder->part);
    return false;
}

static int recorder_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    writer *recorder = user;
    if (!is_written(recorder, why)) return -1;
    const uint64_t inner = until == 0 || until > UINT64_MAX - recorder->begin ? until : until + recorder->begin;
    const int count = recorder->inner.read(recorder->inner.user, data, size, inner, why);
    if (count < 0) return write_failure(recorder, why);
    write_bytes(recorder, "from", data, (size_t)count);
    return count;
}

static int recorder_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    writer *recorder = user;
    if (!is_written(recorder, why)) return -1;
    const int count = recorder->inner.write(recorder->inner.user, data, size, why);
    if (count < 0) return write_failure(recorder, why);
    write_bytes(recorder, "to", data, (size_t)count);
    return count;
}

static uint64_t recorder_now(void *user) { return ((writer *)user)->time; }

static weir_wire_error recorder_set_baud(void *user, unsigned baud, weir_failure *why) {
    writer *recorder = user;
    if (!is_written(recorder, why)) return why->error;
    const weir_wire_error error = recorder->inner.set_baud(recorder->inner.user, baud, why);
    if (error != WEIR_WIRE_OK) {
        write_failure(recorder, why);
        return error;
    }
    begin_line(recorder, "baud");
    fprintf(recorder->file, " %u\n", baud);
    return WEIR_WIRE_OK;
}

static void recorder_free(writer *recorder) {
    free(recorder->path);
    free(recorder->part);
    free(recorder);
}

static void recorder_close(void *user) {
    writer *recorder = user;
    begin_line(recorder, "end\n");
    recorder->inner.close(recorder->inner.user);
    const bool was_written = !ferror(recorder->file);
    if (fclose(recorder->file) == 0 && was_written) rename(recorder->part, recorder->path);
    recorder_free(recorder);
}

weir_wire_error weir_recording_write(weir_transport *transport, const char *path, weir_failure *why) {
    writer *made = calloc(1, sizeof *made);
    if (made == NULL) return weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for a recorder");
    const size_t size = strlen(path) + sizeof ".part";
    made->path = malloc(size);
    made->part = malloc(size);
    if (made->path == NULL || made->part == NULL) {
        recorder_free(made);
        return weir_failure_set(why, WEIR_WIRE_MEMORY, "no memory for a recorder");
    }
    snprintf(made->path, size, "%s", path);
    snprintf(made->part, size, "%s.part", path);
    made->file = fopen(made->part, "w");
    if (made->file == NULL) {
        const weir_wire_error error = fail_file(made->part, why);
        recorder_free(made);
        return error;
    }
    fputs(header, made->file);
    made->inner = *transport;
    made->begin = transport->now(transport->user);
    transport->user = made;
    transport->read = recorder_read;
    transport->write = recorder_write;
    transport->now = recorder_now;
    transport->set_baud = recorder_set_baud;
    transport->close = recorder_close;
    return WEIR_WIRE_OK;
}

/* --- playing --- */

typedef enum line_kind { LINE_TO, LINE_FROM, LINE_BAUD, LINE_FAIL, LINE_END, LINE_KINDS } line_kind;

static const char *const kinds[LINE_KINDS] = {"to", "from", "baud", "fail", "end"};

typedef struct script_line {
    uint64_t time;
    line_kind kind;
    unsigned baud;
    weir_wire_error error;
    const char *text; /* of a failure */
    uint8_t *bytes;
    size_t size;
} script_line;

typedef struct script {
    char *path, *content;
    script_line *lines;
    size_t count, next;
    uint64_t time;
} script;

static void player_free(script *player) {
    free(player->path);
    free(player->content);
    free(player->lines);
    free(player);
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* Bytes take the place of their digits. */
static bool read_bytes(char *text, script_line *line) {
    line->bytes = (uint8_t *)text;
    for (; *text != '\0'; text += 2) {
        const int high = digit(text[0]), low = high < 0 ? -1 : digit(text[1]);
        if (low < 0) return false;
        line->bytes[line->size++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_number(char **text, uint64_t most, uint64_t *number) {
    const char *begin = *text;
    *number = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        const uint64_t value = (uint64_t)(**text - '0');
        if (*number > (most - value) / 10) return false;
        *number = 10 * *number + value;
    }
    return *text != begin;
}

static bool read_failure(char *text, script_line *line) {
    char *blank = strchr(text, ' ');
    if (blank == NULL) return false;
    *blank = '\0';
    line->text = blank + 1;
    line->error = WEIR_WIRE_OK;
    while (strcmp(weir_failure_name(line->error), text) != 0)
        if (++line->error > WEIR_WIRE_FORMAT) return false;
    return line->error != WEIR_WIRE_OK;
}

/* `TIME KIND[ REST]`, without its line end. */
static bool read_line(char *text, script_line *line) {
    if (!read_number(&text, UINT64_MAX / 2, &line->time) || *text++ != ' ') return false;
    char *rest = text + strcspn(text, " ");
    if (*rest != '\0') *rest++ = '\0';
    line->kind = LINE_TO;
    while (strcmp(kinds[line->kind], text) != 0)
        if (++line->kind == LINE_KINDS) return false;
    uint64_t baud;
    switch (line->kind) {
    case LINE_TO:
    case LINE_FROM: return read_bytes(rest, line);
    case LINE_BAUD:
        if (!read_number(&rest, 1000000000, &baud)) return false;
        line->baud = (unsigned)baud;
        return *rest == '\0';
    case LINE_FAIL: return read_failure(rest, line);
    case LINE_END: return *rest == '\0';
    case LINE_KINDS: break;
    }
    return false;
}

static weir_wire_error read_lines(script *player, weir_failure *why) {
    char *at = player->content + sizeof header - 1;
    uint64_t time = 0;
    bool is_ended = false;
    while (*at != '\0') {
        char *end = strchr(at, '\n');
        script_line line = {0};
        bool is_good = end != NULL && !is_ended;
        if (is_good) {
            *end = '\0';
            is_good = read_line(at, &line) && line.time >= time;
        }
        if (!is_good)
            return weir_failure_set(why, WEIR_WIRE_FORMAT, "%s:%zu: not a line of a recording, or not in its place",
                                    player->path, player->count + 2);
        time = line.time;
        is_ended = line.kind == LINE_END;
        player->lines[player->count++] = line;
        at = end + 1;
    }
    if (is_ended) return WEIR_WIRE_OK;
    return weir_failure_set(why, WEIR_WIRE_FORMAT, "%s:%zu: the recording has no end", player->path, player->count + 2);
}

/* The next line, if it is of this kind or a failure; NULL and `why` otherwise. */
static const script_line *next_line(script *player, line_kind kind, weir_failure *why) {
    const script_line *line = &player->lines[player->next];
    if (line->kind != kind && line->kind != LINE_FAIL) {
        weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: expected '%s', but the host calls '%s'", player->path,
                         player->next + 2, kinds[line->kind], kinds[kind]);
        return NULL;
    }
    player->time = line->time;
    player->next++;
    if (line->kind == kind) return line;
    weir_failure_set(why, line->error, "%s", line->text);
    return NULL;
}

static int player_read(void *user, uint8_t *data, size_t size, uint64_t until, weir_failure *why) {
    (void)until;
    script *player = user;
    const script_line *line = next_line(player, LINE_FROM, why);
    if (line == NULL) return -1;
    if (line->size > size) {
        weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: %zu bytes came, but the host reads %zu", player->path,
                         player->next + 1, line->size, size);
        return -1;
    }
    memcpy(data, line->bytes, line->size);
    return (int)line->size;
}

static int player_write(void *user, const uint8_t *data, size_t size, weir_failure *why) {
    script *player = user;
    const script_line *line = next_line(player, LINE_TO, why);
    if (line == NULL) return -1;
    size_t same = 0;
    while (same < line->size && same < size && data[same] == line->bytes[same]) same++;
    if (same == line->size) return (int)same;
    if (same == size)
        weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: the host writes %zu bytes, expected %zu", player->path,
                         player->next + 1, size, line->size);
    else
        weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: byte %zu is 0x%02x, expected 0x%02x", player->path,
                         player->next + 1, same, data[same], line->bytes[same]);
    return -1;
}

static uint64_t player_now(void *user) { return ((script *)user)->time; }

static weir_wire_error player_set_baud(void *user, unsigned baud, weir_failure *why) {
    script *player = user;
    const script_line *line = next_line(player, LINE_BAUD, why);
    if (line == NULL) return why->error;
    if (line->baud == baud) return WEIR_WIRE_OK;
    return weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: the host sets %u baud, expected %u", player->path,
                            player->next + 1, baud, line->baud);
}

static void player_close(void *user) { player_free(user); }

/* The whole file with a zero behind it; NULL and `why`. */
static char *read_file(const char *path, size_t *size, weir_failure *why) {
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_file(path, why);
        return NULL;
    }
    char *content = NULL;
    size_t capacity = 0;
    *size = 0;
    do {
        capacity = 2 * capacity + 65536;
        char *more = realloc(content, capacity);
        if (more == NULL) {
            free(content);
            fclose(file);
            weir_failure_set(why, WEIR_WIRE_MEMORY, "%s: no memory for it", path);
            return NULL;
        }
        content = more;
        *size += fread(content + *size, 1, capacity - 1 - *size, file);
    } while (*size == capacity - 1);
    content[*size] = '\0';
    const bool is_read = !ferror(file);
    if (!is_read) fail_file(path, why);
    fclose(file);
    if (is_read) return content;
    free(content);
    return NULL;
}

weir_wire_error weir_recording_play(weir_transport *transport, const char *path, weir_failure *why) {
    weir_failure own;
    if (why == NULL) why = &own;
    size_t size, lines = 1;
    char *content = read_file(path, &size, why);
    if (content == NULL) return why->error;
    for (size_t i = 0; i < size; i++) lines += content[i] == '\n';
    script *made = calloc(1, sizeof *made);
    if (made != NULL)
        *made =
            (script){.path = malloc(strlen(path) + 1), .content = content, .lines = calloc(lines, sizeof *made->lines)};
    if (made == NULL || made->path == NULL || made->lines == NULL) {
        if (made == NULL) free(content);
        else player_free(made);
        return weir_failure_set(why, WEIR_WIRE_MEMORY, "%s: no memory for it", path);
    }
    memcpy(made->path, path, strlen(path) + 1);
    weir_wire_error error = WEIR_WIRE_OK;
    if (strncmp(content, header, sizeof header - 1) != 0 || strlen(content) != size)
        error = weir_failure_set(why, WEIR_WIRE_FORMAT, "%s:1: no recording of version 1", path);
    else error = read_lines(made, why);
    if (error != WEIR_WIRE_OK) {
        player_free(made);
        return error;
    }
    *transport = (weir_transport){made, player_read, player_write, player_now, player_set_baud, player_close};
    return WEIR_WIRE_OK;
}

weir_wire_error weir_recording_is_over(const weir_transport *transport, weir_failure *why) {
    const script *player = transport->user;
    if (player->lines[player->next].kind == LINE_END) return WEIR_WIRE_OK;
    return weir_failure_set(why, WEIR_WIRE_DIFFERS, "%s:%zu: the host ends here, expected '%s'", player->path,
                            player->next + 2, kinds[player->lines[player->next].kind]);
}
