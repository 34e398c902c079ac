// SPDX-License-Identifier: Apache-2.0
// linalg's structured operations: each input is read by its map as an array over all iterations, the
// body computes on these arrays, and a reduction folds the iterations that the outs lack.
//
//     %r = linalg.matmul ins(%a : tensor<4x6xf32>, tensor<6x5xf32>) outs(%c : tensor<4x5xf32>) ..
//
//     a  = f32[4,5,6] a by (d0, d1, d2) -> (d0, d2)      p = multiply(a, b)
//     b  = f32[4,5,6] b by (d0, d1, d2) -> (d2, d1)      r = reduce(p, c), dimensions={2}
//
// An index of the iteration is a text of dimensions, `d0 * 2 + d1`, as far as it is affine.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

std::optional<int64_t> lone_dimension(const IndexingMap& map, size_t result) {
  const Node& node = map.nodes[map.results[result]];
  return node.op == MapOp::kDimension ? std::optional(node.value) : std::nullopt;
}

// ---- Reducers ----

struct Reducer {
  absl::string_view stablehlo, integer, real;  // the values that change nothing
};

constexpr Reducer kReducers[] = {
    {"add", "0", "0"},
    {"multiply", "1", "1"},
    {"maximum", "lowest", "-inf"},
    {"minimum", "highest", "inf"},
    {"and", "-1", ""},
    {"or", "0", ""},
    {"xor", "0", ""},
};

const Reducer* reducer_of(const Op& op) {
  const absl::string_view name = absl::string_view(op.name).substr(op.name.find('.') + 1);
  const absl::string_view arith = stablehlo_of(name);
  const auto* const row =
      std::ranges::find(kReducers, arith.empty() ? name : arith, &Reducer::stablehlo);
  return row == std::end(kReducers) || op.operands.size() != 2 ? nullptr : row;
}

std::string identity_of(const Reducer& reducer, ElementType type) {
  const ElementTypeInfo& element = info(type);
  if (type == ElementType::kPred)
    return reducer.stablehlo == "and" || reducer.stablehlo == "minimum" ? "true" : "false";
  const bool is_signed = absl::StartsWith(element.name, "s");
  const bool is_unsigned = absl::StartsWith(element.name, "u");
  if (!is_signed && !is_unsigned) return std::string(reducer.real);
  const int bits = std::min(element.bits, 64);
  const uint64_t all = ~uint64_t{0} >> (64 - bits);
  if (reducer.integer == "highest") return absl::StrCat(is_signed ? all >> 1 : all);
  if (reducer.integer == "-1") return is_signed ? "-1" : absl::StrCat(all);
  if (reducer.integer != "lowest") return std::string(reducer.integer);
  return is_signed ? absl::StrCat("-", (all >> 1) + 1) : "0";
}

// ---- The body on arrays ----

class Lifted {
 public:
  Lifted(const Op& op, Ints sizes, Around around)
      : op_(op), sizes_(std::move(sizes)), around_(around), steps_(op, around) {}

  // A value of the function around: an argument of the body.
  absl::StatusOr<std::string> captured(const std::string& name) {
    const Type type = TRY(array_type(around_, name));
    if (taken_.insert(name).second) add_argument(name, name, type);
    return name;
  }
  void add_argument(const std::string& name, const Operand& from, const Type& type) {
    arguments_.push_back({name, type});
    operands_.push_back(from);
    steps_.set_type(name, type);
  }

  // The array over all iterations that an operand is by its map.
  std::string read(const std::string& from, const std::string& map) {
    return steps_.add("tileproof.read", {from}, {{"map", map}},
                      tensor_of(*steps_.type_of(from).element, sizes_));
  }

  void set_value(const std::string& name, std::string value) { values_[name] = std::move(value); }
  void set_index(const std::string& name, std::string text) { indices_[name] = std::move(text); }

  // The array of a value of the body.
  absl::StatusOr<std::string> value(const std::string& name) {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    if (const auto index = indices_.find(name); index != indices_.end())
      return values_[name] = TRY(counted(index->second));
    const std::string scalar = TRY(captured(name));
    const Type& type = steps_.type_of(scalar);
    if (!type.dims.empty()) return not_read(op_, absl::StrCat("'%", name, "' is no scalar"));
    return values_[name] =
               steps_.add("stablehlo.broadcast_in_dim", {scalar}, {{"broadcast_dimensions", "[]"}},
                          tensor_of(*type.element, sizes_));
  }

