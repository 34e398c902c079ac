// SPDX-License-Identifier: Apache-2.0
// Fuzz targets of maps: an input is a text with one map per line, or the trace of a simplification.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "fuzz/targets/text_input.h"
#include "fuzz/targets/text_mutations.h"
#include "generate/choose/choose.h"
#include "generate/map/generate_map.h"
#include "generate/map/mutate_map.h"
#include "impl/map/simplify.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_text.h"
#include "verify/compare/map_compare.h"
#include "verify/compare/text_compare.h"
#include "verify/prove/map/map_equal.h"
#include "verify/prove/map/map_points.h"

namespace tileproof {
namespace {

std::string quoted(const IndexingMap& map) { return absl::StrCat("'", to_text(map), "'"); }

Share thorough("more points", 16);

// How much is compared: of a share of the inputs more.
struct Effort {
  int64_t points, work;
};
Effort effort_of(absl::string_view text, Effort usual, Effort more) {
  return thorough.has(text) ? more : usual;
}

// A proof without points: what it finds rests on its rules, and in so much time on the solver.
verify::EqualOptions without_points(int64_t milliseconds) {
  verify::EqualOptions options;
  options.milliseconds = milliseconds;
  options.enumerated = 0;
  options.sampled_points = 0;
  options.normal_forms = false;
  return options;
}

constexpr int64_t kSolverMilliseconds = 300;

// ---- map_parse ----
//
// A text either parses as a map or fails with a column. A parsed map is valid, and its
// printed text parses as the same map, also with the operators of Python.

std::string check_text(absl::string_view text, verify::CaseCounts& tally) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  const std::string other = verify::read_back_difference(map, parse_map, tally);
  if (!map.ok() || !other.empty()) return other;
  if (!validate(*map).ok()) return absl::StrCat("parsed as an invalid map: ", quoted(*map));
  const std::string python =
      absl::StrReplaceAll(to_text(*map), {{" floordiv ", " // "}, {" mod ", " % "}});
  const absl::StatusOr<IndexingMap> as_python = parse_map(python);
  if (as_python.ok() && *as_python == *map) return "";
  return absl::StrCat("with the operators of Python another map or none: '", python, "'");
}

// ---- mlir_text ----
//
// In a text of MLIR, maps and memrefs are found or an error names a column. Each found
// map is valid, and its own text, and its printed text, parse as the same map.

// A map in one of its forms, or a memref.
std::string random_item(Choose& choose) {
  const std::string name = choose.chance(1, 2) ? "#map = " : "";
  if (choose.chance(1, 2)) {
    const MlirKind kind = choose.pick({MlirKind::kIndexingMap, MlirKind::kAffineMap});
    const absl::StatusOr<std::string> text = to_mlir(random_map(choose), kind);
    if (text.ok()) return absl::StrCat(name, *text);
  }
  std::vector<int64_t> dims;
  for (int64_t left = choose(4); left > 0; --left) dims.push_back(choose(20));
  std::string text = "memref<";
  for (const int64_t size : dims) absl::StrAppend(&text, size, "x");
  absl::StrAppend(&text, choose.pick({"f32", "i1", "vector<4xf32>", "complex<f32>"}));
  if (choose.chance(1, 2)) {
    std::vector<int64_t> strides;
    for (size_t i = 0; i < dims.size(); ++i) strides.push_back(choose.between(-9, 99));
    absl::StrAppend(&text, ", strided<[", absl::StrJoin(strides, ", "), "]",
                    choose.chance(1, 2) ? absl::StrCat(", offset: ", choose(99)) : "", ">");
  } else if (choose.chance(1, 4)) {
    absl::StrAppend(&text, ", #map");
  }
  return absl::StrCat(text, choose.chance(1, 4) ? ", 3 : i32>" : ">");
}

std::string mutated_mlir(Choose& choose, absl::string_view text) {
  if (choose.chance(1, 4)) return random_item(choose);
  const auto at = static_cast<size_t>(choose(static_cast<int64_t>(text.size()) + 1));
  const std::string prefix = choose.pick({" ", "\n", "\n// CHECK: ", "\" ", "// ", ", "});
  return absl::StrCat(text.substr(0, at), prefix, random_item(choose), " ", text.substr(at));
}

// ---- map_simplify ----
//
// Simplification of a map. The simplified map is valid, has the same variables and is
// not longer. It has the same meaning by the reference: at every point of both boxes if there are
// few, otherwise at sampled points. For a share of the maps there are more points, for another one
// simplifying again changes nothing, and for a small one the solver checks the meaning, too. For
// one more share the form that keeps the digits of tiles has the same meaning.

Share again("simplified again", 4), solver_of_simplified("solver", 256);
Share with_digits("digits of tiles", 64), digits_of_all("digits of all sizes", 2);

std::string meaning_difference(const IndexingMap& map, const IndexingMap& simple,
                               absl::string_view text) {
  const std::string both = absl::StrCat(quoted(map), " ", quoted(simple));
  Choose choose(Choose::Random{seed_of(text)});
  const auto [points, work] = effort_of(text, {16, 10'000}, {60, 200'000});
  const verify::SearchResult found = verify::search(map, simple, points, work, choose);
  if (found.difference) {
    return absl::StrCat("simplified to another map: ", both, " at ",
                        spec::to_text(map, verify::point_of(map, *found.difference)));
  }
  if (found.complete || !solver_of_simplified.has(text)) return "";
  const auto equality = verify::equal(map, simple, without_points(kSolverMilliseconds));
  if (!equality.ok()) return absl::StrCat("not comparable: ", both);
  if (!equality->difference) return "";
  return absl::StrCat("simplified to another map: ", both, " at ",
                      verify::to_text(map, *equality->difference));
}

// All sizes are kept in half of the maps, and small ones in the others.
std::string digits_difference(const IndexingMap& map, absl::string_view text) {
  const impl::TileSizes sizes{digits_of_all.has(text), {2, 3, 4, 8}};
  const absl::StatusOr<IndexingMap> kept = impl::simplify_keeping(map, sizes);
  if (!kept.ok()) return absl::StrCat("refused: ", quoted(map), ": ", kept.status().message());
  if (!kept->known_empty && !validate(*kept).ok())
    return absl::StrCat("an invalid map with digits: ", quoted(map));
  return meaning_difference(map, *kept, text);
}

std::string check_simplified(absl::string_view text, verify::CaseCounts&) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return "";
  const IndexingMap& map = maps[0];
  std::string found = with_digits.has(text) ? digits_difference(map, text) : "";
  if (!found.empty()) return found;
  const absl::StatusOr<IndexingMap> simple = impl::simplify(map);
  if (!simple.ok()) return absl::StrCat("refused: ", quoted(map), ": ", simple.status().message());
  if (!simple->known_empty) found = verify::form_difference(map, *simple);
  if (!found.empty()) return absl::StrCat(found, " at ", quoted(map), " ", quoted(*simple));
  found = meaning_difference(map, *simple, text);
  if (!found.empty() || simple->known_empty || !again.has(text)) return found;
  found = verify::further_simplified(*simple);
  return found.empty() ? "" : absl::StrCat(found, " at ", quoted(map));
}

