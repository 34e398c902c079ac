// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/device_provenance.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/hlo/device_routes.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"

namespace tileproof::spec {
namespace {

template <class T>
std::vector<T> with_first(T first, std::vector<T> others) {
  others.insert(others.begin(), first);
  return others;
}

// The elements that one device receives for element `o`.
absl::StatusOr<std::vector<Source>> received(const Route& route, const std::vector<int64_t>& o,
                                             const Provenance& found) {
  const auto no_number = [](const DeviceElement&) { return std::nullopt; };
  const auto elements = route.reads(o, no_number);
  if (!elements) return absl::UnimplementedError("which devices send depends on values");
  std::vector<Source> sources;
  for (const DeviceElement& one : *elements) {
    const Dims& dims = found.sources[one.from.operand][one.from.leaf];
    sources.push_back(
        {one.from.operand, one.from.leaf, element_number(dims, with_first(one.device, one.index))});
  }
  std::ranges::sort(sources);
  return sources;
}

}  // namespace

absl::StatusOr<Provenance> device_provenance(const HloModule& module, int32_t computation,
                                             int32_t instruction, int64_t leaf,
                                             const Limits& limits) {
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const DeviceCounts counts = TRY(device_counts(module));
  const int64_t devices = counts.devices().value_or(0);
  const CheckedOp op = TRY(checked_op(module, module.computations[computation], i));
  const absl::Status undefined =
      absl::UnimplementedError(absl::StrCat(i.name, ": no collective between devices"));
  if (leaf < 0 || leaf >= std::ssize(op.result) || !is_exchange(i)) return undefined;
  const Dims& dims = op.result[leaf].dims;
  Provenance found;
  found.dims = with_first(devices, dims);
  if (devices == 0 || element_count(found.dims).value_or(INT64_MAX) > limits.elements) {
    return absl::ResourceExhaustedError(absl::StrCat(i.name, ": too large to enumerate"));
  }
  for (const Leaves& operand : op.operands) {
    found.sources.emplace_back();
    for (const Leaf& one : operand) found.sources.back().push_back(with_first(devices, one.dims));
  }
  if (element_count(dims) == 0) return found;
  Routes routes(i, op, leaf, counts);
  TRY(routes.prepare(module, computation));
  int64_t work = 0;
  for (int64_t v = 0; v < devices; ++v) {
    const std::optional<Route> route = TRY(routes.to(v));
    if (!route) return undefined;
    Dims o(dims.size(), 0);
    do {
      auto sources = TRY(received(*route, o, found));
      work += 1 + std::ssize(sources);
      if (work > limits.work) {
        return absl::ResourceExhaustedError(absl::StrCat(i.name, ": too large to enumerate"));
      }
      found.elements.push_back(std::make_shared<const std::vector<Source>>(std::move(sources)));
    } while (next_index(dims, o));
  }
  return found;
}

}  // namespace tileproof::spec
