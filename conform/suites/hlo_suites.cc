// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/operations.h"
#include "conform/suites/makers.h"
#include "generate/choose/choose.h"
#include "generate/choose/limits.h"
#include "generate/hlo/bounded_hlo.h"
#include "generate/hlo/generate_collective.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/hlo/generate_partitioned.h"
#include "generate/hlo/mutate_hlo.h"
#include "impl/hlo/analysis_scope.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/hlo/hlo_text.h"

namespace tileproof::conform {
namespace {

// The text as tileproof prints it.
std::string canonical(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  return module.ok() ? to_text(*module) : std::string(hlo);
}

int64_t leaves_of(const HloInstruction& instruction) {
  if (!instruction.shape) return 0;
  const absl::StatusOr<Leaves> leaves = tileproof::leaves_of(*instruction.shape);
  return leaves.ok() ? std::ssize(*leaves) : 0;
}

int64_t inputs_of(const Json& request) {
  const absl::StatusOr<HloQuestion> asked = read_hlo_question(request);
  if (!asked.ok()) return 0;
  return spec::input_count(asked->module, asked->computation, asked->instruction, asked->scope)
      .value_or(0);
}

// Breaks one part of the request.
Json spoiled(Choose& choose, Json request) {
  switch (choose(5)) {
    case 0:
      set(request, "instruction", "no_such_instruction");
      break;
    case 1:
      set(request, *find(request, "direction") == Json("input_to_output") ? "input" : "output",
          choose.chance(1, 2) ? -1 : 1000);
      break;
    case 2:
      set(request, "direction", "sideways");
      break;
    case 3:
      set(request, "scope", 7);
      break;
    default:
      remove(request, "hlo");
  }
  return request;
}

// Both directions of an operation; input to output for each array of the operands.
std::vector<Json> whole_operation(const std::string& hlo) {
  const std::string text = canonical(hlo);
  std::vector<Json> requests = {hlo_question(text, "instruction")};
  Json from = hlo_question(text, "instruction", "input_to_output");
  const int64_t inputs = inputs_of(from);
  for (int64_t input = 0; input < inputs; ++input) {
    set(from, "input", input);
    requests.push_back(from);
  }
  return requests;
}

int64_t count_of(const BoundedHlo& operations) {
  int64_t count = 0;
  for (Odometer odometer; !odometer.done(); odometer.advance()) {
    Choose choose(&odometer);
    operations.make(choose);
    ++count;
  }
  return count;
}

constexpr int kMaxDraws = 8;  // attempts to make a request that the reference can answer

// Turns a request of hlo.index into a request of another operation.
Json with_operation(absl::string_view op, Json request) {
  set(request, "op", op);
  remove(request, "direction");
  return request;
}

Json random_tile(Choose& choose, const std::vector<int64_t>& sizes) {
  Json::Array tile;
  for (int64_t size : sizes) {
    const int64_t offset = size == 0 ? 0 : choose(size);
    const int64_t stride =
        choose.chance(1, 3) ? choose_within(choose, limits::kAskedTileStride) : 1;
    const int64_t most = size == 0 ? 0 : (size - offset + stride - 1) / stride;
    tile.emplace_back(std::vector<int64_t>{offset, most == 0 ? 0 : 1 + choose(most), stride});
  }
  return tile;
}

Json random_request(Choose& choose, const Limits& limits) {
  const bool tile = choose.chance(1, 2);
  Json request = make_hlo_request(choose, limits);
  remove(request, "input");  // only requests of direction input_to_output have it
  Json as_index = request;
  set(as_index, "direction", "output_to_input");
  const absl::StatusOr<HloQuestion> question = read_hlo_question(as_index);
  if (!tile || !question.ok()) {
    remove(request, "output");
    return with_operation("hlo.utilization", std::move(request));
  }
  const auto sizes = impl::sizes_of_result(question->module, question->computation,
                                           question->instruction, question->array);
  request = with_operation("hlo.tile", std::move(request));
  set(request, "tile", sizes.ok() ? random_tile(choose, *sizes) : Json(Json::Array()));
  return request;
}

bool is_beyond_reference(const Json& request) {
  const auto answer = find(request, "tile") == nullptr ? hlo_utilization : hlo_tile;
  return absl::IsResourceExhausted(answer(request, Engine::kSpec).status());
}

// A grid of tiles, or of tiles of two steps, over an array of these sizes.
std::string random_symbolic_tile(Choose& choose, const std::vector<int64_t>& sizes) {
  std::vector<std::string> lists[4];
  std::vector<std::string> names, domain;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t step = choose.between(1, 3), stride = choose.between(1, 2);
    const int64_t tiles = std::max<int64_t>((sizes[d] + step * stride - 1) / (step * stride), 1);
    names.push_back(absl::StrCat("tid_", d));
    domain.push_back(absl::StrCat(names[d], " in [0, ", tiles - 1, "]"));
    lists[0].push_back(absl::StrCat(names[d], " * ", step * stride));
    lists[1].push_back(absl::StrCat(step));
    lists[2].push_back(absl::StrCat(stride));
    lists[3].push_back(absl::StrCat(sizes[d]));
  }
  return absl::StrCat("(", absl::StrJoin(names, ", "), ") -> offsets [",
                      absl::StrJoin(lists[0], ", "), "] sizes [", absl::StrJoin(lists[1], ", "),
                      "] strides [", absl::StrJoin(lists[2], ", "), "] upper bounds [",
                      absl::StrJoin(lists[3], ", "), "]",
                      domain.empty() ? "" : ", domain: ", absl::StrJoin(domain, ", "));
}

// Breaks one part of the request.
void spoil(Choose& choose, Json& request) {
  switch (choose(3)) {
    case 0:
      return remove(request, choose.chance(1, 2) ? "left" : "right");
    case 1:
      return set(request, "laws", Json::Array{"no_such_law"});
    default:
      return set(request, "right", "r = f32[3] copy(f32[4] p)");
  }
}

}  // namespace

