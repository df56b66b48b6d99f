# After project(), which sets what find_library looks for.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
