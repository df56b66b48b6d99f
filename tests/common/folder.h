/* Folders for tests, where TMPDIR says. */
#ifndef WEIR_TEST_FOLDER_H
#define WEIR_TEST_FOLDER_H

/* A new, empty folder, which goes with the process at the latest; the path is heap memory. The process ends if there
 * can be none. */
char *make_test_folder(void);
/* Removes the folder and frees the path; 0, or -1 when something is left. */
int remove_test_folder(char *folder);

#endif
