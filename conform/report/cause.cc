// SPDX-License-Identifier: Apache-2.0
#include "conform/report/cause.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/map/expr_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using Features = std::set<std::string>;

constexpr size_t kMaxNodes = 2000;   // larger maps have no structure
constexpr size_t kMaxCompared = 16;  // constraints that are compared with each other
constexpr size_t kMaxRelated = 6;    // constants that are compared with each other

// "0", "+", "-", "+N", "-N"
std::string end_text(int64_t n) {
  return absl::StrCat(n == 0 ? "0" : n < 0 ? "-" : "+", is_wide(n) ? "N" : "");
}

std::string interval_text(Interval interval) {
  if (interval.low > interval.high) return "[]";
  if (interval.low == interval.high) return absl::StrCat("[", end_text(interval.low), "]");
  return absl::StrCat("[", end_text(interval.low), "..", end_text(interval.high), "]");
}

// ---- Maps ----

// The constant modulus of a constraint on a remainder, or 0.
int64_t modulus_of(const IndexingMap& map, const Constraint& constraint) {
  const Node& node = map.nodes[constraint.expr];
  const bool mod = node.op == Op::kMod && map.nodes[node.right].op == Op::kConstant;
  return mod ? map.nodes[node.right].value : 0;
}

// Returns whether no remainder by the modulus is in the interval, as in x mod 2 in [2, 2].
bool is_impossible(const IndexingMap& map, const Constraint& constraint) {
  const int64_t modulus = modulus_of(map, constraint);
  const auto [low, high] = constraint.interval;
  return low <= high && ((modulus > 0 && (low >= modulus || high < 0)) ||
                         (modulus < 0 && (high <= modulus || low > 0)));
}

// The most constraints on remainders of one expression.
int64_t remainders_of_one(const IndexingMap& map) {
  int64_t most = 0;
  for (const Constraint& one : map.constraints) {
    if (modulus_of(map, one) == 0) continue;
    most = std::max<int64_t>(
        most,
        std::count_if(map.constraints.begin(), map.constraints.end(), [&](const Constraint& other) {
          return modulus_of(map, other) != 0 &&
                 same_expression(map.nodes, map.nodes[one.expr].left, map.nodes,
                                 map.nodes[other.expr].left);
        }));
  }
  return most;
}

absl::string_view word_of(Op op) { return absl::StripAsciiWhitespace(symbol_of(op)); }

// Writes a map. The order of the operands of + and * does not count: first each node gets a text
// without names and constants, by which the operands are sorted.
class MapStructure {
 public:
  explicit MapStructure(const IndexingMap& map) : map_(map) {
    for (const Node& node : map.nodes) shapes_.push_back(shape_of(node));
  }

  std::string text() {
    std::vector<std::string> parts;
    for (NodeId result : map_.results) parts.push_back(expression(result));
    std::string text = absl::StrCat("(", absl::StrJoin(parts, ", "), ")");
    for (const Constraint& constraint : map_.constraints) {
      absl::StrAppend(&text, ", ", expression(constraint.expr), " in ",
                      interval_text(constraint.interval),
                      is_impossible(map_, constraint) ? ", impossible" : "");
    }
    append_bounds(text);
    append_relations(text);
    return text;
  }

 private:
  std::string shape_of(const Node& node) const {
    if (node.op == Op::kConstant) return class_of(node.value);
    if (is_leaf(node.op)) return "x";
    if (shapes_[node.left].size() + shapes_[node.right].size() > kMaxNodes) return "..";
    return absl::StrCat("(", shapes_[node.left], word_of(node.op), shapes_[node.right], ")");
  }

  std::string variable(Op kind, int64_t number) {
    const auto [found, is_new] = variables_.emplace(std::pair(kind, number), variables_.size());
    return absl::StrCat(kind == Op::kRuntime ? "r" : "x", found->second);
  }

  std::string constant(int64_t value) {
    if (value >= -1 && value <= 1) return absl::StrCat(value);
    const uint64_t size = magnitude(value);
    size_t at = std::find(constants_.begin(), constants_.end(), size) - constants_.begin();
    if (at == constants_.size()) constants_.push_back(size);
    return absl::StrCat(sign_text(value), letter(at));
  }

  std::string letter(size_t at) const {
    const char first = constants_[at] >= kWide - 1 ? 'A' : 'a';
    return at < 26 ? std::string(1, static_cast<char>(first + static_cast<char>(at)))
                   : absl::StrCat(std::string(1, first), at);
  }

