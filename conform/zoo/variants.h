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
#include "conform/zoo/rewriting.h"
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

// map.evaluate: the value of an operation at a point of the domain. b is not 0 in a division. Sums
// and products wrap.
using Arithmetic = int64_t (*)(Op op, int64_t a, int64_t b);

// map.simplify: a Rule (conform/zoo/rewriting.h) applies to results and constraints, a ResultRule
// only to results.
struct ResultRule {
  Rule rule;
};

// map.simplify, map.evaluate: another domain. map.compose, map.equal: other maps. Each returns false
// if it does not apply.
using Domain = bool (*)(IndexingMap& map);
using TwoMaps = bool (*)(IndexingMap& first, IndexingMap& second);

// hlo.index: changes the maps of the right answer to a valid question. There is a list for each
// operand.
struct Listed {
  IndexingMap map;
  conform::Json runtime;  // the sources of its runtime variables; null if the answer has none
};
using Lists = std::vector<std::vector<Listed>>;
using DataflowRule = void (*)(const conform::HloQuestion& question, const HloInstruction& at,
                              Lists& lists);

// The same for each map of one list, or of kAll, if the question is about one instruction.
inline constexpr int kAll = -1;
enum Direction { kBoth, kToInputs, kToOutputs };
struct MapRule {
  HloOpcode opcode;
  Direction direction;
  int list;
  void (*change)(const HloInstruction& at, IndexingMap& map);
};

// Any request: changes the right answer.
using Any = void (*)(const conform::Json& request, conform::Answer& answer);

// Any request: the signal that ends the program, or 0 if it answers right.
using Crash = int (*)(const conform::Json& request, const conform::Answer& right);

struct Variant {
  absl::string_view id;  // of an entry in zoo.tsv, which names the operation
  std::variant<const StatedRules*, Offset, OtherLayout, Sizes, Arithmetic, Rule, ResultRule, Domain,
               TwoMaps, DataflowRule, MapRule, Any, Crash>
      wrong;
};

absl::Span<const Variant> simplify_variants();   // map_simplify.cc
absl::Span<const Variant> evaluate_variants();   // map_evaluate.cc
absl::Span<const Variant> compose_variants();    // map_compose.cc
absl::Span<const Variant> equal_variants();      // map_equal.cc
absl::Span<const Variant> linearize_variants();  // layout_linearize.cc, and layout.delinearize
absl::Span<const Variant> physical_variants();   // layout_physical.cc
absl::Span<const Variant> offset_variants();     // layout_offset.cc
absl::Span<const Variant> fact_variants();       // facts.cc: map.check, layout.banks, grid.check
absl::Span<const Variant> thread_variants();     // layout_threads.cc: layout.owner, layout.element
absl::Span<const Variant> hlo_variants();        // hlo_index.cc: hlo.*
absl::Span<const Variant> tla_variants();        // tla_offset.cc, and tla.make
absl::Span<const Variant> shard_variants();      // shard_index.cc
absl::Span<const Variant> algebra_variants();    // tla_algebra.cc: tla.composition and others

// Parts of wrong implementations.

// Rules leave large numbers alone, so that the mistake of an entry is the one that its line names,
// and no overflow.
inline bool is_small(int64_t n) { return n > -(1 << 30) && n < 1 << 30; }

// The value of an operation, by wrapping sums and products. b is not 0 in a division.
int64_t exact(Op op, int64_t a, int64_t b);

// Matches `left op c` with a constant c.
std::optional<Rewriting::By> by(const IndexingMap& map, Op op, NodeId id);

inline bool is_result(const conform::Answer& answer) {
  return answer.kind == conform::Answer::Kind::kResult;
}

// The text in a field of a request; empty if it has none.
std::string text_under(const conform::Json& request, absl::string_view field);

// Gives the right result for a request with another value in one field, if there is one.
void answer_as_if(conform::Json request, conform::Answer& answer, absl::string_view field,
                  conform::Json value);

// The right layout.linearize. No value for an invalid question.
std::optional<int64_t> right_offset(const Shape& array, const std::vector<int64_t>& index);

}  // namespace tileproof::zoo
