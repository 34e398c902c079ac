// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_ops.h"

#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/json.h"
#include "conform/protocol/memo.h"
#include "impl/hlo/device_maps.h"
#include "impl/hlo/indexing.h"
#include "spec/hlo/device_provenance.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

// Writes answers of hlo.index.
//
// A result is an array of lists of maps. Output to input it has one list for each leaf of each
// operand (or parameter), in order. Input to output it has one list for each leaf of the result.
//
//     an item          "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]"
//     with its source  {"map":"(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]",
//                       "runtime":[{"instruction":"o","map":"(d0) -> (), domain: d0 in [0, 3]"}]}
//
// Items have sources if the order of the runtime variables does not say which values they have. A
// source names an instruction (impl::name_of) and maps the item's variables to the index of one of
// its elements. The runtime variable is this element, clamped to the bounds of the variable.
//
// The key "inexact" beside "result" has the numbers of the lists that are supersets.

struct HloAnswer {
  Json::Array lists;
  Json::Array inexact;
};

// Whether the sources of runtime variables are written, for all maps or for none.
enum class Sources { kWritten, kLeftOut };

// An item of a list, with sources if the map has runtime variables.
Json hlo_item(const HloModule& module, int32_t computation, const impl::IndexedMap& one) {
  Json map = to_text(one.map);
  if (one.runtime.empty()) return map;
  Json::Array runtime;
  for (const impl::RuntimeSource& source : one.runtime) {
    runtime.push_back(
        json_object({{"instruction", impl::name_of(module, computation, source.position)},
                     {"map", to_text(source.map)}}));
  }
  return json_object({{"map", std::move(map)}, {"runtime", std::move(runtime)}});
}

HloAnswer hlo_answer(const HloModule& module, int32_t computation, const impl::Indexing& indexing,
                     Sources sources) {
  HloAnswer answer;
  for (const std::vector<impl::LeafMaps>& operand : indexing) {
    for (const impl::LeafMaps& leaf : operand) {
      if (leaf.inexact) answer.inexact.push_back(std::ssize(answer.lists));
      Json::Array list;
      for (const impl::IndexedMap& one : leaf.maps) {
        list.push_back(sources == Sources::kWritten ? hlo_item(module, computation, one)
                                                    : Json(to_text(one.map)));
      }
      answer.lists.push_back(std::move(list));
    }
  }
  return answer;
}

// Keeps the enumeration of one request within seconds.
constexpr spec::Limits kLimits{.elements = 1 << 16, .work = 1 << 23};

absl::Status find_named(absl::string_view name, HloQuestion& question) {
  question.instruction = -1;
  for (int32_t c = 0; c < std::ssize(question.module.computations); ++c) {
    const int32_t found = find_instruction(question.module.computations[c], name);
    if (found < 0) continue;
    if (question.instruction >= 0) {
      return invalid("instruction: expected a unique name, found ", shown(name, 60),
                     " in several computations");
    }
    question.computation = c;
    question.instruction = found;
  }
  if (question.instruction >= 0) return absl::OkStatus();
  return invalid("instruction: expected the name of an instruction, found ", shown(name, 60));
}

absl::Status read_array(const Json& request, HloQuestion& question) {
  const char* key = question.is_inverse() ? "input" : "output";
  const Json* given = find(request, key);
  if (given == nullptr) return absl::OkStatus();
  const int64_t* number = given->as<int64_t>();
  if (number == nullptr || *number < 0 || *number > INT32_MAX) {
    return invalid(key, ": expected the number of a leaf, found ", shown(to_text(*given), 40));
  }
  question.array = static_cast<int32_t>(*number);
  return absl::OkStatus();
}

// Input to output, a scalar that is several offsets at once may have a single variable.
bool is_turned_with_a_repeated_offset(const HloQuestion& question, const HloInstruction& at) {
  const bool slices =
      at.opcode == HloOpcode::kDynamicSlice || at.opcode == HloOpcode::kDynamicUpdateSlice;
  if (!question.is_inverse() || !slices) return false;
  std::set<int32_t> seen;
  const size_t first = at.opcode == HloOpcode::kDynamicSlice ? 1 : 2;
  for (size_t i = first; i < at.operands.size(); ++i) {
    if (!seen.insert(at.operands[i].instruction).second) return true;
  }
  return false;
}

