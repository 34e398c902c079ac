// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/provenance.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/operand_walk.h"

namespace tileproof::spec {
namespace {

// The sets of parameter elements that terms hold. Equal sets have one number; set 0 is empty.
class Flow {
 public:
  Flow(const Terms& terms, const std::vector<std::vector<Dims>>& dims, const Limits& limits,
       int64_t& work)
      : terms_(terms), work_(work), set_of_(terms.size(), kUnknown) {
    intern({});
    uint32_t next = 0;
    for (int32_t operand = 0; operand < std::ssize(dims); ++operand) {
      first_.emplace_back();
      for (const Dims& leaf : dims[operand]) {
        arrays_.push_back({operand, static_cast<int32_t>(first_.back().size()), next});
        first_.back().push_back(next);
        const int64_t count = element_count(leaf).value_or(limits.elements + 1);
        if (count <= limits.elements) next += static_cast<uint32_t>(count);  // others are not read
      }
    }
  }

  // The set of each term. Operands have smaller numbers than the terms that hold them.
  void find(const std::vector<TermId>& results) {
    std::vector<TermId> open;
    std::vector<TermId> held;
    const auto see = [&](TermId term) {
      if (set_of_[term] != kUnknown) return;
      set_of_[term] = kSeen;
      held.push_back(term);
      open.push_back(term);
    };
    for (const TermId term : results) see(term);
    while (!open.empty()) {
      const TermId term = open.back();
      open.pop_back();
      for (const TermId operand : terms_.operands(term)) see(operand);
    }
    std::ranges::sort(held);
    for (const TermId term : held) {
      if (work_ < 0) return;
      set_of_[term] = set_of(term);
    }
  }

  uint32_t number(TermId term) const { return set_of_[term]; }

  // The sources of a set, as a list that equal sets share.
  std::shared_ptr<const std::vector<Source>> sources(TermId term) {
    auto& list = lists_[set_of_[term]];
    if (list == nullptr) {
      std::vector<Source> sources;
      for (const uint32_t number : *sets_[set_of_[term]]) sources.push_back(source_of(number));
      list = std::make_shared<const std::vector<Source>>(std::move(sources));
    }
    return list;
  }

 private:
  static constexpr uint32_t kUnknown = 0xffffffff;
  static constexpr uint32_t kSeen = 0xfffffffe;

  // `arrays_` has the first element of each array, in the order of their numbers.
  Source source_of(uint32_t number) const {
    const auto after = std::ranges::upper_bound(arrays_, number, {}, &Source::element);
    Source source = *std::prev(after);
    source.element = number - source.element;
    return source;
  }

  uint32_t intern(std::vector<uint32_t> sorted) {
    const auto next = static_cast<uint32_t>(sets_.size());
    const auto [at, is_new] = numbers_.try_emplace(std::move(sorted), next);
    if (is_new) sets_.push_back(&at->first);
    return at->second;
  }

