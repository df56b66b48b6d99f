# Writes OUTPUT (pass/abi.h): the version and a hash of the public headers HEADERS (a list), which a shared object of
# user passes must have been compiled with. A hash, because a number would have to be remembered.
set(content "")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND content ${hash})
endforeach()
string(SHA256 hash "${content}")
string(SUBSTRING ${hash} 0 12 hash)
file(
  WRITE ${OUTPUT}
  "/* Of what headers a shared object of user passes was made (made by toolchain/pass/abi.cmake). */
#ifndef WEIR_PASS_ABI_H
#define WEIR_PASS_ABI_H

#define WEIR_PASS_ABI \"weir ${VERSION} ${hash}\"
enum { WEIR_PASS_ABI_SIZE = 48 };

#endif
")
