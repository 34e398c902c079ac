// SPDX-License-Identifier: Apache-2.0
// Operations of arith and math, on scalars and on arrays.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

// Operations that StableHLO has under another name. No name is of both dialects.
constexpr std::pair<absl::string_view, absl::string_view> kNames[] = {
    {"abs", "absf absi"},
    {"add", "addf addi"},
    {"and", "andi"},
    {"atan2", "atan2"},
    {"bitcast_convert", "bitcast"},
    {"cbrt", "cbrt"},
    {"ceil", "ceil"},
    {"convert", "extf truncf extsi trunci sitofp fptosi index_cast scaling_extf scaling_truncf"},
    {"cosine", "cos"},
    {"count_leading_zeros", "ctlz"},
    {"divide", "divf divsi"},
    {"erf", "erf"},
    {"exponential", "exp"},
    {"exponential_minus_one", "expm1"},
    {"floor", "floor"},
    {"is_finite", "isfinite"},
    {"log", "log"},
    {"log_plus_one", "log1p"},
    {"maximum", "maximumf maxsi"},
    {"minimum", "minimumf minsi"},
    {"multiply", "mulf muli"},
    {"negate", "negf"},
    {"optimization_barrier", "optimization_barrier"},
    {"or", "ori"},
    {"popcnt", "ctpop"},
    {"power", "powf ipowi fpowi"},
    {"remainder", "remf remsi"},
    {"round_nearest_afz", "round"},
    {"round_nearest_even", "roundeven"},
    {"rsqrt", "rsqrt"},
    {"select", "select"},
    {"shift_left", "shli"},
    {"shift_right_arithmetic", "shrsi"},
    {"shift_right_logical", "shrui"},
    {"sine", "sin"},
    {"sqrt", "sqrt"},
    {"subtract", "subf subi"},
    {"tan", "tan"},
    {"tanh", "tanh"},
    {"xor", "xori"},
};

// The same of the integers as unsigned ones.
constexpr std::pair<absl::string_view, absl::string_view> kUnsigned[] = {
    {"divui", "divide"},   {"remui", "remainder"},     {"maxui", "maximum"},
    {"minui", "minimum"},  {"extui", "convert"},       {"uitofp", "convert"},
    {"fptoui", "convert"}, {"index_castui", "convert"}};

// Comparisons: in the order of their numbers, of floats from 0, of integers from 16. A '!' negates; of
// floats, what is not ordered makes these true.
constexpr std::pair<absl::string_view, absl::string_view> kComparisons[] = {
    {"false", ""},  {"oeq", "EQ"}, {"ogt", "GT"}, {"oge", "GE"},  {"olt", "LT"},  {"ole", "LE"},
    {"one", ""},    {"ord", ""},   {"ueq", ""},   {"ugt", "!LE"}, {"uge", "!LT"}, {"ult", "!GE"},
    {"ule", "!GT"}, {"une", "NE"}, {"uno", ""},   {"true", ""},   {"eq", "EQ"},   {"ne", "NE"},
    {"slt", "LT"},  {"sle", "LE"}, {"sgt", "GT"}, {"sge", "GE"},  {"ult", "LT"},  {"ule", "LE"},
    {"ugt", "GT"},  {"uge", "GE"}};

std::optional<ElementType> unsigned_of(ElementType type) {
  const std::string name(info(type).name);
  if (!absl::StartsWith(name, "s")) return std::nullopt;
  return element_type_named(absl::StrCat("u", name.substr(1)));
}

// The value as unsigned integers.
std::string as_unsigned(Steps& steps, const std::string& value) {
  Type type = steps.type_of(value);
  const auto element = unsigned_of(*type.element);
  if (!element) return value;
  return steps.add("stablehlo.convert", {value}, {}, tensor_of(*element, type.dims));
}

// A function of which only the name is known.
absl::StatusOr<std::vector<Op>> elementwise(const Op& op) {
  if (!absl::StartsWith(op.name, "arith.") && !absl::StartsWith(op.name, "math."))
    return not_read(op);
  Op result = op;
  result.name = std::string(kElementwiseTarget);
  result.words.insert(result.words.begin(), op.name);
  return std::vector<Op>{std::move(result)};
}

absl::StatusOr<std::vector<Op>> compared(const Op& op, Around around) {
  const size_t first = op.name == "arith.cmpi" ? 16 : 0;
  const absl::Span<const std::pair<absl::string_view, absl::string_view>> kinds(
      kComparisons + first, first == 0 ? 16 : 10);
  const int64_t number = TRY(one_int(op.attributes, "predicate", -1));
  const auto* kind =
      number >= 0 && number < std::ssize(kinds) ? &kinds[static_cast<size_t>(number)] : nullptr;
  for (const auto& one : kinds) {
    if (!op.words.empty() && op.words[0] == one.first) kind = &one;
  }
  if (kind == nullptr) return not_read(op, "its predicate");
  if (kind->second.empty()) return elementwise(op);
  Steps steps(op, around);
  std::string a = TRY(steps.operand(0)), b = TRY(steps.operand(1));
  if (first > 0 && absl::StartsWith(kind->first, "u")) {
    a = as_unsigned(steps, a);
    b = as_unsigned(steps, b);
  }
  const Type type = tensor_of(ElementType::kPred, steps.type_of(a).dims);
  absl::string_view direction = kind->second;
  const bool negates = absl::ConsumePrefix(&direction, "!");
  std::string result = steps.add("stablehlo.compare", {a, b}, {}, type, {std::string(direction)});
  if (negates) result = steps.add("stablehlo.not", {result}, {}, type);
  return steps.result(result);
}