std::string mutated_by_identities(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty() || choose.chance(1, 32)) return to_text(random_map(choose));
  if (choose.chance(1, 8)) maps[0] = rewrite_by_identities(choose, maps[0]);
  change(choose, maps[0]);
  return text_of_changed(choose, maps[0]);
}

// ---- map_compose ----
//
// Composition of two maps, one per line. At points of the box (all, if there are few)
// the composed map has the value second(first(x)).

std::string check_composed(absl::string_view text, verify::CaseCounts& tally) {
  const std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty()) return "";
  Choose choose(Choose::Random{seed_of(text)});
  const auto [points, work] = effort_of(text, {16, 5'000}, {100, 50'000});
  return verify::composition_difference(maps[0], maps[1], points, work, choose, tally);
}

std::string mutated_pair(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty() || choose.chance(1, 8)) {
    maps = {random_map(choose), random_map(choose)};
  } else {
    change(choose, maps[choose(2)]);
  }
  // Mostly make the number of dimensions equal the number of results.
  while (maps[1].dimensions.size() < maps[0].results.size() && !choose.chance(1, 64))
    maps[1].dimensions.push_back({{0, choose(40)}, ""});
  while (maps[0].results.size() < maps[1].dimensions.size() && !maps[0].nodes.empty())
    maps[0].results.push_back(static_cast<NodeId>(choose(std::ssize(maps[0].nodes))));
  return absl::StrCat(text_of_changed(choose, maps[0]), "\n", text_of_changed(choose, maps[1]));
}

