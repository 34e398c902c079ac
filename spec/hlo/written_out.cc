// SPDX-License-Identifier: Apache-2.0
#include "spec/hlo/written_out.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/hlo/hlo_attributes.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::spec {
namespace {

// $whole: the shape of x. $each: that of a number for each feature. $one: that of a number. $f: the dimension of
// the features. $others: the other ones. $count: how many numbers a feature has.
constexpr char kSum[] = R"(HloModule written_out
sum { a = $one parameter(0)  b = $one parameter(1)  ROOT c = $one add(a, b) }
ENTRY norm {
)";
constexpr char kInference[] = R"(
  x = $whole parameter(0)  scale = $each parameter(1)  offset = $each parameter(2)
  mean = $each parameter(3)  variance = $each parameter(4)
)";
constexpr char kTraining[] = R"(
  x = $whole parameter(0)  scale = $each parameter(1)  offset = $each parameter(2)
  zero = $one constant(0)  count = $one constant($count)
  counts = $each broadcast(count), dimensions={}
  sum_of_x = $each reduce(x, zero), dimensions={$others}, to_apply=sum
  mean = $each divide(sum_of_x, counts)
  means = $whole broadcast(mean), dimensions={$f}
  distance = $whole subtract(x, means)
  squares = $whole multiply(distance, distance)
  sum_of_squares = $each reduce(squares, zero), dimensions={$others}, to_apply=sum
  variance = $each divide(sum_of_squares, counts)
)";
constexpr char kNormalized[] = R"(
  mean_at = $whole broadcast(mean), dimensions={$f}
  centered = $whole subtract(x, mean_at)
  epsilon = $one constant($epsilon)
  epsilons = $each broadcast(epsilon), dimensions={}
  raised = $each add(variance, epsilons)
  deviation = $each sqrt(raised)
  deviation_at = $whole broadcast(deviation), dimensions={$f}
  normalized = $whole divide(centered, deviation_at)
  scale_at = $whole broadcast(scale), dimensions={$f}
)";
constexpr char kShifted[] = R"(
  offset_at = $whole broadcast(offset), dimensions={$f}
  scaled = $whole multiply(scale_at, normalized)
  ROOT shifted = $whole add(scaled, offset_at)
)";
constexpr char kGradient[] = R"(
  x = $whole parameter(0)  scale = $each parameter(1)  mean = $each parameter(2)
  variance = $each parameter(3)  grad = $whole parameter(4)
)";
// n grad - sum of grad - centered / (variance + epsilon) * sum of (grad * centered), times scale / deviation / n
constexpr char kGradients[] = R"(
  zero = $one constant(0)  count = $one constant($count)
  counts = $whole broadcast(count), dimensions={}
  of_scale = $whole multiply(grad, normalized)
  grad_scale = $each reduce(of_scale, zero), dimensions={$others}, to_apply=sum
  grad_offset = $each reduce(grad, zero), dimensions={$others}, to_apply=sum
  turns = $whole multiply(grad, centered)
  turn = $each reduce(turns, zero), dimensions={$others}, to_apply=sum
  turn_at = $whole broadcast(turn), dimensions={$f}
  raised_at = $whole broadcast(raised), dimensions={$f}
  grad_offset_at = $whole broadcast(grad_offset), dimensions={$f}
  all = $whole multiply(grad, counts)
  all_but_mean = $whole subtract(all, grad_offset_at)
  turned = $whole multiply(turn_at, centered)
  turned_back = $whole divide(turned, raised_at)
  straight = $whole subtract(all_but_mean, turned_back)
  slope = $whole divide(scale_at, deviation_at)
  slope_of_one = $whole divide(slope, counts)
  grad_x = $whole multiply(slope_of_one, straight)
  ROOT results = ($whole, $each, $each) tuple(grad_x, grad_scale, grad_offset)
)";

// The sizes of an array, if all are known.
std::optional<Dims> fixed_dims(const SharedShape& shape) {
  if (!shape || shape->kind != Shape::Kind::kArray) return std::nullopt;
  Dims dims;
  for (const Dimension& one : shape->dimensions) {
    if (one.kind != Dimension::Kind::kFixed) return std::nullopt;
    dims.push_back(one.size);
  }
  return dims;
}

