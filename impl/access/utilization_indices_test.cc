// SPDX-License-Identifier: Apache-2.0
// Counting windows at indices: random maps compared with all values of the indices.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/choose/choose.h"
#include "impl/access/utilization_count.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

using Element = std::pair<int32_t, std::vector<int64_t>>;  // the array, and its index there

// ---- Random maps ----

// Variables and their domain.
struct Variables {
  std::vector<std::string> names;
  std::string declared, domain;

  std::string any(Choose& choose) const { return choose.pick(names); }
};

Variables random_variables(Choose& choose, int64_t indices) {
  Variables all;
  std::vector<std::string> dimensions, ranges, runtime, bounds;
  for (int64_t d = choose.between(1, 3); d > 0; --d) {
    dimensions.push_back(absl::StrCat("d", dimensions.size()));
  }
  for (int64_t s = choose(2); s > 0; --s) ranges.push_back(absl::StrCat("s", ranges.size()));
  for (int64_t i = 0; i < indices; ++i) runtime.push_back(absl::StrCat("rt", i));
  all.names = dimensions;
  all.names.insert(all.names.end(), ranges.begin(), ranges.end());
  for (const std::string& name : all.names) {
    const int64_t low = choose.chance(1, 8) ? 1 : 0;
    const int64_t high = low + (choose.chance(1, 48) ? -1 : choose(3));
    bounds.push_back(absl::StrCat(name, " in [", low, ", ", high, "]"));
  }
  for (const std::string& name : runtime) bounds.push_back(absl::StrCat(name, " in [0, 9]"));
  all.declared = absl::StrCat("(", absl::StrJoin(dimensions, ", "), ")");
  if (!ranges.empty()) absl::StrAppend(&all.declared, "[", absl::StrJoin(ranges, ", "), "]");
  absl::StrAppend(&all.declared, "{", absl::StrJoin(runtime, ", "), "}");
  all.domain = absl::StrJoin(bounds, ", ");
  return all;
}

std::string random_position(Choose& choose, const Variables& variables) {
  switch (choose(7)) {
    case 0:
      return "0";
    case 1:
      return absl::StrCat(variables.any(choose), " * ", choose.between(2, 3));
    case 2:
      return absl::StrCat(variables.any(choose), " + ", variables.any(choose));
    case 3:
      return absl::StrCat(variables.any(choose), " * 2 + ", variables.any(choose));
    case 4:
      return absl::StrCat(variables.any(choose), " mod 2");
    default:
      return variables.any(choose);
  }
}

// The map, and the elements that its runtime variables read.
struct Case {
  impl::IndexedMap one;
  std::vector<int64_t> sizes;

  std::string text() const {
    std::string all = to_text(one.map);
    for (const impl::RuntimeSource& source : one.runtime) {
      absl::StrAppend(&all, "\n  of array ", source.position.instruction, ": ", to_text(source.map),
                      ", values in [", source.feasible.low, ", ", source.feasible.high, "]");
    }
    return absl::StrCat(all, "\n  sizes [", absl::StrJoin(sizes, ","), "]");
  }
};

// `index` starts as the index of the source before, which often differs in one number only, and
// becomes the index of this one.
impl::RuntimeSource random_source(Choose& choose, const Variables& variables, int64_t number,
                                  std::vector<std::string>& index) {
  if (number == 0 || choose.chance(1, 4)) {
    index.clear();
    for (int64_t rank = choose.between(1, 2); rank > 0; --rank) {
      index.push_back(choose.chance(1, 4) ? absl::StrCat(choose(2)) : variables.any(choose));
    }
  }
  if (choose.chance(1, 2)) index.back() = absl::StrCat(choose(2));
  if (choose.chance(1, 6)) index.front() = random_position(choose, variables);
  if (choose.chance(1, 16)) index.front() = absl::StrCat(variables.any(choose), " - 1");
  if (number > 0 && choose.chance(1, 16)) index.front() = "rt0";
  impl::RuntimeSource source;
  source.position.instruction = choose.chance(1, 8) ? 1 : 0;
  source.map = parse_map(absl::StrCat(variables.declared, " -> (", absl::StrJoin(index, ", "),
                                      "), domain: ", variables.domain))
                   .value();
  if (choose.chance(1, 8)) add_variable(source.map.nodes, Op::kRuntime, 0);  // unused
  source.feasible = {0, choose(4)};
  return source;
}