  std::string expression(NodeId id) {
    const Node& node = map_.nodes[id];
    if (node.op == Op::kConstant) return constant(node.value);
    if (is_leaf(node.op)) return variable(node.op, node.value);
    NodeId left = node.left, right = node.right;
    const bool commutes = node.op == Op::kAdd || node.op == Op::kMul;
    if (commutes && shapes_[left] < shapes_[right]) std::swap(left, right);
    const std::string first = part(left);
    return absl::StrCat(first, " ", word_of(node.op), " ", part(right));
  }

  std::string part(NodeId id) {
    const std::string text = expression(id);
    return is_leaf(map_.nodes[id].op) ? text : absl::StrCat("(", text, ")");
  }

  // The bounds that are not [0, n], and unusual variables.
  void append_bounds(std::string& text) {
    for (const auto& [variable, number] : variables_) {
      const Interval bounds = variables_of(map_, variable.first)[variable.second].bounds;
      const std::string interval = interval_text(bounds);
      if (interval == "[0..+]") continue;
      absl::StrAppend(&text, ", ", this->variable(variable.first, variable.second), " in ",
                      interval);
    }
    for (Op kind : kVariableKinds) {
      const std::vector<Variable>& variables = variables_of(map_, kind);
      for (size_t i = 0; i < variables.size(); ++i) {
        const Interval& bounds = variables[i].bounds;
        const bool used = variables_.contains({kind, static_cast<int64_t>(i)});
        if (!used && bounds.low > bounds.high) absl::StrAppend(&text, ", unused in []");
        if (!variables[i].name.empty()) names_ = true;
      }
    }
    if (map_.dimensions.empty() && map_.ranges.empty() && !map_.runtime.empty()) {
      absl::StrAppend(&text, ", only runtime variables");
    }
    if (names_) absl::StrAppend(&text, ", names");
  }

  void append_relations(std::string& text) const {
    const size_t most = std::min(constants_.size(), kMaxRelated);
    for (size_t i = 0; i < most; ++i) {
      for (size_t j = i + 1; j < most; ++j) {
        const uint64_t a = constants_[i], b = constants_[j];
        if (b % a == 0) absl::StrAppend(&text, ", ", letter(i), "|", letter(j));
        if (a % b == 0) absl::StrAppend(&text, ", ", letter(j), "|", letter(i));
      }
    }
  }

  const IndexingMap& map_;
  std::vector<std::string> shapes_;                          // by node
  std::map<std::pair<Op, int64_t>, size_t> variables_ = {};  // by first use
  std::vector<uint64_t> constants_ = {};                     // magnitudes, by first use
  bool names_ = false;
};

std::string operand_text(const Node& node) {
  if (node.op == Op::kConstant) {
    return node.value == 0 ? "0"
                           : absl::StrCat(sign_text(node.value), is_wide(node.value) ? "C" : "c");
  }
  return is_leaf(node.op) ? "x" : std::string(word_of(node.op));
}

void add_map_features(const IndexingMap& map, Features& features) {
  for (const Node& node : map.nodes) {
    if (is_leaf(node.op)) continue;
    std::string left = operand_text(map.nodes[node.left]);
    std::string right = operand_text(map.nodes[node.right]);
    const bool commutes = node.op == Op::kAdd || node.op == Op::kMul;
    if (commutes && left < right) std::swap(left, right);
    features.insert(absl::StrCat(word_of(node.op), "(", left, ", ", right, ")"));
  }
  for (const Constraint& constraint : map.constraints) {
    const Node& root = map.nodes[constraint.expr];
    features.insert(absl::StrCat("constraint ", operand_text(root)));
    if (is_impossible(map, constraint)) features.insert("impossible remainder");
  }
  const int64_t remainders = map.constraints.size() <= kMaxCompared ? remainders_of_one(map) : 0;
  if (remainders > 1) features.insert("two remainders of one expression");
  if (remainders > 2) features.insert("three remainders of one expression");
  for (Op kind : kVariableKinds) {
    for (const Variable& variable : variables_of(map, kind)) {
      const Interval& bounds = variable.bounds;
      if (bounds.low > bounds.high) features.insert("empty variable");
      if (bounds.low < 0) features.insert("negative variable");
      if (is_wide(bounds.low) || is_wide(bounds.high)) features.insert("wide variable");
    }
  }
  if (!map.runtime.empty()) features.insert("runtime variable");
}

// ---- Shapes ----

std::string tile_text(const Tile& tile) {
  return absl::StrCat("T(",
                      absl::StrJoin(tile.dims, ",",
                                    [](std::string* out, int64_t size) {
                                      out->append(size == Tile::kCombine ? "*" : class_of(size));
                                    }),
                      ")");
}

std::vector<std::string> shape_parts(const Shape& shape) {
  std::vector<std::string> dims, parts;
  for (const Dimension& dimension : shape.dimensions) {
    dims.push_back(absl::StrCat(dimension.kind == Dimension::Kind::kFixed ? "" : "?",
                                class_of(dimension.size)));
  }
  parts.push_back(absl::StrCat("[", absl::StrJoin(dims, ","), "]"));
  if (!shape.layout) return parts;
  const Layout& layout = *shape.layout;
  if (layout.minor_to_major != default_layout(shape.rank()).minor_to_major) {
    parts.push_back("permuted");
  }
  for (const Tile& tile : layout.tiles) parts.push_back(tile_text(tile));
  if (layout.tail_padding_alignment != 1) parts.push_back("L");
  if (layout.element_size_in_bits != 0) parts.push_back("E");
  if (layout.memory_space != 0) parts.push_back("S");
  if (!layout.splits.empty()) parts.push_back("SC");
  if (layout.dynamic_shape_metadata_prefix_bytes != 0) parts.push_back("M");
  return parts;
}

void add_shape_features(const Shape& shape, Features& features) {
  for (const std::string& part : shape_parts(shape)) {
    if (absl::StartsWith(part, "T(")) {
      if (absl::StrContains(part, "*")) features.insert("combined dimensions");
    } else if (!absl::StartsWith(part, "[")) {
      features.insert(part);
    }
  }
  const size_t tiles = shape.layout ? shape.layout->tiles.size() : 0;
  if (tiles > 0) features.insert("tile");
  if (tiles > 1) features.insert("second tile");
  if (tiles > 0 && shape.rank() < 2) features.insert(absl::StrCat("tiles of rank ", shape.rank()));
  for (size_t t = 0; t < tiles; ++t) {
    const bool longer = std::ssize(shape.layout->tiles[t].dims) > shape.rank();
    if (longer) features.insert("tile longer than the array");
  }
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.size == 0) features.insert("dimension of size 0");
    if (is_wide(dimension.size)) features.insert("wide dimension");
  }
}

// ---- Modules ----

// Each run of digits becomes "n".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      out += c;
    } else if (out.empty() || out.back() != 'n') {
      out += 'n';
    }
  }
  return out;
}

std::string rank_text(const SharedShape& shape) {
  if (!shape) return "";
  if (shape->kind != Shape::Kind::kArray) return absl::StrCat("(", shape->parts.size(), ")");
  std::string text = "[";
  for (const Dimension& dimension : shape->dimensions) {
    text += dimension.size == 0 ? "0" : dimension.size == 1 ? "1" : "n";
  }
  return text + "]";
}

std::string instruction_text(const HloInstruction& at) {
  std::string text = absl::StrCat(at.opcode_text, "(",
                                  absl::StrJoin(at.operands, ",",
                                                [](std::string* out, const HloOperand& operand) {
                                                  absl::StrAppend(out, operand.instruction);
                                                }),
                                  ")", rank_text(at.shape));
  for (size_t a = 0; a < at.attributes.size(); ++a) {
    const HloAttribute& attribute = at.attributes[a];
    bool call = false;
    for (const HloCall& one : at.calls) call |= one.attribute == static_cast<int32_t>(a);
    absl::StrAppend(&text, " ", attribute.name,
                    call ? "" : absl::StrCat("=", without_numbers(attribute.value)));
  }
  return text;
}

// The structure of a module: its operations, how they are connected, the ranks of their shapes and
// their attributes, without names, sizes and types.
//
// "p[nn] reverse(0)[nn] dimensions={n}". Numbers in attributes are written n, or -n below 0. A text
// that is no module is returned with its numbers replaced.
std::string hlo_structure(const std::string& text) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) return without_numbers(text);
  std::vector<std::string> parts;
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& at : computation.instructions) parts.push_back(instruction_text(at));
    parts.push_back(absl::StrCat("root ", computation.root));
  }
  return absl::StrJoin(parts, "; ");
}

// Adds opcodes and "opcode attribute" for each attribute, and "negative opcode attribute" if it has
// a negative number.
void add_hlo_features(const std::string& text, Features& features) {
  const absl::StatusOr<HloModule> module = parse_hlo_module(text);
  if (!module.ok()) {
    features.insert("invalid hlo");
    return;
  }
  for (const HloComputation& computation : module->computations) {
    for (const HloInstruction& at : computation.instructions) {
      if (at.opcode == HloOpcode::kParameter) continue;
      features.insert(at.opcode_text);
      for (const HloAttribute& attribute : at.attributes) {
        const std::string name = absl::StrCat(at.opcode_text, " ", attribute.name);
        features.insert(name);
        if (absl::StrContains(attribute.value, "-")) features.insert("negative " + name);
      }
    }
  }
}