Json hlo_question(absl::string_view hlo, absl::string_view scope, absl::string_view direction) {
  return json_object(
      {{"op", "hlo.index"}, {"hlo", hlo}, {"direction", direction}, {"scope", scope}});
}

// A question about arrays of real sizes.
Json large_request(Choose& choose) {
  const std::string hlo = canonical(generate_large_operation(choose));
  Json from = hlo_question(hlo, "instruction", "input_to_output");
  if (choose.chance(1, 4) && inputs_of(from) == 1) return from;
  return hlo_question(hlo, "instruction");
}

// Whether the first parameter has several elements.
bool has_indices(absl::string_view hlo) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return true;
  const std::vector<HloInstruction>& all = module->computations[module->entry].instructions;
  const auto first = std::ranges::find(all, HloOpcode::kParameter, &HloInstruction::opcode);
  if (first == all.end() || !first->shape) return true;
  int64_t elements = 1;
  for (const Dimension& d : first->shape->dimensions) elements *= d.size;
  return elements > 1;
}

// An operation of this kind, or if that is -1 a computation. Scalars and empty arrays have no two
// indices that a mistake could exchange, so there are few of them.
std::string some_hlo(Choose& choose, int64_t kind) {
  const HloLimits limits{.elements = limits::kAskedElements.most,
                         .operations = limits::kAskedOperations.most};
  for (int left = kMaxDraws;; --left) {
    const GeneratedHlo made =
        kind >= 0 ? generate_operation(choose, limits, kind) : generate_computation(choose, limits);
    if (left == 0 || has_indices(made.text) || choose.chance(1, 4)) return made.text;
  }
}

