/* A progress line on stderr for long work; silent when stderr is no terminal. */
#ifndef WEIR_PROGRESS_H
#define WEIR_PROGRESS_H

void weir_progress(const char *what, double done, double total);
/* Clears the line. */
void weir_progress_end(void);

#endif
