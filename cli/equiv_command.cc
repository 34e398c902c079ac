// SPDX-License-Identifier: Apache-2.0
// tileproof equiv: are two layouts of one logical shape the same function, or two maps equal? Do
// two modules compute the same values?

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equiv_modules.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/layout_index.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/layout/ttg_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "spec/map/map_evaluation.h"
#include "verify/prove/hlo/containment.h"
#include "verify/prove/layout/is_bitcast_proof.h"
#include "verify/prove/layout/layout_equal.h"
#include "verify/prove/map/divided_equal.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_smtlib.h"

namespace tileproof::cli {
namespace {

// tileproof equiv, for two layouts of threads.

// `tileproof equiv` with --reshape, --transpose or --bitcast: is the operation a bitcast?

struct ThreadDifference {
  std::string sizes;           // other numbers of registers, lanes, warps or blocks
  std::optional<Place> place;  // that holds other elements
  std::string open;            // undecided: why
};

// Two of bases: the first bit of a place whose basis differs. Bits that only one side has come last.
std::optional<Place> other_basis(const Threads& left, const Threads& right) {
  for (size_t i = 0; i < 4; ++i) {
    Place place = {};
    for (place[i] = 1; place[i] < std::min(left.sizes[i], right.sizes[i]); place[i] *= 2) {
      if (held_at(left, place) != held_at(right, place)) return place;
    }
  }
  return std::nullopt;
}

// Others: as maps, on the places that both have.
absl::StatusOr<ThreadDifference> difference_of(Threads left, Threads right, unsigned milliseconds) {
  ThreadDifference difference{other_sizes(left.sizes, right.sizes), std::nullopt, ""};
  if (left.form && right.form) {
    difference.place = other_basis(left, right);
    return difference;
  }
  for (size_t i = 0; i < 4; ++i) {
    const int64_t high = std::min(left.sizes[i], right.sizes[i]) - 1;
    left.map.dimensions[i].bounds.high = right.map.dimensions[i].bounds.high = high;
  }
  verify::EqualOptions limits;
  limits.milliseconds = milliseconds;
  const auto equality = TRY(verify::equal(left.map, right.map, limits));
  if (equality.verdict == verify::Verdict::kUndecided) difference.open = equality.open;
  if (equality.difference) {
    Place& place = difference.place.emplace();
    std::ranges::copy(equality.difference->at.dims, place.begin());
  }
  return difference;
}

// Compares the bases of the bits of a place, which are equal exactly if the layouts are; layouts without
// bases as maps, in so much time. An error if the shapes of the tensors differ.
absl::StatusOr<Answer> compare_threads(const std::string (&texts)[2], unsigned milliseconds) {
  const auto [left, right] = TRY(both_sides(texts, parse_threads));
  if (left.layout.dims != right.layout.dims) {
    return invalid("the logical shapes differ: ", dims_text(left.layout.dims), " and ",
                   dims_text(right.layout.dims));
  }
  const ThreadDifference difference = TRY(difference_of(left, right, milliseconds));
  const bool is_different = difference.place || !difference.sizes.empty();
  const verify::Verdict verdict = is_different              ? verify::Verdict::kRefuted
                                  : difference.open.empty() ? verify::Verdict::kProven
                                                            : verify::Verdict::kUndecided;
  Json json = json_object({{"equal", equal_json(verdict)}, {"notes", Json(Json::Array{})}});
  std::string text;
  if (!is_different) {
    text = difference.open.empty()
               ? "equal: every place, (register, lane, warp, block), holds the same element\n"
               : absl::StrCat("undecided: ", difference.open, "\n");
  }
  if (difference.place) {
    const Dims at_left = held_at(left, *difference.place);
    const Dims at_right = held_at(right, *difference.place);
    set(json, "at", place_json(*difference.place));
    set(json, "left", at_left);
    set(json, "right", at_right);
    absl::StrAppend(&text, "different at ", place_text(*difference.place), ": LEFT holds ",
                    dims_text(at_left), ", RIGHT ", dims_text(at_right), "\n");
  }
  if (!difference.sizes.empty()) {
    set(json, "difference", difference.sizes);
    absl::StrAppend(&text, difference.place ? "  " : "different: ", difference.sizes, "\n");
  }
  return Answer{{std::move(json)}, std::move(text), exit_status(verdict)};
}

using verify::Verdict;

absl::StatusOr<verify::Move> move_of(const Command& given) {
  using Kind = verify::Move::Kind;
  if (given.flag("--reshape")) return verify::Move{Kind::kReshape, {}};
  if (given.flag("--bitcast")) return verify::Move{Kind::kBitcast, {}};
  verify::Move move{Kind::kTranspose, {}};
  if (given.text("--transpose").empty()) return move;
  for (absl::string_view part : absl::StrSplit(given.text("--transpose"), ',')) {
    move.dimensions.emplace_back();
    if (!absl::SimpleAtoi(part, &move.dimensions.back())) {
      return invalid("--transpose: expected dimensions such as 1,0, found '",
                     given.text("--transpose"), "'");
    }
  }
  return move;
}

// `[2,256]` in place of RIGHT: is there a view of these sizes? Its strides are those that the first
// elements of each dimension ask for, as a layout of CuTe.
absl::StatusOr<std::string> view_of(const spec::LayoutFunction& left, absl::string_view text) {
  const absl::string_view list = absl::StripSuffix(absl::StripPrefix(text, "["), "]");
  const std::vector<int64_t> sizes = TRY(parse_integers(list));
  absl::int128 elements = 1, expected = 1;
  for (const int64_t size : left.dims) expected *= size;
  for (const int64_t size : sizes) {
    if (size < 1) return invalid("RIGHT: expected sizes of at least 1");
    elements = std::min(elements * size, absl::int128{INT64_MAX});
  }
  if (sizes.empty() || elements != expected) {
    return invalid("RIGHT: expected sizes of ", static_cast<int64_t>(expected), " elements");
  }
  const IndexingMap map = verify::offset_map(left);
  const auto offset_at = [&](int64_t number) -> absl::StatusOr<int64_t> {
    std::vector<int64_t> index(left.dims.size());
    for (size_t d = index.size(); d-- > 0; number /= left.dims[d]) index[d] = number % left.dims[d];
    const auto results = TRY(spec::evaluate(map, {index, {}, {}}));
    return results ? (*results)[0] : 0;
  };
  const int64_t first = TRY(offset_at(0));
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0; step *= sizes[d]) {
    if (sizes[d] > 1) strides[d] = TRY(offset_at(step)) - first;
  }
  return absl::StrCat(first == 0 ? "" : absl::StrCat("Sw<0,0,0> o ", first, " o "), "(",
                      absl::StrJoin(sizes, ","), "):(", absl::StrJoin(strides, ","), ")");
}

Answer answer_of(const verify::IsBitcastProof& proof) {
  Json json = json_object({{"free", equal_json(proof.verdict)}});
  std::string text = absl::StrCat("undecided: ", proof.open);
  if (proof.verdict == Verdict::kProven) {
    set(json, "by", verify::to_text(proof.basis));
    const bool is_enumerated = proof.basis == verify::Basis::kEnumerated;
    text =
        absl::StrCat("free: no element moves (",
                     is_enumerated ? "all elements compared" : verify::explain(proof.basis), ")");
  } else if (proof.verdict == Verdict::kRefuted) {
    set(json, "difference", proof.counterexample);
    text = absl::StrCat("not free: ", proof.counterexample);
  }
  return {{std::move(json)}, text + "\n", exit_status(proof.verdict)};
}

// `texts` are two layouts.
absl::StatusOr<Answer> prove_equiv_bitcast(const std::string (&texts)[2], const Command& given,
                                           const verify::EqualOptions& limits) {
  if (int{given.flag("--reshape")} + int{given.flag("--bitcast")} + int{given.has("--transpose")} >
      1) {
    return invalid("expected one of --reshape, --transpose and --bitcast");
  }
  const verify::Move move = TRY(move_of(given));
  if (given.flag("--reshape") && absl::StartsWith(texts[1], "[")) {
    const spec::LayoutFunction left = TRY(about("LEFT", layout_function_of(texts[0]), texts[0]));
    const std::string view = TRY(view_of(left, texts[1]));
    Answer answer =
        answer_of(TRY(verify::prove_is_bitcast(left, TRY(layout_function_of(view)), move, limits)));
    const bool is_free = answer.status == kHolds;
    answer.text =
        absl::StrCat(is_free ? "view: " : "no view has strides; the first elements ask for ", view,
                     "\n", answer.text);
    set(answer.json[0], "view", is_free ? Json(view) : Json());
    return answer;
  }
  const auto [left, right] = TRY(both_sides(texts, layout_function_of));
  return answer_of(TRY(verify::prove_is_bitcast(left, right, move, limits)));
}

// tileproof equiv, for a map and a module: is the map how an instruction reads an operand?

constexpr const char* kNames[] = {"LEFT", "RIGHT"};

// Dimensions without bounds, as of an affine_map, get the sizes of the result.
absl::StatusOr<impl::IndexedMap> map_of(IndexingMap map, const std::vector<int64_t>& result,
                                        const std::vector<int64_t>& operand) {
  if (!map.runtime.empty()) return invalid("expected a map without runtime variables");
  if (map.dimensions.size() != result.size() || map.results.size() != operand.size()) {
    return invalid("expected a map of ", result.size(), " dimensions with ", operand.size(),
                   " results, as the result and the operand have, found ", map.dimensions.size(),
                   " and ", map.results.size());
  }
  for (size_t d = 0; d < result.size(); ++d) {
    Interval& bounds = map.dimensions[d].bounds;
    if (bounds == Interval{INT64_MIN, INT64_MAX}) bounds = {0, result[d] - 1};
    // Nothing may be missing because the definition of the pairs knows only the result.
    if (bounds.low < 0 || bounds.high >= result[d]) {
      return invalid("expected dimension ", d, " within [0, ", result[d] - 1,
                     "], as the result is, found [", bounds.low, ", ", bounds.high, "]");
    }
  }
  return impl::IndexedMap{std::move(map), {}};
}

// "at [0, 3]: LEFT reads [0, 1], RIGHT does not, where i[0] is 2"
std::string text_of(const Asked& at, const verify::Counterexample& found, int reader) {
  const auto index = [](const std::vector<int64_t>& values) {
    return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
  };
  std::string text = absl::StrCat("at ", index(found.output), ": ", kNames[reader], " reads ",
                                  index(found.index), ", ", kNames[1 - reader], " does not");
  for (const auto& element : found.values) {
    absl::StrAppend(&text, ", where ", impl::name_of(at.module, at.computation, element.position),
                    index(element.index), " is ", element.value);
  }
  return text;
}

// The arrays that the map is between: of an instruction its operand, or a parameter if the map has its
// rank.
struct Asking {
  Scope scope = Scope::kComputation;
  size_t operand = 0;
  std::vector<int64_t> result, read;  // sizes
};

absl::StatusOr<Asking> asking_of(const Asked& at, size_t rank, const Command& given) {
  Asking asking;
  asking.operand = static_cast<size_t>(given.number_if("--operand").value_or(0));
  asking.result = TRY(impl::sizes_of_result(at.module, at.computation, at.instruction, 0));
  bool is_found = false;
  const bool is_of_instruction = !given.text("--instruction").empty();
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    if (scope == Scope::kInstruction && !is_of_instruction) continue;
    const auto arrays = TRY(impl::sizes_read(at.module, at.computation, at.instruction, scope));
    if (asking.operand >= arrays.size() || arrays[asking.operand].size() != 1) continue;
    const std::vector<int64_t>& sizes = arrays[asking.operand][0];
    if (is_found && sizes.size() != rank) continue;
    is_found = true;
    asking.scope = scope;
    asking.read = sizes;
    if (sizes.size() == rank) return asking;
  }
  if (is_found) return asking;
  return invalid("--operand: expected the number of an array that is read, found ", asking.operand);
}

