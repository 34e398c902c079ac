// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/indexing_proof.h"

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/prove/hlo/containment.h"
#include "verify/prove/hlo/definitions.h"
#include "verify/prove/hlo/indexing_proof_key.h"
#include "verify/prove/smt/proof_digest.h"

namespace tileproof::verify {
namespace {

using Kind = InstructionVerdict::Kind;

const HloInstruction& instruction_of(const HloModule& module, const InstructionVerdict& at) {
  return module.computations[at.computation].instructions[at.instruction];
}

std::string element_text(const std::vector<int64_t>& index) {
  return absl::StrCat("element (", absl::StrJoin(index, ", "), ")");
}

std::string pair_text(const SourceResolver& resolver, const Counterexample& pair,
                      absl::string_view operand) {
  std::string text = absl::StrCat("result ", element_text(pair.output), ", ", operand, " ",
                                  element_text(pair.index));
  for (const Counterexample::Element& read : pair.values) {
    absl::StrAppend(&text, ", where ", resolver.at(read.position).name, " ",
                    element_text(read.index), " is ", read.value);
  }
  return text;
}

int severity(Kind kind) {
  switch (kind) {
    case Kind::kRefuted:
      return 5;
    case Kind::kRefused:
      return 4;
    case Kind::kUndecided:
      return 3;
    case Kind::kConservative:
      return 2;
    case Kind::kProven:
      return 1;
    default:
      return 0;
  }
}

// Merges a part into the whole: the worst verdict wins.
void take(InstructionVerdict& whole, const InstructionVerdict& part) {
  whole.maps += part.maps;
  if (severity(part.kind) <= severity(whole.kind)) return;
  whole.kind = part.kind;
  whole.detail = part.detail;
  whole.refutation = part.refutation;
}

// ---- One leaf of the result and one leaf of an operand ----

InstructionVerdict failed(Kind kind, std::string detail) {
  return {0, 0, kind, std::move(detail), 0};
}

// Returns whether the paths are too many or take too long.
bool is_limit(const absl::Status& status) {
  return absl::IsResourceExhausted(status) || absl::IsDeadlineExceeded(status);
}

// What is said of the two arrays.
struct Said {
  std::vector<Disjunct> paths;           // by the definition
  std::vector<Disjunct> exact;           // those that are no superset
  std::string open;                      // the line of which only a superset is known
  const impl::LeafMaps* list = nullptr;  // by the analysis
};

// Decides whether every pair of the definition is one of the maps, or the other way around.
InstructionVerdict decide(const Said& said, const std::vector<Disjunct>& maps,
                          const Between& between, const std::pair<size_t, size_t>& operand,
                          bool of_definition, SolverSession& solver_session,
                          VerifySession& session) {
  const std::vector<Disjunct>& parts = of_definition ? said.paths : maps;
  const std::vector<Disjunct>& whole = of_definition ? maps : said.exact;
  if (parts.empty()) return {};
  const SubsetProof found = prove_contained(between, parts, whole, solver_session,
                                            {session.options.enumerated, Counterexamples::kWanted});
  session.questions = solver_session.asked;
  if (found.verdict == Verdict::kProven) return {};
  const auto& [k, l] = operand;
  const std::string name = absl::StrCat("operand ", k, l == 0 ? "" : absl::StrCat("#", l));
  const bool superset = said.paths.size() > said.exact.size();
  const std::string known = absl::StrCat("of the line ", said.open, " only a superset is known");
  if (found.verdict == Verdict::kUndecided || (superset && !of_definition)) {
    return failed(Kind::kUndecided,
                  absl::StrCat(name, ": whether every ",
                               of_definition ? "element that flows is in the maps"
                                             : "element in the maps flows",
                               superset && !of_definition ? absl::StrCat(": ", known) : ""));
  }
  const Counterexample& pair = *found.counterexample;
  const std::string detail =
      absl::StrCat(pair_text(between.resolver, pair, name), ": ",
                   of_definition ? "flows, but no map has it" : "in a map, but does not flow");
  // Nothing follows from a pair of a superset.
  if (superset) return failed(Kind::kUndecided, absl::StrCat(detail, " (", known, ")"));
  return {0, 0, Kind::kRefuted, detail, 0, Refutation{of_definition, k, l, pair}};
}

absl::StatusOr<Leaves> leaves_of_operand(const HloComputation& within, const HloOperand& operand) {
  const SharedShape& shape = within.instructions[operand.instruction].shape;
  return leaves_of(shape ? *shape : *operand.shape);
}

// The dimensions of a shape; empty if they are unknown.
spec::Dims dims_of_operand(const HloComputation& within, int32_t instruction, size_t operand,
                           size_t leaf) {
  const auto leaves = leaves_of_operand(within, within.instructions[instruction].operands[operand]);
  return leaves.ok() ? (*leaves)[leaf].dims : spec::Dims();
}

std::vector<Disjunct> disjuncts_of(const std::vector<impl::IndexedMap>& maps,
                                   const spec::Dims& operand, impl::Direction direction) {
  std::vector<Disjunct> disjuncts;
  for (const impl::IndexedMap& map : maps) {
    direction == impl::Direction::kOutputToInput ? disjuncts.emplace_back(map)
                                                 : disjuncts.emplace_back(map, operand);
  }
  return disjuncts;
}

InstructionVerdict compare(const Said& said, const Between& between,
                           const std::pair<size_t, size_t>& operand, impl::Direction direction,
                           VerifySession& session) {
  std::vector<Disjunct> maps;
  if (said.list != nullptr) maps = disjuncts_of(said.list->maps, between.operand, direction);
  SolverSession solver_session{
      ThreadCpuClock::now() + std::chrono::milliseconds(session.options.milliseconds),
      session.options.smtlib_directory, session.questions};
  const bool inexact = said.list != nullptr && said.list->inexact;
  InstructionVerdict result;
  result.maps = std::ssize(maps);
  take(result, decide(said, maps, between, operand, true, solver_session, session));
  if (inexact) {
    take(result, failed(Kind::kConservative, said.list->reason));
    return result;
  }
  take(result, decide(said, maps, between, operand, false, solver_session, session));
  if (!maps.empty()) take(result, failed(Kind::kProven, ""));
  return result;
}

// Compares one leaf of the result with its definition.
InstructionVerdict compare_leaf(const HloModule& module, int32_t computation, int32_t instruction,
                                int32_t leaf, const Paths& definition,
                                const std::vector<impl::MapsBetween>& maps,
                                impl::Direction direction, VerifySession& session) {
  const SourceResolver resolver(module, computation);
  const auto leaves = leaves_of(*module.computations[computation].instructions[instruction].shape);
  if (!leaves.ok()) return failed(Kind::kRefused, std::string(leaves.status().message()));
  std::map<std::pair<size_t, size_t>, Said> arrays;  // by operand and leaf
  for (const DataflowPath& path : definition) {
    Said& said = arrays[{static_cast<size_t>(path.operand), static_cast<size_t>(path.leaf)}];
    said.paths.emplace_back(path);
    if (!path.is_superset) said.exact.emplace_back(path);
    if (said.open.empty()) said.open = path.open;
  }
  for (const auto& [operand, operand_leaf, list] : maps) {
    arrays[{static_cast<size_t>(operand), static_cast<size_t>(operand_leaf)}].list = list;
  }
  InstructionVerdict whole;
  for (const auto& [operand, said] : arrays) {
    const auto [k, l] = operand;
    const spec::Dims input = dims_of_operand(module.computations[computation], instruction, k, l);
    take(whole,
         compare(said, {resolver, (*leaves)[leaf].dims, input}, operand, direction, session));
  }
  return whole;
}

// After so many leaves of one result whose paths take too long, the others are not looked at.
constexpr int kMaxLateLeaves = 8;
// How often leaves whose paths took too long are tried again, for each. The search goes on from where
// it was, and what one leaf found the others need not find. So a leaf may use the tries that others leave.
constexpr int kMostTries = 3;

bool is_kept(Kind kind) { return kind == Kind::kProven || kind == Kind::kConservative; }

// What the cache keeps of a verdict: its kind, the number of maps and the detail.
std::string text_of_verdict(const InstructionVerdict& verdict) {
  return absl::StrCat(to_text(verdict.kind), "\n", verdict.maps, "\n", verdict.detail);
}

std::optional<InstructionVerdict> verdict_of_text(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('\n', 2));
  InstructionVerdict verdict;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &verdict.maps)) return std::nullopt;
  for (const Kind kind : {Kind::kProven, Kind::kConservative}) {
    if (parts[0] == to_text(kind)) verdict.kind = kind;
  }
  if (!is_kept(verdict.kind)) return std::nullopt;
  verdict.detail = std::string(parts[2]);
  return verdict;
}

