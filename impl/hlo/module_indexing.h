// Every instruction of a module: what kind of answer its indexing has.
//
//     mapped         exact maps for every leaf of the result
//     conservative   a superset for some leaf; the reason says why
//     no flow        no element of an operand flows to it: parameter, constant, iota, ..
//     refused        attributes and shapes do not fit, or are not written; the reason is the error
//
// Each instruction is looked at on its own (its operands are the arrays that flow), and every
// computation as a whole, from its root to its parameters. Computations are walked once, callees
// first; time is about linear in the text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// What several leaves are together is the last of these that any of them is.
enum class DataflowKind : uint8_t { kNoDataflow, kMapped, kConservative, kRefused };

struct DataflowClass {
  DataflowKind kind = DataflowKind::kNoDataflow;
  std::string reason;
  // Of an operation on whole arrays: all elements of all operands, to every leaf of the result.
  bool whole = false;
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
  std::map<std::string, int64_t> conservative;  // reasons, with how many instructions each
  int64_t maps = 0;                             // of instructions
  int64_t composed_maps = 0;                    // of computations
  // Leaves of roots that were left out: of a computation that nothing enters, with a root of many
  // leaves, none is begun once the others took more than `max_root_work`.
  int64_t leaves_left_out = 0;
};

inline constexpr int64_t kMaxRootWork =
    5'000'000;  // as `trace` measures it (impl/hlo/backward_slice.h)

// Calls `visit`, where given, for each instruction of each computation in order.
using DataflowVisitor =
    absl::FunctionRef<void(int32_t computation, int32_t instruction, const DataflowClass&)>;
ModuleIndexing index_module(const HloModule& module);
ModuleIndexing index_module(const HloModule& module, DataflowVisitor visit,
                            int64_t max_root_work = kMaxRootWork);

}  // namespace tileproof::impl
