# cmake -DSOURCE=... -DFILE=... -P commit.cmake: the commit that is built, as a header; rewritten only when it differs. In an archive
# that git made, git has filled in commit.txt.
file(STRINGS ${SOURCE}/toolchain/cli/commit.txt commit LIMIT_COUNT 1)
if(commit MATCHES "Format")
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude * OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "#define WEIR_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${FILE} "${text}")
endif()
