// SPDX-License-Identifier: Apache-2.0
// A known-wrong implementation is the id of its bug and a small wrong part. conform/zoo/zoo.h
// answers everything else right.
//
//     {"OPEN-21", Offset(as_if_dense)}     layout.linearize ignores the tiles
//
// To add one, add a line to zoo.tsv and a line to the table of one of the files named below.
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

// layout.linearize: the offset of an index in the array. No value: the right answer stays.
using Offset = std::optional<int64_t> (*)(const Shape& array, const Index& index);

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
// only to results, and Domain changes the domain. Domain returns false if it does not apply.
struct ResultRule {
  Rule rule;
};
using Domain = bool (*)(IndexingMap& map);

// hlo.index: changes the maps of the right answer to a valid question. There is a list for each
// operand.
struct Listed {
  IndexingMap map;
  conform::Json runtime;  // the sources of its runtime variables; null if the answer has none
};
using Lists = std::vector<std::vector<Listed>>;
using DataflowRule = void (*)(const conform::HloQuestion& question, const HloInstruction& at,
                              Lists& lists);

// Any request: changes the right answer.
using Any = void (*)(const conform::Json& request, conform::Answer& answer);

// Any request: the signal that ends the program, or 0 if it answers right.
using Crash = int (*)(const conform::Json& request, const conform::Answer& right);

struct Variant {
  absl::string_view id;  // of an entry in zoo.tsv, which names the operation
  std::variant<Offset, Sizes, Arithmetic, Rule, ResultRule, Domain, DataflowRule, Any, Crash> wrong;
};

absl::Span<const Variant> layout_variants();           // layouts.cc
absl::Span<const Variant> expression_variants();       // expressions.cc: map.simplify, expressions
absl::Span<const Variant> expression_rule_variants();  // expression_rules.cc: the same
absl::Span<const Variant> domain_variants();           // domains.cc: map.simplify, domains
absl::Span<const Variant> constraint_rule_variants();  // constraint_rules.cc: the same, map.compose
absl::Span<const Variant> map_variants();              // maps.cc: evaluate, compose, equal; crashes
absl::Span<const Variant> dataflow_variants();         // dataflow.cc: hlo.index
absl::Span<const Variant> tla_variants();              // tla.cc: tla.*
absl::Span<const Variant> composition_variants();      // compositions.cc: tla.composition
absl::Span<const Variant> format_variants();           // formats.cc: layout.offset
absl::Span<const Variant> corner_expression_variants();  // corner_expressions.cc: map.simplify
absl::Span<const Variant> corner_domain_variants();      // corner_domains.cc: map.*
absl::Span<const Variant> corner_array_variants();       // corner_arrays.cc: layout.*, hlo, tla.*
absl::Span<const Variant> second_map_variants();         // second_maps.cc: map.*
absl::Span<const Variant> second_array_variants();       // second_arrays.cc: layout.*, hlo, tla.*

}  // namespace tileproof::zoo
