// SPDX-License-Identifier: Apache-2.0
// Every lemma is used: a trace has a step by it, rearranging applies it, the proof of a layout asks
// for it, the fold of a tiling or the Coq file applies it, or the checker of traces has it built in.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/golden.h"
#include "corpus/paths.h"
#include "impl/lemmas/lemmas.h"
#include "impl/map/simplify.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/lemmas/lemma_coq.h"
#include "verify/lemmas/lemma_table.h"
#include "verify/lemmas/tiling_induction.h"
#include "verify/prove/layout/layout_proof.h"
#include "verify/prove/map/map_equal.h"
#include "verify/trace/trace_check.h"
#include "verify/trace/values.h"

namespace tileproof::verify {
namespace {

using Names = std::set<std::string, std::less<>>;

// Adds "pull-multiple" for "3: f3 = f2 + 1 by pull-multiple(x = 1, y = d0, c = 8) using 2".
void add_steps(const std::string& trace, Names& used) {
  ASSERT_TRUE(trace::check_trace(trace).ok()) << trace;
  for (absl::string_view line : absl::StrSplit(trace, '\n')) {
    const size_t by = line.find(" by ");
    if (by == absl::string_view::npos) continue;
    line.remove_prefix(by + 4);
    used.emplace(line.substr(0, line.find('(')));
  }
}

void add_simplifications(Names& used) {
  for (const char* file : {"steps.txt", "traces.txt"}) {
    const auto entries = read_golden(project_path(absl::StrCat("corpus/golden/", file)));
    ASSERT_TRUE(entries.ok()) << entries.status();
    for (const GoldenAnswer& entry : *entries) {
      absl::string_view question = absl::StripAsciiWhitespace(entry.question);
      if (!absl::ConsumePrefix(&question, "trace ")) continue;
      const absl::StatusOr<IndexingMap> map = parse_map(question);
      if (!map.ok()) continue;
      const absl::StatusOr<impl::Traced> traced = impl::simplify_with_trace(*map);
      if (traced.ok()) add_steps(traced->trace, used);
    }
  }
}

// Rearranging shows an equality that is an instance of the lemma.
void add_rearranged(const char* lemma, const char* left, const char* right, Names& used) {
  const auto map = [&](const char* result) {
    const char* domain = "d0 in [0, 99999999], d1 in [0, 99999999]";
    return *parse_map(absl::StrCat("(d0, d1) -> (", result, "), domain: ", domain));
  };
  EqualOptions options;
  options.sampled_first = false;
  const auto equality = equal(map(left), map(right), options);
  ASSERT_TRUE(equality.ok() && equality->basis == Basis::kRearranged) << left;
  used.emplace(lemma);
}

// The checker replaces one side of the lemma by the other without a step.
template <size_t count, class Statement>
void add_built_in(const impl::Lemma<count, Statement>& lemma,
                  const std::array<trace::Value, count>& values, Names& used) {
  const auto claim = lemma.at(values);
  if (trace::same(claim.lhs().polynomial, claim.rhs().polynomial)) used.emplace(lemma.name);
}

TEST(Lemmas, AreEachUsedByATraceAProofOrACoqFile) {
  Names used;
  add_simplifications(used);
  add_rearranged("common-factor", "(d0 * 4) floordiv 8", "d0 floordiv 2", used);
  add_rearranged("range-hidden-mod", "(d0 * 8 + (d1 mod 4) * 2) floordiv 16", "d0 floordiv 2",
                 used);
  add_rearranged("range-hidden-mod-negative", "(d0 * 8 + 6 - (d1 mod 4) * 2) floordiv 16",
                 "d0 floordiv 2", used);

  ProofSession session;
  const auto layout = prove_layout(*parse_shape("f32[3,5]{1,0:T(2,2)}"), session);
  ASSERT_TRUE(layout.ok() && layout->verdict == Verdict::kProven);
  used.insert(step_lemmas().begin(), step_lemmas().end());

  const auto tilings = lemmas::prove_tilings_by_induction();
  ASSERT_TRUE(tilings.ok()) << tilings.status();
  used.insert(tilings->begin(), tilings->end());
  const std::string coq = lemmas::coq_tilings();
  for (absl::string_view word : absl::StrSplit(coq, absl::ByAnyChar(" \n,.;()"))) {
    used.insert(absl::StrReplaceAll(word, {{"_", "-"}}));
  }

  trace::Table table;
  table.unknowns.push_back({});
  const trace::Value x{trace::unknown(0), &table, nullptr};
  add_built_in(impl::kNegativeDivisor, {x, trace::literal(x, -7)}, used);
  add_built_in(impl::kFloorDivByOne, {x}, used);

  for (const lemmas::StatedLemma& lemma : lemmas::all_lemmas()) {
    EXPECT_TRUE(used.contains(lemma.name)) << lemma.name << " is used by nothing";
  }
}

}  // namespace
}  // namespace tileproof::verify