// Returns the number of leaves of the result; 1 if unknown, because the first leaf reports the
// error.
int32_t leaves_at(const HloInstruction& at) {
  if (!at.shape) return 1;
  const auto found = leaves_of(*at.shape);
  return found.ok() ? static_cast<int32_t>(found->size()) : 1;
}

}  // namespace

InstructionVerdict ModuleVerifier::of(int32_t computation, int32_t instruction) {
  impl::PrintedMaps maps(analysis_, computation, instruction, direction_);
  return of(maps);
}

InstructionVerdict ModuleVerifier::of(impl::PrintedMaps& maps) {
  const int32_t computation = maps.computation(), instruction = maps.instruction();
  InstructionVerdict whole;
  const HloInstruction& at = module_.computations[computation].instructions[instruction];
  const int32_t leaves = leaves_at(at);
  late_ = 0;
  std::vector<int32_t> again;  // leaves whose paths took too long; the search goes on from there
  for (int32_t leaf = 0; leaf < leaves; ++leaf) {
    const int late = late_;
    const InstructionVerdict one = of_leaf(maps, leaf);
    if (late_ >= kMaxLateLeaves) {  // the verdict is undecided anyway
      take(whole, one);
      again.clear();
      break;
    }
    if (late_ > late) {
      again.push_back(leaf);
      continue;
    }
    take(whole, one);
    // The other leaves of an operation on whole arrays have the same verdict.
    const bool same = one.kind == Kind::kConservative && !has_callee(at.opcode) &&
                      at.opcode != HloOpcode::kScatter;
    if (same || whole.kind == Kind::kRefused) break;
  }
  int64_t tries = kMostTries * std::ssize(again);
  for (const int32_t leaf : again) {
    InstructionVerdict one;
    for (bool is_first = true; is_first || tries > 0; is_first = false, --tries) {
      const int late = late_;
      one = of_leaf(maps, leaf);
      if (late_ == late) break;
    }
    take(whole, one);
  }
  whole.computation = computation;
  whole.instruction = instruction;
  return whole;
}

