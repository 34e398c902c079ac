// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/image_compare.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "generate/map/generate_map.h"
#include "impl/access/image.h"
#include "impl/access/image_digits.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kBudget = 5000;

std::vector<IndexingMap> random_maps(Choose& choose) {
  std::vector<IndexingMap> maps;
  const bool chains = choose.chance(1, 3);
  for (int64_t count = choose.between(1, 3); count > 0; --count) {
    if (chains) {
      maps.push_back(generate_chain(choose).map);
    } else {
      maps.push_back(generate_map(choose, {.runtime = 0}));
    }
  }
  return maps;
}

// Adds `by` to a result, so that its minimum becomes 0.
void shift(IndexingMap& map, size_t result, int64_t by) {
  map.results[result] =
      add_operation(map.nodes, Op::kAdd, map.results[result], add_constant(map.nodes, by));
}

absl::StatusOr<int64_t> counted_in_digits(const IndexingMap& map, absl::Span<const int64_t> sizes) {
  const impl::MapInDigits in_digits = impl::in_digits_of_results(map, sizes);
  std::vector<int64_t> digit_sizes;
  for (const impl::ResultDigit& digit : in_digits.digits) digit_sizes.push_back(digit.size);
  const impl::Image image = TRY(impl::image_of(in_digits.map, digit_sizes));
  return impl::union_size({&image, 1}, digit_sizes);
}

}  // namespace

std::string image_difference(Choose& choose, CaseCounts& tally) {
  return image_difference(random_maps(choose), choose, kBudget, tally);
}

std::string image_difference(std::vector<IndexingMap> maps, Choose& choose, int64_t points,
                             CaseCounts& tally) {
  const auto skip = [&tally] {
    ++tally["skipped: values beyond 64 bits, errors"];
    return "";
  };
  std::erase_if(maps,
                [](const IndexingMap& map) { return !map.runtime.empty() || map.known_empty; });
  std::erase_if(maps, [results = maps.empty() ? 0 : maps[0].results.size()](
                          const IndexingMap& map) { return map.results.size() != results; });
  bool skipped = maps.empty();
  std::set<std::vector<int64_t>> elements;
  for (const IndexingMap& map : maps) {
    const auto status = spec::for_each_point(
        map, points, [&](const spec::Point&, const std::vector<int64_t>& index) {
          elements.insert(index);
          return true;
        });
    skipped = skipped || !status.ok();
  }
  if (skipped) return skip();
  std::vector<int64_t> sizes(maps[0].results.size(), 1);
  for (size_t d = 0; d < sizes.size() && !elements.empty(); ++d) {
    const auto along = [d](const std::vector<int64_t>& index) { return index[d]; };
    const auto [low, high] = std::ranges::minmax(elements, {}, along);
    // Values this far apart cannot be indices of an array.
    if (low[d] < -(int64_t{1} << 40) || high[d] > int64_t{1} << 40) return skip();
    sizes[d] = high[d] - low[d] + 1 + choose(3);
    for (IndexingMap& map : maps) shift(map, d, -low[d]);
  }
  tally["elements"] += std::ssize(elements);
  std::vector<impl::Image> images;
  absl::StatusOr<int64_t> found = 0;
  for (const IndexingMap& map : maps) {
    absl::StatusOr<impl::Image> image = impl::image_of(map, sizes);
    if (!image.ok()) found = image.status();
    if (image.ok()) images.push_back(*std::move(image));
  }
  if (found.ok()) found = impl::union_size(images, sizes);
  if (found.ok() && *found == std::ssize(elements) && maps.size() == 1) {
    const absl::StatusOr<int64_t> in_digits = counted_in_digits(maps[0], sizes);
    if (!absl::IsResourceExhausted(in_digits.status())) found = in_digits;
  }
  const bool uncounted = absl::IsResourceExhausted(found.status());
  ++tally[uncounted ? "not counted" : "unions"];
  if (uncounted || (found.ok() && *found == std::ssize(elements))) return "";
  std::string difference = "different element counts at";
  for (const IndexingMap& map : maps) absl::StrAppend(&difference, " '", to_text(map), "'");
  absl::StrAppend(&difference, ": expected ", elements.size(), ", found ",
                  found.ok() ? absl::StrCat(*found) : std::string(found.status().message()));
  return difference;
}

}  // namespace tileproof::verify
