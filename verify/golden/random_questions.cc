// SPDX-License-Identifier: Apache-2.0
#include "verify/golden/random_questions.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/mutate_hlo.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/mutate_map.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/access_compare.h"
#include "verify/compare/algebra_laws.h"
#include "verify/golden/golden.h"

namespace tileproof::verify {
namespace {

// ---- Random questions ----

std::string about_places(Choose& choose, absl::string_view) {
  return absl::StrCat(to_text(random_shape(choose, 1 << 10)), "\n");
}

// Uses the map of an operation's result or operand.
std::string about_transactions(Choose& choose, absl::string_view) {
  const GeneratedHlo hlo = generate_operation(choose, {.elements = 100});
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo.text);
  if (!module.ok()) return "";
  const auto accesses =
      choose_accesses(*module, module->entry, module->computations[module->entry].root, choose);
  if (accesses.empty()) return "";
  const auto& [threads, access, array, warps] = choose.pick(accesses);
  return absl::StrCat(warps.warp, " ", warps.width, " ", to_text(array), "\nthreads ",
                      to_text(threads), "\naccess ", to_text(access), "\n");
}

// Copies an array, or a box of it, to a layout of another order, often with other tiles.
std::string about_copy(Choose& choose, absl::string_view) {
  const Shape from = random_shape(choose, 1 << 10), like = random_shape(choose, 1 << 10);
  Shape to = from;
  to.layout = layout_of(from);
  to.layout->minor_to_major = permutation(choose, from.rank());
  if (choose.chance(1, 2)) to.layout->tiles = layout_of(like).tiles;
  std::string question = absl::StrCat(to_text(from), "\nto ", to_text(to), "\n");
  if (from.dimensions.empty() || choose.chance(1, 2)) return question;
  std::vector<int64_t> begin, sizes;
  for (const Dimension& dimension : from.dimensions) {
    begin.push_back(choose(dimension.size + 1));
    sizes.push_back(choose(dimension.size - begin.back() + 1));
  }
  return absl::StrCat(question, "box [", absl::StrJoin(begin, ","), "] [",
                      absl::StrJoin(sizes, ","), "]\n");
}

// ---- Changes ----

std::string changed_maps(Choose& choose, absl::string_view text) {
  std::vector<std::string> maps = absl::StrSplit(absl::StripSuffix(text, "\n"), "\nthen ");
  std::string& one = maps[static_cast<size_t>(choose(std::ssize(maps)))];
  absl::StatusOr<IndexingMap> map = parse_map(one);
  if (!map.ok()) return std::string(text);
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) mutate_map(choose, *map);
  one = to_text(*map);
  return absl::StrCat(absl::StrJoin(maps, "\nthen "), "\n");
}

std::string changed_module(Choose& choose, absl::string_view text) {
  std::string hlo(text);
  for (int64_t changes = choose.between(1, 2); changes > 0; --changes) {
    const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
    if (!module.ok()) break;
    std::string other = mutate_hlo(choose, *module);
    if (parse_hlo_module(other).ok()) hlo = std::move(other);
  }
  return hlo;
}

std::string changed_algebra(Choose& choose, absl::string_view text) {
  absl::StatusOr<AlgebraCase> operands = parse_algebra_case(absl::StripSuffix(text, "\n"));
  if (!operands.ok()) return std::string(text);
  for (int64_t changes = choose.between(1, 3); changes > 0; --changes) {
    NestedLayout* layouts[] = {&operands->a, &operands->b, &operands->c};
    mutate_nested_layout(choose, *layouts[choose(3)]);
    if (choose.chance(1, 3)) operands->m = choose.between(1, 60);
  }
  return absl::StrCat(to_text(*operands), "\n");
}

// A kind of question has a first word, and makes another text to follow it.
struct Kind {
  absl::string_view word;
  std::string (*changed)(Choose& choose, absl::string_view text);
};
constexpr Kind kKinds[] = {
    {"simplify ", changed_maps},           {"trace ", changed_maps},  {"compose ", changed_maps},
    {"index\n", changed_module},           {"places ", about_places}, {"algebra ", changed_algebra},
    {"transactions ", about_transactions}, {"relayout ", about_copy}};

}  // namespace

std::string changed(Choose& choose, absl::string_view question) {
  for (const Kind& kind : kKinds) {
    absl::string_view text = question;
    if (absl::ConsumePrefix(&text, kind.word))
      return absl::StrCat(kind.word, kind.changed(choose, text));
  }
  return std::string(question);
}

std::string any_question(Choose& choose) {
  const absl::string_view file = kGoldenFiles[choose(std::ssize(kGoldenFiles))];
  return changed(choose, choose.pick(golden_answers(file)).question);
}

}  // namespace tileproof::verify