// ---- map_equal ----
//
// A proof compares two maps, one per line: by rearranging, by cases of products, and for
// a share of the inputs by the solver. Maps that it proves equal are equal by the reference: at every
// point of both boxes if there are few, otherwise at sampled points. Maps that it refutes differ at
// the counterexample.

Share solver("solver", 16);

std::string check_proven(absl::string_view text, verify::CaseCounts&) {
  const std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty()) return "";
  const IndexingMap& left = maps[0];
  const IndexingMap& right = maps[1];
  const auto equality =
      verify::equal(left, right, without_points(solver.has(text) ? kSolverMilliseconds : 0));
  if (!equality.ok()) return "";  // the numbers of variables or results differ
  const auto both = [&] { return absl::StrCat(quoted(left), " ", quoted(right)); };
  if (equality->verdict == verify::Verdict::kUndecided) return "";
  if (equality->difference) {
    const spec::Point& at = equality->difference->at;
    if (verify::compare_at(left, right, at) == verify::AtPoint::kDiffer) return "";
    return absl::StrCat("equal at the counterexample: ", both(), " at ", spec::to_text(left, at));
  }
  const auto [points, work] = effort_of(text, {16, 10'000}, {100, 200'000});
  Choose choose(Choose::Random{seed_of(text)});
  const verify::SearchResult found = verify::search(left, right, points, work, choose);
  if (!found.difference) return "";
  return absl::StrCat("proven equal but different, by ", verify::to_text(equality->basis), ": ",
                      both(), " at ",
                      spec::to_text(left, verify::point_of(left, *found.difference)));
}

std::string mutated_equals(Choose& choose, absl::string_view text) {
  std::vector<IndexingMap> maps = maps_of(text, 2);
  if (maps.empty() || choose.chance(1, 32)) maps = {random_map(choose), {}};
  IndexingMap& left = maps[0];
  IndexingMap& right = maps[1];
  switch (choose(4)) {
    case 0:
      change(choose, left);
      [[fallthrough]];
    case 1:
      right = rewrite_by_identities(choose, left);
      break;
    case 2: {
      const absl::StatusOr<IndexingMap> simple = impl::simplify(left);
      right = simple.ok() && !simple->known_empty ? *simple : left;
      break;
    }
    default:
      right = left;
  }
  for (int64_t more = choose(3); more > 0; --more) mutate_meaning(choose, right);
  return absl::StrCat(text_of_changed(choose, left), "\n", text_of_changed(choose, right));
}

// ---- map_uses ----
//
// The other functions of a map, checked by the reference at its points. They are
// evaluation, the range of a result, replacing variables, counting the elements that it and a
// changed copy reach, and the trace of its simplification. Each input gets evaluation and range, and
// each of the others is for a share of the inputs.

Share variables("variables", 4), counts("counting elements", 4), traces("traces", 16);

