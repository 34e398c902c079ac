// SPDX-License-Identifier: Apache-2.0
// Checks of access analyses, nested layouts and their algebra, and golden answers.
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/paths.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_nested.h"
#include "spec/lang/hlo/hlo_text.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/coalescing_compare.h"
#include "verify/compare/image_compare.h"
#include "verify/compare/nested_compare.h"
#include "verify/compare/tile_compare.h"
#include "verify/compare/utilization_compare.h"
#include "verify/golden/golden.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

Choose choose_by(int64_t number) { return Choose(Choose::Random{static_cast<uint64_t>(number)}); }

// Applies `compare` to the root of an operation or a computation; returns the difference.
template <class Compare>
std::string of_root(int64_t number, const Compare& compare) {
  Choose choose = choose_by(number);
  const HloLimits limits{.elements = 100};
  const GeneratedHlo hlo =
      number % 2 == 0 ? generate_operation(choose, limits) : generate_computation(choose, limits);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) return std::string(module.status().message());
  const std::string wrong =
      compare(*module, module->computations[module->entry].root, choose, hlo.seed);
  return wrong.empty() ? "" : absl::StrCat(wrong, "; ", hlo.text);
}

std::string check_utilization(int64_t number) {
  const auto compare = [](const HloModule& module, int32_t root, Choose&, uint64_t seed) {
    for (const spec::Scope scope : {spec::Scope::kInstruction, spec::Scope::kComputation}) {
      const auto found = verify::compare_utilization(module, module.entry, root, scope, seed);
      if (!found.difference.empty()) return found.difference;
    }
    return std::string();
  };
  return of_root(number, compare);
}

std::string check_tiles(int64_t number) {
  return of_root(number, [](const HloModule& module, int32_t root, Choose& choose, uint64_t) {
    return verify::compare_tiles(module, module.entry, root, choose).difference;
  });
}

std::string check_coalescing(int64_t number) {
  return of_root(number, [](const HloModule& module, int32_t root, Choose& choose, uint64_t) {
    return verify::compare_coalescing(module, module.entry, root, choose).difference;
  });
}

std::string check_images(int64_t number) {
  Choose choose = choose_by(number);
  return verify::compare_images(choose).difference;
}

std::string check_nested(int64_t number) {
  Choose choose = choose_by(number);
  const NestedLayout layout = random_nested_layout(choose, int64_t{1} << choose(12));
  const auto compared = verify::compare_nested(layout, 64, 8, choose);
  if (!compared.ok()) return std::string(compared.status().message());
  std::vector<int64_t> tile;
  for (int64_t k = 0; k < rank(layout.shape); ++k) tile.push_back(choose(100));
  return std::string(verify::compare_tile(layout, tile).message());
}

std::string check_tags(int64_t number) {
  Choose choose = choose_by(number);
  const Tag tag = tags()[static_cast<size_t>(choose(std::ssize(tags())))].tag;
  const int64_t bits = int64_t{1} << choose(10);
  const int64_t most = int64_t{1} << choose.pick<int64_t>({4, 8, 62});
  return std::string(verify::compare_make(tag, bits, choose(most), choose(most)).message());
}

std::string check_algebra(int64_t number) {
  Choose choose = choose_by(number);
  const verify::AlgebraCase operands = verify::random_algebra_case(choose);
  for (const verify::Law& law : verify::algebra_laws()) {
    const auto outcome = law.check(operands);
    if (!outcome.ok()) return absl::StrCat(law.name, ": ", outcome.status().message());
  }
  return "";
}

const std::vector<verify::GoldenAnswer>& questions_of(absl::string_view file) {
  static std::map<std::string, std::vector<verify::GoldenAnswer>, std::less<>> files;
  const auto [found, is_new] = files.try_emplace(std::string(file));
  if (is_new) {
    auto read = verify::read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    found->second = std::move(read).value_or(std::vector<verify::GoldenAnswer>{});
    std::erase_if(found->second, verify::is_comment);
  }
  return found->second;
}

}  // namespace

std::vector<Check> access_checks() {
  return {{"utilization", always(1000), true, check_utilization},
          {"tiles", always(1000), true, check_tiles},
          {"coalescing", always(1000), true, check_coalescing},
          {"images", always(4000), true, check_images},
          {"nested", always(3000), true, check_nested},
          {"tags", always(2000), true, check_tags},
          {"algebra", always(2000), true, check_algebra}};
}

Check changed_check() {
  const auto entries = []() -> const auto& { return questions_of("families.txt"); };
  return {"changed", [=] { return 3 * std::ssize(entries()); }, true,
          [=](int64_t i) {
            Choose choose = choose_by(i);
            const auto position = static_cast<size_t>(i % std::ssize(entries()));
            return verify::difference_from_reference(
                verify::changed(choose, entries()[position].question));
          }};
}

Check golden_check(absl::string_view file) {
  return {absl::StrCat("recorded-", file.substr(0, file.find('.'))),
          [file] { return std::ssize(questions_of(file)); }, false,
          [file](int64_t i) {
            const verify::GoldenAnswer& entry = questions_of(file)[static_cast<size_t>(i)];
            return verify::answer_to(entry.question) == entry.answer ? "" : entry.question;
          }};
}

}  // namespace tileproof::mutants
