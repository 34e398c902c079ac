// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/copy_runs.h"

#include <cstring>

#include "impl/layout/relayout/copy_kernels.h"

namespace tileproof::impl {
namespace {

// Longer runs are left to memcpy, which knows the processor.
constexpr size_t kShortRun = 2048;

// A run of so many bytes.
template <size_t kBytes>
struct FixedRun {
  void operator()(const char* source, char* destination) const {
    std::memcpy(destination, source, kBytes);
  }
};

// A run of at least 16 bytes. The last 16 may overlap those before.
struct ShortRun {
  size_t bytes;

  void operator()(const char* source, char* destination) const {
    constexpr FixedRun<16> copy;
    size_t i = 0;
    for (; i + 64 <= bytes; i += 64) FixedRun<64>()(source + i, destination + i);
    for (; i + 16 <= bytes; i += 16) copy(source + i, destination + i);
    if (i < bytes) copy(source + bytes - 16, destination + bytes - 16);
  }
};

struct AnyRun {
  size_t bytes;
  bool streams;

  void operator()(const char* source, char* destination) const {
    copy_run(source, destination, bytes, streams);
  }
};

template <class Copy>
void for_each_run(absl::Span<const RunLoop> loops, const char* source, char* destination,
                  const Copy& copy) {
  if (loops.empty()) return copy(source, destination);
  const auto [count, source_stride, destination_stride] = loops[0];
  if (loops.size() == 1) {
    for (int64_t k = 0; k < count; ++k)
      copy(source + k * source_stride, destination + k * destination_stride);
    return;
  }
  for (int64_t k = 0; k < count; ++k) {
    for_each_run(loops.subspan(1), source + k * source_stride, destination + k * destination_stride,
                 copy);
  }
}

}  // namespace

void copy_runs(absl::Span<const RunLoop> loops, const char* source, char* destination, size_t bytes,
               bool streams) {
  const auto each = [&](const auto& copy) { for_each_run(loops, source, destination, copy); };
  switch (bytes) {
    case 1:
      return each(FixedRun<1>());
    case 2:
      return each(FixedRun<2>());
    case 4:
      return each(FixedRun<4>());
    case 8:
      return each(FixedRun<8>());
    case 16:
      return each(FixedRun<16>());
    case 32:
      return each(FixedRun<32>());
    default:
      break;
  }
  const bool is_short = bytes >= 16 && bytes <= kShortRun && !streams;
  return is_short ? each(ShortRun{bytes}) : each(AnyRun{bytes, streams});
}

}  // namespace tileproof::impl
