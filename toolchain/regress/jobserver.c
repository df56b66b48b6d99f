/* --jobserver-auth=R,W or fifo:PATH, of make before 4.2 --jobserver-fds=R,W ("GNU make", section 13.1.1). Make's end of
 * the pipe is shared, so reading without waiting needs a description of our own, which Linux
 * gives for /proc/self/fd/R. */
#include "regress/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/memory/arena.h"
#include "support/text/text.h"

/* The last one counts, as make says. */
static const char *last_of(const char *flags, const char *option) {
    const char *found = NULL;
    for (const char *at = flags; (at = strstr(at, option)) != NULL; at += strlen(option)) found = at + strlen(option);
    return found;
}

weir_jobserver weir_jobserver_open(void) {
    weir_jobserver server = {-1, -1, NULL, 0, 0};
    const char *flags = getenv("MAKEFLAGS");
    const char *auth = flags == NULL ? NULL : last_of(flags, "--jobserver-auth=");
    if (auth == NULL && flags != NULL) auth = last_of(flags, "--jobserver-fds=");
    if (auth == NULL) return server;
    int in = -1, out = -1;
    if (strncmp(auth, "fifo:", 5) == 0) {
        char *path = weir_format("%.*s", (int)strcspn(auth + 5, " "), auth + 5);
        server.read = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        server.write = server.read < 0 ? -1 : dup(server.read);
        free(path);
    } else if (sscanf(auth, "%d,%d", &in, &out) == 2 && fcntl(in, F_GETFD) >= 0 && fcntl(out, F_GETFD) >= 0) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", in);
        server.read = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        server.write = server.read < 0 ? -1 : dup(out);
    }
    if (server.write >= 0) fcntl(server.write, F_SETFD, FD_CLOEXEC);
    return server;
}

bool weir_jobserver_is_there(const weir_jobserver *server) { return server->write >= 0; }

bool weir_jobserver_take(weir_jobserver *server) {
    char token;
    if (server->write < 0 || read(server->read, &token, 1) != 1) return false;
    server->token = weir_grow(server->token, &server->capacity, server->count + 1, 1);
    server->token[server->count++] = token;
    return true;
}

void weir_jobserver_give(weir_jobserver *server) {
    if (server->count == 0) return;
    const char token = server->token[--server->count];
    while (write(server->write, &token, 1) < 0 && errno == EINTR) continue;
}

void weir_jobserver_close(weir_jobserver *server) {
    while (server->count > 0) weir_jobserver_give(server);
    if (server->read >= 0) close(server->read);
    if (server->write >= 0) close(server->write);
    free(server->token);
    *server = (weir_jobserver){-1, -1, NULL, 0, 0};
}
