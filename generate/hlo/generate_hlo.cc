// SPDX-License-Identifier: Apache-2.0
#include "generate/hlo/generate_hlo.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/hlo_builder.h"

namespace tileproof {
namespace {

std::vector<hlo::Kind> all_kinds() {
  std::vector<hlo::Kind> kinds = hlo::movement_kinds();
  for (const auto* more : {&hlo::computing_kinds(), &hlo::dynamic_kinds()}) {
    kinds.insert(kinds.end(), more->begin(), more->end());
  }
  return kinds;
}

const std::vector<hlo::Kind>& kinds() {
  static const auto* const all = new std::vector<hlo::Kind>(all_kinds());
  return *all;
}

hlo::Value first_parameter(hlo::Builder& b) {
  const int64_t rank = b.within(limits::kRank);
  const Dims dims = b.small_dims(rank, rank);
  const std::string type = b.any_type();
  return b.parameter({"", type, dims, ""});
}

GeneratedHlo finished(const hlo::Builder& b, std::string kind) {
  GeneratedHlo result;
  result.text = absl::StrCat("HloModule generated\n", b.regions, "ENTRY main {\n", b.body(), "}\n");
  result.kind = std::move(kind);
  result.leaves = b.root_leaves;
  result.near = b.near;
  return result;
}

// Implements generate_large_operation of generate/hlo/generate_hlo.h.

using hlo::list;

constexpr int64_t kMostElements = int64_t{1} << 40;

// A size near a power of two from 2^8 to 2^31, or a small one.
int64_t size(Choose& choose) {
  if (choose.chance(1, 3)) return 1 + choose(12);
  const int64_t power = int64_t{1} << (8 + choose(24));
  return power + choose.pick<int64_t>({0, 1, -1, power / 2, 44});
}

// Dimensions with at most kMostElements elements, at least one of them large.
Dims dims(Choose& choose, int64_t least_rank) {
  Dims result;
  int64_t left = kMostElements;
  for (int64_t rank = least_rank + choose(3); rank > 0; --rank) {
    const bool middle = result.empty() && choose.chance(1, 2);
    const int64_t wanted = middle ? int64_t{300} + choose(5000) : size(choose);
    result.push_back(std::clamp<int64_t>(wanted, 1, left));
    left /= result.back();
  }
  std::rotate(result.begin(), result.begin() + choose(std::ssize(result)), result.end());
  return result;
}

std::string shape(const Dims& dims) { return absl::StrCat("f32[", list(dims), "]"); }

std::string transposed(Choose& choose) {
  const Dims from = dims(choose, 2);
  Dims permutation, to;
  for (int64_t i = 0; i < std::ssize(from); ++i) permutation.push_back(i);
  std::rotate(permutation.begin(), permutation.begin() + 1 + choose(std::ssize(from) - 1),
              permutation.end());
  if (choose.chance(1, 2)) std::swap(permutation.front(), permutation.back());
  for (int64_t i : permutation) to.push_back(from[i]);
  return absl::StrCat(shape(to), " transpose(", shape(from), " p), dimensions={", list(permutation),
                      "}");
}

// Splits the dimensions into factors in two ways.
std::string reshaped(Choose& choose) {
  const Dims factors = {1 + choose(64), 1 + choose(12), 1 + choose(500), 1 + choose(3000)};
  const auto grouped = [&] {
    Dims groups = {1};
    for (int64_t factor : factors) {
      if (choose.chance(1, 2)) groups.push_back(1);
      groups.back() *= factor;
    }
    return groups;
  };
  const Dims to = grouped(), from = grouped();
  return absl::StrCat(shape(to), " reshape(", shape(from), " p)");
}

std::string sliced(Choose& choose) {
  const Dims from = dims(choose, 1);
  Dims to;
  std::vector<std::string> limits;
  for (int64_t n : from) {
    const int64_t start = choose(std::min<int64_t>(n, 1000)), stride = 1 + choose(3);
    const int64_t limit = n - choose(std::min<int64_t>(n - start, 1000));
    to.push_back((limit - start + stride - 1) / stride);
    limits.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
  }
  return absl::StrCat(shape(to), " slice(", shape(from), " p), slice={",
                      absl::StrJoin(limits, ", "), "}");
}

std::string padded(Choose& choose) {
  const Dims from = dims(choose, 1);
  Dims to;
  std::vector<std::string> edges;
  for (int64_t n : from) {
    const int64_t low = choose(400) - (n > 100 ? choose(100) : 0), high = choose(400);
    const int64_t inside = choose.chance(1, 2) ? choose(4) : 0;
    to.push_back(n + (n - 1) * inside + low + high);
    edges.push_back(absl::StrCat(low, "_", high, "_", inside));
  }
  return absl::StrCat(shape(to), " pad(", shape(from),
                      " p, f32[] v), padding=", absl::StrJoin(edges, "x"));
}

std::string reversed(Choose& choose) {
  const Dims from = dims(choose, 1);
  return absl::StrCat(shape(from), " reverse(", shape(from), " p), dimensions={",
                      choose(std::ssize(from)), "}");
}

std::string large_broadcast(Choose& choose) {
  const Dims to = dims(choose, 2);
  const int64_t at = choose(std::ssize(to));
  return absl::StrCat(shape(to), " broadcast(f32[", to[at], "] p), dimensions={", at, "}");
}

std::string concatenated(Choose& choose) {
  const Dims first = dims(choose, 1);
  const int64_t at = choose(std::ssize(first));
  Dims second = first, to = first;
  second[at] = 1 + choose(70'000);
  to[at] += second[at];
  return absl::StrCat(shape(to), " concatenate(", shape(first), " p, ", shape(second),
                      " q), dimensions={", at, "}");
}

}  // namespace

int64_t operation_kinds() { return std::ssize(kinds()); }

GeneratedHlo generate_operation(Choose& choose, const HloLimits& limits, int64_t kind) {
  hlo::Builder b(choose, limits, false);
  const hlo::Kind& chosen = kinds()[kind < 0 ? choose(operation_kinds()) : kind];
  const hlo::Value x = first_parameter(b);
  chosen.apply(b, x);
  GeneratedHlo result = finished(b, chosen.name);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo generate_computation(Choose& choose, const HloLimits& limits) {
  hlo::Builder b(choose, limits, true);
  std::vector<hlo::Value> start = {first_parameter(b)};
  if (choose.chance(1, 2)) start.push_back(first_parameter(b));
  hlo::Value x = start.back();
  std::string names;
  const int64_t operations = choose.between(1, limits.operations);
  const std::vector<hlo::Kind>& from = choose.chance(1, 4) ? hlo::dynamic_kinds() : kinds();
  for (int64_t k = 0; k < operations; ++k) {
    // Mostly use the last value, sometimes an earlier one.
    if (choose.chance(1, 4)) x = b.values[choose(std::ssize(b.values))];
    const hlo::Kind kind = choose.pick(from);
    x = kind.apply(b, x);
    absl::StrAppend(&names, names.empty() ? "" : " ", kind.name);
    if (choose.chance(1, 3)) {
      x = b.wrap(x);
      absl::StrAppend(&names, " (fused)");
    }
  }
  GeneratedHlo result = finished(b, names);
  result.seed = static_cast<uint64_t>(choose(int64_t{1} << 30));
  return result;
}

GeneratedHlo hlo_of_choices(absl::Span<const uint8_t> bytes, bool computation) {
  constexpr HloLimits kSmall{.elements = 60, .operations = 6};
  Choose choose(Choose::Bytes{bytes});
  return computation ? generate_computation(choose, kSmall) : generate_operation(choose, kSmall);
}

std::string generate_large_operation(Choose& choose) {
  std::string (*const kinds[])(Choose&) = {transposed, reshaped,        sliced,      padded,
                                           reversed,   large_broadcast, concatenated};
  return absl::StrCat("r = ", kinds[choose(std::ssize(kinds))](choose));
}

}  // namespace tileproof
