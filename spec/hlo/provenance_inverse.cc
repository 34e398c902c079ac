// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/provenance_inverse.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/hlo/term_interpreter.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"

namespace tileproof::spec {
namespace {

struct Input {
  int32_t operand = 0;
  int32_t leaf = 0;
  Dims dims;
};

absl::StatusOr<Input> input_of(const HloInstruction& root, const std::vector<Leaves>& inputs,
                               int64_t number) {
  int64_t before = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Leaves& leaves = inputs[k];
    if (0 <= number && number < before + std::ssize(leaves)) {
      const int64_t leaf = number - before;
      return Input{static_cast<int32_t>(k), static_cast<int32_t>(leaf), leaves[leaf].dims};
    }
    before += std::ssize(leaves);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(root.name, ": expected an input below ", before, ", found ", number));
}

}  // namespace

absl::StatusOr<int64_t> input_count(const HloModule& module, int32_t computation,
                                    int32_t instruction, Scope scope) {
  int64_t count = 0;
  const auto inputs = TRY(inputs_of(module, computation, instruction, scope));
  for (const Leaves& leaves : inputs) count += std::ssize(leaves);
  return count;
}

absl::StatusOr<Provenance> inverse_provenance(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t input, Scope scope,
                                              RuntimeValues values, const Limits& limits) {
  TRY(expect_valid(module, computation, instruction, std::nullopt, scope));
  const HloInstruction& root = module.computations[computation].instructions[instruction];
  const auto inputs = TRY(inputs_of(module, computation, instruction, scope));
  const Input from = TRY(input_of(root, inputs, input));
  if (!root.shape) return absl::InvalidArgumentError(absl::StrCat(root.name, ": expected a shape"));
  const Leaves result = TRY(leaves_of(*root.shape));
  // Errors of the operation come before errors of size.
  std::vector<Provenance> forward;
  for (int32_t leaf = 0; leaf < std::ssize(result); ++leaf) {
    forward.push_back(
        TRY(provenance(module, computation, instruction, leaf, scope, values, limits)));
  }
  const std::optional<int64_t> count = element_count(from.dims);
  if (!count || *count > limits.elements) {
    return absl::ResourceExhaustedError(absl::StrCat(root.name, ": too large to enumerate"));
  }

  std::vector<std::vector<Source>> goes(*count);
  std::set<std::string> conservative;
  Provenance inverse{from.dims, {{}}, {}, {}, {}};
  for (int32_t leaf = 0; leaf < std::ssize(result); ++leaf) {
    inverse.sources[0].push_back(result[leaf].dims);
    const Provenance& one = forward[leaf];
    for (int64_t o = 0; o < std::ssize(one.elements); ++o) {
      for (const Source& source : *one.elements[o]) {
        if (source.operand != from.operand || source.leaf != from.leaf) continue;
        goes[source.element].push_back({0, leaf, o});
      }
    }
    inverse.reads.insert(inverse.reads.end(), one.reads.begin(), one.reads.end());
    conservative.insert(one.conservative.begin(), one.conservative.end());
  }
  for (std::vector<Source>& one : goes) {
    inverse.elements.push_back(std::make_shared<const std::vector<Source>>(std::move(one)));
  }
  std::ranges::stable_sort(inverse.reads, {}, [](const RuntimeRead& read) {
    return std::tie(read.position, read.source);
  });
  inverse.reads.erase(std::unique(inverse.reads.begin(), inverse.reads.end()), inverse.reads.end());
  inverse.conservative.assign(conservative.begin(), conservative.end());
  return inverse;
}

}  // namespace tileproof::spec
