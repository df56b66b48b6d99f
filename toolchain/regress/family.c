#define _DEFAULT_SOURCE /* prctl */
#include "regress/family.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/memory/arena.h"
#include "support/memory/map.h"

typedef struct process {
    pid_t pid, parent, group, session;
    bool has_ended; /* but its parent does not know */
    int64_t pages;
} process;

typedef struct processes {
    process *item;
    size_t count, capacity;
    weir_map of; /* pid to index + 1 */
} processes;

/* "12 (name with ) in it) S 1 ...": behind the last ')' are the state, the parent, the group, the session and,
 * as the 22nd field, the resident pages. */
static bool read_process(const char *pid, process *p) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0) return false;
    text[got] = '\0';
    char *at = strrchr(text, ')');
    p->pid = (pid_t)atol(pid);
    for (int field = 1; at != NULL && field <= 22; field++) {
        at = strchr(at + 1, ' ');
        if (at != NULL && field == 1) p->has_ended = at[1] == 'Z';
        if (at != NULL && field == 2) p->parent = (pid_t)atol(at);
        if (at != NULL && field == 3) p->group = (pid_t)atol(at);
        if (at != NULL && field == 4) p->session = (pid_t)atol(at);
        if (at != NULL && field == 22) p->pages = atoll(at);
    }
    return at != NULL;
}

static void read_processes(processes *all) {
    DIR *folder = opendir("/proc");
    if (folder == NULL) return;
    for (const struct dirent *item; (item = readdir(folder)) != NULL;) {
        process p = {.pid = 0};
        if (!isdigit((unsigned char)item->d_name[0]) || !read_process(item->d_name, &p)) continue;
        all->item = weir_grow(all->item, &all->capacity, all->count + 1, sizeof *all->item);
        all->item[all->count++] = p;
        *weir_map_put(&all->of, (uint64_t)p.pid) = all->count;
    }
    closedir(folder);
}

static void free_processes(processes *all) {
    free(all->item);
    weir_map_free(&all->of);
}

/* Is it the head, or below it? */
static bool descends(const processes *all, pid_t pid, pid_t head) {
    enum { DEEPEST = 1000 };
    for (int depth = 0; depth < DEEPEST && pid > 1; depth++) {
        if (pid == head) return true;
        const uint64_t at = weir_map_get(&all->of, (uint64_t)pid, 0);
        if (at == 0) return false;
        pid = all->item[at - 1].parent;
    }
    return false;
}

void weir_family_memory(const pid_t *head, size_t count, int64_t *megabytes) {
    processes all = {0};
    read_processes(&all);
    const int64_t page = sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < count; i++) {
        int64_t pages = 0;
        for (size_t k = 0; k < all.count; k++)
            if (descends(&all, all.item[k].pid, head[i])) pages += all.item[k].pages;
        megabytes[i] = pages * page >> 20;
    }
    free_processes(&all);
}

bool weir_family_runs(pid_t group) {
    processes all = {0};
    bool runs = false;
    read_processes(&all);
    for (size_t i = 0; i < all.count; i++) runs = runs || (all.item[i].group == group && !all.item[i].has_ended);
    free_processes(&all);
    return runs;
}

void weir_family_kill(pid_t head) {
    processes all = {0};
    read_processes(&all);
    for (size_t i = 0; i < all.count; i++)
        if (all.item[i].pid != head && descends(&all, all.item[i].pid, head)) kill(all.item[i].pid, SIGKILL);
    kill(-head, SIGKILL);
    free_processes(&all);
}

void weir_family_end(void) {
    enum { ROUNDS = 200 }; /* a process may begin another one while they are read */
    bool is_over = false;
    for (int i = 0; i < ROUNDS && !is_over; i++) {
        processes all = {0};
        read_processes(&all);
        is_over = true;
        for (size_t k = 0; k < all.count; k++) {
            const process *p = &all.item[k];
            if (p->pid == getpid() || p->has_ended || p->session != getsid(0) || !descends(&all, p->pid, getpid()))
                continue;
            kill(p->pid, SIGKILL);
            is_over = false;
        }
        free_processes(&all);
        while (waitpid(-1, NULL, WNOHANG) > 0) continue;
        if (!is_over) nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
}

void weir_family_adopt(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }
