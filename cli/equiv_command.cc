// SPDX-License-Identifier: Apache-2.0
// tileproof equiv: are two layouts of one logical shape the same function, or two maps equal? Do
// two modules compute the same values?
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_bitcast.h"
#include "cli/equiv_map.h"
#include "cli/equiv_modules.h"
#include "cli/equiv_passes.h"
#include "cli/equiv_threads.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/layout/ttg_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/layout/least_difference.h"
#include "verify/prove/map/divided_equal.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_smtlib.h"

namespace tileproof::cli {
namespace {

using spec::LayoutFunction;
using verify::Verdict;

// Writes the whole question as `whole.smt2`, as a proof may need no other: by rearranging, say.
absl::Status write_whole(const IndexingMap& left, const IndexingMap& right, Verdict verdict,
                         const std::string& directory) {
  if (directory.empty()) return absl::OkStatus();
  const bool proven = verdict == Verdict::kProven, refuted = verdict == Verdict::kRefuted;
  std::ofstream file(directory + "/whole.smt2");
  file << "; the whole question: is there a point where LEFT and RIGHT differ?\n(set-info :status "
       << (proven    ? "unsat"
           : refuted ? "sat"
                     : "unknown")
       << ")\n"
       << verify::whole_question(left, right) << "(check-sat)\n";
  if (file.flush()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write into ", directory));
}

// ---- Maps ----

Json to_json(const verify::MapEquality& equality) {
  Json json = json_object(
      {{"equal", equal_json(equality.verdict)}, {"by", verify::to_text(equality.basis)}});
  if (equality.difference) {
    set(json, "at", point_json(equality.difference->at));
    set(json, "left", results_json(equality.difference->left));
    set(json, "right", results_json(equality.difference->right));
  }
  return json;
}

verify::EqualOptions limits_of(const Command& given) {
  verify::EqualOptions limits;
  limits.milliseconds = milliseconds_of(given);
  limits.smtlib_directory = given.text("--smtlib");
  if (!limits.smtlib_directory
           .empty()) {  // the answer must rest on the questions that are written out
    limits.normal_forms = false;
    limits.enumerated = 0;
  }
  return limits;
}

// What the proof rests on.
std::string words_of(const verify::MapEquality& equality) {
  if (equality.basis != verify::Basis::kEnumerated) return verify::explain(equality.basis);
  if (equality.points == 0) return "no points: both domains are empty";
  return absl::StrCat("all ", equality.points, " points compared");
}

std::string text_of(const verify::MapEquality& equality, const IndexingMap& left) {
  switch (equality.verdict) {
    case Verdict::kProven:
      return absl::StrCat("equal: the same results on the same domain (", words_of(equality),
                          ")\n");
    case Verdict::kRefuted:
      return absl::StrCat("different at ", verify::to_text(left, *equality.difference),
                          "\n  (the results of LEFT and of RIGHT there; \"outside\": not in its "
                          "domain)\n");
    default:
      return absl::StrCat("undecided: ", equality.open, "\n");
  }
}

// A layout that is compared with a map is the map from an index to its offset.
absl::StatusOr<Answer> compare_maps(const std::string (&texts)[2], const Command& given) {
  auto sides = TRY(both_sides(texts, parse_any_divided_map));
  share_symbols(sides[0], sides[1]);
  const IndexingMap &left = sides[0].map, &right = sides[1].map;
  if (!given.text("--smtlib").empty() &&
      (has_variable_divisors(left) || has_variable_divisors(right))) {
    return about("--smtlib",
                 invalid("expected maps in which only constants divide: others are not one "
                         "question"));
  }
  const verify::MapEquality equality =
      TRY(verify::equal_with_variable_divisors(left, right, limits_of(given)));
  TRY(about("--smtlib", write_whole(left, right, equality.verdict, given.text("--smtlib"))));
  return Answer{{to_json(equality)}, text_of(equality, left), exit_status(equality.verdict)};
}

// ---- Layouts ----

constexpr int64_t kMostMillisecondsOfLeast = 2'000;

// An index where two layouts differ.
struct Difference {
  std::vector<int64_t> at;
  int64_t left, right;  // offsets
};

Difference least_of(const LayoutFunction& left, const LayoutFunction& right,
                    const std::vector<int64_t>& index, const Command& given) {
  const int64_t time = std::min<int64_t>(milliseconds_of(given), kMostMillisecondsOfLeast);
  const std::vector<int64_t> at = verify::least_difference(left, right, index, time);
  return {at, *spec::offset_at(left, at), *spec::offset_at(right, at)};
}

// Layouts of CuTe without a common shape are functions of one integer: (2,(1,6)):(1,(6,2)) and 12:1.
bool as_one_mode(LayoutFunction& left, LayoutFunction& right,
                 const std::array<AnyLayout, 2>& layouts) {
  LayoutFunction whole[2];
  for (int side = 0; side < 2; ++side) {
    const auto* nested = std::get_if<NestedLayout>(&layouts[side]);
    if (nested == nullptr) return false;
    absl::StatusOr<LayoutFunction> one = spec::layout_function(concatenated({*nested}));
    if (!one.ok()) return false;
    whole[side] = *std::move(one);
  }
  if (whole[0].dims != whole[1].dims) return false;
  left = std::move(whole[0]);
  right = std::move(whole[1]);
  return true;
}

absl::StatusOr<Answer> compare_layouts(const std::string (&texts)[2], const Command& given) {
  const auto layouts = TRY(both_sides(texts, parse_any_layout));
  LayoutFunction left = TRY(about("LEFT", spec::layout_function(layouts[0]), texts[0]));
  LayoutFunction right = TRY(about("RIGHT", spec::layout_function(layouts[1]), texts[1]));
  const absl::Status shape = spec::share_shape(left, right);
  if (!shape.ok() && !as_one_mode(left, right, layouts)) return shape;
  verify::ProofSession session;
  session.milliseconds_per_question = milliseconds_of(given);
  session.smtlib_directory = given.text("--smtlib");
  verify::LayoutProof proof = verify::prove_equal(left, right, session);
  if (proof.verdict != Verdict::kRefuted && left.element_bits && right.element_bits &&
      left.element_bits != right.element_bits) {
    proof = {Verdict::kRefuted,
             absl::StrCat("the elements have ", *left.element_bits, " and ", *right.element_bits,
                          " bits"),
             ""};
  }
  TRY(about("--smtlib", write_whole(verify::offset_map(left), verify::offset_map(right),
                                    proof.verdict, given.text("--smtlib"))));
  const std::vector<std::string> noted = spec::notes(left, right);
  Json json = json_object({{"equal", equal_json(proof.verdict)}, {"notes", json_array(noted)}});
  std::string text = absl::StrCat("undecided: ", proof.open, "\n");
  if (proof.verdict == Verdict::kProven) text = "equal: the same offset for every index\n";
  if (proof.verdict == Verdict::kRefuted) {
    std::string where;
    if (proof.at) {
      const Difference difference = least_of(left, right, *proof.at, given);
      proof.counterexample =
          absl::StrCat("at index [", absl::StrJoin(difference.at, ","), "]: offsets ",
                       difference.left, " and ", difference.right);
      where = "  (where LEFT and RIGHT put that element, counted in elements)\n";
      set(json, "at", difference.at);
      set(json, "left", difference.left);
      set(json, "right", difference.right);
    }
    set(json, "difference", proof.counterexample);
    text = absl::StrCat("different: ", proof.counterexample, "\n", where);
  }
  for (const std::string& note : noted) absl::StrAppend(&text, "note: ", note, "\n");
  return Answer{{std::move(json)}, std::move(text), exit_status(proof.verdict)};
}

// Whether the text is a module, or a single instruction: `t = f32[4,6] transpose(f32[6,4] p), ..`.
bool is_hlo(const std::string& text) {
  return looks_like_module(text) ||
         (absl::StrContains(text, " = ") && !looks_like_map(text) && !has_shared_layout(text));
}

absl::StatusOr<std::string> read_side(std::string argument) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(argument, ignored)) argument.insert(0, "@");
  std::string text = TRY(read_argument(argument));
  if (!absl::StripAsciiWhitespace(text).empty()) return text;
  const std::string file = file_of(text);
  return invalid("expected a map, a layout or a module, found an empty ",
                 file.empty() ? "text" : absl::StrCat("file, ", file));
}

}  // namespace

