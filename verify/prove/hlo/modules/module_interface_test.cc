// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/module_interface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "impl/hlo/indexing_testing.h"

namespace tileproof::verify {
namespace {

using impl::module_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<LayoutDifference> differences(const std::string& left, const std::string& right) {
  auto found = layout_differences(module_of(left), module_of(right));
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or(std::vector<LayoutDifference>());
}

// A copy of an array whose parameter and result have these layouts.
std::string copy(const std::string& parameter, const std::string& result) {
  return absl::StrCat("ENTRY e { a = f32[4,6]", parameter, " parameter(0) ROOT c = f32[4,6]",
                      result, " copy(a) }");
}

TEST(Layouts, AnArrayWithoutALayoutIsRowMajor) {
  EXPECT_THAT(differences(copy("", ""), copy("{1,0}", "{1,0}")), IsEmpty());
}

TEST(Layouts, AResultInAnotherOrderIsADifference) {
  EXPECT_THAT(differences(copy("{1,0}", "{0,1}"), copy("{1,0}", "{1,0}")),
              ElementsAre(LayoutDifference{true, 0, 0, "{0,1}", "{1,0}"}));
}

TEST(Layouts, AParameterInAnotherOrderIsADifference) {
  EXPECT_THAT(differences(copy("", ""), copy("{0,1}", "{1,0}")),
              ElementsAre(LayoutDifference{false, 0, 0, "{1,0}", "{0,1}"}));
}

TEST(Layouts, TilesAreADifference) {
  EXPECT_THAT(differences(copy("", ""), copy("{1,0:T(2,2)}", "")),
              ElementsAre(LayoutDifference{false, 0, 0, "{1,0}", "{1,0:T(2,2)}"}));
}

TEST(Layouts, TheHeaderComesBeforeTheInstructions) {
  const std::string header =
      "HloModule m, entry_computation_layout={(f32[4,6]{0,1})->f32[4,6]{1,0}}\n";
  EXPECT_THAT(differences(header + copy("{1,0}", ""), copy("{0,1}", "")), IsEmpty());
}

TEST(Layouts, AHeaderOfAnotherProgramSaysNothing) {
  const std::string header =
      "HloModule m, entry_computation_layout={(f32[6,4]{0,1})->f32[4,6]{1,0}}\n";
  EXPECT_THAT(differences(header + copy("", ""), copy("", "")), IsEmpty());
}

TEST(Layouts, EachPartOfATupleHasItsOwn) {
  const std::string right =
      "ENTRY e { a = f32[4,6] parameter(0) b = f32[4,6]{0,1} copy(a)"
      " ROOT t = (f32[4,6], f32[4,6]{0,1}) tuple(a, b) }";
  const std::string left =
      "ENTRY e { a = f32[4,6] parameter(0) b = f32[4,6] copy(a)"
      " ROOT t = (f32[4,6], f32[4,6]) tuple(a, b) }";
  EXPECT_THAT(differences(left, right),
              ElementsAre(LayoutDifference{true, 0, 1, "{1,0}", "{0,1}"}));
}

TEST(Layouts, AreAPromiseOfACompiledModule) {
  EXPECT_TRUE(promises_layouts(module_of("HloModule m, is_scheduled=true\n" + copy("", ""))));
  EXPECT_FALSE(promises_layouts(module_of("HloModule m, is_scheduled=false\n" + copy("", ""))));
  EXPECT_FALSE(promises_layouts(module_of(copy("", ""))));
}

}  // namespace
}  // namespace tileproof::verify
