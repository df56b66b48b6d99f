/* peak MEGABYTES COMMAND...: the command's exit status, or 1 if it has used more memory at one time; says how much. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const long most = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    if (most <= 0) {
        fprintf(stderr, "usage: %s MEGABYTES COMMAND...\n", argv[0]);
        return 2;
    }
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || waitpid(child, &status, 0) != child || getrusage(RUSAGE_CHILDREN, &usage) != 0) {
        perror("peak");
        return 2;
    }
    const long used = usage.ru_maxrss / 1024;
    printf("peak memory: %ld MB of %ld\n", used, most);
    if (!WIFEXITED(status)) return 1;
    return WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : used > most;
}
