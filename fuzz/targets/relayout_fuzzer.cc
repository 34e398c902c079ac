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
#include "impl/layout/relayout/relayout_testing.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof {
namespace {

using impl::RelayoutOptions;
using impl::RelayoutPlan;

constexpr int64_t kMostElements = 1 << 13;  // of a buffer

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

std::string check(absl::string_view text, verify::CaseCounts&) {
  const std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty()) return "";
  const AnyLayout left(pairs[0].from), right(pairs[0].to);
  const auto from = spec::layout_function(left), to = spec::layout_function(right);
  if (!from.ok() || !to.ok() || from->dims != to->dims) return "";
  if (std::max(*from->elements, *to->elements) > kMostElements) return "";
  Choose choose(Choose::Random{seed_of(text)});
  const RelayoutOptions options = impl::random_options(choose, from->dims);
  const auto source_side = impl::relayout_side(left), destination_side = impl::relayout_side(right);
  if (!source_side.ok() || !destination_side.ok())
    return absl::StrCat("a valid layout is refused at ", text);
  const auto plan = RelayoutPlan::create(*source_side, *destination_side, options);
  if (!plan.ok())
    return absl::StrCat("a relayout is refused at ", text, ": ", plan.status().message());
  const auto run = [&](std::vector<char>& source, std::vector<char>& destination) {
    plan->run(source.data(), destination.data());
  };
  if (impl::copies(*from, *to, *to->elements, *plan, options, run)) return "";
  return absl::StrCat("a relayout gives other bytes at ", text, ": ", options.element_bits,
                      " bits, padding ", static_cast<int>(options.padding), ", box of rank ",
                      options.begin.size(), ", threads ", options.threads, ":\n", plan->to_text());
}

std::string mutated(Choose& choose, absl::string_view text) {
  std::vector<Pair> pairs = pair_of(text);
  if (pairs.empty() || choose.chance(1, 16)) {
    const Shape array = random_shape(choose, choose.pick<int64_t>({40, 600, 3000}));
    pairs = {{array, impl::another_layout(choose, array)}};
  }
  Pair& pair = pairs[0];
  switch (choose(4)) {
    case 0:
      std::swap(pair.from, pair.to);
      break;
    case 1:
      pair.to = impl::another_layout(choose, pair.from);
      break;
    default:  // a change of one side; the other side follows its dimensions
      mutate_shape(choose, pair.from);
      if (pair.from.kind == Shape::Kind::kArray && pair.from.rank() == pair.to.rank()) {
        pair.to.dimensions = pair.from.dimensions;
      } else {
        pair.to = impl::another_layout(choose, pair.from);
      }
  }
  return absl::StrCat(to_text(pair.from), "\n", to_text(pair.to));
}

}  // namespace

const TextTarget kTarget = {check, mutated, /*bytes_of_16=*/0};

}  // namespace tileproof
