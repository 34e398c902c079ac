// SPDX-License-Identifier: Apache-2.0
// tileproof diff: where two maps or layouts differ, listed and drawn.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/divided_equal.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMostCompared = 1 << 20;  // that are compared one by one
constexpr int64_t kMostMilliseconds = 5'000;
constexpr int64_t kDrawnRows = 64, kDrawnColumns = 128;

struct Found {
  spec::Point at;
  Results left, right;
};

struct Difference {
  int64_t points = 0;         // of the larger box; 0 if they do not fit 64 bits
  int64_t compared = 0;       // all of them, or 0 if there are too many
  int64_t different = 0;      // of the compared ones
  std::vector<Found> listed;  // the first ones, at most as many as the limit
  std::string picture;
  verify::Verdict verdict = verify::Verdict::kProven;
  std::string open;  // undecided: why

  bool has_all() const { return compared == points && points > 0; }
};

bool same(const Results& left, const Results& right) {
  return left.ok() && right.ok() && *left == *right;
}

// The box of both maps: the smallest one that holds the boxes of both.
absl::StatusOr<IndexingMap> common_box(const IndexingMap& left, const IndexingMap& right) {
  IndexingMap box;
  for (const Op kind : kVariableKinds) {
    const std::vector<Variable>& a = variables_of(left, kind);
    const std::vector<Variable>& b = variables_of(right, kind);
    if (a.size() != b.size()) {
      return invalid("expected as many variables as LEFT has: ", a.size(), " of ",
                     default_name(kind, 0), ", ..; RIGHT has ", b.size());
    }
    for (size_t i = 0; i < a.size(); ++i) {
      const Interval &x = a[i].bounds, &y = b[i].bounds;
      const bool x_empty = x.low > x.high, y_empty = y.low > y.high;
      variables_of(box, kind).push_back(
          {x_empty   ? y
           : y_empty ? x
                     : Interval{std::min(x.low, y.low), std::max(x.high, y.high)},
           a[i].name});
    }
  }
  return box;
}

// '.' where a two-dimensional array is the same, '#' where it differs. "" if it is too large.
class Picture {
 public:
  explicit Picture(const IndexingMap& box) {
    if (box.dimensions.size() != 2 || !box.ranges.empty() || !box.runtime.empty()) return;
    rows_ = box.dimensions[0].bounds.high - box.dimensions[0].bounds.low + 1;
    columns_ = box.dimensions[1].bounds.high - box.dimensions[1].bounds.low + 1;
    fits_ = rows_ <= kDrawnRows && columns_ <= kDrawnColumns;
  }
  void add(bool same) {
    if (!fits_) return;
    text_ += same ? '.' : '#';
    if (++drawn_ % columns_ == 0) text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  bool fits_ = false;
  int64_t rows_ = 0, columns_ = 0, drawn_ = 0;
  std::string text_;
};

Found found_at(const TwoMaps& maps, const spec::Point& at) {
  return {at, spec::evaluate(maps.left.map, at), spec::evaluate(maps.right.map, at)};
}

absl::Status compare_points(const TwoMaps& maps, const IndexingMap& box, int64_t limit,
                            Difference& difference) {
  Picture picture(box);
  TRY(spec::for_each_box_point(box, kMostCompared, [&](const spec::Point& at) {
    Found found = found_at(maps, at);
    const bool is_same = same(found.left, found.right);
    picture.add(is_same);
    ++difference.compared;
    if (is_same) return true;
    if (difference.different++ < limit) difference.listed.push_back(std::move(found));
    return true;
  }));
  if (difference.different == 0) return absl::OkStatus();
  difference.verdict = verify::Verdict::kRefuted;
  difference.picture = picture.text();
  return absl::OkStatus();
}

// For maps with too many points: one point where they differ, or a proof that there is none.
absl::Status decide(const TwoMaps& maps, Difference& difference) {
  verify::EqualOptions limits;
  limits.milliseconds = kMostMilliseconds;
  const verify::MapEquality equality =
      TRY(verify::equal_with_variable_divisors(maps.left.map, maps.right.map, limits));
  difference.verdict = equality.verdict;
  difference.open = equality.open;
  if (!equality.difference) return absl::OkStatus();
  spec::Point at = equality.difference->at;
  if (maps.left.layout && maps.right.layout) {
    at.dims =
        verify::least_difference(*maps.left.layout, *maps.right.layout, at.dims, kMostMilliseconds);
  }
  difference.listed.push_back(found_at(maps, at));
  return absl::OkStatus();
}

absl::StatusOr<Difference> difference_of(const TwoMaps& maps, int64_t limit) {
  if (!maps.left.map.known_empty && !maps.right.map.known_empty &&
      maps.left.map.results.size() != maps.right.map.results.size()) {
    return invalid("expected as many results as LEFT has (", maps.left.map.results.size(),
                   "), found ", maps.right.map.results.size(), " in RIGHT");
  }
  const IndexingMap box = TRY(common_box(maps.left.map, maps.right.map));
  Difference difference;
  const std::optional<int64_t> points = spec::box_size(box);
  difference.points = points.value_or(0);
  TRY(points && *points <= kMostCompared ? compare_points(maps, box, limit, difference)
                                         : decide(maps, difference));
  return difference;
}

std::string text_of(const TwoMaps& maps, const Difference& difference) {
  if (difference.verdict == verify::Verdict::kUndecided) {
    return absl::StrCat("undecided: ", difference.open, "\n");
  }
  const bool all = difference.has_all();
  if (difference.verdict == verify::Verdict::kProven) {
    return absl::StrCat("no difference",
                        all ? absl::StrCat(" at ", difference.points, " points") : " (proven)",
                        "\n");
  }
  std::string text =
      all ? absl::StrCat(difference.different, " of ", difference.points, " points differ\n")
          : "too many points to list: one where they differ\n";
  for (const Found& found : difference.listed) {
    absl::StrAppend(&text, "  ", spec::to_text(maps.left.map, found.at), ": ",
                    results_text(found.left), " and ", results_text(found.right), "\n");
  }
  const int64_t hidden = difference.different - static_cast<int64_t>(difference.listed.size());
  if (all && hidden > 0) absl::StrAppend(&text, "  .. and ", hidden, " more (--limit)\n");
  return text + difference.picture;
}

Json to_json(const Difference& difference) {
  Json::Array listed;
  for (const Found& found : difference.listed) {
    listed.push_back(json_object({{"at", point_json(found.at)},
                                  {"left", results_json(found.left)},
                                  {"right", results_json(found.right)}}));
  }
  Json json = json_object({{"equal", equal_json(difference.verdict)},
                           {"complete", difference.has_all()},
                           {"differences", Json(std::move(listed))}});
  if (difference.has_all()) {
    set(json, "points", difference.points);
    set(json, "different", difference.different);
  }
  return json;
}

}  // namespace

absl::StatusOr<Answer> diff_command(const Command& given) {
  const TwoMaps maps = TRY(parse_two_maps(given.text("LEFT"), given.text("RIGHT")));
  const Difference difference = TRY(difference_of(maps, given.number("--limit")));
  return Answer{{to_json(difference)}, text_of(maps, difference), exit_status(difference.verdict)};
}

}  // namespace tileproof::cli
