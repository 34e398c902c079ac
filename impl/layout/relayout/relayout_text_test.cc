// SPDX-License-Identifier: Apache-2.0
// What a printed plan says, read back from its text, is the copy that the definitions give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "generate/choose/choose.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "impl/layout/relayout/relayout_testing.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/layout_function.h"

namespace tileproof::impl {
namespace {

using ::testing::HasSubstr;
using Index = std::vector<int64_t>;
using Kernel = RelayoutPlan::Kernel;
using Padding = RelayoutOptions::Padding;

using Moves = std::vector<std::pair<int64_t, int64_t>>;  // source and destination, sorted

// A printed plan, by someone who has the text alone.
class PlanReader {
 public:
  // The moves, or nothing if the text has no loops.
  static std::optional<Moves> moves(absl::string_view text, size_t rank) {
    PlanReader reader(rank);
    if (!reader.read(text)) return std::nullopt;
    reader.walk(0, reader.begin_.first, reader.begin_.second);
    std::sort(reader.moves_.begin(), reader.moves_.end());
    return reader.moves_;
  }

 private:
  struct Loop {
    int64_t dimension = -1, weight = 1, size = 0, source = 1, destination = 1;
    std::optional<std::pair<int64_t, int64_t>> guard;
  };

  explicit PlanReader(size_t rank) : index_(rank, 0) {}

  bool read(absl::string_view text) {
    static const std::regex begin("begin at source \\+ (\\d+), destination \\+ (\\d+)");
    static const std::regex guarded("(.*), where d(\\d+) in \\[(\\d+), (\\d+)\\]");
    static const std::regex loop(
        " *(?:for )?\\(?d(\\d+)(?: floordiv (\\d+))?\\)?(?: mod \\d+)? in \\[0, (\\d+)\\]: "
        "source \\+ (\\d+), destination \\+ (\\d+)");
    static const std::regex run(" *copy runs of (\\d+) elements");
    static const std::regex other(
        "fill the destination| *transpose a matrix| *copy element by element");
    for (const absl::string_view view : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      std::string line(view);
      std::smatch m;
      Loop next;
      if (std::regex_match(line, m, guarded)) {
        next.dimension = std::stoll(m[2]);
        next.guard = {std::stoll(m[3]), std::stoll(m[4])};
        line = std::string(m[1]);
      }
      if (std::regex_match(line, m, begin)) {
        begin_ = {std::stoll(m[1]), std::stoll(m[2])};
      } else if (std::regex_match(line, m, loop)) {
        EXPECT_TRUE(!next.guard || next.dimension == std::stoll(m[1])) << line;
        next.dimension = std::stoll(m[1]);
        next.weight = m[2].matched ? std::stoll(m[2]) : 1;
        next.size = std::stoll(m[3]) + 1;
        next.source = std::stoll(m[4]);
        next.destination = std::stoll(m[5]);
        loops_.push_back(next);
      } else if (std::regex_match(line, m, run)) {
        next.size = std::stoll(m[1]);  // of a dimension only if it has a guard
        loops_.push_back(next);
      } else if (!std::regex_match(line, m, other)) {
        return false;
      }
    }
    return true;
  }

  void walk(size_t level, int64_t source, int64_t destination) {
    if (level == loops_.size()) {
      moves_.emplace_back(source, destination);
      return;
    }
    const Loop& loop = loops_[level];
    for (int64_t k = 0; k < loop.size; ++k) {
      int64_t none = 0;
      int64_t& index = loop.dimension < 0 ? none : index_[static_cast<size_t>(loop.dimension)];
      index += k * loop.weight;
      if (!loop.guard || (index >= loop.guard->first && index <= loop.guard->second)) {
        walk(level + 1, source + k * loop.source, destination + k * loop.destination);
      }
      index -= k * loop.weight;
    }
  }

