// SPDX-License-Identifier: Apache-2.0
#include "conform/run/sweep.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "conform/suites/suites.h"
#include "generate/choose/choose.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

constexpr int64_t kSampled = 256;  // indices, and offsets, that are asked of a larger array
constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;

// Every index, in row-major order; some of a large array.
Json::Array asked_indices(const Index& dims, bool whole, Choose& choose) {
  Json::Array indices;
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return indices;
  Index index(dims.size(), 0);
  for (bool more = true; whole && more; more = next_index(dims, index)) indices.push_back(index);
  while (!whole && std::ssize(indices) < kSampled) indices.push_back(random_index(choose, dims));
  return indices;
}

Json::Array asked_offsets(int64_t elements, bool whole, Choose& choose) {
  Json::Array offsets;
  for (int64_t i = 0; i < (whole ? elements : kSampled); ++i) {
    offsets.push_back(whole ? i : random_index(choose, {elements})[0]);
  }
  return offsets;
}

void add_lists(const char* op, const std::string& shape, const char* key, const Json::Array& items,
               std::vector<Json>& requests) {
  for (size_t from = 0; from < items.size(); from += kSweptAtOnce) {
    const auto start = items.begin() + static_cast<int64_t>(from);
    const size_t many = std::min(kSweptAtOnce, items.size() - from);
    requests.push_back(
        json_object({{"op", op},
                     {"shape", shape},
                     {key, Json::Array(start, start + static_cast<int64_t>(many))}}));
  }
}

}  // namespace

std::vector<Json> swept_requests(uint64_t seed, int64_t number, const Limits& limits) {
  Choose choose(
      Choose::Random{(seed + 1) * kOdd ^ static_cast<uint64_t>(number) * 0xd1342543de82ef95});
  const int64_t bits = std::clamp<int64_t>(limits.bits.value_or(64), 8, 64) - 6;
  const int64_t wanted = choose.pick<int64_t>({11, 8, 10, 12, 13, 24, 58});
  const Shape shape = random_shape(choose, int64_t{1} << std::min(bits, wanted));
  const std::string text = to_text(shape);
  const absl::StatusOr<spec::TiledLayout> layout = spec::tiled_layout_of_valid(shape);
  std::vector<Json> requests = {json_object({{"op", "layout.physical"}, {"shape", text}})};
  const bool is_within =
      within(requests[0], {limits.rank, limits.tiles, limits.bits, std::nullopt});
  if (!is_within || !layout.ok()) return {};
  const bool whole = layout->elements() <= kMaxSwept;
  add_lists("layout.linearize", text, "indices", asked_indices(layout->logical(), whole, choose),
            requests);
  add_lists("layout.delinearize", text, "offsets", asked_offsets(layout->elements(), whole, choose),
            requests);
  std::erase_if(requests, [&](const Json& request) { return !is_named(request, limits); });
  return requests;
}

void count_questions(const Json& request, SweepTotals& totals) {
  int64_t& count = totals.questions[*find_as<std::string>(request, "op")];
  for (const char* many : {"indices", "offsets"}) {
    if (const auto* items = find_as<Json::Array>(request, many)) count += std::ssize(*items);
  }
}

std::string to_text(const SweepTotals& totals) {
  const auto count = [&totals](const char* op) {
    const auto found = totals.questions.find(op);
    return found == totals.questions.end() ? int64_t{0} : found->second;
  };
  return absl::StrCat(totals.layouts, " layouts, ", count("layout.linearize"), " indices, ",
                      count("layout.delinearize"), " offsets");
}

}  // namespace tileproof::conform