  absl::Status lift(const Op& op);

  Steps& steps() { return steps_; }
  const Ints& sizes() const { return sizes_; }

  // The operation whose body this is.
  std::vector<Op> fusion(const std::vector<std::string>& returned) {
    Op whole = op_at(op_, "mhlo.fusion", operands_, {}, op_.types, op_.results);
    const bool is_one = steps_.ops().size() == 1 && returned.size() == 1 &&
                        steps_.ops()[0].results[0].name == returned[0] && arguments_.size() == 1 &&
                        steps_.ops()[0].name == "tileproof.read";
    if (is_one) {
      whole.name = "tileproof.read";
      whole.attributes = steps_.ops()[0].attributes;
      return {std::move(whole)};
    }
    Region region{arguments_, std::move(steps_.ops())};
    region.ops.push_back(op_at(op_, "return", operands_of(returned)));
    whole.regions.push_back(std::move(region));
    return {std::move(whole)};
  }

 private:
  // The text of a value that is an index or a constant.
  std::optional<std::string> text_of(const std::string& name) const {
    if (const auto index = indices_.find(name); index != indices_.end()) return index->second;
    const auto number = around_.known.integer(name);
    return number ? std::optional(absl::StrCat(*number)) : std::nullopt;
  }
  // Of index values: the text, if the operation is affine.
  std::optional<std::string> index_of(const Op& op);
  std::optional<std::string> applied(const Op& op);

  std::optional<Interval> interval(const std::string& text) const {
    absl::StatusOr<IndexingMap> map = parse_map(map_text(sizes_.size(), {text}));
    if (!map.ok()) return std::nullopt;
    for (size_t d = 0; d < sizes_.size(); ++d)
      map->dimensions[d].bounds = {0, std::max<int64_t>(sizes_[d] - 1, 0)};
    return interval_of(*map, map->results[0]);
  }

  // The values of an index: elements of an iota.
  absl::StatusOr<std::string> counted(const std::string& text) {
    const std::optional<Interval> range = interval(text);
    constexpr int64_t kMost = int64_t{1} << 56;
    if (!range || range->low < -kMost || range->high > kMost)
      return invalid("expected an index within 2^56");
    const int64_t low = std::min<int64_t>(range->low, 0);
    const std::string iota =
        steps_.add("stablehlo.iota", {}, {{"iota_dimension", "0"}},
                   tensor_of(ElementType::kS64, {std::max<int64_t>(range->high - low, 0) + 1}));
    const std::string at = linear(text, 1, -low);
    const std::string above = read(iota, map_text(sizes_.size(), {at}));
    if (low == 0) return above;
    const Type type = steps_.type_of(above);
    const std::string least = steps_.constant(absl::StrCat(low), type);
    return steps_.add("stablehlo.add", {above, least}, {}, type);
  }

  // `tensor.extract %x[%i, %j]`
  absl::StatusOr<std::string> extracted(const Op& op);

  const Op& op_;
  Ints sizes_;
  Around around_;
  Steps steps_;
  std::vector<Argument> arguments_;
  std::vector<Operand> operands_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> values_;   // of the body: its array
  std::map<std::string, std::string> indices_;  // of the body: its text
};

std::optional<std::string> Lifted::applied(const Op& op) {
  const std::string* text = find_attribute(op.attributes, "map");
  if (text == nullptr && !op.words.empty()) text = &op.words[0];
  if (text == nullptr) return std::nullopt;
  const absl::StatusOr<IndexingMap> map = parse_map(*text);
  if (!map.ok() || map->results.size() != 1) return std::nullopt;
  if (map->dimensions.size() + map->ranges.size() != op.operands.size()) return std::nullopt;
  std::vector<std::string> values;
  for (const Operand& operand : op.operands) {
    const auto index = indices_.find(operand.name);
    if (index == indices_.end()) return std::nullopt;
    values.push_back(index->second);
  }
  const auto results = applied_map(*map, values);
  return results ? std::optional(results->front()) : std::nullopt;
}