// The sizes cover all elements that any values of the indices reach.
Case random_case(Choose& choose) {
  const int64_t indices = choose.between(1, 2);
  const Variables variables = random_variables(choose, indices);
  std::vector<std::string> results;
  for (int64_t i = 0; i < indices; ++i) {
    results.push_back(absl::StrCat("rt", i));
    if (choose.chance(1, 2)) {
      absl::StrAppend(&results.back(), " + ", random_position(choose, variables));
    }
    if (choose.chance(1, 16)) results.back() = absl::StrCat("rt", i, " * 2");
    if (choose.chance(1, 16)) results.back() = "rt0 + 1";
    if (choose.chance(1, 24)) results.back() = absl::StrCat("rt", i, " floordiv 2");
  }
  for (int64_t more = choose(3); more > 0; --more) {
    results.push_back(random_position(choose, variables));
  }
  std::string domain = variables.domain;
  if (choose.chance(1, 4)) {
    absl::StrAppend(&domain, ", ", random_position(choose, variables), " in [0, ", choose(4), "]");
  }
  if (choose.chance(1, 16))
    absl::StrAppend(&domain, ", rt0 + ", variables.any(choose), " in [1, 3]");
  Case made;
  made.one.map = parse_map(absl::StrCat(variables.declared, " -> (", absl::StrJoin(results, ", "),
                                        "), domain: ", domain))
                     .value();
  std::vector<std::string> index;
  for (int64_t i = 0; i < indices; ++i) {
    made.one.runtime.push_back(random_source(choose, variables, i, index));
  }
  for (size_t i = 0; i < made.one.runtime.size(); ++i) {
    made.one.map.runtime[i].bounds = made.one.runtime[i].feasible;
  }
  made.sizes.assign(results.size(), 1);
  const absl::Status status = spec::for_each_point(
      made.one.map, 10'000, [&](const spec::Point&, const std::vector<int64_t>& at) {
        for (size_t i = 0; i < at.size(); ++i) {
          made.sizes[i] = std::max(made.sizes[i], at[i] + 1);
        }
        return true;
      });
  EXPECT_TRUE(status.ok()) << status << "\n" << made.text();
  return made;
}

// ---- The definition ----

// The number of elements of the array that are reached for these values of the indices.
int64_t reached(const Case& asked, const std::vector<spec::Point>& points,
                std::map<Element, int64_t>& values) {
  std::set<std::vector<int64_t>> found;
  for (spec::Point point : points) {
    for (size_t i = 0; i < asked.one.runtime.size(); ++i) {
      const impl::RuntimeSource& source = asked.one.runtime[i];
      spec::Point at = point;
      at.runtime.resize(source.map.runtime.size(), 0);
      const Element element{source.position.instruction, **spec::evaluate(source.map, at)};
      point.runtime.push_back(
          std::clamp(values[element], source.feasible.low, source.feasible.high));
    }
    const auto index = spec::evaluate(asked.one.map, point);
    if (index->has_value()) found.insert(**index);
  }
  return std::ssize(found);
}

// The smallest and the largest count over all values of the indices that are used. Nothing if there
// are many.
std::optional<impl::Count> by_definition(const Case& asked, int64_t most_combinations) {
  std::vector<spec::Point> points;
  IndexingMap box = asked.one.map;
  box.runtime.clear();
  const absl::Status status = spec::for_each_box_point(box, 1000, [&](const spec::Point& point) {
    points.push_back(point);
    return true;
  });
  EXPECT_TRUE(status.ok()) << status;
  int64_t largest = 0;
  for (const impl::RuntimeSource& source : asked.one.runtime) {
    largest = std::max(largest, source.feasible.high);
  }
  std::map<Element, int64_t> values;  // of the elements used so far; a new one begins with 0
  std::optional<impl::Count> whole;
  for (int64_t done = 0; done < most_combinations; ++done) {
    const int64_t now = reached(asked, points, values);
    if (!whole) whole = impl::Count{now, now};
    whole = impl::Count{std::min(whole->least, now), std::max(whole->most, now)};
    auto next = values.begin();
    for (; next != values.end(); ++next) {
      if (++next->second <= largest) break;
      next->second = 0;
    }
    if (next == values.end()) return whole;
  }
  return std::nullopt;
}