InstructionVerdict ModuleVerifier::of_leaf(impl::PrintedMaps& printed, int32_t leaf) {
  const int32_t computation = printed.computation(), instruction = printed.instruction();
  const auto maps = printed.of_result(leaf);
  definitions_.set_deadline(ThreadCpuClock::now() +
                            std::chrono::milliseconds(session_.options.milliseconds));
  const HloInstruction& at = module_.computations[computation].instructions[instruction];
  if (!maps.ok()) {
    // Input to output, an invalid leaf invalidates the maps of all others.
    const bool forward = direction_ == impl::Direction::kOutputToInput;
    const int32_t first = forward ? leaf : 0;
    const int32_t last = forward ? leaf : leaves_at(at) - 1;
    if (!spec::expect_valid(module_, computation, instruction,
                            forward ? std::optional<int64_t>(leaf) : std::nullopt,
                            Scope::kInstruction)
             .ok()) {
      return failed(Kind::kRefused, std::string(maps.status().message()));
    }
    for (int32_t l = first; l <= last; ++l) {
      if (definitions_.of(computation, instruction, l).ok()) continue;
      return failed(Kind::kRefused, std::string(maps.status().message()));
    }
    return failed(Kind::kRefuted, absl::StrCat("refused by the analysis only: ",
                                               std::string(maps.status().message())));
  }
  const std::string text = maps_text(at, *maps);
  const auto [known, is_new] = session_.known.try_emplace(
      absl::StrCat(direction_ == impl::Direction::kOutputToInput ? "" : "inverse ",
                   numbered(computation, instruction).number, " ", leaf, " ", text));
  if (!is_new) return known->second;
  const int late = late_;
  InstructionVerdict verdict = prove_or_find(computation, instruction, leaf, *maps, text);
  if (late_ > late) {
    session_.known.erase(known);
  } else {
    known->second = verdict;
  }
  return verdict;
}

