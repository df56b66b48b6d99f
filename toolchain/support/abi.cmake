# Writes OUTPUT (support/abi.h): the version and a hash of the public headers HEADERS (a list), which a shared object of
# a user must have been compiled with. A hash, because a number would have to be remembered.
set(content "")
foreach(header ${HEADERS})
  file(SHA256 ${header} hash)
  string(APPEND content ${hash})
endforeach()
string(SHA256 hash "${content}")
string(SUBSTRING ${hash} 0 12 hash)
file(
  WRITE ${OUTPUT}
  "/* Of what headers a shared object of a user was made (made by toolchain/support/abi.cmake). */
#ifndef WEIR_ABI_H
#define WEIR_ABI_H

#define WEIR_ABI \"weir ${VERSION} ${hash}\"
enum { WEIR_ABI_SIZE = 48 };

#endif
")
