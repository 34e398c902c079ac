// SPDX-License-Identifier: Apache-2.0
// A small target of libFuzzer for campaign_libfuzzer_test.sh. It fails for inputs that begin with
// "bug".
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (size_t i = 0; i < size && i < 3 && text[i] == "bug"[i]; ++i) {
    if (i < 2) continue;
    std::fprintf(stderr, "FOUND: an animal: '%c' at %d\n", text[0], static_cast<int>(size));
    std::abort();
  }
  return 0;
}