// ---- Any text ----

// Each kind of value in a list counts once: the length of an index is no structure.
std::string values_text(const Json& json) {
  if (const int64_t* value = json.as<int64_t>()) {
    return *value < 0 ? "-" : is_wide(*value) ? "N" : "n";
  }
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) return words_of(to_text(json));
  std::set<std::string> kinds;
  for (const Json& item : *array) kinds.insert(values_text(item));
  if (kinds.empty()) kinds.insert("n");
  return absl::StrCat("[", absl::StrJoin(kinds, ","), "]");
}

// The values of a point: which kind of variable has them, and keys without values, are no structure.
bool is_point_key(absl::string_view key) {
  return key == "dims" || key == "ranges" || key == "runtime";
}

std::string text_structure(absl::string_view key, const std::string& text) {
  if (form_of(key) == Form::kMap) {
    const absl::StatusOr<IndexingMap> map = map_of_text(text);
    if (map.ok() && map->nodes.size() <= kMaxNodes) return MapStructure(*map).text();
  } else if (form_of(key) == Form::kShape) {
    const absl::StatusOr<Shape> shape = parse_shape_of_any_size(text);
    if (shape.ok() && shape->kind == Shape::Kind::kArray) {
      return absl::StrJoin(shape_parts(*shape), " ");
    }
  } else if (form_of(key) == Form::kHlo) {
    return hlo_structure(text);
  }
  return words_of(text);
}

void add_features(absl::string_view key, const std::string& text, Features& features) {
  if (form_of(key) == Form::kMap) {
    const absl::StatusOr<IndexingMap> map = map_of_text(text);
    if (map.ok()) return add_map_features(*map, features);
  } else if (form_of(key) == Form::kShape) {
    const absl::StatusOr<Shape> shape = parse_shape_of_any_size(text);
    if (shape.ok() && shape->kind == Shape::Kind::kArray)
      return add_shape_features(*shape, features);
  } else if (form_of(key) == Form::kHlo) {
    return add_hlo_features(text, features);
  } else {
    features.insert(absl::StrCat(std::string(key), " ", words_of(text)));
    return;
  }
  features.insert(absl::StrCat("invalid ", std::string(key)));
}

}  // namespace

std::string structure_of(const Json& request) {
  std::vector<std::string> parts;
  Json::Array point;
  const auto* members = request.as<Json::Object>();
  if (members == nullptr) return "";
  for (const Member& member : *members) {
    if (member.key == "id" || member.key == "parsed") continue;
    const auto* text = member.value.as<std::string>();
    const auto* values = is_point_key(member.key) ? member.value.as<Json::Array>() : nullptr;
    if (values != nullptr) {
      point.insert(point.end(), values->begin(), values->end());
    } else if (member.key == "op" && text != nullptr) {
      parts.insert(parts.begin(), *text);
    } else {
      parts.push_back(absl::StrCat(
          member.key, " ",
          text == nullptr ? values_text(member.value) : text_structure(member.key, *text)));
    }
  }
  if (!point.empty()) parts.push_back(absl::StrCat("at ", values_text(Json(std::move(point)))));
  return absl::StrJoin(parts, " ");
}

std::set<std::string> features_of(const Json& request) {
  Features features;
  const auto* members = request.as<Json::Object>();
  if (members == nullptr) return features;
  for (const Member& member : *members) {
    if (member.key == "id" || member.key == "parsed") continue;
    const auto* text = member.value.as<std::string>();
    if (member.key == "op" && text != nullptr) {
      features.insert(*text);
    } else if (text != nullptr) {
      add_features(member.key, *text, features);
    } else if (member.key == "indices" || member.key == "offsets") {
      features.insert("a list");
    }
  }
  return features;
}

bool contains(const std::set<std::string>& request, const std::set<std::string>& cause) {
  return cause.size() > 1 &&
         std::includes(request.begin(), request.end(), cause.begin(), cause.end());
}

uint64_t largest_number(absl::string_view request) {
  constexpr uint64_t kMost = uint64_t{1} << 63;
  uint64_t largest = 0, number = 0;
  for (const char c : request) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
      const auto digit = static_cast<uint64_t>(c - '0');
      number = number > kMost / 10 ? kMost : std::min(number * 10 + digit, kMost);
      largest = std::max(largest, number);
    } else {
      number = 0;
    }
  }
  return largest;
}

}  // namespace tileproof::conform
