// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a copy of an array from one layout into another. An input is two shapes of the same
// dimensions, one a line; its hash chooses the width of elements, what happens to padding, a box and
// the threads. Every element and every padding byte of the destination is what the definitions of
// both layouts give. The buffers are as large as the plan says, so the sanitizer finds any access
// beyond.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "fuzz/targets/shape_inputs.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof {
namespace {

using impl::RelayoutOptions;
using impl::RelayoutPlan;
using Padding = RelayoutOptions::Padding;
using Index = std::vector<int64_t>;

constexpr int64_t kMostElements = 1 << 13;  // of a buffer
constexpr char kBefore = 0x5a;              // what a destination holds before

struct Pair {
  Shape from, to;
};

std::vector<Pair> pair_of(absl::string_view text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.size() != 2) return {};
  const absl::StatusOr<Shape> from = parse_shape(lines[0]), to = parse_shape(lines[1]);
  if (!from.ok() || !to.ok()) return {};
  return {{*from, *to}};
}

// A buffer of elements: packed ones of less than a byte, or whole bytes.
class Buffer {
 public:
  Buffer(int64_t bytes, int bits, bool packed, char before)
      : bytes_(static_cast<size_t>(bytes), before), bits_(bits), packed_(packed) {}

  // Writes the element whose bytes are `value`.
  void put(int64_t offset, const std::vector<char>& value) {
    if (!packed_) {
      std::copy(value.begin(), value.end(), bytes_.begin() + offset * std::ssize(value));
      return;
    }
    const int64_t bit = offset * bits_;
    char& at = bytes_[static_cast<size_t>(bit / 8)];
    const int mask = ((1 << bits_) - 1) << (bit % 8);
    at = static_cast<char>((at & ~mask) | ((value[0] << (bit % 8)) & mask));
  }

  char* data() { return bytes_.data(); }
  bool operator==(const Buffer& other) const { return bytes_ == other.bytes_; }

 private:
  std::vector<char> bytes_;
  int bits_;
  bool packed_;
};

// The bytes of an element, by the row-major number of its index.
std::vector<char> value_of(int64_t number, int bits) {
  std::vector<char> value(static_cast<size_t>(std::max(bits / 8, 1)));
  for (size_t k = 0; k < value.size(); ++k) {
    value[k] = static_cast<char>(number * 31 + static_cast<int64_t>(k) * 7 + number / 251 + 1);
  }
  if (bits < 8) value[0] = static_cast<char>(value[0] & ((1 << bits) - 1));
  return value;
}

RelayoutOptions options_for(Choose& choose, const Index& dims) {
  RelayoutOptions options;
  options.element_bits = choose.pick<int>({32, 8, 16, 64, 128, 4, 2, 1});
  if (options.element_bits < 8) {
    options.source_is_packed = choose.chance(1, 2);
    options.destination_is_packed = choose.chance(1, 2);
  }
  options.padding = choose.pick<Padding>({Padding::kKeep, Padding::kZero, Padding::kFill});
  const std::vector<char> fill = value_of(1234567, options.element_bits);
  std::copy(fill.begin(), fill.end(), options.fill.begin());
  options.threads = choose.pick<int>({1, 1, 1, 2});
  if (choose.chance(1, 3)) {
    options.padding = Padding::kKeep;
    for (const int64_t size : dims) {
      options.begin.push_back(choose(size + 1));
      options.sizes.push_back(choose(size - options.begin.back() + 1));
    }
  }
  return options;
}

bool in_box(const RelayoutOptions& options, const Index& index) {
  for (size_t d = 0; d < options.begin.size(); ++d) {
    if (index[d] < options.begin[d] || index[d] >= options.begin[d] + options.sizes[d])
      return false;
  }
  return true;
}

