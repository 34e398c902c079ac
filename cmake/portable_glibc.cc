// SPDX-License-Identifier: Apache-2.0
// Two names that g++ 12 and its static libstdc++ take from glibc 2.32 and 2.36. The portable program
// (cmake/portable.cmake) is linked with glibc 2.31, which lacks both.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// Means "other threads may run", so reference counts are always changed atomically.
extern char __libc_single_threaded;
char __libc_single_threaded = 0;

// std::random_device calls it. The C library's declaration is newer than glibc 2.31.
std::uint32_t arc4random() {
  std::uint32_t value = 0;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value)) std::abort();
  return value;
}
}
