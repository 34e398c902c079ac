// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {
namespace {

// XLA's parser fills in missing layouts; ours keeps them missing.
Shape with_layouts(const Shape& shape) {
  Shape result = shape;
  const bool has_layout = has_elements(shape.element_type) && shape.rank() > 0;
  if (shape.kind == Shape::Kind::kArray && has_layout) result.layout = layout_of(shape);
  for (Shape& part : result.parts) part = with_layouts(part);
  return result;
}

// Returns whether XLA's validator refuses a split of the array or of a part: a missing or repeated
// dimension, or points that do not increase from 1 to less than its size.
bool split_refused(const Shape& shape) {
  for (const Shape& part : shape.parts) {
    if (split_refused(part)) return true;
  }
  if (shape.kind != Shape::Kind::kArray) return false;
  const Layout layout = layout_of(shape);
  std::set<int64_t> seen;
  for (const SplitConfig& split : layout.splits) {
    const int64_t d = split.dimension;
    if (d < 0 || d >= shape.rank() || !seen.insert(d).second) return true;
    const int64_t size = shape.dimensions[layout.minor_to_major[shape.rank() - 1 - d]].size;
    int64_t last = 0;
    for (const int64_t point : split.points) {
      if (point <= last || point >= size) return true;
      last = point;
    }
  }
  return false;
}

// Returns the name in brackets at the end of an error, if the table of rejected texts has it.
std::string difference_named(absl::string_view error) {
  for (const Difference& entry : differences()) {
    if (entry.kind != Difference::Kind::kRejected) continue;
    if (error.find(absl::StrCat("[", entry.name, "]")) != absl::string_view::npos) {
      return std::string(entry.name);
    }
  }
  // A shared number parser reads numbers; its error names no difference.
  return absl::StrContains(error, "within 64 signed bits") ? "integer-wraps" : "";
}

}  // namespace

absl::StatusOr<Verdict> judge_shape(absl::string_view line) {
  using Kind = Verdict::Kind;
  const nlohmann::json json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object() || !json.contains("text")) {
    return absl::InvalidArgumentError("expected an object with a text");
  }
  const std::string text = json["text"].get<std::string>();
  const absl::StatusOr<Shape> shape = parse_shape(text);
  const bool read = json.contains("is");
  if (!read && !json.contains("error") && !json.contains("ends")) {
    return absl::InvalidArgumentError("expected is, error or ends");
  }
  const std::string xla = read ? absl::StrCat("reads it as ", json["is"].get<std::string>())
                          : json.contains("ends") ? "ends the process"
                                                  : "refuses it";
  if (shape.ok()) {
    const std::string ours = to_text(with_layouts(*shape));
    if (read && ours == json["is"].get<std::string>()) return Verdict{Kind::kBothAccept};
    if (json.contains("error") && split_refused(*shape)) {
      return Verdict{Kind::kKnown, "split-unchecked"};
    }
    return Verdict{Kind::kDifferent, "",
                   absl::StrCat(text, ": XLA ", xla, ", we read it as ", ours)};
  }
  if (json.contains("error")) return Verdict{Kind::kBothRefuse};
  std::string name = difference_named(shape.status().message());
  // The text may have another error that we report first.
  if (name.empty() && json.contains("ends")) {
    const bool tile = absl::StrContains(json["ends"].get<std::string>(), "Tile dimension size");
    name = tile ? "tile-size-below-one" : "tail-alignment-below-one";
  }
  if (!name.empty()) return Verdict{Kind::kKnown, std::move(name)};
  return Verdict{Kind::kDifferent, "",
                 absl::StrCat(text, ": XLA ", xla, ", we say: ", shape.status().message())};
}

}  // namespace tileproof::xla
