// SPDX-License-Identifier: Apache-2.0
// The indexing of all instructions of a module, counted by the kind of answer:
//
//     mapped         exact maps for every leaf of the result
//     conservative   a superset for some leaf; the reason says why
//     no dataflow    the result depends on no operand: parameter, constant, iota, ..
//     refused        attributes and shapes do not fit, or are missing; the reason is the error
//
// Counts each instruction by its dependences on its operands, and each computation by the
// dependences of its root on its parameters. Walks each computation once, callees first. The time
// is about linear in the size of the text.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/functional/function_ref.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// Whether the result has elements of other replicas: collectives, and asynchronous starts of them.
// Their maps say which index an element has there, not on which replica.
bool reads_replicas(const HloInstruction& instruction);

// Several leaves together are of the last of these kinds that any of them is.
enum class DataflowKind : uint8_t { kNoDataflow, kMapped, kConservative, kRefused };

struct DataflowClass {
  DataflowKind kind = DataflowKind::kNoDataflow;
  std::string reason;
  bool whole = false;  // each leaf of the result depends on all elements of all operands
};

struct DataflowCounts {
  int64_t mapped = 0;
  int64_t conservative = 0;
  int64_t no_dataflow = 0;
  int64_t refused = 0;

  int64_t total() const { return mapped + conservative + no_dataflow + refused; }
};

struct ModuleIndexing {
  DataflowCounts instructions;
  DataflowCounts computations;                  // each by its root
  std::map<std::string, int64_t> conservative;  // the number of instructions for each reason
  int64_t maps = 0;                             // of instructions
  int64_t composed_maps = 0;                    // of computations
  // The number of root leaves that were left out. If nothing calls a computation, its root may have
  // many leaves. No leaf is begun after the others took more than `max_root_work`; -1: none at all.
  int64_t leaves_left_out = 0;
};

// The unit is that of backward_slice (impl/hlo/backward_slice.h).
inline constexpr int64_t kMaxRootWork = 5'000'000;

// Calls `visit`, if given, for each instruction of each computation in order.
using DataflowVisitor =
    absl::FunctionRef<void(int32_t computation, int32_t instruction, const DataflowClass&)>;
ModuleIndexing index_module(const HloModule& module);
ModuleIndexing index_module(const HloModule& module, DataflowVisitor visit,
                            int64_t max_root_work = kMaxRootWork);

// The same with an analysis that remembers what was found, for questions about the instructions.
ModuleIndexing index_module(IndexingAnalysis& analysis, DataflowVisitor visit,
                            int64_t max_root_work = kMaxRootWork);

}  // namespace tileproof::impl