absl::StatusOr<Answer> equiv_command(const Command& given) {
  if (given.flag("--laws")) return list_laws();
  const std::optional<std::string> left = given.text_if("LEFT"), right = given.text_if("RIGHT");
  if (!given.text("--passes").empty()) {
    if (!left && !given.flag("--reads")) {
      return compare_passes(given.text("--passes"), given);
    }
    return about("--passes",
                 invalid("expected no ", left ? "LEFT" : "--reads", " beside a folder"));
  }
  if (!left || !right) {
    return invalid("expected ", left ? "RIGHT" : "LEFT", ", a map, a layout or a module");
  }
  TRY(about("--smtlib", make_folder(given.text("--smtlib"))));
  std::string texts[2];
  texts[0] = TRY(about("LEFT", read_side(*left)));
  texts[1] = TRY(about("RIGHT", read_side(*right)));
  if (given.flag("--reshape") || given.flag("--bitcast") || given.has("--transpose")) {
    return prove_equiv_bitcast(texts, given, limits_of(given));
  }
  const bool modules[] = {is_hlo(texts[0]), is_hlo(texts[1])};
  if (modules[0] != modules[1]) {
    const int module = modules[0] ? 0 : 1;
    if (looks_like_map(texts[1 - module])) return compare_map_with_module(texts, module, given);
    return about(module == 0 ? "RIGHT" : "LEFT",
                 invalid("expected a module or a map, as ", module == 0 ? "LEFT" : "RIGHT",
                         " is a module, found a layout"));
  }
  if (modules[0]) return compare_modules(texts, given);
  const bool fragments = looks_like_tilelang(texts[0]) && looks_like_tilelang(texts[1]);
  if (has_thread_layout(texts[0]) && has_thread_layout(texts[1]) && !fragments) {
    return compare_threads(texts, milliseconds_of(given));
  }
  share_domain(texts);
  const bool maps = looks_like_map(texts[0]) || looks_like_map(texts[1]);
  return maps ? compare_maps(texts, given) : compare_layouts(texts, given);
}

}  // namespace tileproof::cli
