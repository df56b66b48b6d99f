#define _XOPEN_SOURCE 700 /* ucontext.h */
#define _DEFAULT_SOURCE   /* MAP_ANONYMOUS */
#include "support/process/stack.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* AddressSanitizer follows one stack a thread, so there it is a thread of its own. */
#if defined(__SANITIZE_ADDRESS__)
#define ONE_STACK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_STACK 1
#endif
#endif

typedef struct job {
    void (*work)(void *user);
    void *user;
} job;

#ifdef ONE_STACK
enum { STACK_BYTES = 512 << 20 }; /* its frames are several times as large */

/* In a process forked from that thread the leak sanitizer cannot read the main thread's stack and takes what it refers
 * to for lost. */
static pid_t process_of_threads;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return process_of_threads != 0 && getpid() != process_of_threads; }

static void *run_job(void *user) {
    const job *j = user;
    j->work(j->user);
    return NULL;
}

void weir_stack_run(void (*work)(void *user), void *user) {
    job j = {work, user};
    pthread_t thread;
    pthread_attr_t attributes;
    process_of_threads = getpid();
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, run_job, &j) == 0) pthread_join(thread, NULL);
    else work(user);
    pthread_attr_destroy(&attributes);
}
#else
enum { STACK_BYTES = 64 << 20 }; /* of address space: only what is used takes memory */

/* makecontext hands over ints: the halves of a pointer. */
static void run_job(unsigned high, unsigned low) {
    const job *j = (const job *)(((uintptr_t)high << 16 << 16) | (uintptr_t)low);
    j->work(j->user);
}

/* The thread stays the same, which processes that fork need. */
void weir_stack_run(void (*work)(void *user), void *user) {
    job j = {work, user};
    uintptr_t address = (uintptr_t)&j;
    ucontext_t here, there;
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || getcontext(&there) != 0) {
        work(user);
        return;
    }
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = STACK_BYTES;
    there.uc_link = &here;
    makecontext(&there, (void (*)(void))run_job, 2, (unsigned)(address >> 16 >> 16), (unsigned)(address & UINT32_MAX));
    swapcontext(&here, &there);
    munmap(stack, STACK_BYTES);
}
#endif
