// SPDX-License-Identifier: Apache-2.0
#include "impl/access/kernel_traffic.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"

namespace tileproof::impl {
namespace {

int64_t bits_of(const Shape& array) {
  const int64_t given = layout_of(array).element_size_in_bits;
  return given != 0 ? given : 8 * byte_width(array.element_type);
}

absl::StatusOr<TransactionCounts> count_list(const IndexingMap& threads, const LeafMaps& list,
                                             const Shape& array, const Warps& warps) {
  if (list.inexact) {
    return absl::ResourceExhaustedError(absl::StrCat("superset: ", list.reason));
  }
  TransactionCounts sum;
  for (const IndexedMap& one : list.maps) {
    const std::vector<bool> used = runtime_used(one.map);
    if (std::ranges::find(used, true) != used.end()) {
      return absl::ResourceExhaustedError("it depends on the values of offsets");
    }
    const std::vector<int64_t> none(used.size(), 0);
    const auto own = TRY(count_transactions(threads, with_runtime(one.map, none), array, warps));
    const auto accesses = checked_add(sum.accesses, own.accesses);
    const auto transactions = checked_add(sum.transactions, own.transactions);
    const auto elements = checked_add(sum.elements, own.elements);
    // Each access has an element and a transaction, so `accesses` fits if the others do.
    if (!transactions || !elements) {
      return absl::ResourceExhaustedError("more than 63 bits");
    }
    sum = {*accesses, *transactions, std::max(sum.most, own.most), *elements};
  }
  return sum;
}

absl::Status add(std::vector<KernelTraffic>& all, std::string name, const Shape& array,
                 const absl::StatusOr<TransactionCounts>& accesses) {
  KernelTraffic traffic{std::move(name), std::nullopt, bits_of(array), ""};
  if (accesses.ok()) {
    traffic.accesses = *accesses;
  } else if (absl::IsResourceExhausted(accesses.status())) {
    traffic.why = std::string(accesses.status().message());
  } else {
    return accesses.status();
  }
  all.push_back(std::move(traffic));
  return absl::OkStatus();
}

// From an index of the result to itself.
IndexingMap identity(const Shape& array) {
  IndexingMap map;
  for (const Dimension& dimension : array.dimensions) {
    map.results.push_back(add_variable(map.nodes, Op::kDimension, std::ssize(map.dimensions)));
    map.dimensions.push_back({{0, dimension.size - 1}, ""});
  }
  return map;
}

}  // namespace

int64_t KernelTraffic::used_percent(int64_t width) const {
  const double used = static_cast<double>(accesses->elements) * static_cast<double>(bits) / 8;
  const double moved = static_cast<double>(accesses->transactions) * static_cast<double>(width);
  return moved == 0 ? 100 : static_cast<int64_t>(100 * used / moved);
}

absl::StatusOr<std::vector<KernelTraffic>> kernel_traffic(
    IndexingAnalysis& analysis, const HloModule& module, int32_t computation, int32_t instruction,
    int32_t output, const IndexingMap& threads, const Warps& warps) {
  const auto indexing = TRY(analysis.reads(computation, instruction, output));
  const HloComputation& in = module.computations[computation];
  const HloInstruction& at = in.instructions[instruction];
  std::vector<KernelTraffic> all;
  const Shape& result = *shape_leaves_of(*at.shape).leaves[output].array;
  TRY(add(all, "result", result, count_transactions(threads, identity(result), result, warps)));
  for (size_t k = 0; k < indexing.size(); ++k) {
    const HloInstruction& operand = in.instructions[at.operands[k].instruction];
    const Leaves leaves = shape_leaves_of(*operand.shape).leaves;
    for (size_t leaf = 0; leaf < indexing[k].size(); ++leaf) {
      const LeafMaps& list = indexing[k][leaf];
      if (list.maps.empty()) continue;
      const Shape& array = *leaves[leaf].array;
      const std::string part = leaves.size() > 1 ? absl::StrCat("#", leaf) : "";
      TRY(add(all, absl::StrCat("operand ", k, ", ", operand.name, part), array,
              count_list(threads, list, array, warps)));
    }
  }
  return all;
}

}  // namespace tileproof::impl