// True if the order of the operation's offsets or index components says which value each runtime
// variable has.
bool order_identifies(const HloQuestion& question) {
  const HloInstruction& at =
      question.module.computations[question.computation].instructions[question.instruction];
  return question.scope == Scope::kInstruction && callee_of(at) < 0 &&
         at.opcode != HloOpcode::kScatter && !is_turned_with_a_repeated_offset(question, at);
}

}  // namespace

absl::StatusOr<HloQuestion> read_hlo_question(const Json& request) {
  TRY(required_text(request, "hlo"));
  const auto* op = find_as<std::string>(request, "op");
  const bool is_on_devices = op != nullptr && *op == "hlo.exchange";
  const absl::string_view direction =
      is_on_devices ? "output_to_input" : TRY(required_text(request, "direction"));
  if (direction != "output_to_input" && direction != "input_to_output") {
    return invalid("direction: expected output_to_input or input_to_output");
  }
  absl::string_view scope = "instruction";
  if (!is_on_devices && find(request, "scope") != nullptr)
    scope = TRY(required_text(request, "scope"));
  if (scope != "instruction" && scope != "computation") {
    return invalid("scope: expected instruction or computation");
  }
  HloQuestion question{TRY(parsed_field(request, "hlo", parse_hlo_module))};
  question.is_on_devices = is_on_devices;
  if (direction == "input_to_output") question.direction = impl::Direction::kInputToOutput;
  question.computation = question.module.entry;
  question.instruction = question.module.computations[question.module.entry].root;
  if (scope == "computation") question.scope = Scope::kComputation;
  if (find(request, "instruction") != nullptr) {
    const absl::string_view name = TRY(required_text(request, "instruction"));
    TRY(find_named(absl::StripPrefix(name, "%"), question));
  }
  TRY(read_array(request, question));
  return question;
}

absl::StatusOr<spec::Provenance> provenance_of(const HloQuestion& question,
                                               verify::RuntimeChoice choice) {
  if (question.is_on_devices) {
    return spec::device_provenance(question.module, question.computation, question.instruction,
                                   question.array, kLimits);
  }
  const auto value = [&](const spec::HloElement& position) {
    return verify::value_of(position, choice);
  };
  return (question.is_inverse() ? spec::inverse_provenance : spec::provenance)(
      question.module, question.computation, question.instruction, question.array, question.scope,
      value, kLimits);
}

const HloReference& reference_of(const Json& request) {
  thread_local LastRequest<HloReference> last;
  return last.get(request, [](const Json& asked) {
    HloReference reference{read_hlo_question(asked), spec::Provenance()};
    reference.provenance = reference.question.ok()
                               ? provenance_of(*reference.question, kAllOffsetsZero)
                               : reference.question.status();
    return reference;
  });
}

absl::StatusOr<Result> hlo_index(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) {
    const absl::Status& status = reference_of(request).provenance.status();
    return status.ok() ? absl::UnimplementedError("the reference writes no maps") : status;
  }
  const HloQuestion question = TRY(read_hlo_question(request));
  const auto indexing =
      TRY(question.is_on_devices
              ? impl::device_maps(question.module, question.computation, question.instruction,
                                  question.array)
              : verify::analyzed(question.module,
                                 {question.computation, question.instruction, question.array,
                                  question.scope, question.direction}));
  HloAnswer answer = hlo_answer(question.module, question.computation, indexing,
                                order_identifies(question) ? Sources::kLeftOut : Sources::kWritten);
  Json inexact = answer.inexact.empty() ? Json() : Json(std::move(answer.inexact));
  return Result(std::move(answer.lists), std::move(inexact));
}

}  // namespace tileproof::conform
