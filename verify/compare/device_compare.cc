// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/device_compare.h"

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "impl/hlo/device_maps.h"
#include "spec/hlo/device_provenance.h"
#include "spec/lang/base/dims.h"
#include "verify/compare/indexing_compare.h"

namespace tileproof::verify {
namespace {

struct Asked {
  const HloModule& module;
  int32_t computation, instruction, leaf;
};

// The part of the provenance that is about one device.
spec::Provenance of_one(const spec::Provenance& all, int64_t device) {
  spec::Provenance one = all;
  one.dims.erase(one.dims.begin());
  const int64_t count = element_count(one.dims).value_or(0);
  const auto first = all.elements.begin() + device * count;
  one.elements.assign(first, first + count);
  return one;
}

// On one device, or on all.
std::string difference(const Asked& a, const spec::Provenance& provenance,
                       std::optional<int64_t> device) {
  const auto maps = impl::device_maps(a.module, a.computation, a.instruction, a.leaf, device);
  if (!maps.ok()) return absl::StrCat("refused by the analysis only: ", maps.status().message());
  const IndexingComparison found =
      compare_answer(a.module, a.computation, Scope::kInstruction, impl::Direction::kOutputToInput,
                     provenance, *maps, RuntimeChoice());
  if (found.kind == IndexingComparison::Kind::kEqual) return "";
  return found.difference.empty() ? "not compared" : found.difference;
}

std::string leaf_difference(const Asked& a, CaseCounts& tally) {
  const auto provenance = spec::device_provenance(a.module, a.computation, a.instruction, a.leaf);
  const auto maps = impl::device_maps(a.module, a.computation, a.instruction, a.leaf);
  if (!provenance.ok() && !maps.ok()) {
    ++tally["refused"];
    return "";
  }
  if (!provenance.ok()) {
    return absl::StrCat("refused by the reference only: ", provenance.status().message());
  }
  std::string found = difference(a, *provenance, std::nullopt);
  tally["equal"] += found.empty() ? 1 : 0;
  for (int64_t v = 0; found.empty() && v < provenance->dims[0]; ++v) {
    found = difference(a, of_one(*provenance, v), v);
    if (!found.empty()) return absl::StrCat(found, " on device ", v, " alone");
    ++tally["on one device"];
  }
  return found;
}

}  // namespace

std::string device_maps_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, CaseCounts& tally) {
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const auto leaves = leaves_of(*i.shape);
  if (!leaves.ok()) return "";
  for (int32_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
    const std::string found = leaf_difference({module, computation, instruction, leaf}, tally);
    if (!found.empty()) {
      return absl::StrCat(i.opcode_text, " is indexed wrongly at leaf ", leaf, ": ", found);
    }
  }
  return "";
}

}  // namespace tileproof::verify
