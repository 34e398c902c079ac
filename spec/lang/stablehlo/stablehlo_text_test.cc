// SPDX-License-Identifier: Apache-2.0
// Limits, and what is kept. corpus/readers has the texts with what they are in HLO.
#include "spec/lang/stablehlo/stablehlo_text.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::stablehlo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// All HLO text of a module, or the error.
std::string hlo_of(const std::string& text) {
  const absl::StatusOr<std::vector<HloModule>> modules = parse_modules(text);
  return modules.ok() ? to_text((*modules)[0]) : std::string(modules.status().message());
}

// A limit of nesting does not count operations beside each other.
TEST(StableHlo, AFunctionMayHaveManyOperations) {
  std::string text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 1500; ++i)
    absl::StrAppend(&text, "%", i, " = stablehlo.negate %a : tensor<4xf32>\n");
  absl::StrAppend(&text, "return %1499 : tensor<4xf32>\n}\n");
  EXPECT_THAT(hlo_of(text), HasSubstr("ROOT %v1499 = f32[4] negate(%a)"));
}

std::string nested(const std::string& open, const std::string& inside, const std::string& close,
                   int count) {
  std::string text = inside;
  for (int i = 0; i < count; ++i) text = absl::StrCat(open, text, close);
  return text;
}

TEST(StableHlo, NestingHasALimit) {
  const auto tuple = [](int count) {
    return hlo_of(absl::StrCat("func.func @main(%a: ", nested("tuple<", "tensor<f32>", ">", count),
                               ") -> tensor<f32> {\n%0 = stablehlo.constant dense<1.0> : "
                               "tensor<f32>\nreturn %0 : tensor<f32>\n}\n"));
  };
  EXPECT_THAT(tuple(20), Not(HasSubstr("expected")));
  EXPECT_THAT(tuple(1001), HasSubstr("types nested at most 1000"));
  const auto braces = [](int count) {
    return hlo_of(absl::StrCat("module @m attributes ", nested("{a = ", "1", "}", count),
                               " {\nfunc.func @main(%a: tensor<f32>) -> tensor<f32> {\nreturn %a "
                               ": tensor<f32>\n}\n}\n"));
  };
  EXPECT_THAT(braces(1000), Not(HasSubstr("expected")));
  EXPECT_THAT(braces(1002), HasSubstr("brackets nested at most 1000"));
}

TEST(StableHlo, KeepsWhatItDoesNotKnow) {
  const std::string text = R"(func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = foo.bar %a : tensor<4xf32>
  %1 = foo.baz %0, %a : tensor<4xf32>
  return %1 : tensor<4xf32>
})";
  const auto kept = parse_modules(text, UnknownHlo::kKeep);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_THAT(to_text((*kept)[0]), HasSubstr("foo.bar(%a)"));
  std::vector<absl::Status> unread;
  const auto rest = parse_modules_but(text, UnknownHlo::kRefuse, unread);
  ASSERT_TRUE(rest.ok()) << rest.status();
  ASSERT_EQ(unread.size(), 2);
  EXPECT_THAT(std::string(unread[1].message()), HasSubstr("line 3, column 8: operation 'foo.baz"));
  EXPECT_THAT(to_text((*rest)[0]), Not(HasSubstr("foo.bar")));
}

}  // namespace
}  // namespace tileproof::stablehlo
