// SPDX-License-Identifier: Apache-2.0
#include "verify/xla/judge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo_proto/hlo_proto.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "spec/lang/stablehlo/stablehlo_text.h"
#include "verify/xla/question.h"
#include "verify/xla/verdict.h"

namespace tileproof::xla {
namespace {

using Numbers = std::vector<int64_t>;  // sorted

absl::StatusOr<std::vector<Numbers>> elements_of(absl::string_view text) {
  std::vector<Numbers> elements;
  for (const absl::string_view element : absl::StrSplit(text, '|')) {
    Numbers& numbers = elements.emplace_back();
    for (const absl::string_view word : absl::StrSplit(element, ' ', absl::SkipEmpty())) {
      int64_t number = 0;
      if (!absl::SimpleAtoi(word, &number))
        return absl::InvalidArgumentError(absl::StrCat("expected a number: ", word));
      numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
  }
  return elements;
}

absl::StatusOr<HloModule> module_in(const nlohmann::json& json, Form form) {
  if (form == Form::kHlo) return parse_hlo_module(json.value("text", ""));
  std::vector<HloModule> modules;
  if (form == Form::kProto) {
    std::string proto;
    if (!absl::Base64Unescape(json.value("proto", ""), &proto))
      return absl::InvalidArgumentError("expected base64");
    modules = TRY(hlo_proto::parse_modules(proto, UnknownHlo::kRefuse));
  } else {
    const char* name = form == Form::kStableHlo ? "stablehlo" : "generic";
    modules = TRY(stablehlo::parse_modules(json.value(name, "")));
  }
  if (modules.size() != 1) return absl::InvalidArgumentError("expected one module");
  return std::move(modules[0]);
}

// The reference's answer: for each array of the result, the source numbers of each element.
absl::StatusOr<std::vector<std::vector<Numbers>>> reference(const Question& question) {
  const HloModule& module = question.module;
  const HloComputation& entry = module.computations[module.entry];
  const auto arrays = TRY(source_arrays(module));
  std::map<std::pair<int64_t, int64_t>, int64_t> first;  // by parameter and leaf
  std::map<int64_t, int64_t> leaves_seen;
  for (const SourceArray& array : arrays)
    first[{array.parameter, leaves_seen[array.parameter]++}] = array.first;
  std::string unknown;
  const auto value = [&](const spec::HloElement& position) -> int64_t {
    const HloInstruction& from =
        module.computations[position.computation].instructions[position.instruction];
    if (const auto known = question.values.find(from.name); known != question.values.end()) {
      return known->second.at(spec::element_number(dims_of(*from.shape), position.index));
    }
    const auto given = question.offsets.find(from.parameter_number);
    if (from.opcode != HloOpcode::kParameter || position.computation != module.entry ||
        given == question.offsets.end()) {
      unknown = from.name;
      return 0;
    }
    return given->second.at(spec::element_number(dims_of(*from.shape), position.index));
  };
  const auto result_leaves = TRY(leaves_of(*entry.instructions[entry.root].shape));
  std::vector<std::vector<Numbers>> all;
  for (int64_t leaf = 0; leaf < std::ssize(result_leaves); ++leaf) {
    const auto provenance =
        TRY(spec::provenance(module, module.entry, entry.root, leaf, Scope::kComputation, value));
    if (!unknown.empty())
      return absl::InvalidArgumentError(absl::StrCat("expected a value for the offset ", unknown));
    std::vector<Numbers>& elements = all.emplace_back();
    for (const auto& sources : provenance.elements) {
      Numbers& numbers = elements.emplace_back();
      for (const spec::Source& source : *sources)
        numbers.push_back(first.at({source.operand, source.leaf}) + source.element);
      std::sort(numbers.begin(), numbers.end());
    }
  }
  return all;
}

// Returns the sources of offsets and indices. The encodings of bits cannot show them, because they
// need real values.
std::set<int64_t> offset_sources(const Question& question) {
  std::set<int64_t> numbers;
  const auto arrays = source_arrays(question.module);
  for (const SourceArray& array : *arrays) {
    if (question.offsets.count(array.parameter) == 0) continue;
    for (int64_t e = 0; e < array.count; ++e) numbers.insert(array.first + e);
  }
  return numbers;
}

std::string named(const std::vector<SourceArray>& arrays, const Numbers& numbers) {
  std::vector<std::string> names;
  for (const int64_t n : numbers) {
    for (const SourceArray& array : arrays) {
      if (n < array.first || n >= array.first + array.count) continue;
      names.push_back(
          absl::StrCat("p", array.parameter, "[",
                       absl::StrJoin(spec::element_index(array.dims, n - array.first), ","), "]"));
    }
    if (names.size() >= 8) break;
  }
  return absl::StrCat("{", absl::StrJoin(names, ", "), names.size() < numbers.size() ? ", .." : "",
                      "}");
}

// Compares one array of the result; describes a difference in one line.
void compare(const Question& question, int64_t leaf, const std::vector<Numbers>& ours,
             const std::vector<Numbers>& theirs, Judged& judged) {
  const bool changes = judged.encoding == "changes";
  const std::set<int64_t> offsets = offset_sources(question);
  for (size_t e = 0; e < ours.size(); ++e) {
    Numbers wanted, extra, missing;
    std::copy_if(ours[e].begin(), ours[e].end(), std::back_inserter(wanted),
                 [&](int64_t n) { return changes || offsets.count(n) == 0; });
    std::set_difference(theirs[e].begin(), theirs[e].end(), wanted.begin(), wanted.end(),
                        std::back_inserter(extra));
    std::set_difference(wanted.begin(), wanted.end(), theirs[e].begin(), theirs[e].end(),
                        std::back_inserter(missing));
    judged.dependences += std::ssize(wanted);
    judged.shown += std::ssize(wanted) - std::ssize(missing);
    if (scatters_without_indices(question)) {  // any element can get any update, or none
      judged.explained.insert("scatter-without-indices");
      continue;
    }
    const auto explained = [&](int64_t n) {
      const absl::string_view name =
          explanation(question, changes, leaf, static_cast<int64_t>(e), wanted, n);
      if (!name.empty()) judged.explained.insert(std::string(name));
      return !name.empty();
    };
    missing.erase(std::remove_if(missing.begin(), missing.end(), explained), missing.end());
    if ((extra.empty() && missing.empty()) || !judged.difference.empty()) continue;
    const auto arrays = source_arrays(question.module);
    judged.difference =
        absl::StrCat("element ", e, " of the result: XLA has ", named(*arrays, extra),
                     " that the reference lacks, the reference has ", named(*arrays, missing),
                     " that XLA lacks");
  }
  judged.elements += std::ssize(ours);
}

// Compares the answers of the reference about a module as HLO and in another form.
void compare_forms(const std::vector<std::vector<Numbers>>& hlo,
                   const std::vector<std::vector<Numbers>>& other, Judged& judged) {
  for (const std::vector<Numbers>& elements : hlo) {
    judged.elements += std::ssize(elements);
    for (const Numbers& one : elements) judged.dependences += std::ssize(one);
  }
  judged.shown = judged.dependences;
  for (size_t leaf = 0; leaf < std::max(hlo.size(), other.size()); ++leaf) {
    if (leaf < std::min(hlo.size(), other.size()) && hlo[leaf] == other[leaf]) continue;
    judged.difference = absl::StrCat("array ", leaf, " of the result has other dependences");
    return;
  }
}

}  // namespace

absl::StatusOr<Judged> judge(absl::string_view line, Form form) {
  const nlohmann::json json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object() || !json.contains("kind"))
    return absl::InvalidArgumentError("expected an object with a kind");
  Judged judged;
  judged.id = json.value("id", "");
  judged.kind = json.value("kind", "");
  judged.encoding = json.value("way", "");
  for (const char* why : {"unasked", "refused"}) {
    if (json.contains(why))
      judged.unanswered = absl::StrCat(why, ": ", json[why].get<std::string>());
  }
  if (json.contains("unconverted") && form != Form::kHlo && form != Form::kProto)
    judged.unanswered = "unconverted: " + json["unconverted"].get<std::string>();
  if (!judged.unanswered.empty()) return judged;
  if (!json.contains("text") || !json.contains("answer"))
    return absl::InvalidArgumentError("expected text and answer");
  Question question{TRY(module_in(json, Form::kHlo)), {}};
  if (json.contains("offsets")) {
    for (const auto& [parameter, values] : json["offsets"].items()) {
      question.offsets[std::stoll(parameter)] = values.get<std::vector<int64_t>>();
    }
  }
  if (json.contains("values")) question.values = json["values"].get<decltype(question.values)>();
  const auto ours = TRY(reference(question));
  if (form != Form::kHlo) {
    question.module = TRY(module_in(json, form));
    compare_forms(ours, TRY(reference(question)), judged);
    return judged;
  }
  if (json["answer"].size() != ours.size())
    return absl::InvalidArgumentError("expected a text for each array of the result");
  for (size_t leaf = 0; leaf < ours.size(); ++leaf) {
    const std::string text = json["answer"][leaf].get<std::string>();
    auto theirs = TRY(elements_of(text));
    if (ours[leaf].empty() && text.empty()) theirs.clear();
    if (theirs.size() != ours[leaf].size()) {
      judged.difference =
          absl::StrCat("array ", leaf, " of the result: ", theirs.size(), " elements in XLA, ",
                       ours[leaf].size(), " in the reference");
      return judged;
    }
    compare(question, static_cast<int64_t>(leaf), ours[leaf], theirs, judged);
  }
  return judged;
}

namespace {

// XLA's parser fills in missing layouts; ours keeps them missing.
Shape with_layouts(const Shape& shape) {
  Shape result = shape;
  const bool has_layout = has_elements(shape.element_type) && shape.rank() > 0;
  if (shape.kind == Shape::Kind::kArray && has_layout) result.layout = layout_of(shape);
  for (Shape& part : result.parts) part = with_layouts(part);
  return result;
}

// Returns whether XLA's validator refuses a split of the array or of a part: a missing or repeated
// dimension, or points that do not increase from 1 to less than its size.
bool split_refused(const Shape& shape) {
  for (const Shape& part : shape.parts) {
    if (split_refused(part)) return true;
  }
  if (shape.kind != Shape::Kind::kArray) return false;
  const Layout layout = layout_of(shape);
  std::set<int64_t> seen;
  for (const SplitConfig& split : layout.splits) {
    const int64_t d = split.dimension;
    if (d < 0 || d >= shape.rank() || !seen.insert(d).second) return true;
    const int64_t size = shape.dimensions[layout.minor_to_major[shape.rank() - 1 - d]].size;
    int64_t last = 0;
    for (const int64_t point : split.points) {
      if (point <= last || point >= size) return true;
      last = point;
    }
  }
  return false;
}

// Returns the name in brackets at the end of an error, if the table of rejected texts has it.
std::string difference_named(absl::string_view error) {
  for (const Difference& entry : differences()) {
    if (entry.kind != Difference::Kind::kRejected) continue;
    if (error.find(absl::StrCat("[", entry.name, "]")) != absl::string_view::npos) {
      return std::string(entry.name);
    }
  }
  // A shared number parser reads numbers; its error names no difference.
  return absl::StrContains(error, "within 64 signed bits") ? "integer-wraps" : "";
}

}  // namespace

absl::StatusOr<Verdict> judge_shape(absl::string_view line) {
  using Kind = Verdict::Kind;
  const nlohmann::json json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object() || !json.contains("text")) {
    return absl::InvalidArgumentError("expected an object with a text");
  }
  const std::string text = json["text"].get<std::string>();
  const absl::StatusOr<Shape> shape = parse_shape(text);
  const bool read = json.contains("is");
  if (!read && !json.contains("error") && !json.contains("ends")) {
    return absl::InvalidArgumentError("expected is, error or ends");
  }
  const std::string xla = read ? absl::StrCat("reads it as ", json["is"].get<std::string>())
                          : json.contains("ends") ? "ends the process"
                                                  : "refuses it";
  if (shape.ok()) {
    const std::string ours = to_text(with_layouts(*shape));
    if (read && ours == json["is"].get<std::string>()) return Verdict{Kind::kBothAccept};
    if (json.contains("error") && split_refused(*shape)) {
      return Verdict{Kind::kKnown, "split-unchecked"};
    }
    return Verdict{Kind::kDifferent, "",
                   absl::StrCat(text, ": XLA ", xla, ", we read it as ", ours)};
  }
  if (json.contains("error")) return Verdict{Kind::kBothRefuse};
  std::string name = difference_named(shape.status().message());
  // The text may have another error that we report first.
  if (name.empty() && json.contains("ends")) {
    const bool tile = absl::StrContains(json["ends"].get<std::string>(), "Tile dimension size");
    name = tile ? "tile-size-below-one" : "tail-alignment-below-one";
  }
  if (!name.empty()) return Verdict{Kind::kKnown, std::move(name)};
  return Verdict{Kind::kDifferent, "",
                 absl::StrCat(text, ": XLA ", xla, ", we say: ", shape.status().message())};
}

}  // namespace tileproof::xla
