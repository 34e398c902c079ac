// SPDX-License-Identifier: Apache-2.0
// Forms that no layout has. That the forms of layouts are right is tested against the definition
// (verify/compare/layout_compare_test.cc).
#include "impl/layout/closed_form.h"

#include <random>
#include <vector>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace tileproof::impl {
namespace {

// Repeated values, weights that wrap, several outputs and checks. `expected` has every value.
TEST(ClosedForm, ExecutesWhatTheSumsSay) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    ClosedForm form;
    form.inputs = 1 + static_cast<int32_t>(random() % 4);
    std::vector<int64_t> expected;
    std::vector<ValueId> readable;  // values of less than 2^63
    const auto append_value = [&](uint64_t value) {
      if (value >> 63 == 0) readable.push_back(static_cast<ValueId>(expected.size()));
      expected.push_back(static_cast<int64_t>(value));
    };
    for (int32_t i = 0; i < form.inputs; ++i) append_value(random() >> (1 + random() % 63));
    const std::vector<int64_t> inputs = expected;
    bool holds = true;
    for (int i = 0; i < 4; ++i) {
      Sum& sum = form.sums.emplace_back();
      uint64_t total = 0;
      for (uint64_t terms = random() % 6; terms > 0; --terms) {
        const ValueId value = readable[random() % readable.size()];
        const auto weight = static_cast<int64_t>(random() >> (random() % 64));
        const int64_t by = random() % 2 == 0 ? int64_t{1} << (random() % 62)
                                             : 1 + static_cast<int64_t>(random() % 1000);
        sum.terms.push_back({value, weight, Divisor(by)});
        total += static_cast<uint64_t>(weight) * static_cast<uint64_t>(expected[value] / by);
      }
      append_value(total);
      if (random() % 4 != 0) continue;
      const auto bound = static_cast<int64_t>(random() >> 1);
      form.checks.push_back({static_cast<ValueId>(expected.size() - 1), bound});
      holds = holds && total < static_cast<uint64_t>(bound);
    }
    for (size_t i = 0; i < expected.size(); ++i) form.outputs.push_back(static_cast<ValueId>(i));
    std::vector<int64_t> found(expected.size());
    ASSERT_EQ(evaluate(form, inputs, absl::MakeSpan(found)), holds);
    if (!holds) continue;
    ASSERT_EQ(found, expected) << absl::StrJoin(inputs, ",");
  }
}

TEST(ClosedForm, AnEarlierValueIsNotAppended) {
  ClosedForm form;
  form.inputs = 2;
  EXPECT_EQ(append(form, Sum{{{1, 1}}}), 1);
  const Sum sum = {{{0, 1}, {1, 3, Divisor(2)}}};
  EXPECT_EQ(append(form, sum), 2);
  EXPECT_EQ(append(form, Sum{{{0, 1, Divisor(4)}}}), 3);
  EXPECT_EQ(append(form, sum), 2);
  EXPECT_EQ(form.sums.size(), 2);
}

}  // namespace
}  // namespace tileproof::impl
