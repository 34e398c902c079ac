// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/stablehlo/lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {

bool is_lowered(absl::string_view name) {
  for (const char* dialect : {"arith.", "math.", "tensor.", "linalg."}) {
    if (absl::StartsWith(name, dialect)) return true;
  }
  return is_lowered_vector(name) || name == "util.unfoldable_constant" ||
         name == "util.optimization_barrier";
}

absl::StatusOr<std::vector<Op>> lowered(const Op& op, Around around) {
  if (op.name == "vector.contract") {  // x * y + z, as linalg.contract has it
    const std::string* kind = find_attribute(op.attributes, "kind");
    if (kind != nullptr && !absl::StrContains(*kind, "<add>")) return not_read(op, "its kind");
    Op contract = op;
    contract.name = "linalg.contract";
    contract.attributes.emplace_back("operandSegmentSizes", "2, 1");
    return lowered_linalg(contract, around);
  }
  if (absl::StartsWith(op.name, "tensor.") || absl::StartsWith(op.name, "vector."))
    return lowered_tensor(op, around);
  return absl::StartsWith(op.name, "linalg.") ? lowered_linalg(op, around)
                                              : lowered_arith(op, around);
}

absl::Status not_read(const Op& op, absl::string_view why) {
  const absl::string_view name = absl::string_view(op.name).substr(0, 64);
  return absl::UnimplementedError(absl::StrCat("operation '", name, "' of the dialect ",
                                               name.substr(0, name.find('.')), " is not read",
                                               why.empty() ? "" : ": ", why));
}

Op op_at(const Op& other, std::string name, std::vector<Operand> operands, Attributes attributes,
         std::vector<Type> types, std::vector<Results> results) {
  Op op;
  op.position = other.position;
  op.name = std::move(name);
  op.results = std::move(results);
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  op.types = std::move(types);
  return op;
}

std::vector<Operand> operands_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::string Steps::add(absl::string_view name, const std::vector<std::string>& operands,
                       Attributes attributes, Type type, std::vector<std::string> words) {
  const std::string base = op_.results.empty() ? "unused" : op_.results[0].name;
  std::string result = absl::StrCat(base, "~", ops_.size());
  types_[result] = type;
  ops_.push_back(op_at(op_, std::string(name), operands_of(operands), std::move(attributes),
                       {std::move(type)}, {{result}}));
  ops_.back().words = std::move(words);
  return result;
}

std::string Steps::constant(absl::string_view value, const Type& type) {
  return add("stablehlo.constant", {}, {{"value", absl::StrCat("dense<", value, ">")}}, type);
}

std::string Steps::reshape(const std::string& value, const Type& type) {
  return types_.at(value).dims == type.dims ? value : add("stablehlo.reshape", {value}, {}, type);
}

std::vector<Op> Steps::result(const std::string& value) { return results({value}); }

std::vector<Op> Steps::results(const std::vector<std::string>& values) {
  const bool is_last =
      values.size() == 1 && !ops_.empty() && ops_.back().results[0].name == values[0];
  if (is_last) {
    ops_.back().results = op_.results;
    return std::move(ops_);
  }
  std::vector<Type> types;
  for (const std::string& value : values) types.push_back(types_.at(value));
  ops_.push_back(op_at(op_, "", operands_of(values), {}, std::move(types), op_.results));
  return std::move(ops_);
}

absl::StatusOr<std::string> Steps::operand(size_t k) {
  if (k >= op_.operands.size())
    return invalid(absl::StrCat("expected ", k + 1, " operands, found ", op_.operands.size()));
  return named(op_.operands[k].name);
}

absl::StatusOr<std::string> Steps::named(const std::string& name) {
  types_[name] = TRY(array_type(around_, name));
  return name;
}

absl::StatusOr<Type> array_type(const Around& around, const Operand& operand) {
  const Type* type = around.type_of(operand);
  return type != nullptr && type->element ? absl::StatusOr<Type>(*type) : not_defined(operand);
}

absl::Status not_defined(const Operand& operand) {
  return invalid(
      absl::StrCat("expected an array that is defined before, found '%", operand.name, "'"));
}

std::string list_text(const std::vector<int64_t>& numbers) {
  return absl::StrCat("[", absl::StrJoin(numbers, ", "), "]");
}

