// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/hlo_ops.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/json.h"
#include "conform/protocol/memo.h"
#include "impl/access/tile_propagation.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/device_maps.h"
#include "impl/hlo/indexing.h"
#include "spec/access/tile.h"
#include "spec/hlo/device_provenance.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/symbolic_tile.h"
#include "spec/map/map_evaluation.h"

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

namespace {

// Elements that the judge visits: of all tiles together, each tile counted as one more.
constexpr int64_t kMostVisited = 1 << 18;

// The tile of a request, which is of an array of these sizes.
absl::StatusOr<SymbolicTile> given_tile(const Json& request, const Dims& sizes) {
  const SymbolicTile tile = TRY(parsed_field(request, "tile", parse_symbolic_tile));
  if (tile.rank() != sizes.size()) {
    return invalid("tile: expected ", sizes.size(), " dimensions, found ", tile.rank());
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::optional<Interval> upper = interval_of(tile.map, tile.upper_bound(d));
    if (upper && upper->high <= sizes[d]) continue;
    return invalid("tile: dimension ", d, ": expected an upper bound of at most ", sizes[d],
                   ", as the bounds show");
  }
  return tile;
}

// The sizes of the array that the tile is of.
absl::StatusOr<Dims> sizes_asked(const HloQuestion& question) {
  if (!question.is_inverse()) {
    return impl::sizes_of_result(question.module, question.computation, question.instruction,
                                 question.array);
  }
  const auto operands = TRY(impl::sizes_read(question.module, question.computation,
                                             question.instruction, question.scope));
  int32_t next = 0;
  for (const auto& leaves : operands) {
    for (const Dims& sizes : leaves) {
      if (next++ == question.array) return sizes;
    }
  }
  return invalid("input: expected the number of a leaf of the operands");
}

// Judges an item by the elements of each of the given tiles.
Assessment judge_item(const Json& item, const SymbolicTile& given,
                      const spec::Provenance& provenance, int32_t operand, int32_t leaf) {
  const auto* text = item.as<std::string>();
  if (text != nullptr && *text == "unknown")
    return {Assessment::Kind::kUnspecified, "an item is \"unknown\""};
  if (text == nullptr && !(item == Json())) return wrong("expected a tile, null or \"unknown\"");
  SymbolicTile claimed;
  if (text != nullptr) {
    absl::StatusOr<SymbolicTile> tile = parse_symbolic_tile(*text);
    if (!tile.ok()) return wrong(tile.status().message());
    claimed = *std::move(tile);
    if (claimed.rank() != provenance.sources[operand][leaf].size())
      return wrong("expected a tile of as many dimensions as the array has");
  }
  Assessment found;
  int64_t elements = 0;
  const auto visited =
      spec::for_each_point(given.map, kMostVisited, [&](const spec::Point& point, const auto&) {
        const auto tile = spec::indices_at(given, point);
        if (!tile.ok()) found = open(tile.status().message());
        if (!tile.ok() || tile->empty()) return tile.ok();
        elements += 1 + std::ssize(*tile);
        if (elements > kMostVisited) {
          found = open("the tiles have too many elements");
          return false;
        }
        const spec::IndexSet right = spec::read_by(provenance, operand, leaf, *tile);
        const auto claim = text == nullptr ? spec::IndexSet() : spec::indices_at(claimed, point);
        if (claim.ok() && *claim == right) return true;
        found =
            wrong(spec::to_text(given.map, point), ": expected ", right.size(), " elements, found ",
                  claim.ok() ? absl::StrCat(claim->size(), ", others")
                             : std::string(claim.status().message()));
        return false;
      });
  return visited.ok() ? found : open(visited.message());
}

}  // namespace

absl::StatusOr<Result> tile_propagate(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) {
    const absl::StatusOr<spec::Provenance>& provenance = reference_of(request).provenance;
    if (!provenance.ok()) return provenance.status();
    TRY(given_tile(request, provenance->dims));
    return absl::UnimplementedError("the reference writes no tiles");
  }
  const HloQuestion question = TRY(read_hlo_question(request));
  const auto indexing =
      TRY(verify::analyzed(question.module, {question.computation, question.instruction,
                                             question.array, question.scope, question.direction}));
  const SymbolicTile tile = TRY(given_tile(request, TRY(sizes_asked(question))));
  Json::Array items;
  for (const std::vector<impl::LeafMaps>& operand : indexing) {
    for (const impl::LeafMaps& leaf : operand) {
      if (leaf.maps.empty() && !leaf.inexact) {
        items.emplace_back();
        continue;
      }
      const bool is_one = leaf.maps.size() == 1 && !leaf.inexact;
      const auto made = is_one ? impl::propagate(tile, leaf.maps[0].map) : std::nullopt;
      items.emplace_back(made ? to_text(*made) : "unknown");
    }
  }
  return Result(std::move(items));
}

Assessment judge_propagation(const Json& request, const Answer& answer) {
  const auto* items = answer.result.as<Json::Array>();
  if (items == nullptr) return wrong("expected an array");
  const absl::StatusOr<spec::Provenance>& provenance = reference_of(request).provenance;
  if (!provenance.ok()) return open(provenance.status().message());
  const auto given = given_tile(request, provenance->dims);
  if (!given.ok()) return open(given.status().message());
  Assessment all;
  size_t next = 0;
  for (int32_t k = 0; k < std::ssize(provenance->sources); ++k) {
    for (int32_t l = 0; l < std::ssize(provenance->sources[k]); ++l, ++next) {
      if (next >= items->size()) return wrong("expected an item for each array");
      const Assessment one = judge_item((*items)[next], *given, *provenance, k, l);
      if (one.kind == Assessment::Kind::kWrong) {
        // Offsets are 0 here, or the reference is a superset.
        if (!provenance->reads.empty()) return open("it depends on offsets");
        if (!provenance->conservative.empty()) return open(provenance->conservative[0]);
        return wrong("item ", next, ": ", one.why);
      }
      if (one.kind != Assessment::Kind::kRight) all = one;
    }
  }
  return next == items->size() ? all : wrong("expected an item for each array");
}

}  // namespace tileproof::conform
