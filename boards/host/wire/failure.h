/* How a call failed: a code, which its caller may decide by, and a line of text for the user. */
#ifndef WEIR_FAILURE_H
#define WEIR_FAILURE_H

/* Name, and what it means wherever it is returned. */
#define WEIR_WIRE_ERRORS(X)                                                                                            \
    X(OK, "nothing failed")                                                                                            \
    X(TIMEOUT, "the call's time ended; the board answers, but has nothing to send or no room")                         \
    X(SILENT, "requests were repeated and nothing came back")                                                          \
    X(GARBAGE, "bytes come, but no packet is among them: another baud, or a pin that is not a UART")                   \
    X(DAMAGED, "packets come and go, but the wire damages so many that there is no progress")                          \
    X(STRANGER, "what answers is not a board of this protocol")                                                        \
    X(ABSENT, "the board was built without what is asked for")                                                         \
    X(RESET, "the board was reset while streams were under way")                                                       \
    X(DISAGREES, "the board's count of frames is not the host's")                                                      \
    X(GONE, "the port disappeared")                                                                                    \
    X(NOT_FOUND, "there is no such port or file")                                                                      \
    X(NOT_ALLOWED, "no permission")                                                                                    \
    X(IN_USE, "another process has the port")                                                                          \
    X(NOT_A_PORT, "the file is not a serial port")                                                                     \
    X(BAUD, "the port does not have that baud")                                                                        \
    X(FULL, "as many frames as were asked for are in flight")                                                          \
    X(ARGUMENT, "the caller's mistake: a size, or a call out of order")                                                \
    X(MEMORY, "out of memory")                                                                                         \
    X(SYSTEM, "another error of the operating system, which the text has")                                             \
    X(DIFFERS, "the host does not do what the recording says")                                                         \
    X(FORMAT, "the file is not a recording")

typedef enum weir_wire_error {
#define WEIR_WIRE_ERROR(name, meaning) WEIR_WIRE_##name,
    WEIR_WIRE_ERRORS(WEIR_WIRE_ERROR)
#undef WEIR_WIRE_ERROR
} weir_wire_error;

typedef struct weir_failure {
    weir_wire_error error;
    char text[200]; /* lower case, without a line end */
} weir_failure;

/* Fills `why`, unless it is NULL, and returns `error`. */
weir_wire_error weir_failure_set(weir_failure *why, weir_wire_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "TIMEOUT", ... */
const char *weir_failure_name(weir_wire_error error);
/* What an error means in general. */
const char *weir_failure_meaning(weir_wire_error error);

#endif
