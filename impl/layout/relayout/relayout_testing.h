// SPDX-License-Identifier: Apache-2.0
// For tests of copies: what a copy must give, by the definitions of both layouts; random layouts and
// options; memory beside which nobody may read or write.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::impl {

// The bytes of an element, by the row-major number of its index.
inline std::array<char, 16> element_of(int64_t number, int bits) {
  std::array<char, 16> value;
  for (int64_t k = 0; k < 16; ++k) {
    value[static_cast<size_t>(k)] = static_cast<char>(number * 31 + k * 7 + number / 251 + 1);
  }
  if (bits < 8) value[0] = static_cast<char>(value[0] & ((1 << bits) - 1));
  return value;
}

// A buffer of elements: packed ones of less than a byte, or whole bytes.
struct ElementBuffer {
  std::vector<char> bytes;
  int bits;
  bool is_packed;

  void put(int64_t offset, const std::array<char, 16>& value) {
    if (!is_packed) {
      const int64_t width = std::max(bits / 8, 1);
      std::copy_n(value.begin(), width, bytes.begin() + offset * width);
      return;
    }
    char& at = bytes[static_cast<size_t>(offset * bits / 8)];
    const int64_t place = offset * bits % 8;
    const int mask = ((1 << bits) - 1) << place;
    at = static_cast<char>((at & ~mask) | ((value[0] << place) & mask));
  }
};

// Whether each byte is what the definitions of both layouts give, after `run` has copied from the
// source to the destination by the plan. `elements`: of the destination, with all padding.
inline bool copies(const spec::LayoutFunction& from, const spec::LayoutFunction& to,
                   int64_t elements, const RelayoutPlan& plan, const RelayoutOptions& options,
                   absl::FunctionRef<void(std::vector<char>&, std::vector<char>&)> run) {
  using Padding = RelayoutOptions::Padding;
  const auto buffer = [&](int64_t size, char before, bool is_packed) {
    return ElementBuffer{std::vector<char>(static_cast<size_t>(size), before), options.element_bits,
                         is_packed};
  };
  ElementBuffer source = buffer(plan.source_bytes(), 'x', options.source_is_packed);
  ElementBuffer expected = buffer(plan.destination_bytes(), '?', options.destination_is_packed);
  ElementBuffer found = expected;
  for (int64_t at = 0; options.padding != Padding::kKeep && at < elements; ++at) {
    expected.put(at, options.padding == Padding::kFill ? options.fill : std::array<char, 16>());
  }
  std::vector<int64_t> index(from.dims.size(), 0);
  bool more = std::ranges::count(from.dims, 0) == 0;
  for (int64_t number = 0; more; ++number) {
    bool is_copied = true;
    for (size_t d = 0; d < options.begin.size(); ++d) {
      const int64_t in_box = index[d] - options.begin[d];
      is_copied = is_copied && in_box >= 0 && in_box < options.sizes[d];
    }
    const std::array<char, 16> value = element_of(number, options.element_bits);
    source.put(spec::offset_of(from, index), value);
    if (is_copied) expected.put(spec::offset_of(to, index), value);
    more = next_index(from.dims, index);
  }
  run(source.bytes, found.bytes);
  // Bits of the last byte that are of no element may be any.
  for (int64_t at = elements; found.is_packed && at * options.element_bits % 8 != 0; ++at) {
    expected.put(at, {});
    found.put(at, {});
  }
  return found.bytes == expected.bytes;
}

// Of any width, with a box or without.
inline RelayoutOptions random_options(Choose& choose, const std::vector<int64_t>& dims) {
  using Padding = RelayoutOptions::Padding;
  RelayoutOptions options;
  options.element_bits = choose.pick<int>({32, 8, 16, 64, 128, 4, 2, 1});
  if (options.element_bits < 8) {
    options.source_is_packed = choose.chance(1, 2);
    options.destination_is_packed = choose.chance(1, 2);
  }
  options.padding = choose.pick<Padding>({Padding::kKeep, Padding::kZero, Padding::kFill});
  options.fill = element_of(1234567, options.element_bits);
  options.threads = choose.pick<int>({1, 1, 1, 2, 3});
  if (!dims.empty() && choose.chance(1, 3)) {
    options.padding = Padding::kKeep;
    for (const int64_t size : dims) {
      options.begin.push_back(choose(size + 1));
      options.sizes.push_back(choose(size - options.begin.back() + 1));
    }
  }
  return options;
}

// Another layout of the same array, often with tiles of the same kind.
inline Shape another_layout(Choose& choose, const Shape& array) {
  Shape other = array;
  other.layout = layout_of(array);
  std::vector<int64_t>& order = other.layout->minor_to_major;
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(choose(static_cast<int64_t>(i)))]);
  if (choose.chance(1, 3)) other.layout->tiles = layout_of(random_shape(choose, 40)).tiles;
  if (choose.chance(1, 3)) other.layout->tiles.clear();
  return other;
}

// Two layouts of one array.
struct Pair {
  std::string from, to;
};
inline Pair random_pair(Choose& choose) {
  const Shape array = random_shape(choose, choose.pick<int64_t>({40, 600, 3000}));
  const Shape other = another_layout(choose, array);
  Pair pair{to_text(AnyLayout(array)), to_text(AnyLayout(other))};
  if (choose.chance(1, 2)) std::swap(pair.from, pair.to);
  return pair;
}

// Memory that ends (or begins) at a page that nobody may touch.
class GuardedBytes {
 public:
  GuardedBytes(int64_t size, bool at_end) : size_(static_cast<size_t>(size)) {
    const size_t page = static_cast<size_t>(getpagesize());
    inner_ = (size_ + page - 1) / page * page;
    all_ = static_cast<char*>(
        mmap(nullptr, inner_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char* first = all_ + page;
    mprotect(first, inner_, PROT_READ | PROT_WRITE);
    data_ = at_end ? first + inner_ - size_ : first;
  }
  ~GuardedBytes() { munmap(all_, inner_ + 2 * static_cast<size_t>(getpagesize())); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  char* data() { return data_; }
  size_t size() const { return size_; }

 private:
  size_t size_, inner_;
  char *all_, *data_;
};

}  // namespace tileproof::impl
