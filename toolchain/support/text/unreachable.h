/* What cannot be: a case that the verifier, or the table that a switch is over, rules out. */
#ifndef WEIR_UNREACHABLE_H
#define WEIR_UNREACHABLE_H

/* Says where and why on the standard error stream, and aborts: our own fault. */
#define weir_unreachable(why) weir_unreachable_at(__FILE__, __LINE__, why)
_Noreturn void weir_unreachable_at(const char *file, int line, const char *why);

#endif