void check(absl::string_view text) {
  const std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty()) return;
  const auto from = spec::tiled_layout(pairs[0].from), to = spec::tiled_layout(pairs[0].to);
  if (!from.ok() || !to.ok() || from->logical() != to->logical()) return;
  const Index& dims = from->logical();
  if (std::max(from->elements(), to->elements()) > kMostElements) return;
  Choose choose(Choose::Random{seed_of(text)});
  const RelayoutOptions options = options_for(choose, dims);
  const auto side = [](const Shape& shape) { return impl::relayout_side(AnyLayout(shape)); };
  const auto source_side = side(pairs[0].from), destination_side = side(pairs[0].to);
  if (!source_side.ok() || !destination_side.ok())
    fail(absl::StrCat("a valid layout is refused at ", text));
  const auto plan = RelayoutPlan::create(*source_side, *destination_side, options);
  if (!plan.ok())
    fail(absl::StrCat("a relayout is refused at ", text, ": ", plan.status().message()));
  const int bits = options.element_bits;
  Buffer source(plan->source_bytes(), bits, options.source_is_packed, 0);
  Buffer expected(plan->destination_bytes(), bits, options.destination_is_packed, kBefore);
  Buffer found = expected;
  for (int64_t offset = 0; options.padding != Padding::kKeep && offset < to->elements(); ++offset) {
    const bool zero = options.padding == Padding::kZero;
    expected.put(offset, zero ? std::vector<char>(static_cast<size_t>(std::max(bits / 8, 1)))
                              : value_of(1234567, bits));
  }
  Index index(dims.size(), 0);
  bool more = std::ranges::find(dims, 0) == dims.end();
  for (int64_t number = 0; more; ++number) {
    const std::vector<char> value = value_of(number, bits);
    source.put(*linearize(*from, index), value);
    if (in_box(options, index)) expected.put(*linearize(*to, index), value);
    more = next_index(dims, index);
  }
  plan->run(source.data(), found.data());
  if (options.destination_is_packed) {  // bits of the last byte that are of no element may be any
    for (int64_t offset = to->elements(); offset * bits % 8 != 0; ++offset) {
      expected.put(offset, {0});
      found.put(offset, {0});
    }
  }
  if (!(found == expected)) {
    fail(absl::StrCat("a relayout gives other bytes at ", text, ": ", bits, " bits, padding ",
                      static_cast<int>(options.padding), ", box of rank ", options.begin.size(),
                      ", threads ", options.threads, ":\n", plan->to_text()));
  }
}

// Another layout of the same dimensions, often with tiles of the same kind.
Shape another_layout(Choose& choose, const Shape& array) {
  Shape other = array;
  other.layout = layout_of(array);
  std::vector<int64_t>& order = other.layout->minor_to_major;
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<size_t>(choose(static_cast<int64_t>(i)))]);
  if (choose.chance(1, 3)) other.layout->tiles = layout_of(random_shape(choose, 40)).tiles;
  if (choose.chance(1, 3)) other.layout->tiles.clear();
  return other;
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty() || choose.chance(1, 16)) {
    const Shape array = random_shape(choose, choose.pick<int64_t>({40, 600, 3000}));
    pairs = {{array, another_layout(choose, array)}};
  }
  Pair& pair = pairs[0];
  switch (choose(4)) {
    case 0:
      std::swap(pair.from, pair.to);
      break;
    case 1:
      pair.to = another_layout(choose, pair.from);
      break;
    default:  // a change of one side; the other side follows its dimensions
      mutate_shape(choose, pair.from);
      if (pair.from.kind == Shape::Kind::kArray && pair.from.rank() == pair.to.rank()) {
        pair.to.dimensions = pair.from.dimensions;
      } else {
        pair.to = another_layout(choose, pair.from);
      }
  }
  return absl::StrCat(to_text(pair.from), "\n", to_text(pair.to));
}

// The array of the left input, with the layouts of the right one if the rank is the same.
std::string crossed(Choose& choose, absl::string_view left, absl::string_view right) {
  std::vector<Pair> a = pair_of(left), b = pair_of(right);
  if (a.empty() || b.empty()) return std::string(a.empty() ? right : left);
  if (a[0].from.rank() == b[0].from.rank()) a[0].to.layout = b[0].from.layout;
  if (choose.chance(1, 2)) std::swap(a[0].from, a[0].to);
  return absl::StrCat(to_text(a[0].from), "\n", to_text(a[0].to));
}

}  // namespace

const TextTarget kTarget = {check, mutated, crossed, /*bytes_of_16=*/0};

}  // namespace tileproof
