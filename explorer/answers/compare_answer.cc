// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "conform/protocol/invalid.h"
#include "explorer/answers/panels.h"
#include "picture/layout_svg.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/layout_function.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/layout/least_difference.h"
#include "verify/prove/map/map_equal.h"

namespace tileproof::explorer {
namespace {

using conform::invalid;
using conform::json_object;
using conform::prefixed;

constexpr int64_t kMilliseconds = 2000;  // of processor time

absl::StatusOr<Json> compare_layouts(const std::string& left, const std::string& right,
                                     const picture::LayoutPicture& look) {
  const AnyLayout first = TRY(prefixed("left", parse_any_layout(left)));
  const AnyLayout second = TRY(prefixed("right", parse_any_layout(right)));
  spec::LayoutFunction a = TRY(spec::layout_function(first));
  spec::LayoutFunction b = TRY(spec::layout_function(second));
  TRY(spec::share_shape(a, b));
  verify::ProofSession session;
  session.milliseconds_per_question = kMilliseconds;
  const verify::LayoutProof proof = verify::prove_equal(a, b, session);
  Json json =
      json_object({{"kind", "layout"}, {"verdict", word_of(proof.verdict, "equal", "different")}});
  if (proof.at) {
    const spec::Dims at = verify::least_difference(a, b, *proof.at, kMilliseconds);
    set(json, "at", at);
    set(json, "left", TRY(spec::offset_at(a, at)));
    set(json, "right", TRY(spec::offset_at(b, at)));
  }
  if (!proof.open.empty()) set(json, "open", proof.open);
  const std::vector<std::string> differences = spec::notes(a, b);
  set(json, "notes", Json(Json::Array(differences.begin(), differences.end())));
  const absl::StatusOr<std::string> svg = picture::compared_svg(first, second, look);
  if (svg.ok()) set(json, "svg", *svg);
  return json;
}

absl::StatusOr<Json> compare_maps(const std::string& left, const std::string& right) {
  const IndexingMap first = TRY(prefixed("left", parse_map(left)));
  const IndexingMap second = TRY(prefixed("right", parse_map(right)));
  verify::EqualOptions options;
  options.milliseconds = kMilliseconds;
  const verify::MapEquality found = TRY(verify::equal(first, second, options));
  Json json =
      json_object({{"kind", "map"}, {"verdict", word_of(found.verdict, "equal", "different")}});
  if (found.difference) {
    set(json, "at", point_json(found.difference->at));
    set(json, "point", spec::to_text(first, found.difference->at));
    set(json, "left", results_json(found.difference->left));
    set(json, "right", results_json(found.difference->right));
  }
  if (found.verdict == verify::Verdict::kProven) set(json, "by", verify::explain(found.basis));
  if (!found.open.empty()) set(json, "open", found.open);
  set(json, "notes", Json(Json::Array()));
  return json;
}

}  // namespace

Json point_json(const spec::Point& point) {
  return json_object({{"dims", point.dims}, {"ranges", point.ranges}, {"runtime", point.runtime}});
}

Json results_json(const Results& results) {
  if (!results.ok()) return json_object({{"error", results.status().message()}});
  return *results ? Json(**results) : Json();
}

absl::StatusOr<Json> compare_answer(const Json& question, Memory&) {
  const std::string left = TRY(text_in(question, "left"));
  const std::string right = TRY(text_in(question, "right"));
  const bool maps = absl::StrContains(left, "->");
  if (maps != absl::StrContains(right, "->")) {
    return invalid("expected two layouts or two maps, found one of each");
  }
  if (maps) return compare_maps(left, right);
  picture::LayoutPicture look;
  const std::string coloring = TRY(text_or_none(question, "coloring"));
  if (!coloring.empty()) look.coloring = TRY(picture::parse_coloring(coloring));
  return compare_layouts(left, right, look);
}

}  // namespace tileproof::explorer
