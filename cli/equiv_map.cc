// SPDX-License-Identifier: Apache-2.0
#include "cli/equiv_map.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/equiv_modules.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/containment.h"

namespace tileproof::cli {
namespace {

using verify::Verdict;
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

}  // namespace

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

}  // namespace tileproof::cli