std::optional<std::string> Lifted::index_of(const Op& op) {
  const absl::string_view name = op.name;
  if (name == "linalg.index") {
    const std::string* text = find_attribute(op.attributes, "dim");
    if (text == nullptr && !op.words.empty()) text = &op.words[0];
    int64_t d;
    const bool is_known =
        text != nullptr && absl::SimpleAtoi(*text, &d) && d >= 0 && d < std::ssize(sizes_);
    return is_known ? std::optional(dimension(d)) : std::nullopt;
  }
  if (name == "affine.apply") return applied(op);
  if (op.types.size() != 1 || op.types[0].element != ElementType::kS64) return std::nullopt;
  if (name == "arith.constant") {
    const std::string* text = find_attribute(op.attributes, "value");
    int64_t number;
    if (text == nullptr || !absl::SimpleAtoi(*text, &number)) return std::nullopt;
    return absl::StrCat(number);
  }
  if (op.operands.size() != 2) return std::nullopt;
  const auto a = text_of(op.operands[0].name), b = text_of(op.operands[1].name);
  if (!a || !b) return std::nullopt;
  const auto number = interval(*b), from = interval(*a);
  if (!number || !from) return std::nullopt;
  const bool divides = number->low == number->high && number->low > 0;
  const bool is_up = from->low >= 0;  // then rounding to 0 is rounding down
  const bool scales = number->low == number->high || from->low == from->high;
  const std::optional<MapOp> kind =
      name == "arith.addi" || name == "arith.subi"                ? std::optional(MapOp::kAdd)
      : name == "arith.muli" && scales                            ? std::optional(MapOp::kMul)
      : !divides                                                  ? std::nullopt
      : name == "arith.floordivsi"                                ? std::optional(MapOp::kFloorDiv)
      : is_up && (name == "arith.divsi" || name == "arith.divui") ? std::optional(MapOp::kFloorDiv)
      : is_up && (name == "arith.remsi" || name == "arith.remui") ? std::optional(MapOp::kMod)
                                                                  : std::nullopt;
  if (!kind) return std::nullopt;
  const std::string right = name == "arith.subi" ? linear(*b, -1, 0) : *b;
  std::string text = combined(*a, *kind, right);
  return text.size() > kLongestIndex ? std::nullopt : std::optional(std::move(text));
}

absl::StatusOr<std::string> Lifted::extracted(const Op& op) {
  if (op.operands.empty()) return invalid("expected an array");
  const std::string from = TRY(captured(op.operands[0].name));
  const Type type = steps_.type_of(from);
  if (op.operands.size() != type.dims.size() + 1)
    return invalid(absl::StrCat("expected ", type.dims.size(), " indices"));
  std::vector<std::string> texts;
  for (size_t k = 1; k < op.operands.size(); ++k) {
    if (auto text = text_of(op.operands[k].name)) texts.push_back(*std::move(text));
  }
  if (texts.size() == type.dims.size()) return read(from, map_text(sizes_.size(), texts));
  Ints line = sizes_, all = sizes_, which, ones(type.dims.size(), 1);
  line.push_back(1);
  all.push_back(std::ssize(type.dims));
  std::vector<std::string> parts;
  for (size_t k = 1; k < op.operands.size(); ++k) {
    const std::string one = TRY(value(op.operands[k].name));
    parts.push_back(steps_.reshape(one, tensor_of(*steps_.type_of(one).element, line)));
    which.push_back(static_cast<int64_t>(k - 1));
  }
  std::string at = parts[0];
  if (parts.size() > 1)
    at = steps_.add("stablehlo.concatenate", parts, {{"dimension", absl::StrCat(sizes_.size())}},
                    tensor_of(*steps_.type_of(at).element, all));
  const std::string list = list_text(which);
  return steps_.add(
      "stablehlo.gather", {from, at},
      {{"dimension_numbers",
        absl::StrCat("#stablehlo.gather<offset_dims = [], collapsed_slice_dims = ", list,
                     ", start_index_map = ", list, ", index_vector_dim = ", sizes_.size(), ">")},
       {"slice_sizes", list_text(ones)}},
      tensor_of(*type.element, sizes_));
}

absl::Status Lifted::lift(const Op& op) {
  if (op.results.size() != 1 || !op.regions.empty() || op.types.size() != 1 ||
      !op.types[0].element || !op.types[0].dims.empty())
    return not_read(op, "in a body");
  const std::string& result = op.results[0].name;
  if (auto text = index_of(op)) {
    set_index(result, *std::move(text));
    return absl::OkStatus();
  }
  if (op.name == "tensor.extract") {
    values_[result] = TRY(extracted(op));
    return absl::OkStatus();
  }
  std::vector<std::string> operands;
  for (const Operand& operand : op.operands) operands.push_back(TRY(value(operand.name)));
  values_[result] = steps_.add(op.name, std::move(operands), op.attributes,
                               tensor_of(*op.types[0].element, sizes_), op.words);
  steps_.ops().back().position = op.position > 0 ? op.position : op_.position;
  return absl::OkStatus();
}

