// How a known-wrong implementation is written down: the name of the bug and the small wrong part.
// Everything else it answers rightly (conform/zoo/zoo.h).
//
// To add one: a line in zoo.tsv and a line in the table of one of the files named below.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/zoo/rewriting.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::zoo {

using Index = std::vector<int64_t>;

// layout.linearize of an index in the array. Nothing: as is right.
using Offset = std::optional<int64_t> (*)(const Shape& array, const Index& index);

// layout.physical of a valid layout: changes the right answer.
struct Physical {
  std::vector<int64_t> dims;
  int64_t elements = 0;
  int64_t bytes = 0;
};
using Sizes = void (*)(const Shape& array, Physical& right);

// map.evaluate at a point of the domain: the value of an operation, where b is no zero. Sums and
// products wrap.
using Arithmetic = int64_t (*)(Op op, int64_t a, int64_t b);

// map.simplify: a rule (conform/zoo/rewriting.h), applied to results and constraints or to results
// alone, or a change of the domain. False: it does not apply, and the answer is as is right.
struct ResultRule {
  Rule rule;
};
using Domain = bool (*)(IndexingMap& map);

// hlo.index: changes the maps of an answer to a valid question, a list for each operand.
struct Listed {
  IndexingMap map;
  conform::Json runtime;  // the sources of its runtime variables; null where none are written
};
using Lists = std::vector<std::vector<Listed>>;
using DataflowRule = void (*)(const conform::HloQuestion& question, const HloInstruction& at,
                              Lists& lists);

// Any request: changes the right answer.
using Any = void (*)(const conform::Json& request, conform::Answer& answer);

// Any request: the signal by which the program ends, or 0 where it answers rightly.
using Crash = int (*)(const conform::Json& request, const conform::Answer& right);

struct Variant {
  absl::string_view id;  // in zoo.tsv, which has the operation
  std::variant<Offset, Sizes, Arithmetic, Rule, ResultRule, Domain, DataflowRule, Any, Crash> wrong;
};

absl::Span<const Variant> layout_variants();      // layouts.cc
absl::Span<const Variant> expression_variants();  // expressions.cc: map.simplify, of expressions
absl::Span<const Variant> domain_variants();      // domains.cc: map.simplify, of constraints
absl::Span<const Variant> map_variants();         // maps.cc: evaluate, compose, equal; crashes
absl::Span<const Variant> dataflow_variants();    // flows.cc: hlo.index
absl::Span<const Variant> tla_variants();         // tla.cc: tla.*

}  // namespace tileproof::zoo
