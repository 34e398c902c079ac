// SPDX-License-Identifier: Apache-2.0
#include "verify/golden/golden.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/paths.h"
#include "impl/hlo/indexing.h"
#include "impl/hlo/module_indexing.h"
#include "impl/map/compose.h"
#include "impl/map/simplify.h"
#include "impl/map/variables.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/indexing_compare.h"
#include "verify/golden/golden_kinds.h"

namespace tileproof::verify {
namespace {

constexpr int64_t kMaxLeaves = 4;
constexpr spec::Limits kLimits{.elements = 4096, .work = 1 << 17};

std::string line_of(const absl::StatusOr<IndexingMap>& map) {
  if (!map.ok()) return absl::StrCat("error: ", map.status().message(), "\n");
  return absl::StrCat(to_text(*map), "\n");
}

std::string ranges_of(const IndexingMap& map) {
  std::vector<std::string> ranges;
  for (NodeId result : map.results) {
    const absl::StatusOr<Interval> range = impl::range_of(map, result);
    ranges.push_back(range.ok() ? absl::StrCat("[", range->low, ", ", range->high, "]")
                                : std::string(range.status().message()));
  }
  return ranges.empty() ? "" : absl::StrCat("ranges ", absl::StrJoin(ranges, ", "), "\n");
}

std::string simplified(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  const absl::StatusOr<IndexingMap> simple = map.ok() ? impl::simplify(*map) : map;
  if (!map.ok() || !simple.ok()) return line_of(simple);
  const std::string answer = absl::StrCat(line_of(simple), ranges_of(*map));
  if (simple->known_empty) return answer;
  const absl::StatusOr<impl::Removed> removed =
      impl::remove_unused_variables(*simple, {.dimensions = true, .ranges = true, .runtime = true});
  const auto used = removed.ok() ? absl::StatusOr<IndexingMap>(removed->map) : removed.status();
  if (used.ok() && *used == *simple) return answer;
  return absl::StrCat(answer, "without unused variables ", line_of(used));
}

// Returns every proof step, or the reason why there is none.
std::string traced(absl::string_view text) {
  const absl::StatusOr<IndexingMap> map = parse_map(text);
  if (!map.ok()) return line_of(map);
  const absl::StatusOr<impl::Traced> simple = impl::simplify_with_trace(*map);
  if (!simple.ok()) return line_of(simple.status());
  return simple->trace.empty() ? "no trace\n" : simple->trace;
}

std::string composed(absl::string_view texts) {
  const std::vector<absl::string_view> both = absl::StrSplit(texts, absl::MaxSplits("\nthen ", 1));
  const absl::StatusOr<IndexingMap> first = parse_map(both.front()),
                                    second = parse_map(both.back());
  if (!first.ok() || !second.ok()) return line_of(first.ok() ? second : first);
  return line_of(impl::compose(*first, *second));
}

// Writes a line `operand: map` for each map, and below it the sources of its runtime variables.
std::string text_of(const HloModule& module, int32_t computation, const impl::Indexing& answer) {
  std::string text;
  for (size_t k = 0; k < answer.size(); ++k) {
    for (size_t leaf = 0; leaf < answer[k].size(); ++leaf) {
      const impl::LeafMaps& list = answer[k][leaf];
      const std::string name = leaf == 0 ? absl::StrCat(k) : absl::StrCat(k, "#", leaf);
      for (const impl::IndexedMap& one : list.maps) {
        absl::StrAppend(&text, "  ", name, ": ", to_text(one.map), "\n");
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          const impl::RuntimeSource& source = one.runtime[i];
          absl::StrAppend(&text, "    rt", i, " in [", source.feasible.low, ", ",
                          source.feasible.high,
                          "]: ", impl::name_of(module, computation, source.position), " ",
                          to_text(source.map), "\n");
        }
      }
      if (list.inexact) absl::StrAppend(&text, "  ", name, " inexact: ", list.reason, "\n");
    }
  }
  return text;
}

std::string text_of(const impl::DataflowCounts& counts) {
  return absl::StrCat(counts.mapped, " mapped, ", counts.conservative, " conservative, ",
                      counts.no_dataflow, " without flow, ", counts.refused, " refused");
}

std::string counts_of(const HloModule& module) {
  const impl::ModuleIndexing found = impl::index_module(module);
  std::string text = absl::StrCat("instructions: ", text_of(found.instructions), ", ", found.maps,
                                  " maps\ncomputations: ", text_of(found.computations), ", ",
                                  found.composed_maps, " maps\n");
  for (const auto& [reason, count] : found.conservative) {
    absl::StrAppend(&text, count, " conservative: ", reason, "\n");
  }
  return text;
}

// Writes each answer once, after all questions that have it.
std::string indexed(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return absl::StrCat("not read: ", module.status().message(), "\n");
  const int32_t entry = module->entry, root = module->computations[entry].root;
  std::vector<std::pair<std::string, std::string>> answers;  // the questions' names, and the answer
  for (const IndexingQuestion& question : questions_about(*module, entry, root, kMaxLeaves)) {
    const absl::StatusOr<impl::Indexing> found = analyzed(*module, question);
    std::string text = found.ok() ? text_of(*module, entry, *found)
                                  : absl::StrCat("  error: ", found.status().message(), "\n");
    const auto same = std::ranges::find(answers, text, [](const auto& one) { return one.second; });
    if (same == answers.end()) {
      answers.emplace_back(to_text(question), std::move(text));
    } else {
      absl::StrAppend(&same->first, "; ", to_text(question));
    }
  }
  std::string all;
  for (const auto& [questions, text] : answers) absl::StrAppend(&all, questions, "\n", text);
  return absl::StrCat(all, reads_of(*module, root), counts_of(*module));
}

std::string difference_of_module(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return "";
  const int32_t entry = module->entry, root = module->computations[entry].root;
  for (const IndexingQuestion& one : questions_about(*module, entry, root, kMaxLeaves)) {
    const auto found = compare_indexing(*module, one, {.seed = 1, .near = 8}, kLimits);
    if (found.kind == IndexingComparison::Kind::kDifferent)
      return absl::StrCat(to_text(one), ": ", found.difference, "; ", hlo);
  }
  return "";
}

// A kind of question, by its first word.
struct Answered {
  absl::string_view word;
  std::string (*answer)(absl::string_view text);
  std::string (*difference)(absl::string_view text);  // from the reference; null: not compared
};
constexpr Answered kAnswered[] = {{"simplify ", simplified, nullptr},
                                  {"trace ", traced, nullptr},
                                  {"compose ", composed, nullptr},
                                  {"index\n", indexed, difference_of_module},
                                  {"reads\n", reads_of_root, difference_of_reads},
                                  {"image ", images_of, difference_of_images},
                                  {"places ", positions_of, nullptr},
                                  {"algebra ", algebra_of, nullptr},
                                  {"transactions ", transactions_of, difference_of_transactions},
                                  {"relayout ", relayout_of, nullptr}};

// The kind of a question, whose first word it takes away; null if it has none.
const Answered* kind_of(absl::string_view& question) {
  absl::ConsumeSuffix(&question, "\n");
  const auto* const kind = std::ranges::find_if(
      kAnswered, [&](const Answered& one) { return absl::ConsumePrefix(&question, one.word); });
  return kind == std::end(kAnswered) ? nullptr : kind;
}

}  // namespace

const std::vector<GoldenAnswer>& golden_answers(absl::string_view file) {
  static std::map<std::string, std::vector<GoldenAnswer>, std::less<>> files;
  const auto [found, is_new] = files.try_emplace(std::string(file));
  if (is_new) {
    auto read = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    found->second = std::move(read).value_or(std::vector<GoldenAnswer>{});
    std::erase_if(found->second, is_comment);
  }
  return found->second;
}

std::string answer_to(absl::string_view question) {
  if (const Answered* kind = kind_of(question)) return kind->answer(question);
  return "error: expected simplify, trace, compose, index, reads, image, places, algebra, "
         "transactions or relayout\n";
}

std::string difference_from_reference(absl::string_view question) {
  const Answered* kind = kind_of(question);
  return kind == nullptr || kind->difference == nullptr ? "" : kind->difference(question);
}

}  // namespace tileproof::verify
