// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/modules/device_maps.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "impl/map/simplify.h"
#include "spec/hlo/device_routes.h"
#include "spec/hlo/terms.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/device_groups.h"
#include "verify/prove/hlo/modules/device_tables.h"
#include "verify/prove/hlo/modules/index_expressions.h"

namespace tileproof::verify {
absl::StatusOr<std::vector<DeviceMap>> device_maps(const HloModule& module, int32_t computation,
                                                   int32_t instruction, int64_t leaf,
                                                   std::optional<int64_t> device) {
  const DeviceCounts counts = TRY(device_counts(module));
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const int64_t devices = counts.devices().value_or(1);
  if (device && (*device < 0 || *device >= devices)) {
    return absl::OutOfRangeError(
        absl::StrCat("expected a device in [0, ", devices - 1, "], found ", *device));
  }
  std::vector<DeviceMap> maps;
  if (devices == 1 || !spec::is_exchange(i)) return maps;
  const CheckedOp op = TRY(checked_op(module, module.computations[computation], i));
  spec::Routes routes(i, op, leaf, counts);
  TRY(routes.prepare(module, computation));
  const DeviceTables tables(routes, devices);
  const Dims& dims = op.result[leaf].dims;
  if (!tables.is_known() || element_count(dims).value_or(0) == 0) return maps;
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
  if (!sent) return maps;
  const auto& [element, receives] = *sent;
  std::vector<IndexNumber> results = {element.device};
  results.insert(results.end(), element.index.begin(), element.index.end());
  auto map = impl::simplify(numbers.map(results, receives, dimensions, ranges));
  if (!map.ok() || numbers.has_failed()) return maps;
  maps.push_back({element.from.operand, element.from.leaf, *std::move(map)});
  return maps;
}

}  // namespace tileproof::verify
