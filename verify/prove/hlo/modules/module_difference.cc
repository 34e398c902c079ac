// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_difference.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/hlo/disjunct.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMostElements = 4096;  // evaluated, to name those that a side reads
constexpr size_t kMostNamed = 3;

// "x[0,4]"; "x#1[0,4]" for another leaf than the first.
std::string element_name(const std::string& name, size_t leaf, const std::vector<int64_t>& index) {
  return absl::StrCat(name, leaf == 0 ? "" : absl::StrCat("#", leaf), "[",
                      absl::StrJoin(index, ","), "]");
}

// What the maps read for one element of the result. No value if it depends on a runtime variable,
// or if these are too many.
std::optional<std::set<std::vector<int64_t>>> read_at(const impl::LeafMaps& list,
                                                      const std::vector<int64_t>& output) {
  std::set<std::vector<int64_t>> read;
  for (const impl::IndexedMap& indexed : list.maps) {
    IndexingMap map = indexed.map;
    if (!map.runtime.empty() || map.dimensions.size() != output.size()) return std::nullopt;
    for (size_t d = 0; d < output.size(); ++d) {
      Interval& bounds = map.dimensions[d].bounds;
      bounds = {std::max(bounds.low, output[d]), std::min(bounds.high, output[d])};
    }
    const absl::Status walked = spec::for_each_point(
        map, kMostElements, [&read](const spec::Point&, const std::vector<int64_t>& index) {
          read.insert(index);
          return true;
        });
    if (!walked.ok()) return std::nullopt;
  }
  return read;
}

// "; RIGHT reads y[0,1]", or "".
std::string other_text(const Refutation& refutation, const char* name, const ComparedSide& other) {
  const auto& [is_missing, operand, leaf, pair] = refutation;
  if (operand >= other.maps.size() || leaf >= other.maps[operand].size()) return "";
  const auto read = read_at(other.maps[operand][leaf], pair.output);
  if (!read) return "";
  std::vector<std::string> elements;
  for (const std::vector<int64_t>& index : *read) {
    if (elements.size() == kMostNamed) break;
    elements.push_back(element_name(other.parameters[operand], leaf, index));
  }
  const size_t more = read->size() - elements.size();
  return absl::StrCat(
      "; ", name, " reads ",
      elements.empty() ? absl::StrCat("no element of ", other.parameters[operand])
                       : absl::StrJoin(elements, ", "),
      more == 0 ? "" : absl::StrCat(" and ", more, more == 1 ? " other" : " others"));
}

}  // namespace

std::string difference_text(const Refutation& refutation, const ComparedSide& left,
                            const ComparedSide& right) {
  const ComparedSide& has = refutation.is_missing ? left : right;
  const char* sides[] = {refutation.is_missing ? "LEFT" : "RIGHT",
                         refutation.is_missing ? "RIGHT" : "LEFT"};
  std::string text = absl::StrCat(
      element_name("result", 0, refutation.pair.output), " reads ",
      element_name(has.parameters[refutation.operand], refutation.leaf, refutation.pair.index),
      " in ", sides[0], ", not in ", sides[1],
      other_text(refutation, sides[1], refutation.is_missing ? right : left));
  const SourceResolver resolver(left.module, left.computation);
  for (const Counterexample::Element& read : refutation.pair.values) {
    const auto& [position, index, value] = read;
    const std::string name =
        position.calls.empty() ? left.parameters[position.instruction] : resolver.at(position).name;
    absl::StrAppend(&text, ", where ", element_name(name, position.leaf, index), " is ", value);
  }
  return text;
}

}  // namespace tileproof::verify
