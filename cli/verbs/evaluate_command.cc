// SPDX-License-Identifier: Apache-2.0
// tileproof evaluate: the results of a map, or the offset of a layout, at given points.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "spec/lang/base/try.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::cli {
namespace {

// One value for each variable of a kind.
absl::StatusOr<std::vector<int64_t>> values_for(const IndexingMap& map, Op kind, const char* option,
                                                const std::string& text) {
  std::vector<int64_t> values = TRY(prefixed(option, parse_integers(text)));
  const size_t wanted = variables_of(map, kind).size();
  if (values.size() == wanted) return values;
  std::vector<std::string> names;
  for (size_t i = 0; i < wanted; ++i) names.push_back(name_of(map, kind, static_cast<int64_t>(i)));
  return invalid(option, ": expected ", wanted, wanted == 1 ? " value" : " values",
                 wanted == 0 ? "" : absl::StrCat(", for ", absl::StrJoin(names, ", ")), ", found ",
                 values.size());
}

struct Question {
  IndexingMap map;
  std::vector<spec::Point> points;
};

absl::StatusOr<Question> question_of(const Command& given) {
  const std::string text = TRY(read_argument(given.text("MAP")));
  AnyMap map = TRY(parse_any_divided_map(text));
  Question question{std::move(map.map), {}};
  std::vector<std::string> at = given.list("--at");
  if (at.empty()) at.emplace_back();  // a map without dimensions
  for (const std::string& dims : at) {
    spec::Point& point = question.points.emplace_back();
    point.dims = TRY(values_for(question.map, Op::kDimension, "--at", dims));
    point.ranges = TRY(values_for(question.map, Op::kRange, "--ranges", given.text("--ranges")));
    point.runtime =
        TRY(values_for(question.map, Op::kRuntime, "--runtime", given.text("--runtime")));
  }
  return question;
}

}  // namespace

absl::StatusOr<Answer> evaluate_command(const Command& given) {
  const Question question = TRY(question_of(given));
  Answer answer;
  for (const spec::Point& point : question.points) {
    const Results results = spec::evaluate(question.map, point);
    answer.json.push_back(
        json_object({{"at", point_json(point)}, {"results", results_json(results)}}));
    if (results.ok()) {
      absl::StrAppend(&answer.text, results_text(results), "\n");
    } else {
      answer.status = complain_in_text("evaluate", results.status());
    }
  }
  return answer;
}

}  // namespace tileproof::cli