absl::StatusOr<std::vector<Mixed>> mixed(const Op& op, size_t bracket, absl::string_view attribute,
                                         std::vector<std::string>& dynamic, const Known& known) {
  const auto value_of = [&](const std::string& name) { return Mixed{known.integer(name), name}; };
  std::vector<Mixed> list;
  if (find_attribute(op.attributes, attribute) != nullptr) {
    for (const int64_t number : TRY(ints(op.attributes, attribute))) {
      if (number != INT64_MIN) {
        list.push_back({number, ""});
        continue;
      }
      if (dynamic.empty()) return invalid("expected an operand for each offset that is not known");
      list.push_back(value_of(dynamic.front()));
      dynamic.erase(dynamic.begin());
    }
    return list;
  }
  for (const auto& [key, text] : op.attributes) {
    if (key != "[]" || text.size() < 2 || bracket-- != 0) continue;
    const absl::string_view inside = absl::string_view(text).substr(1, text.size() - 2);
    for (absl::string_view part : absl::StrSplit(inside, ',', absl::SkipWhitespace())) {
      part = absl::StripAsciiWhitespace(part);
      int64_t number;
      if (absl::ConsumePrefix(&part, "%")) {
        list.push_back(value_of(std::string(part)));
      } else if (absl::SimpleAtoi(part, &number)) {
        list.push_back({number, ""});
      } else {
        return invalid(
            absl::StrCat("expected a number or a value, found '", part.substr(0, 60), "'"));
      }
    }
    return list;
  }
  return invalid(absl::StrCat("expected '[..]' or '", attribute, "'"));
}

absl::StatusOr<std::vector<int64_t>> numbers(const Op& op, const std::vector<Mixed>& list) {
  std::vector<int64_t> result;
  for (const Mixed& one : list) {
    if (!one.number) return not_read(op, absl::StrCat("'%", one.name, "' is not a constant"));
    result.push_back(*one.number);
  }
  return result;
}

bool Cut::is_constant() const {
  return std::ranges::all_of(offsets, [](const Mixed& one) { return one.number.has_value(); });
}

bool Cut::has_steps() const {
  return std::ranges::any_of(strides, [](int64_t stride) { return stride != 1; });
}

absl::StatusOr<Cut> cut_of(const Op& op, size_t before, const Known& known) {
  std::vector<std::string> dynamic;
  for (size_t k = before; k < op.operands.size(); ++k) dynamic.push_back(op.operands[k].name);
  Cut cut;
  cut.offsets = TRY(mixed(op, 0, "static_offsets", dynamic, known));
  cut.sizes = TRY(numbers(op, TRY(mixed(op, 1, "static_sizes", dynamic, known))));
  cut.strides = TRY(numbers(op, TRY(mixed(op, 2, "static_strides", dynamic, known))));
  return cut;
}

std::string dimension(int64_t d) { return absl::StrCat("d", d); }

std::vector<std::string> dimensions(size_t rank) {
  std::vector<std::string> names;
  for (size_t d = 0; d < rank; ++d) names.push_back(dimension(static_cast<int64_t>(d)));
  return names;
}

std::string map_text(size_t rank, const std::vector<std::string>& results) {
  return absl::StrCat("affine_map<(", absl::StrJoin(dimensions(rank), ", "), ") -> (",
                      absl::StrJoin(results, ", "), ")>");
}

std::string combined(const std::string& a, MapOp op, const std::string& b) {
  if (op == MapOp::kAdd && (a == "0" || b == "0")) return a == "0" ? b : a;
  if (op == MapOp::kMul && (a == "0" || b == "0")) return "0";
  if (op == MapOp::kMul && (a == "1" || b == "1")) return a == "1" ? b : a;
  if (op == MapOp::kAdd) return absl::StrCat(a, " + ", b);
  if (b == "1" && op != MapOp::kMod) return a;
  const auto within = [](const std::string& text) {
    const bool is_alone = text.find_first_of(" (") == std::string::npos;
    return is_alone ? text : absl::StrCat("(", text, ")");
  };
  return absl::StrCat(within(a), symbol_of(op), within(b));
}

std::string linear(const std::string& name, int64_t factor, int64_t offset) {
  const std::string scaled = combined(name, MapOp::kMul, absl::StrCat(factor));
  return combined(scaled, MapOp::kAdd, absl::StrCat(offset));
}

std::optional<std::vector<std::string>> applied_map(const IndexingMap& map,
                                                    const std::vector<std::string>& values) {
  if (map.dimensions.size() + map.ranges.size() != values.size() || !map.runtime.empty())
    return std::nullopt;
  std::vector<std::string> texts;
  for (const Node& node : map.nodes) {
    if (node.op == MapOp::kConstant) {
      texts.push_back(absl::StrCat(node.value));
    } else if (is_leaf(node.op)) {
      const size_t first = node.op == MapOp::kRange ? map.dimensions.size() : 0;
      texts.push_back(values[first + static_cast<size_t>(node.value)]);
    } else {
      texts.push_back(combined(texts[node.left], node.op, texts[node.right]));
    }
    if (texts.back().size() > kLongestIndex) return std::nullopt;
  }
  std::vector<std::string> results;
  for (const NodeId result : map.results) results.push_back(texts[result]);
  return results;
}

absl::StatusOr<std::vector<int64_t>> segments_of(const Op& op) {
  std::vector<int64_t> segments = TRY(ints(op.attributes, "operandSegmentSizes"));
  int64_t left = std::ssize(op.operands);
  for (const int64_t size : segments) {
    if (size < 0 || size > left) return invalid("expected operandSegmentSizes of the operands");
    left -= size;
  }
  return segments;
}

}  // namespace tileproof::stablehlo