// `module` is the number of the text that is a module, the other one is a map. --instruction and
// --operand choose what the map is of; without an instruction, the result of the module and a
// parameter. All maps of the operand together must have the pairs of this one.
absl::StatusOr<Answer> compare_map_with_module(const std::string (&texts)[2], int module,
                                               const Command& given) {
  const std::string& text = texts[1 - module];
  IndexingMap map = TRY(about(kNames[1 - module], parse_map(text), text));
  std::vector<HloModule> modules;
  modules.push_back(TRY(about(kNames[module], only_module(texts[module]), texts[module])));
  const Asked at = TRY(find_asked(modules, given.text("--instruction")));
  const Asking asking = TRY(asking_of(at, map.results.size(), given));
  impl::IndexingAnalysis analysis(at.module);
  const impl::Indexing read = TRY(analysis.reads(at.computation, at.instruction, 0, asking.scope));
  const impl::LeafMaps& leaf = read[asking.operand][0];
  const impl::IndexedMap own =
      TRY(about(kNames[1 - module], map_of(std::move(map), asking.result, asking.read), text));

  const std::vector<verify::Disjunct> sides[] = {{leaf.maps.begin(), leaf.maps.end()},
                                                 {verify::Disjunct(own)}};
  const verify::SourceResolver resolver(at.module, at.computation);
  verify::SolverSession session{
      verify::ThreadCpuClock::now() + std::chrono::milliseconds(milliseconds_of(given)),
      given.text("--smtlib")};
  Verdict verdict = Verdict::kProven;
  std::string why;
  for (const int k : {0, 1}) {  // each pair of the module is one of the map, and the reverse
    const verify::SubsetProof proof =
        verify::prove_contained({resolver, asking.result, asking.read}, sides[k], sides[1 - k],
                                session, {.counterexamples = verify::Counterexamples::kWanted});
    const bool is_refuted = proof.verdict == Verdict::kRefuted;
    if (is_refuted && (k == 1 || !leaf.inexact)) {
      verdict = Verdict::kRefuted;
      why = text_of(at, *proof.counterexample, k == 0 ? module : 1 - module);
      break;
    }
    if (is_refuted || proof.verdict == Verdict::kUndecided || leaf.inexact)
      verdict = Verdict::kUndecided;
  }
  std::string line = "equal: reads the same elements";
  if (verdict == Verdict::kRefuted) line = absl::StrCat("different ", why);
  if (verdict == Verdict::kUndecided) {
    why = leaf.inexact ? absl::StrCat("only a superset is known: ", leaf.reason)
                       : "whether both read the same elements";
    line = absl::StrCat("undecided: ", why);
  }
  return Answer{{json_object({{"equal", equal_json(verdict)}, {"why", why}})},
                line + "\n",
                exit_status(verdict)};
}

using spec::LayoutFunction;

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

absl::StatusOr<std::string> read_side(const std::string& argument) {
  std::string text = TRY(read_file_argument(argument));
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
