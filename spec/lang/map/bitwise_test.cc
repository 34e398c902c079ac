// SPDX-License-Identifier: Apache-2.0
// What operations on bits mean. corpus/readers/maps.txt has how they are written, and errors.
#include "spec/lang/map/bitwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"

namespace tileproof {
namespace {

// The value of a map's only result, by the meaning of its operations.
int64_t value_at(const IndexingMap& map, const std::vector<int64_t>& point) {
  std::vector<int64_t> values;
  for (const Node& node : map.nodes) {
    values.push_back(node.op == Op::kConstant ? node.value
                     : is_leaf(node.op)
                         ? point[node.value]
                         : value_of(node.op, values[node.left], values[node.right]).value());
  }
  return values[map.results[0]];
}

// Whether `x OP y` is what C++ says for all x of [low, high] and all y of [low, high].
void expect_meaning(const std::string& text, int64_t low, int64_t high,
                    const std::function<int64_t(int64_t, int64_t)>& meaning) {
  const auto map = parse_map(absl::StrCat("(x, y) -> (", text, "), domain: x in [", low, ", ", high,
                                          "], y in [", low, ", ", high, "]"));
  ASSERT_TRUE(map.ok()) << text << ": " << map.status();
  EXPECT_EQ(*parse_map(to_text(*map)), *map);
  for (int64_t x = low; x <= high; ++x) {
    for (int64_t y = low; y <= high; ++y) {
      ASSERT_EQ(value_at(*map, {x, y}), meaning(x, y)) << text << " at " << x << ", " << y;
    }
  }
}

TEST(Bitwise, OperationsOnBitsAreThoseOfIntegers) {
  for (const int64_t high : {0, 1, 5, 8, 15}) {
    expect_meaning("x xor y", 0, high, std::bit_xor<>());
    expect_meaning("x ^ y", 0, high, std::bit_xor<>());
    expect_meaning("x & y", 0, high, std::bit_and<>());
    expect_meaning("x | y", 0, high, std::bit_or<>());
  }
  for (const int64_t number : {0, 1, 2, 6, 9, 15, 22}) {
    const std::string c = absl::StrCat(number);
    expect_meaning("x xor " + c, 0, 15, [=](int64_t x, int64_t) { return x ^ number; });
    expect_meaning(c + " & x", 0, 15, [=](int64_t x, int64_t) { return x & number; });
    expect_meaning("x | " + c, 0, 15, [=](int64_t x, int64_t) { return x | number; });
  }
}

TEST(Bitwise, MinimaAndMaximaAreThoseOfIntegers) {
  for (const auto& [low, high] :
       std::vector<std::pair<int64_t, int64_t>>{{-5, 6}, {0, 0}, {-3, -1}}) {
    expect_meaning("min(x, y)", low, high, [](int64_t x, int64_t y) { return std::min(x, y); });
    expect_meaning("max(x, y)", low, high, [](int64_t x, int64_t y) { return std::max(x, y); });
    expect_meaning("min(max(x, 0), 4)", low, high,
                   [](int64_t x, int64_t) { return std::clamp<int64_t>(x, 0, 4); });
  }
}

TEST(Bitwise, PrecedenceIsThatOfPython) {
  expect_meaning("x | y ^ x & y << 1", 0, 7,
                 [](int64_t x, int64_t y) { return x | (y ^ (x & (y << 1))); });
  expect_meaning("(x xor (x >> 2)) % 4 + y", 0, 15,
                 [](int64_t x, int64_t y) { return (x ^ (x >> 2)) % 4 + y; });
  expect_meaning("x - (y & 6) * 2", 0, 15, [](int64_t x, int64_t y) { return x - (y & 6) * 2; });
}

}  // namespace
}  // namespace tileproof
