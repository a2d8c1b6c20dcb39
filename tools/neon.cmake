# Compiles for 64-bit ARM with Debian's cross compiler, against the packages that tools/prepare.sh has
# unpacked into build/arm64, and runs what it has made by qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
get_filename_component(unpacked ${CMAKE_CURRENT_LIST_DIR}/../build/arm64 ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${unpacked})
foreach(what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${what} ONLY)
endforeach()
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${unpacked}/usr/include/aarch64-linux-gnu)
