#include "impl/map/proof_log/proof_log.h"

#include <gtest/gtest.h>

#include "spec/lang/map/map_text.h"

namespace tileproof::impl {
namespace {

TEST(Derivation, CountsTheBytesOfTheCombinationsThatItWrites) {
  Derivation derivation;
  derivation.dimensions = 2;
  Forms forms;
  forms.derivation = &derivation;
  add_variable(forms, {0, 9}, true);
  add_variable(forms, {0, 9}, true);
  const Linear sum = plus(forms, variable_form(forms, 0), variable_form(forms, 1), 3);
  const std::string text = text_of(forms, sum);
  EXPECT_EQ(text, "d0 + d1 * 3");
  EXPECT_EQ(derivation.told, std::ssize(text));
}

TEST(Derivation, HasNoTextOnceThereIsTooMuchToTell) {
  const IndexingMap map = *parse_map("(d0) -> (d0), domain: d0 in [0, 9]");
  Derivation derivation;
  begin_section(derivation, map);
  end_section(derivation, map, map);
  EXPECT_FALSE(derivation.text.empty());
  begin_section(derivation, map);
  derivation.told = Derivation::kMostTold + 1;
  end_section(derivation, map, map);
  EXPECT_EQ(derivation.text, "");
}

}  // namespace
}  // namespace tileproof::impl