// Each operation comes in each direction and scope.
Json make_hlo_request(Choose& choose, const Limits&) {
  Decisions decide(choose);
  const int64_t kind = decide.kind({7, 3, 2});
  if (kind == 2) return large_request(choose);
  const bool one = kind == 0;
  const bool inverse = decide.turn(2) == 1, whole = one ? decide.turn(2) == 1 : choose.chance(3, 4);
  const std::vector<int64_t>& turns = operation_turns();
  const int64_t operation = one ? turns[decide.turn(std::ssize(turns))] : -1;
  const std::string hlo = some_hlo(choose, operation);
  const absl::StatusOr<HloModule> module = parse_hlo_module(hlo);
  if (!module.ok()) return hlo_question(hlo, "instruction");
  Json request = hlo_question(to_text(*module), whole ? "computation" : "instruction",
                              inverse ? "input_to_output" : "output_to_input");
  const HloComputation& entry = module->computations[module->entry];
  int32_t instruction = entry.root;
  if (!one && choose.chance(1, 3)) {
    instruction = static_cast<int32_t>(choose(std::ssize(entry.instructions)));
    set(request, "instruction", entry.instructions[instruction].name);
  }
  const int64_t arrays = inverse ? inputs_of(request) : leaves_of(entry.instructions[instruction]);
  if (arrays > 1) set(request, inverse ? "input" : "output", choose(arrays));
  return choose.chance(1, 12) ? spoiled(choose, std::move(request)) : request;
}

Family hlo_family() {
  return family_of(bounded_hlo_kinds().size(), [](size_t kind, Choose& choose) {
    return whole_operation(bounded_hlo_kinds()[kind].make(choose));
  });
}

std::string hlo_family_text() {
  return absl::StrCat(
      "both directions of every ",
      absl::StrJoin(bounded_hlo_kinds(), "; ", [](std::string* out, const BoundedHlo& operations) {
        absl::StrAppend(out, operations.kind, " (", count_of(operations), ": ", operations.bounds,
                        ")");
      }));
}

Json make_access_request(Choose& choose, const Limits& limits) {
  Json request = random_request(choose, limits);
  // The judge needs the reference's answer.
  for (int i = 0; i < kMaxDraws && is_beyond_reference(request); ++i) {
    request = random_request(choose, limits);
  }
  return request;
}

Json make_tile_request(Choose& choose, const Limits& limits) {
  Json request;
  const HloReference* reference = nullptr;
  for (int i = 0; i < kMaxDraws && (reference == nullptr || !reference->provenance.ok()); ++i) {
    request = make_hlo_request(choose, limits);
    reference = &reference_of(request);
  }
  set(request, "op", "tile.propagate");
  Dims sizes = reference->provenance.ok() ? reference->provenance->dims : Dims{4};
  if (choose.chance(1, 8)) sizes.push_back(choose.between(1, 4));  // a dimension too many
  set(request, "tile", random_symbolic_tile(choose, sizes));
  return request;
}

Json make_devices_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) return make_part_request(choose);
  Json request =
      json_object({{"op", "hlo.exchange"}, {"hlo", canonical(generate_collective(choose))}});
  const absl::StatusOr<HloQuestion> asked = read_hlo_question(request);
  const int64_t leaves =
      asked.ok()
          ? leaves_of(
                asked->module.computations[asked->computation].instructions[asked->instruction])
          : 0;
  if (leaves > 1) set(request, "output", choose(leaves));
  return request;
}

// A module, and the same as each device runs it. In some requests the second one has a fault.
Json make_partitioned_request(Choose& choose) {
  const PartitionedHlo made = generate_partitioned(choose);
  return json_object({{"op", "hlo.equal"}, {"left", made.whole}, {"right", made.parts}});
}

Json make_values_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 4)) return make_partitioned_request(choose);
  HloLimits limits;
  limits.elements = 30;
  Json request;
  bool is_same = choose.chance(1, 4);
  for (int left = 60; left > 0; --left) {
    const GeneratedHlo made = choose.chance(1, 2) ? generate_operation(choose, limits)
                                                  : generate_computation(choose, limits);
    is_same = is_same || left == 1;
    request = json_object({{"op", "hlo.equal"},
                           {"left", made.text},
                           {"right", is_same ? made.text : mutate_hlo(choose, made.text)}});
    if (is_same || hlo_equal(request, Engine::kSpec).ok()) break;
  }
  if (choose.chance(1, 10)) spoil(choose, request);
  return request;
}

}  // namespace tileproof::conform
