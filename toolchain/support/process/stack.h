/* A stack that does not depend on the limits of the process (`ulimit -s`): what recursion over designs needs is
 * bounded by their levels (rtlir's RTL_MAX_DEPTH), and this much is always enough for that. */
#ifndef WEIR_STACK_H
#define WEIR_STACK_H

/* Runs to the end on such a stack; in this thread; on the stack of the caller when there is no memory for one. */
void weir_stack_run(void (*work)(void *user), void *user);

#endif