// ---- Reductions and outs ----

absl::StatusOr<Ints> sizes_of(const Generic& generic) {
  Ints sizes(generic.is_reduction.size(), -1);
  for (size_t k = 0; k < generic.maps.size(); ++k) {
    for (size_t r = 0; r < generic.maps[k].results.size(); ++r) {
      const auto d = lone_dimension(generic.maps[k], r);
      if (!d) continue;
      int64_t& size = sizes[static_cast<size_t>(*d)];
      const int64_t found = generic.types[k].dims[r];
      if (size >= 0 && size != found)
        return invalid(
            absl::StrCat("expected one size of dimension d", *d, ", found ", size, " and ", found));
      size = found;
    }
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0)
      return invalid(absl::StrCat("expected a map with the result d", d, ", which says its size"));
  }
  return sizes;
}

// The dimensions that are not reduced, as the outs have them: their positions among these.
absl::StatusOr<Ints> order_of(const Op& op, const Generic& generic, size_t k) {
  Ints position(generic.is_reduction.size(), -1), order;
  int64_t kept = 0;
  for (size_t d = 0; d < position.size(); ++d) {
    if (!generic.is_reduction[d]) position[d] = kept++;
  }
  for (size_t r = 0; r < generic.maps[k].results.size(); ++r) {
    const auto d = lone_dimension(generic.maps[k], r);
    order.push_back(d ? position[static_cast<size_t>(*d)] : -1);
  }
  Ints sorted = order;
  std::ranges::sort(sorted);
  bool is_permutation = std::ssize(sorted) == kept;
  for (size_t i = 0; i < sorted.size(); ++i)
    is_permutation = is_permutation && sorted[i] == static_cast<int64_t>(i);
  if (is_permutation) return order;
  return not_read(op, "outs whose map is no permutation of the dimensions that are not reduced");
}