// Looks into the cache first.
InstructionVerdict ModuleVerifier::prove_or_find(int32_t computation, int32_t instruction,
                                                 int32_t leaf, const Maps& maps,
                                                 const std::string& maps_text) {
  const ProofCache& cache = session_.options.cache;
  if (!cache.is_used()) return prove(computation, instruction, leaf, maps);
  const std::string question = absl::StrCat(
      "map ", kQuestionVersion, " ", kProofDigest, "\n",
      direction_ == impl::Direction::kOutputToInput ? "output to input" : "input to output", "\n",
      *numbered(computation, instruction).text, "leaf ", leaf, "\n", maps_text);
  if (const auto answer = cache.find(question)) {
    if (auto verdict = verdict_of_text(*answer)) {
      ++session_.kept;
      return *std::move(verdict);
    }
  }
  InstructionVerdict verdict = prove(computation, instruction, leaf, maps);
  if (is_kept(verdict.kind)) cache.keep(question, text_of_verdict(verdict));
  return verdict;
}

InstructionVerdict ModuleVerifier::prove(int32_t computation, int32_t instruction, int32_t leaf,
                                         const Maps& maps) {
  const auto definition = definitions_.of(computation, instruction, leaf);
  if (definition.ok()) {
    return compare_leaf(module_, computation, instruction, leaf, *definition, maps, direction_,
                        session_);
  }
  const std::string message(definition.status().message());
  if (absl::IsDeadlineExceeded(definition.status())) ++late_;
  // The definition may have numbers beyond 64 bits; the reference has none.
  if (absl::IsOutOfRange(definition.status())) return failed(Kind::kUndecided, message);
  if (!is_limit(definition.status())) {
    return failed(Kind::kRefuted, absl::StrCat("refused by the definition only: ", message));
  }
  return failed(Kind::kUndecided, message);
}

// Numbers the text of an instruction, which all its leaves share.
const ModuleVerifier::Numbered& ModuleVerifier::numbered(int32_t computation, int32_t instruction) {
  if (last_ != std::pair(computation, instruction)) {
    const HloComputation& within = module_.computations[computation];
    std::string text = instruction_text(module_, within, within.instructions[instruction]);
    last_ = {computation, instruction};
    const auto known =
        session_.instructions.try_emplace(std::move(text), session_.instructions.size()).first;
    last_number_ = {&known->first, known->second};
  }
  return last_number_;
}

absl::string_view to_text(Kind kind) {
  switch (kind) {
    case Kind::kProven:
      return "proven";
    case Kind::kRefuted:
      return "refuted";
    case Kind::kUndecided:
      return "undecided";
    case Kind::kConservative:
      return "conservative";
    case Kind::kNoDataflow:
      return "no data flow";
    default:
      return "refused";
  }
}

std::string to_text(const HloModule& module, const InstructionVerdict& verdict) {
  return absl::StrCat(instruction_of(module, verdict).name, ": ", to_text(verdict.kind),
                      verdict.detail.empty() ? "" : ": ", verdict.detail);
}

InstructionVerdict ModuleVerifier::of_maps(int32_t computation, int32_t instruction, int32_t leaf,
                                           const impl::Indexing& maps) {
  definitions_.set_deadline(ThreadCpuClock::now() +
                            std::chrono::milliseconds(session_.options.milliseconds));
  Maps given;
  for (int32_t k = 0; k < std::ssize(maps); ++k) {
    for (int32_t l = 0; l < std::ssize(maps[k]); ++l) {
      if (!maps[k][l].maps.empty()) given.push_back({k, l, &maps[k][l]});
    }
  }
  const auto definition = definitions_.of(computation, instruction, leaf);
  InstructionVerdict result =
      definition.ok() ? compare_leaf(module_, computation, instruction, leaf, *definition, given,
                                     direction_, session_)
                      : failed(is_limit(definition.status()) ? Kind::kUndecided : Kind::kRefused,
                               std::string(definition.status().message()));
  result.computation = computation;
  result.instruction = instruction;
  return result;
}

InstructionVerdict verify_maps(const HloModule& module, int32_t computation, int32_t instruction,
                               int32_t leaf, const impl::Indexing& maps, VerifySession& session,
                               impl::Direction direction) {
  impl::IndexingAnalysis analysis(module);
  return ModuleVerifier(analysis, session, direction).of_maps(computation, instruction, leaf, maps);
}

std::vector<InstructionVerdict> verify_module(const HloModule& module, VerifySession& session,
                                              impl::Direction direction) {
  std::vector<InstructionVerdict> verdicts;
  impl::IndexingAnalysis analysis(module);
  ModuleVerifier verifier(analysis, session, direction);
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      verdicts.push_back(verifier.of(static_cast<int32_t>(c), static_cast<int32_t>(i)));
    }
  }
  return verdicts;
}

}  // namespace tileproof::verify