  Index index_;
  std::pair<int64_t, int64_t> begin_;
  std::vector<Loop> loops_;
  Moves moves_;
};

// What the definitions of both layouts say.
Moves defined_moves(const std::string& from, const std::string& to, const RelayoutPlan& plan) {
  const auto source = *spec::layout_function(*parse_any_layout(from));
  const auto destination = *spec::layout_function(*parse_any_layout(to));
  Moves moves;
  if (std::count(source.dims.begin(), source.dims.end(), 0) > 0) return moves;
  Index index(source.dims.size(), 0);
  do {
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d)
      inside = inside && index[d] >= plan.bounds()[d].low && index[d] <= plan.bounds()[d].high;
    if (inside)
      moves.emplace_back(spec::offset_of(source, index), spec::offset_of(destination, index));
  } while (next_index(source.dims, index));
  std::sort(moves.begin(), moves.end());
  return moves;
}

// Whether the text of the plan has loops; expects that they do what the definitions say.
bool expect_printed(const std::string& from, const std::string& to,
                    const RelayoutOptions& options) {
  const auto source = relayout_side(*parse_any_layout(from));
  const auto destination = relayout_side(*parse_any_layout(to));
  const RelayoutPlan plan = *RelayoutPlan::create(*source, *destination, options);
  if (plan.moves() == 0) {
    EXPECT_EQ(plan.to_text(), "copy nothing\n");
    return false;
  }
  const std::optional<Moves> found = PlanReader::moves(plan.to_text(), source->dims().size());
  EXPECT_EQ(found.has_value(), plan.kernel() != Kernel::kElements) << plan.to_text();
  if (!found) return false;
  EXPECT_EQ(*found, defined_moves(from, to, plan)) << from << " " << to << "\n" << plan.to_text();
  EXPECT_EQ(std::ssize(*found), plan.moves()) << plan.to_text();
  return true;
}

TEST(RelayoutText, ThePrintedPlanOfEverySmallTilingIsTheCopy) {
  int64_t printed = 0;
  for (Index x(4, 0);;) {  // sizes and tiles
    for (const char* order : {"{1,0", "{0,1"}) {
      const std::string array = absl::StrCat("f32[", x[0] + 1, ",", x[1] + 1, "]");
      const std::string tiled = absl::StrCat(array, order, ":T(", x[2] + 1, ",", x[3] + 1, ")}");
      printed += expect_printed(tiled, array + "{1,0}", {}) ? 1 : 0;
      printed += expect_printed(array + "{1,0}", tiled, {}) ? 1 : 0;
    }
    if (!next_index({6, 6, 3, 3}, x)) break;
  }
  EXPECT_EQ(printed, 6 * 6 * 3 * 3 * 4);
}

TEST(RelayoutText, ThePrintedPlanOfRandomLayoutsIsTheCopy) {
  int printed = 0, tried = 0;
  for (uint64_t seed = 0; seed < 600 && !::testing::Test::HasFailure(); ++seed) {
    Choose choose(Choose::Random{seed});
    const Pair pair = random_pair(choose);
    const auto shape = parse_any_layout(pair.from);
    if (!shape.ok() || !parse_any_layout(pair.to).ok()) continue;
    const auto from = spec::tiled_layout(std::get<Shape>(*shape));
    if (!from.ok() || !spec::tiled_layout(*parse_shape(pair.to)).ok()) continue;
    ++tried;
    printed += expect_printed(pair.from, pair.to, random_options(choose, from->logical())) ? 1 : 0;
  }
  EXPECT_GT(tried, 400);
  EXPECT_GT(printed, 250);
}

TEST(RelayoutText, ThePlanIsPrinted) {
  const auto plan = [](const char* from, const char* to) {
    RelayoutOptions options;
    options.padding = Padding::kZero;
    return RelayoutPlan::create(*relayout_side(*parse_any_layout(from)),
                                *relayout_side(*parse_any_layout(to)), options)
        ->to_text();
  };
  EXPECT_EQ(plan("f32[16,256]{1,0}", "f32[16,256]{1,0:T(8,128)}"),
            "for d0 floordiv 8 in [0, 1]: source + 2048, destination + 2048\n"
            "  for d0 mod 8 in [0, 7]: source + 256, destination + 128\n"
            "    for d1 floordiv 128 in [0, 1]: source + 128, destination + 1024\n"
            "      copy runs of 128 elements\n");
  EXPECT_EQ(plan("f32[16,256]", "f32[16,256]"), "copy runs of 4096 elements\n");
  EXPECT_EQ(plan("f32[3,5]", "f32[3,5]{0,1}"),
            "transpose a matrix\n"
            "  d0 in [0, 2]: source + 5, destination + 1\n"
            "  d1 in [0, 4]: source + 1, destination + 3\n");
  EXPECT_THAT(plan("f32[3,5]", "f32[3,5]{1,0:T(2,2)}"), HasSubstr("fill the destination\n"));
  EXPECT_EQ(plan("f32[4,5]{1,0:T(2,2)}", "f32[4,5]{1,0}"),  // 20 moves, not 24
            "for d0 floordiv 2 in [0, 1]: source + 12, destination + 10\n"
            "  for d1 floordiv 2 in [0, 2]: source + 4, destination + 2\n"
            "    for d0 mod 2 in [0, 1]: source + 2, destination + 5\n"
            "      copy runs of 2 elements, where d1 in [0, 4]\n");
  EXPECT_THAT(plan("f32[7,9]", "f32[7,9]{1,0:T(3,4)(2,2)}"), HasSubstr("compute the offsets"));
  EXPECT_THAT(plan("f32[7,9]", "Sw<1,0,1> o 0 o (7,9):(9,1)"), HasSubstr("compute the offsets"));
  EXPECT_EQ(
      plan("f32[2,4]", "memref<2x4xf32, strided<[4, 1], offset: 5>>"),
      "fill the destination\nbegin at source + 0, destination + 5\ncopy runs of 8 elements\n");
}

}  // namespace
}  // namespace tileproof::impl