// The result of an out, whose dimensions are in the order of the iterations.
std::string arranged(Lifted& lifted, const std::string& value, const Ints& order,
                     const Type& type) {
  if (std::ranges::is_sorted(order)) return value;
  std::vector<std::string> results(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    results[static_cast<size_t>(order[i])] = dimension(static_cast<int64_t>(i));
  return lifted.steps().add("tileproof.read", {value}, {{"map", map_text(order.size(), results)}},
                            type);
}

class Reduction {
 public:
  Reduction(const Op& op, const Generic& generic, Lifted& lifted, Around around)
      : op_(op), generic_(generic), lifted_(lifted), around_(around) {
    for (size_t k = generic.inputs; k < generic.operands.size(); ++k)
      carried_.insert(generic.body.arguments[k].name);
    for (const Op& one : generic.body.ops) {
      const bool depends = std::ranges::any_of(
          one.operands, [&](const Operand& operand) { return carried_.contains(operand.name); });
      if (!depends || one.results.empty()) continue;
      for (const Results& result : one.results) carried_.insert(result.name);
      folded_.push_back(&one);
    }
    for (size_t d = 0; d < generic.is_reduction.size(); ++d) {
      if (generic.is_reduction[d]) reduced_.push_back(static_cast<int64_t>(d));
      if (!generic.is_reduction[d]) kept_.push_back(lifted.sizes()[d]);
    }
  }

  bool folds(const Op& op) const { return std::ranges::find(folded_, &op) != folded_.end(); }

  // The value of each out, with the dimensions that are kept.
  absl::StatusOr<std::vector<std::string>> results() {
    const Op& yield = generic_.body.ops.back();
    const size_t outs = generic_.operands.size() - generic_.inputs;
    if (yield.operands.size() != outs)
      return invalid(absl::StrCat("expected a body that yields ", outs, " values"));
    std::vector<std::string> values;
    if (folded_.size() == outs) {
      for (size_t j = 0; j < outs; ++j) {
        const auto one = TRY(alone(j, yield.operands[j].name));
        if (!one) break;
        values.push_back(*one);
      }
    }
    return values.size() == outs ? values : together(yield);
  }

 private:
  Type type(size_t j) const {
    return tensor_of(*generic_.types[generic_.inputs + j].element, kept_);
  }
  std::string argument(size_t j) const { return generic_.body.arguments[generic_.inputs + j].name; }

  // The scalar that the outs have everywhere; nothing if they are not filled.
  absl::StatusOr<std::optional<std::string>> fill(size_t j) {
    const auto scalar = around_.known.fills.find(generic_.operands[generic_.inputs + j]);
    if (scalar == around_.known.fills.end()) return std::optional<std::string>();
    return std::optional(TRY(lifted_.captured(scalar->second)));
  }

  // An out that one operation alone reduces: out + x.
  absl::StatusOr<std::optional<std::string>> alone(size_t j, const std::string& yielded) {
    const auto last =
        std::ranges::find_if(folded_, [&](const Op* op) { return op->results[0].name == yielded; });
    const Reducer* reducer = last == folded_.end() ? nullptr : reducer_of(**last);
    if (reducer == nullptr) return std::optional<std::string>();
    const bool is_left = (*last)->operands[0].name == argument(j);
    const std::string& other = (*last)->operands[is_left ? 1 : 0].name;
    const std::string& own = (*last)->operands[is_left ? 0 : 1].name;
    if (own != argument(j) || carried_.contains(other)) return std::optional<std::string>();
    Steps& steps = lifted_.steps();
    const std::string x = TRY(lifted_.value(other));
    const ElementType element = *steps.type_of(x).element;
    const auto start = TRY(fill(j));
    std::string neutral = identity_of(*reducer, element);
    if (!start && neutral.empty()) return std::optional<std::string>();
    const std::string initial = start ? *start : steps.constant(neutral, tensor_of(element, {}));
    const std::string folded =
        steps.add("stablehlo.reduce", {x, initial}, {{"dimensions", list_text(reduced_)}}, type(j),
                  {absl::StrCat("stablehlo.", reducer->stablehlo)});
    const Ints order = TRY(order_of(op_, generic_, generic_.inputs + j));
    const std::string result = arranged(lifted_, folded, order, outer(j));
    if (start) return std::optional(result);
    const std::string from = absl::StrCat("~op", generic_.inputs + j);
    return std::optional(
        steps.add(absl::StrCat("stablehlo.", reducer->stablehlo), {from, result}, {}, outer(j)));
  }

  Type outer(size_t j) const { return generic_.types[generic_.inputs + j]; }

  // All outs by one computation, from filled outs.
  absl::StatusOr<std::vector<std::string>> together(const Op& yield) {
    const size_t outs = yield.operands.size();
    Steps& steps = lifted_.steps();
    std::vector<std::string> found;  // what the folded operations read
    for (const Op* op : folded_) {
      if (!op->regions.empty()) return not_read(*op, "in a reduction");
      for (const Operand& operand : op->operands) {
        if (!carried_.contains(operand.name) &&
            std::ranges::find(found, operand.name) == found.end())
          found.push_back(operand.name);
      }
    }
    // The inputs of the reduction, of the types of the outs.
    std::vector<std::string> names(outs), arrays(outs), starts;
    for (const std::string& name : found) {
      const std::string array = TRY(lifted_.value(name));
      size_t j = 0;
      while (j < outs && (!names[j].empty() || type(j).element != steps.type_of(array).element))
        ++j;
      if (j == outs) return not_read(op_, "a reduction of more arrays than outs");
      names[j] = name;
      arrays[j] = array;
    }
    Op reduce = op_at(op_, "stablehlo.reduce", {}, {{"dimensions", list_text(reduced_)}}, {},
                      {{"~reduced", static_cast<int64_t>(outs)}});
    Region region;
    for (size_t j = 0; j < outs; ++j) {
      const Type scalar = tensor_of(*type(j).element, {});
      if (names[j].empty()) {
        names[j] = absl::StrCat("~unused", j);
        const bool is_bit = *scalar.element == ElementType::kPred;
        arrays[j] =
            steps.constant(is_bit ? "false" : "0", tensor_of(*scalar.element, lifted_.sizes()));
      }
      const auto start = TRY(fill(j));
      if (!start)
        return not_read(op_, "a reduction of more than one operation, of outs that are not filled");
      starts.push_back(*start);
      region.arguments.push_back({argument(j), scalar});
      reduce.types.push_back(type(j));
    }
    for (size_t j = 0; j < outs; ++j) {
      region.arguments.push_back({names[j], tensor_of(*type(j).element, {})});
    }
    arrays.insert(arrays.end(), starts.begin(), starts.end());
    reduce.operands = operands_of(arrays);
    for (const Op* op : folded_) region.ops.push_back(*op);
    region.ops.push_back(yield);
    region.ops.back().name = "return";
    reduce.regions.push_back(std::move(region));
    steps.ops().push_back(std::move(reduce));
    std::vector<std::string> values;
    for (size_t j = 0; j < outs; ++j) {
      const std::string name = absl::StrCat("~reduced", j);
      steps.set_type(name, type(j));
      steps.ops().push_back(op_at(op_, "", {result_name("~reduced", static_cast<int64_t>(j))}, {},
                                  {type(j)}, {{name}}));
      const Ints order = TRY(order_of(op_, generic_, generic_.inputs + j));
      values.push_back(arranged(lifted_, name, order, outer(j)));
    }
    return values;
  }

  const Op& op_;
  const Generic& generic_;
  Lifted& lifted_;
  Around around_;
  std::set<std::string> carried_;  // values that depend on the outs
  std::vector<const Op*> folded_;  // the operations that make them
  Ints reduced_, kept_;            // dimensions; sizes of the others
};

}  // namespace