// Rows at indices: elements of more than 63 bits, in one table or in slices.
TEST(UtilizationIndicesTest, DoesNotCountMoreThan63Bits) {
  const auto counted = [](int64_t rows, int64_t columns, int64_t slices) {
    const std::string domain = absl::StrCat("domain: d0 in [0, ", rows - 1, "], d1 in [0, ",
                                            columns - 1, "], d2 in [0, ", slices - 1, "]");
    const std::string slice = slices == 1 ? "0" : "d2";
    const std::string map = absl::StrCat("(d0, d1, d2){rt0} -> (", slice, ", rt0, d1), ", domain,
                                         ", rt0 in [0, ", rows - 1, "]");
    const impl::IndexedMap one{
        *parse_map(map), {{{}, *parse_map("(d0, d1, d2) -> (d0, d2), " + domain), {0, rows - 1}}}};
    const auto count = impl::count_with_indices(one, {slices, rows, columns});
    return count.ok() ? absl::StrCat(count->least, " to ", count->most)
                      : std::string(count.status().message());
  };
  const int64_t k = 1024;
  EXPECT_EQ(counted(9, 4, 1), "4 to 36");
  EXPECT_EQ(counted(9, 4, 5), "20 to 180");
  EXPECT_EQ(counted(k * k * k, k * k * k, 1), "1073741824 to 1152921504606846976");
  EXPECT_EQ(counted(k * k * k * k, k * k * k, 1), "more than 63 bits");
  EXPECT_EQ(counted(k * k, k * k, k * k), "1099511627776 to 1152921504606846976");
  EXPECT_EQ(counted(k * k, k * k, k * k * k), "several indices may move what is read to one place");
}

// The node of a runtime variable stays in the table if a map consists of parts of another.
TEST(UtilizationIndicesTest, IgnoresVariablesThatNoIndexUses) {
  const std::string domain = ", domain: d0 in [0, 3], d1 in [0, 7]";
  impl::RuntimeSource source{{}, *parse_map("(d0, d1) -> (d0)" + domain), {0, 8}};
  add_variable(source.map.nodes, Op::kRuntime, 0);
  const impl::IndexedMap one{*parse_map("(d0, d1){rt0} -> (rt0, d1)" + domain + ", rt0 in [0, 8]"),
                             {source}};
  const absl::StatusOr<impl::Count> count = impl::count_with_indices(one, {9, 8});
  ASSERT_TRUE(count.ok()) << count.status();
  EXPECT_EQ(std::pair(count->least, count->most), std::pair(int64_t{8}, int64_t{32}));
}

TEST(UtilizationIndicesTest, RandomMapsMatchTheirDefinition) {
  int64_t compared = 0, vary = 0, uncounted = 0;
  for (uint64_t seed = 0; seed < 20'000; ++seed) {
    Choose choose(Choose::Random{seed});
    const Case asked = random_case(choose);
    const absl::StatusOr<impl::Count> found = impl::count_with_indices(asked.one, asked.sizes);
    if (!found.ok()) {
      EXPECT_TRUE(absl::IsResourceExhausted(found.status())) << found.status() << asked.text();
      ++uncounted;
      continue;
    }
    const std::optional<impl::Count> expected = by_definition(asked, 300);
    if (!expected) continue;
    ++compared;
    vary += expected->least < expected->most;
    ASSERT_EQ(std::pair(found->least, found->most), std::pair(expected->least, expected->most))
        << "seed " << seed << "\n"
        << asked.text();
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(vary, 500);
  EXPECT_GT(uncounted, 1000);
}

}  // namespace
}  // namespace tileproof::verify
