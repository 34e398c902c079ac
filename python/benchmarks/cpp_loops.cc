// SPDX-License-Identifier: Apache-2.0
// What ratios.py compares Python with: the same work as a loop of C++.
//
//     python_cpp_loops LAYOUT COUNT REPEATS
//     {"offsets": 5.1, "tile": 0.021}
//
// LAYOUT has two dimensions. "offsets": nanoseconds for the offset of one of COUNT random indices,
// whose coordinates are two arrays of int64. "tile": seconds to copy an array of float into memory
// in the order of the layout. The least of REPEATS measurements.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "impl/layout/relayout/relayout_plan.h"
#include "python/native/compiled_layout.h"

namespace {

using tileproof::python::CompiledLayout;

double seconds_of(const auto& work, int repeats) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto began = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    least = std::min(least, took.count());
  }
  return least;
}

// xorshift64: the same numbers everywhere.
std::vector<int64_t> coordinates(int64_t count, int64_t size, uint64_t state) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values.push_back(static_cast<int64_t>(state % static_cast<uint64_t>(size)));
  }
  return values;
}

double offsets(const CompiledLayout& layout, int64_t count, int repeats) {
  const std::vector<int64_t> rows = coordinates(count, layout.dims()[0], 1);
  const std::vector<int64_t> columns = coordinates(count, layout.dims()[1], 2);
  const double seconds = seconds_of(
      [&] {  // into a new array, as that of NumPy
        const auto out = std::make_unique_for_overwrite<int64_t[]>(rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
          const int64_t index[] = {rows[i], columns[i]};
          out[i] = layout.offset(index);
        }
        if (out[0] < 0) std::abort();  // so that the loop is not left out
      },
      repeats);
  return seconds / static_cast<double>(count) * 1e9;
}

// Negative if the layout has no plan.
double tile(const CompiledLayout& layout, int repeats) {
  const int64_t strides[] = {layout.dims()[1], 1};
  const tileproof::impl::RelayoutSide rows = tileproof::impl::strided_side(layout.dims(), strides);
  const auto side = tileproof::impl::relayout_side(layout.layout());
  tileproof::impl::RelayoutOptions options;
  options.element_bits = 32;
  options.padding = tileproof::impl::RelayoutOptions::Padding::kZero;
  if (!side.ok()) return -1;
  const auto plan = tileproof::impl::RelayoutPlan::create(rows, *side, options);
  if (!plan.ok()) return -1;
  const std::vector<float> array(static_cast<size_t>(layout.dims()[0] * layout.dims()[1]), 1);
  std::vector<float> memory(static_cast<size_t>(layout.elements()), 2);
  return seconds_of([&] { plan->run(array.data(), memory.data()); }, repeats);
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t count = argc == 4 ? std::atoll(argv[2]) : 0;
  const int repeats = argc == 4 ? std::atoi(argv[3]) : 0;
  const auto layout = CompiledLayout::create(argc > 1 ? argv[1] : "");
  if (count <= 0 || repeats <= 0 || !layout.ok() || layout->dims().size() != 2) {
    std::fprintf(stderr, "usage: python_cpp_loops LAYOUT COUNT REPEATS\n");
    return 2;
  }
  std::printf("{\"offsets\": %.3f, \"tile\": %.6f}\n", offsets(*layout, count, repeats),
              tile(*layout, repeats));
}
