/* The witness writes the pass that runs into memory that the processes share, so it outlives the child. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "pass/run/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pass/run/instrument.h"

enum { NAME_SIZE = 240, DEPTH = 16 };

/* The passes that run, by depth; deeper ones are counted to the last. Empty: none, or a sequence. */
typedef struct testimony {
    char pass[DEPTH][NAME_SIZE];
    bool done; /* the body has returned */
} testimony;

static char *entry_of(const weir_pass_instrument *witness, const weir_pass_site *site) {
    testimony *shared = witness->user;
    return shared->pass[site->depth < DEPTH ? site->depth : DEPTH - 1];
}

static bool before(weir_pass_instrument *witness, const weir_pass_site *site) {
    if (!weir_pass_is_sequence(site->pass)) {
        weir_text unit = {0};
        weir_pass_site_name(site, &unit);
        snprintf(entry_of(witness, site), NAME_SIZE, "pass '%s' on %s", weir_pass_name(site->pass), unit.data);
        weir_text_free(&unit);
    }
    return true;
}

static void failed(weir_pass_instrument *witness, const weir_pass_site *site) { *entry_of(witness, site) = 0; }

static bool after(weir_pass_instrument *witness, const weir_pass_site *site) {
    failed(witness, site);
    return true;
}

/* --- processes --- */
static _Noreturn void child(weir_pass_guarded *body, void *user, testimony *shared, const sigset_t *mask) {
    weir_pass_instrument witness = {
        .name = "witness", .user = shared, .before_pass = before, .after_pass = after, .pass_failed = failed};
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    int status = body(&witness, user);
    shared->done = true;
    exit(weir_exit_status(status));
}

/* Until the child has ended; its state as waitpid gives it. */
static int follow(pid_t pid, const sigset_t *held) {
    int state = 0;
    while (waitpid(pid, &state, WNOHANG) == 0) {
        int signal_number = 0;
        sigwait(held, &signal_number);
        if (signal_number != SIGCHLD) {
            kill(pid, signal_number);
        }
    }
    return state;
}

static bool asks_to_stop(int number) {
    return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGPIPE || number == SIGKILL;
}

static int judge(const testimony *shared, int state) {
    const char *pass = "";
    for (size_t i = 0; i < DEPTH; i++) {
        pass = shared->pass[i][0] ? shared->pass[i] : pass;
    }
    if (WIFEXITED(state) && shared->done) {
        return WEXITSTATUS(state);
    }
    if (WIFSIGNALED(state) && asks_to_stop(WTERMSIG(state))) {
        signal(WTERMSIG(state), SIG_DFL);
        raise(WTERMSIG(state));
    }
    if (WIFSIGNALED(state)) {
        weir_error(WEIR_NOWHERE, "%s crashed: %s", *pass ? pass : "the program", strsignal(WTERMSIG(state)));
    } else {
        weir_error(WEIR_NOWHERE, "%s ended the program with status %d", *pass ? pass : "something outside passes",
                   WEXITSTATUS(state));
    }
    return WEIR_EXIT_INPUT;
}

int weir_pass_guard(weir_pass_guarded *body, void *user) {
    testimony *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sigset_t held, mask;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigaddset(&held, SIGCHLD);
    signal(SIGCHLD, SIG_DFL); /* ignored ones leave nothing to wait for */
    pthread_sigmask(SIG_BLOCK, &held, &mask);
    fflush(NULL);
    pid_t pid = shared == MAP_FAILED ? -1 : fork();
    if (pid == 0) {
        child(body, user, shared, &mask);
    }
    int status = WEIR_EXIT_TOOL;
    if (pid < 0) {
        weir_error(WEIR_NOWHERE, "cannot start a process: %s", strerror(errno));
    } else {
        int state = follow(pid, &held);
        pthread_sigmask(SIG_SETMASK, &mask, NULL);
        status = judge(shared, state);
    }
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (shared != MAP_FAILED) {
        munmap(shared, sizeof *shared);
    }
    return status;
}