// a / b, rounded down; of ceildivsi -(-a / b).
absl::StatusOr<std::vector<Op>> divided(const Op& op, Around around) {
  Steps steps(op, around);
  std::string a = TRY(steps.operand(0));
  const std::string b = TRY(steps.operand(1));
  const Type type = steps.type_of(a);
  const Type bit = tensor_of(ElementType::kPred, type.dims);
  const bool is_up = op.name == "arith.ceildivsi";
  if (is_up) a = steps.add("stablehlo.negate", {a}, {}, type);
  const std::string zero = steps.constant("0", type);
  const std::string quotient = steps.add("stablehlo.divide", {a, b}, {}, type);
  const std::string rest = steps.add("stablehlo.remainder", {a, b}, {}, type);
  const std::string signs = steps.add("stablehlo.xor", {rest, b}, {}, type);
  const std::string is_between = steps.add("stablehlo.compare", {rest, zero}, {}, bit, {"NE"});
  const std::string is_below = steps.add("stablehlo.compare", {signs, zero}, {}, bit, {"LT"});
  const std::string rounds = steps.add("stablehlo.and", {is_between, is_below}, {}, bit);
  const std::string one = steps.add("stablehlo.convert", {rounds}, {}, type);
  std::string result = steps.add("stablehlo.subtract", {quotient, one}, {}, type);
  if (is_up) result = steps.add("stablehlo.negate", {result}, {}, type);
  return steps.result(result);
}

absl::StatusOr<std::vector<Op>> constant(const Op& op, Around around) {
  const std::string* value = find_attribute(op.attributes, "value");
  if (value == nullptr || op.types.size() != 1) return invalid("expected a value and its type");
  int64_t number;
  if (absl::SimpleAtoi(*value, &number)) around.known.integers[op.results[0].name] = number;
  Op result = op;
  result.name = "stablehlo.constant";
  const bool is_array = absl::StartsWith(*value, "dense") || absl::StartsWith(*value, "sparse");
  result.attributes = {{"value", is_array ? *value : absl::StrCat("dense<", *value, ">")}};
  return std::vector<Op>{std::move(result)};
}

}  // namespace

absl::string_view stablehlo_of(absl::string_view name) {
  for (const auto& [stablehlo, names] : kNames) {
    const std::vector<absl::string_view> words = absl::StrSplit(names, ' ');
    if (std::ranges::find(words, name) != words.end()) return stablehlo;
  }
  return "";
}

absl::StatusOr<std::vector<Op>> lowered_arith(const Op& op, Around around) {
  if (op.types.size() != 1 || op.results.size() != 1) return not_read(op);
  const absl::string_view name = absl::string_view(op.name).substr(op.name.find('.') + 1);
  if (absl::EndsWith(name, "constant")) return constant(op, around);
  if (name == "cmpi" || name == "cmpf") return compared(op, around);
  if (name == "floordivsi" || name == "ceildivsi") return divided(op, around);
  if (name == "index_cast" && op.operands.size() == 1) {
    if (const auto number = around.known.integer(op.operands[0].name))
      around.known.integers[op.results[0].name] = *number;
  }
  if (const absl::string_view same = stablehlo_of(name); !same.empty()) {
    Op result = op;
    result.name = absl::StrCat("stablehlo.", same);
    result.attributes.clear();
    result.words.clear();
    return std::vector<Op>{std::move(result)};
  }
  Steps steps(op, around);
  if (name == "fma") {
    const std::string product = steps.add(
        "stablehlo.multiply", {TRY(steps.operand(0)), TRY(steps.operand(1))}, {}, op.types[0]);
    return steps.result(
        steps.add("stablehlo.add", {product, TRY(steps.operand(2))}, {}, op.types[0]));
  }
  for (const auto& [signless, stablehlo] : kUnsigned) {
    if (name != signless) continue;
    std::vector<std::string> operands;
    for (size_t k = 0; k < op.operands.size(); ++k)
      operands.push_back(as_unsigned(steps, TRY(steps.operand(k))));
    if (operands.empty()) break;
    Type of = stablehlo == "convert" ? op.types[0] : steps.type_of(operands[0]);
    if (name == "fptoui") {
      const auto element = op.types[0].element ? unsigned_of(*op.types[0].element) : std::nullopt;
      if (element) of = tensor_of(*element, of.dims);
    }
    std::string result = steps.add(absl::StrCat("stablehlo.", stablehlo), operands, {}, of);
    if (of.element != op.types[0].element)
      result = steps.add("stablehlo.convert", {result}, {}, op.types[0]);
    return steps.result(result);
  }
  return elementwise(op);
}

}  // namespace tileproof::stablehlo