std::string count_difference(const IndexingMap& map, Choose& choose, int64_t points,
                             verify::CaseCounts& tally) {
  IndexingMap changed = map;
  change(choose, changed);
  changed = parse_map(to_text(changed)).value_or(map);  // drops unused nodes
  return verify::image_difference({map, std::move(changed)}, choose, points, tally);
}

std::string check_uses(absl::string_view text, verify::CaseCounts& tally) {
  const std::vector<IndexingMap> maps = maps_of(text, 1);
  if (maps.empty()) return "";
  const IndexingMap& map = maps[0];
  Choose choose(Choose::Random{seed_of(text)});
  const int64_t points = effort_of(text, {64, 0}, {256, 0}).points;
  std::string found = verify::evaluation_difference(map, choose);
  if (found.empty()) found = verify::range_difference(map, points);
  if (found.empty() && variables.has(text))
    found = verify::variables_difference(map, choose, points);
  if (found.empty() && counts.has(text)) found = count_difference(map, choose, points, tally);
  if (found.empty() && traces.has(text))
    found = verify::traced_difference(map, /*may_reject=*/true);
  return found;
}

// ---- trace_check ----
//
// The trace checker. It either rejects a text in one line that names a line of the
// text, or accepts it as a simplification. Then the first map and the last one must be equal by the
// reference at their points. This would find a bug of the checker.

using Lines = std::vector<std::string>;

std::string check_trace(absl::string_view text, verify::CaseCounts& tally) {
  return verify::trace_difference(text, /*work=*/200'000, tally);
}

// Numbers the steps of each section from 1, after one was added or removed.
std::string with_numbered_steps(absl::string_view text) {
  int64_t step = 0;
  Lines lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (std::string& line : lines) {
    const size_t digits = line.find_first_not_of("0123456789");
    if (absl::StartsWith(line, "map ")) step = 0;
    if (digits == 0 || digits == std::string::npos || line[digits] != ':') continue;
    line = absl::StrCat(++step, line.substr(digits));
  }
  return absl::StrJoin(lines, "\n") + "\n";
}

// Changes the map of a line "map M" or "becomes M".
void change_map(Choose& choose, std::string& line) {
  for (const absl::string_view word : {"map ", "becomes "}) {
    if (absl::StartsWith(line, word))
      line = absl::StrCat(word, mutated_map(choose, absl::StripPrefix(line, word)));
  }
}

std::string mutated_trace(Choose& choose, absl::string_view text) {
  if (text.empty() || choose.chance(1, 24)) {
    const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(random_map(choose));
    return traced.ok() ? traced->trace : std::string(text);
  }
  const int64_t kind = choose(8);
  if (kind < 3) return with_other_number(choose, std::string(text));
  if (kind < 6) return with_numbered_steps(with_moved_line(choose, text));
  Lines lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (lines.empty()) return "map () -> ()\nbecomes () -> ()\n";
  std::string& line = lines[static_cast<size_t>(choose(std::ssize(lines)))];
  if (kind == 6) {
    change_map(choose, line);
  } else {  // give one step the reason of another
    const std::string& other = choose.pick(lines);
    const size_t by = line.find(" by "), others = other.find(" by ");
    if (by != std::string::npos && others != std::string::npos)
      line = line.substr(0, by) + other.substr(others);
  }
  return with_numbered_steps(absl::StrJoin(lines, "\n"));
}

constexpr TextTarget kTargets[] = {
    // the numbers: bytes_of_16
    {"map_parse", check_text, mutated_map, 8},
    {"mlir_text", verify::mlir_difference, mutated_mlir, 8},
    {"map_simplify", check_simplified, mutated_by_identities, 0},
    {"map_compose", check_composed, mutated_pair, 0},
    {"map_equal", check_proven, mutated_equals, 0},
    {"map_uses", check_uses, mutated_map, 0},
    {"trace_check", check_trace, mutated_trace, 2},
};

}  // namespace

absl::Span<const TextTarget> targets() { return kTargets; }

}  // namespace tileproof