std::string text_for(HloOpcode opcode) {
  if (opcode == HloOpcode::kBatchNormGrad)
    return absl::StrCat(kSum, kGradient, kNormalized, kGradients, "}");
  if (opcode == HloOpcode::kBatchNormInference)
    return absl::StrCat(kSum, kInference, kNormalized, kShifted, "}");
  const std::string shifted = absl::StrReplaceAll(kShifted, {{"ROOT ", ""}});
  return absl::StrCat(kSum, kTraining, kNormalized, shifted,
                      "ROOT results = ($whole, $each, $each) tuple(shifted, mean, variance) }");
}

// Nothing unless each operand is as large as x, or has a number for each feature.
std::optional<std::string> text_of_norm(const HloComputation& within, const HloInstruction& i) {
  const bool is_gradient = i.opcode == HloOpcode::kBatchNormGrad;
  const auto feature = integer_of(i, "feature_index");
  const std::string* epsilon = find_attribute(i.attributes, "epsilon");
  double number = 0;
  const size_t operands = i.opcode == HloOpcode::kBatchNormTraining ? 3 : 5;
  if (!feature.ok() || epsilon == nullptr || !absl::SimpleAtod(*epsilon, &number) ||
      i.operands.size() != operands) {
    return std::nullopt;
  }
  const auto shape_of = [&](size_t k) -> const SharedShape& {
    return within.instructions[i.operands[k].instruction].shape;
  };
  const auto dims = fixed_dims(shape_of(0));
  if (!dims || *feature < 0 || *feature >= std::ssize(*dims)) return std::nullopt;
  const int64_t features = (*dims)[*feature];
  for (size_t k = 1; k < operands; ++k) {
    const Dims own = is_gradient && k == 4 ? *dims : Dims{features};
    if (fixed_dims(shape_of(k)) != own) return std::nullopt;
    if (shape_of(k)->element_type != shape_of(0)->element_type) return std::nullopt;
  }
  const auto elements = element_count(*dims);
  if (!elements || features == 0) return std::nullopt;
  Dims others;
  for (int64_t d = 0; d < std::ssize(*dims); ++d) {
    if (d != *feature) others.push_back(d);
  }
  const absl::string_view type = info(shape_of(0)->element_type).name;
  return absl::StrReplaceAll(text_for(i.opcode), {{"$whole", absl::StrCat(type, dims_text(*dims))},
                                                  {"$each", absl::StrCat(type, "[", features, "]")},
                                                  {"$one", absl::StrCat(type, "[]")},
                                                  {"$f", absl::StrCat(*feature)},
                                                  {"$others", absl::StrJoin(others, ",")},
                                                  {"$count", absl::StrCat(*elements / features)},
                                                  {"$epsilon", *epsilon}});
}

}  // namespace

HloModule written_out(HloModule module) {
  const size_t count = module.computations.size();
  for (size_t c = 0; c < count; ++c) {
    for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) {
      const HloComputation& within = module.computations[c];
      const HloOpcode opcode = within.instructions[k].opcode;
      if (opcode != HloOpcode::kBatchNormTraining && opcode != HloOpcode::kBatchNormInference &&
          opcode != HloOpcode::kBatchNormGrad) {
        continue;
      }
      const auto text = text_of_norm(within, within.instructions[k]);
      auto written = text ? parse_hlo_module(*text) : absl::NotFoundError("");
      if (!written.ok()) continue;
      const auto first = static_cast<int32_t>(module.computations.size());
      for (HloComputation& computation : written->computations) {
        computation.is_entry = false;
        for (HloInstruction& one : computation.instructions) {
          for (HloCall& call : one.calls) call.computation += first;
        }
        module.computations.push_back(std::move(computation));
      }
      HloInstruction& call = module.computations[c].instructions[k];
      call.opcode = HloOpcode::kCall;
      call.opcode_text = "call";
      call.attributes = {{"to_apply", "norm"}};
      call.calls = {{0, first + written->entry}};
    }
  }
  return module;
}

}  // namespace tileproof::spec
