// SPDX-License-Identifier: Apache-2.0
// Random terms: those of one form have the same value at every point, with the laws of each level.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "generate/choose/choose.h"
#include "spec/hlo/integer_arithmetic.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/cases_testing.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/prove/values/forms.h"
#include "verify/prove/values/point.h"

namespace tileproof::verify {
namespace {

// The body of an entry, one instruction after another, each a scalar.
class Body {
 public:
  explicit Body(Choose& choose) : choose_(choose) {}

  std::string module() {
    for (const char* type : {"s8", "u8", "s16", "f32", "f32", "pred", "s64"}) {
      add(type, absl::StrCat("parameter(", lines_, ")"));
    }
    while (lines_ < 60) add_operation();
    std::string types, names;
    for (int k = 0; k < lines_; ++k) {
      absl::StrAppend(&types, k > 0 ? ", " : "", type_of_[k], "[]");
      absl::StrAppend(&names, k > 0 ? ", " : "", "x", k);
    }
    return absl::StrCat("ENTRY e {\n", text_, "ROOT r = (", types, ") tuple(", names, ")\n}\n");
  }

 private:
  std::string one_of(const std::vector<std::string>& all) {
    return all[choose_(static_cast<int64_t>(all.size()))];
  }

  void add(const std::string& type, const std::string& what) {
    absl::StrAppend(&text_, "x", lines_, " = ", type, "[] ", what, "\n");
    of_type_[type].push_back(lines_++);
    type_of_.push_back(type);
  }

  // Half of them are among the last ones, so that terms become deep.
  std::string operand(const std::string& type) {
    const std::vector<int>& all = of_type_[type];
    const auto count = static_cast<int64_t>(all.size());
    const int64_t last = std::min<int64_t>(count, 4);
    const int64_t at = choose_(2) == 0 ? choose_(count) : count - 1 - choose_(last);
    return absl::StrCat("x", all[at]);
  }

  void add_constant(const std::string& type) {
    const bool is_unsigned = type[0] == 'u';
    const std::string number =
        type == "f32" ? one_of({"0", "1", "2", "-1", "0.5"})
                      : one_of({"0", "1", "2", "3", "7", "100", "127", is_unsigned ? "255" : "-1",
                                is_unsigned ? "128" : "-128"});
    add(type, absl::StrCat("constant(", number, ")"));
  }

  void add_operation() {
    const std::string type = one_of({"s8", "u8", "s16", "u16", "s32", "s64", "f32"});
    if (of_type_[type].empty() || choose_(8) == 0) return add_first(type);
    const auto of = [&](const std::string& f, int count) {
      std::string operands = operand(type);
      while (--count > 0) absl::StrAppend(&operands, ", ", operand(type));
      return absl::StrCat(f, "(", operands, ")");
    };
    switch (choose_(8)) {
      case 0:
        return add_constant(type);
      case 1:
        return add(type, absl::StrCat("select(", operand("pred"), ", ", operand(type), ", ",
                                      operand(type), ")"));
      case 2:
        return add("pred", absl::StrCat(of("compare", 2), ", direction=",
                                        one_of({"LT", "LE", "EQ", "NE", "GT", "GE"})));
      case 3:
        return add("pred", absl::StrCat(one_of({"and", "or", "xor"}), "(", operand("pred"), ", ",
                                        operand("pred"), ")"));
      case 4:
        return add(type, of(one_of({"negate", "abs"}), 1));
      case 5:
        if (type == "f32") return add(type, of("divide", 2));
        return add(type, of(one_of({"and", "or", "xor", "divide", "remainder"}), 2));
      case 6:
        return add(type, of("clamp", 3));
      default:
        return add(type, of(one_of({"add", "subtract", "multiply", "minimum", "maximum"}), 2));
    }
  }

  // Of a type that there is nothing of.
  void add_first(const std::string& type) {
    const std::string from = one_of({"s8", "u8", "s16", "s64", "f32", "pred"});
    const bool is_float = from == "f32" && type != "f32";
    if (is_float) return add_constant(type);
    add(type, absl::StrCat("convert(", operand(from), ")"));
  }

  Choose& choose_;
  std::string text_;
  int lines_ = 0;
  std::vector<std::string> type_of_;
  std::map<std::string, std::vector<int>> of_type_;
};

bool differ(const PointValue& a, const PointValue& b) {
  if (!a.is_known || !b.is_known) return false;
  return are_apart(a, b) && !is_overflow(a, b);
}

// Two terms of one form that a point tells apart; or an empty text.
std::string told_apart(const HloModule& module, const Laws& laws, int64_t& pairs) {
  spec::Terms terms;
  Forms forms(terms, laws, 1'000'000);
  std::map<std::pair<FormId, ElementType>, std::vector<spec::TermId>> of_form;
  const HloComputation& entry = module.computations[module.entry];
  const std::vector<HloOperand>& results = entry.instructions[entry.root].operands;
  for (int64_t leaf = 0; leaf < std::ssize(results); ++leaf) {
    const auto found = spec::terms_of(module, module.entry, entry.root, leaf, terms);
    if (!found.ok()) return std::string(found.status().message());
    const spec::TermId term = found->terms[0];
    const ElementType type = entry.instructions[results[leaf].instruction].shape->element_type;
    std::vector<spec::TermId>& all = of_form[{forms.of(term), type}];  // bits of both signs are one
    if (std::ranges::count(all, term) == 0) all.push_back(term);
  }
  if (forms.is_exhausted()) return "";
  for (const auto& [form, all] : of_form) pairs += std::ssize(all) - 1;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Point point(terms, {seed});
    for (const auto& [form, all] : of_form) {
      for (const spec::TermId one : all) {
        if (!differ(point.of(all[0]), point.of(one))) continue;
        return absl::StrCat("point ", seed, " of ", info(form.second).name, ": ",
                            text_of(point.of(all[0])), " and ", text_of(point.of(one)),
                            " of the form ", forms.text(form.first));
      }
    }
  }
  return "";
}

TEST(RandomForms, TermsOfOneFormHaveOneValue) {
  const Laws levels[] = {{}, {ValueLaw::kReductionOrder}, {std::begin(kLaws), std::end(kLaws)}};
  int64_t pairs = 0, modules = 0;
  for (uint64_t seed = 0; seed < cases<uint64_t>(6000); ++seed) {
    Choose choose(Choose::Random{seed});
    const std::string text = Body(choose).module();
    const absl::StatusOr<HloModule> module = parse_hlo_module(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    for (const Laws& laws : levels) {
      const std::string found = told_apart(*module, laws, pairs);
      EXPECT_EQ(found, "") << laws.size() << " laws, seed " << seed << "\n" << text;
      if (!found.empty()) return;
    }
    ++modules;
  }
  EXPECT_GT(pairs, 10 * modules);
}

}  // namespace
}  // namespace tileproof::verify
