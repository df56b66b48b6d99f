/* Processes and all that descends from them (/proc of Linux): what a point's processes hold, and their end. */
#ifndef WEIR_REGRESS_FAMILY_H
#define WEIR_REGRESS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What each process and its descendants hold in memory now, in MB. One walk over all processes of the machine. */
void weir_family_memory(const pid_t *head, size_t count, int64_t *megabytes);
/* Does a process of the group run? */
bool weir_family_runs(pid_t group);
/* Kills the process's descendants, its group and itself. */
void weir_family_kill(pid_t head);
/* Kills all of this session that descends from this process, what it has adopted too, and waits for it. (What removes
 * folders when their process ends has a session of its own.) */
void weir_family_end(void);
/* Descendants whose parent has ended become this process's children, which then can end them. */
void weir_family_adopt(void);

#endif