  uint32_t set_of(TermId term) {
    const Term& at = terms_.at(term);
    if (at.kind == Term::Kind::kElement) {
      const Symbol& array = terms_.symbol_of(term);
      return intern({first_[array.operand][array.leaf] + static_cast<uint32_t>(at.number)});
    }
    ids_.clear();
    for (const TermId operand : terms_.operands(term)) {
      if (set_of_[operand] != 0) ids_.push_back(set_of_[operand]);
    }
    std::ranges::sort(ids_);
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    if (ids_.empty()) return 0;
    if (ids_.size() == 1) return ids_[0];
    const auto known = unions_.find(ids_);
    if (known != unions_.end()) return known->second;
    std::vector<uint32_t> all;
    for (const uint32_t id : ids_) {
      work_ -= std::ssize(*sets_[id]);
      if (work_ < 0) return 0;
      all.insert(all.end(), sets_[id]->begin(), sets_[id]->end());
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const uint32_t result = intern(std::move(all));
    unions_.emplace(ids_, result);
    return result;
  }

  const Terms& terms_;
  int64_t& work_;
  std::vector<uint32_t> set_of_;
  std::vector<std::vector<uint32_t>> first_;  // number of the first element of each leaf
  std::vector<Source> arrays_;
  std::vector<uint32_t> ids_;
  std::vector<const std::vector<uint32_t>*> sets_;
  absl::node_hash_map<std::vector<uint32_t>, uint32_t> numbers_;
  absl::flat_hash_map<std::vector<uint32_t>, uint32_t> unions_;
  std::map<uint32_t, std::shared_ptr<const std::vector<Source>>> lists_;
};

absl::Status expect_instruction(const HloModule& module, int32_t computation, int32_t instruction) {
  if (computation < 0 || computation >= std::ssize(module.computations)) {
    return absl::InvalidArgumentError(absl::StrCat("expected one of ", module.computations.size(),
                                                   " computations, found ", computation));
  }
  const HloComputation& within = module.computations[computation];
  if (instruction < 0 || instruction >= std::ssize(within.instructions)) {
    return absl::InvalidArgumentError(absl::StrCat("expected one of ", within.instructions.size(),
                                                   " instructions, found ", instruction));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status expect_valid(const HloModule& module, int32_t computation, int32_t instruction,
                          std::optional<int64_t> leaf, Scope scope) {
  TRY(expect_instruction(module, computation, instruction));
  const auto up_to = scope == Scope::kInstruction ? FollowRegion::UpTo::kOperands
                                                  : FollowRegion::UpTo::kParameters;
  return OperandWalk(module, bitcast_fits).expect_valid(up_to, computation, instruction, leaf);
}

absl::StatusOr<Provenance> provenance(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Scope scope,
                                      RuntimeValues values, const Limits& limits) {
  TRY(expect_valid(module, computation, instruction, leaf, scope));
  Terms terms;
  Interpreter interpreter(module, scope, &values, limits, terms);
  const ArrayPtr array = TRY(interpreter.run(computation, instruction, leaf));
  Flow flow(terms, interpreter.sources(), limits, interpreter.work());
  flow.find(array->terms);
  TRY(interpreter.check_work(module.computations[computation].instructions[instruction]));
  Provenance result{array->dims, interpreter.sources(), {}, {}, {}};
  for (const TermId term : array->terms) result.elements.push_back(flow.sources(term));
  for (const auto& [positions, read] : interpreter.reads()) {
    result.reads.push_back({positions.first, positions.second, read});
  }
  result.conservative.assign(interpreter.conservative().begin(), interpreter.conservative().end());
  return result;
}

bool is_counted(const HloModule& module, int32_t computation, int32_t loop, const Limits& limits) {
  const auto nothing = [](const HloElement&) -> int64_t { return 0; };
  const RuntimeValues values = nothing;
  Terms terms;
  return Interpreter(module, Scope::kInstruction, &values, limits, terms)
      .is_counted(computation, loop);
}

absl::StatusOr<ElementTerms> terms_of(const HloModule& module, int32_t computation,
                                      int32_t instruction, int64_t leaf, Terms& terms,
                                      const Limits& limits) {
  TRY(expect_valid(module, computation, instruction, leaf, Scope::kComputation));
  Interpreter interpreter(module, Scope::kComputation, nullptr, limits, terms);
  const ArrayPtr array = TRY(interpreter.run(computation, instruction, leaf));
  return ElementTerms{array->dims, array->terms};
}

absl::StatusOr<std::vector<ElementTerms>> terms_of_all(const HloModule& module, int32_t computation,
                                                       int32_t instruction, Terms& terms,
                                                       const Limits& limits) {
  TRY(expect_valid(module, computation, instruction, std::nullopt, Scope::kComputation));
  Interpreter interpreter(module, Scope::kComputation, nullptr, limits, terms);
  std::vector<ElementTerms> results;
  for (const auto& arrays : TRY(interpreter.run_all(computation, instruction))) {
    results.push_back({arrays[0]->dims, arrays[0]->terms});
  }
  return results;
}

std::vector<int64_t> element_index(const Dims& dims, int64_t element) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = element % dims[d];
    element /= dims[d];
  }
  return index;
}

int64_t element_number(const Dims& dims, const std::vector<int64_t>& index) {
  int64_t element = 0;
  for (size_t d = 0; d < dims.size(); ++d) element = element * dims[d] + index[d];
  return element;
}

int64_t arbitrary_value(const HloElement& position, uint64_t seed, int64_t near) {
  uint64_t z = seed + 0x9e3779b97f4a7c15;
  const auto mix = [&z](int64_t x) {
    z = (z ^ static_cast<uint64_t>(x)) * 0xbf58476d1ce4e5b9;
    z ^= z >> 29;
    z *= 0x94d049bb133111eb;
    z ^= z >> 32;
  };
  mix(position.computation);
  mix(position.instruction);
  mix(position.leaf);
  for (const int64_t i : position.index) mix(i);
  for (const int32_t call : position.calls) mix(call);
  const uint64_t kind = z % 16;
  mix(0);
  if (kind == 0) return std::numeric_limits<int64_t>::min() + static_cast<int64_t>(z % 3);
  if (kind == 1) return std::numeric_limits<int64_t>::max() - static_cast<int64_t>(z % 3);
  const auto span = static_cast<uint64_t>(std::max<int64_t>(near, 0)) * 2 + 3;
  return static_cast<int64_t>(z % span) - 2;
}

}  // namespace tileproof::spec
