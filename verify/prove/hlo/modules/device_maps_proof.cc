// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_maps_proof.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/terms.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "verify/prove/hlo/containment.h"
#include "verify/prove/hlo/disjunct.h"
#include "verify/prove/hlo/modules/device_tables.h"
#include "verify/prove/hlo/modules/index_expressions.h"
#include "verify/prove/smt/linear_query.h"

namespace tileproof::verify {
namespace {

// What the definition says, for any index on any device or on this one: a map to one leaf of an operand.
struct Defined {
  OperandLeaf from;
  impl::IndexedMap map;
};

absl::StatusOr<Defined> defined(const spec::Routes& routes, const Dims& dims, int64_t devices,
                                std::optional<int64_t> device) {
  const absl::Status unknown = absl::UnimplementedError("groups of no form that is known");
  const DeviceTables tables(routes, devices);
  if (!tables.is_known()) return unknown;
  spec::Terms terms;
  IndexExpressions numbers(terms);
  const auto any_below = [&](const std::string& name, int64_t size) {
    return IndexExpressions::Named{{{0, size - 1}, name}, numbers.any_below(name, size)};
  };
  std::vector<IndexExpressions::Named> dimensions, ranges;
  if (!device) dimensions.push_back(any_below("v", devices));
  const IndexNumber at = device ? IndexNumber(*device) : dimensions[0].number;
  std::vector<IndexNumber> index;
  for (size_t d = 0; d < dims.size(); ++d) {
    dimensions.push_back(any_below(absl::StrCat("d", d), dims[d]));
    index.push_back(dimensions.back().number);
  }
  if (tables.is_bag()) ranges.push_back(any_below("s0", tables.group_size()));
  const auto sent = tables.sent_to(at, index, ranges.empty() ? 0 : ranges[0].number);
  if (!sent) return unknown;
  const auto& [element, receives] = *sent;
  std::vector<IndexNumber> results = {element.device};
  results.insert(results.end(), element.index.begin(), element.index.end());
  IndexingMap map = numbers.map(results, receives, dimensions, ranges);
  if (numbers.has_failed()) return unknown;
  return Defined{element.from, {std::move(map), {}}};
}

Dims on_devices(int64_t devices, Dims dims) {
  dims.insert(dims.begin(), devices);
  return dims;
}

struct Proof {
  const CheckedOp& op;
  int64_t devices;
  Dims result;
  const Defined& definition;
  SourceResolver resolver;
  SolverSession solver;
  int64_t enumerated;

  // Of the maps to one leaf of an operand.
  Verdict of(OperandLeaf from, const impl::LeafMaps& list) {
    const std::vector<Disjunct> maps(list.maps.begin(), list.maps.end());
    std::vector<Disjunct> whole;
    if (from == definition.from) whole.emplace_back(definition.map);
    const Dims operand = on_devices(devices, op.operands[from.operand][from.leaf].dims);
    const Between between{resolver, result, operand};
    const auto contained = [&](const std::vector<Disjunct>& a, const std::vector<Disjunct>& b) {
      return a.empty()
                 ? Verdict::kProven
                 : prove_contained(between, a, b, solver, {enumerated, Counterexamples::kSampled})
                       .verdict;
    };
    const Verdict missing = contained(whole, maps), spurious = contained(maps, whole);
    return missing == Verdict::kProven ? spurious : missing;
  }
};

absl::StatusOr<Verdict> proven(const HloModule& module, int32_t computation, int32_t instruction,
                               int32_t leaf, std::optional<int64_t> device,
                               const impl::Indexing& maps, const VerifyOptions& options) {
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const DeviceCounts counts = TRY(device_counts(module));
  const CheckedOp op = TRY(checked_op(module, module.computations[computation], i));
  const int64_t devices = counts.devices().value_or(0);
  const Dims& dims = op.result[leaf].dims;
  if (element_count(dims) == 0) return Verdict::kProven;
  spec::Routes routes(i, op, leaf, counts);
  TRY(routes.prepare(module, computation));
  const Defined definition = TRY(defined(routes, dims, devices, device));
  const auto time = std::chrono::milliseconds(options.milliseconds);
  Proof proof{op,
              devices,
              device ? dims : on_devices(devices, dims),
              definition,
              SourceResolver(module, computation),
              SolverSession{ThreadCpuClock::now() + time, options.smtlib_directory},
              options.enumerated};
  for (int32_t k = 0; k < std::ssize(maps); ++k) {
    for (int32_t l = 0; l < std::ssize(maps[k]); ++l) {
      const Verdict one = proof.of({k, l}, maps[k][l]);
      if (one != Verdict::kProven) return one;
    }
  }
  return Verdict::kProven;
}

}  // namespace

InstructionVerdict verify_device_maps(const HloModule& module, int32_t computation,
                                      int32_t instruction, int32_t leaf,
                                      std::optional<int64_t> device, const impl::Indexing& maps,
                                      VerifySession& session) {
  InstructionVerdict verdict{computation, instruction, InstructionVerdict::Kind::kUndecided, ""};
  const absl::StatusOr<Verdict> found =
      proven(module, computation, instruction, leaf, device, maps, session.options);
  if (!found.ok()) {
    verdict.detail = std::string(found.status().message());
  } else if (*found == Verdict::kProven) {
    verdict.kind = InstructionVerdict::Kind::kProven;
  } else if (*found == Verdict::kRefuted) {
    verdict.kind = InstructionVerdict::Kind::kRefuted;
    verdict.detail = "the maps between devices are not those of the definition";
  }
  return verdict;
}

}  // namespace tileproof::verify
