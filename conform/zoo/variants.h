// SPDX-License-Identifier: Apache-2.0
// A known-wrong implementation in C++: the id of its bug and a small wrong part. conform/zoo/zoo.h
// answers everything else right. A wrong part that a line of text can state is in the table of the
// entries (conform/zoo/rule.h).
//
//     {"OPEN-21", Offset(as_if_dense)}     layout.linearize ignores the tiles
//
// To add one, add a line to zoo.tsv, and a function and its line to the file of its operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/rule.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

using Index = std::vector<int64_t>;

// layout.linearize: the offset of an index in the array. No value: the right answer stays.
using Offset = std::optional<int64_t> (*)(const Shape& array, const Index& index);

// The right offset in another layout. Returns false if it does not apply.
using OtherLayout = bool (*)(const Shape& array, Layout& layout);

// layout.physical: changes the right answer about a valid layout.
struct Physical {
  std::vector<int64_t> dims;
  int64_t elements = 0;
  int64_t bytes = 0;
};
using Sizes = void (*)(const Shape& array, Physical& right);

// map.simplify: another map. map.compose, map.equal: the right answer about other maps. Each returns
// false if it does not apply; so does what changes the right composition of two maps.
using OtherMap = bool (*)(IndexingMap& map);
using OtherMaps = bool (*)(IndexingMap& first, IndexingMap& second);
using OtherComposition = bool (*)(const IndexingMap& first, const IndexingMap& second,
                                  IndexingMap& right);

// hlo.index: changes the maps of the right answer to a valid question. There is a list for each
// operand.
struct Listed {
  IndexingMap map;
  conform::Json runtime;  // the sources of its runtime variables; null if the answer has none
};
using Lists = std::vector<std::vector<Listed>>;
using OtherLists = void (*)(const conform::HloQuestion& question, const HloInstruction& at,
                            Lists& lists);

// The same about one instruction alone, of this opcode; or each map of one list, or of kAll.
enum Direction { kBoth, kToInputs, kToOutputs };
struct ListsRule {
  HloOpcode opcode;
  Direction direction;
  OtherLists change;
};
inline constexpr int kAll = -1;
struct MapRule {
  HloOpcode opcode;
  Direction direction;
  int list;
  void (*change)(const HloInstruction& at, IndexingMap& map);
};

// Any request: the right answer to another one. Returns false if it does not apply.
using OtherRequest = bool (*)(conform::Json& request);

// Changes the module of a question about HLO, in which `change` says that it changed an instruction.
using ChangeInstruction = bool (*)(HloComputation& computation, HloInstruction& at);
bool change_module(conform::Json& request, ChangeInstruction change);  // hlo_index.cc
template <ChangeInstruction change>
bool module_with(conform::Json& request) {
  return change_module(request, change);
}

// Any request: changes a right result; or a right answer, which may be an error.
using OtherResult = void (*)(const conform::Json& request, conform::Json& result);
using OtherAnswer = void (*)(const conform::Json& request, conform::Answer& answer);

// Any request: the signal that ends the program, or 0 if it answers right.
using Crash = int (*)(const conform::Json& request, const conform::Answer& right);

struct Variant {
  absl::string_view id;  // of an entry in zoo.tsv, which names the operation
  std::variant<const StatedRules*, Offset, OtherLayout, Sizes, OtherMap, OtherMaps,
               OtherComposition, OtherLists, ListsRule, MapRule, OtherRequest, OtherResult,
               OtherAnswer, Crash>
      wrong;
};

absl::Span<const Variant> map_variants();     // map.cc: map.simplify and others
absl::Span<const Variant> layout_variants();  // layouts.cc: layout.physical and others
absl::Span<const Variant> holder_variants();  // holders.cc: layout.owner, shard.index, hlo.exchange
absl::Span<const Variant> fact_variants();    // facts.cc: map.check, layout.banks, grid.check
absl::Span<const Variant> hlo_variants();     // hlo_index.cc: hlo.*
absl::Span<const Variant> tla_variants();     // tla.cc: tla.*

// Parts of wrong implementations.

// The value of an operation, by wrapping sums and products. b is not 0 in a division.
int64_t exact(Op op, int64_t a, int64_t b);

inline bool is_result(const conform::Answer& answer) {
  return answer.kind == conform::Answer::Kind::kResult;
}

// The text in a field of a request; empty if it has none.
std::string text_under(const conform::Json& request, absl::string_view field);

// The right result for a request. No value if there is none.
std::optional<conform::Json> right_result(const conform::Json& request);

// The right layout.linearize. No value for an invalid question.
std::optional<int64_t> right_offset(const Shape& array, const std::vector<int64_t>& index);

}  // namespace tileproof::zoo