absl::StatusOr<std::vector<Op>> lowered_linalg(const Op& op, Around around) {
  if (op.name == "linalg.pack" || op.name == "linalg.unpack" || op.name == "linalg.softmax")
    return lowered_tensor(op, around);
  if (op.results.empty()) return not_read(op, "without results");
  if (op.name == "linalg.fill") {
    Steps steps(op, around);
    const std::string scalar = TRY(steps.operand(0));
    if (op.types.size() != 1 || op.operands.size() != 2)
      return invalid("expected a value and the array that is filled");
    around.known.fills[op.results[0].name] = scalar;
    return steps.result(steps.add("stablehlo.broadcast_in_dim", {scalar},
                                  {{"broadcast_dimensions", "[]"}}, op.types[0]));
  }
  const Generic generic = TRY(generic_of(op, around));
  const size_t outs = generic.operands.size() - generic.inputs;
  if (op.types.size() != outs || generic.body.ops.empty()) return not_read(op, "without results");
  Lifted lifted(op, TRY(sizes_of(generic)), around);
  std::set<std::string> used;
  for (const Op& one : generic.body.ops) {
    for (const Operand& operand : one.operands) used.insert(operand.name);
  }
  const bool reduces = std::ranges::count(generic.is_reduction, true) > 0;
  for (size_t k = 0; k < generic.operands.size(); ++k) {
    const std::string& element = generic.body.arguments[k].name;
    if (!used.contains(element)) continue;
    const bool is_filled = around.known.fills.contains(op.operands[k].name);
    if (k >= generic.inputs && reduces && is_filled) continue;
    const std::string name = absl::StrCat("~op", k);
    lifted.add_argument(name, op.operands[k], generic.types[k]);
    if (k >= generic.inputs && reduces) continue;
    lifted.set_value(element,
                     lifted.read(name, TRY(to_mlir(generic.maps[k], MlirKind::kAffineMap))));
  }
  Reduction reduction(op, generic, lifted, around);
  const Op& yield = generic.body.ops.back();
  for (const Op& one : generic.body.ops) {
    if (&one != &yield && !(reduces && reduction.folds(one))) TRY(lifted.lift(one));
  }
  if (reduces) return lifted.fusion(TRY(reduction.results()));
  if (yield.operands.size() != outs)
    return invalid(absl::StrCat("expected a body that yields ", outs, " values"));
  std::vector<std::string> results;
  for (size_t j = 0; j < outs; ++j) {
    const size_t k = generic.inputs + j;
    const std::string value = TRY(lifted.value(yield.operands[j].name));
    results.push_back(arranged(lifted, value, TRY(order_of(op, generic, k)), generic.types[k]));
  }
  return lifted.fusion(results);
}

absl::StatusOr<std::vector<Op>> lowered_generate(const Op& op, Around around) {
  if (op.regions.size() != 1 || op.regions[0].ops.empty()) return invalid("expected a body");
  const Region& body = op.regions[0];
  const Op& yield = body.ops.back();
  if (body.arguments.size() != op.types[0].dims.size() || yield.operands.size() != 1)
    return invalid("expected an index for each dimension, and one value");
  Lifted lifted(op, op.types[0].dims, around);
  for (size_t d = 0; d < body.arguments.size(); ++d)
    lifted.set_index(body.arguments[d].name, dimension(static_cast<int64_t>(d)));
  for (const Op& one : body.ops) {
    if (&one != &yield) TRY(lifted.lift(one));
  }
  return lifted.fusion({TRY(lifted.value(yield.operands[0].name))});
}

}  // namespace tileproof::stablehlo
