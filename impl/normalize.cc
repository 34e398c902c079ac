#include "impl/normalize.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "absl/strings/str_cat.h"
#include "impl/derivation.h"
#include "impl/floors.h"
#include "spec/lang/checked.h"

namespace tileproof::impl {
namespace {}  // namespace

// Works on the whole table up to `root`.
std::optional<int64_t> folded_tree(const ExprTable& nodes, NodeId root) {
  std::vector<std::optional<int64_t>> values(root + 1);
  for (NodeId id = 0; id <= root; ++id) {
    const Node& node = nodes[id];
    if (node.op == Op::kConstant) values[id] = node.value;
    if (is_leaf(node.op) || !values[node.left] || !values[node.right]) continue;
    const int64_t x = *values[node.left], c = *values[node.right];
    if (node.op == Op::kAdd) {
      values[id] = checked_add(x, c);
    } else if (node.op == Op::kMul) {
      values[id] = checked_mul(x, c);
    } else if (c != 0) {
      const Wide quotient = node.op == Op::kCeilDiv ? ceil_wide(x, c) : floor_wide(x, c);
      const Wide value = node.op == Op::kMod ? x - c * quotient : quotient;
      if (INT64_MIN <= value && value <= INT64_MAX) values[id] = static_cast<int64_t>(value);
    }
  }
  return values[root];
}

int32_t variable_atom(const IndexingMap& map, Op kind, int64_t number) {
  auto atom = static_cast<int32_t>(number);
  if (kind != Op::kDimension) atom += static_cast<int32_t>(map.dimensions.size());
  if (kind == Op::kRuntime) atom += static_cast<int32_t>(map.ranges.size());
  return atom;
}

void begin_domain(Forms& forms, const IndexingMap& map, absl::Span<const Interval> bounds) {
  clear(forms);
  if (forms.derivation != nullptr) begin_box(*forms.derivation);
  size_t next = 0;
  for (Op kind : {Op::kDimension, Op::kRange, Op::kRuntime}) {
    for (const Variable& variable : variables_of(map, kind)) {
      const Interval& interval = bounds.empty() ? variable.bounds : bounds[next++];
      add_variable(forms, {interval.low, interval.high}, kind == Op::kDimension);
    }
  }
}

absl::Status validate_map(const IndexingMap& map) {
  for (size_t id = 0; id < map.nodes.size(); ++id) {
    const Node& node = map.nodes[id];
    if (is_variable(node.op)) {
      if (node.value < 0 || node.value >= std::ssize(variables_of(map, node.op))) {
        return absl::InvalidArgumentError(absl::StrCat("expected a variable of the map, found ",
                                                       default_name(node.op, node.value)));
      }
    } else if (!is_leaf(node.op)) {
      const auto place = static_cast<NodeId>(id);
      if (node.left < 0 || node.left >= place || node.right < 0 || node.right >= place) {
        return absl::InvalidArgumentError("expected operands before the operation");
      }
      if (is_division(node.op) && folded(map.nodes, node.right).value_or(0) == 0) {
        return absl::InvalidArgumentError("expected a constant divisor other than 0");
      }
    }
  }
  return absl::OkStatus();
}

void Normalizer::reset() {
  done_.clear();
  known_.clear();
}

// Compilers write the same index again and again: six times in a chain of reshapes is common.
void Normalizer::find_equal_nodes() {
  const ExprTable& nodes = map_.nodes;
  std::vector<NodeId> slots(std::bit_ceil(2 * nodes.size() + 1), -1);
  firsts_.resize(nodes.size());
  for (NodeId id = 0; id < std::ssize(nodes); ++id) {
    const Node& node = nodes[id];
    const bool leaf = is_leaf(node.op);
    const NodeId left = leaf ? -1 : firsts_[node.left], right = leaf ? -1 : firsts_[node.right];
    uint64_t hash = static_cast<uint64_t>(node.value) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ static_cast<uint64_t>(node.op)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (static_cast<uint64_t>(left) << 32 ^ static_cast<uint32_t>(right))) *
           0x94D049BB133111EBu;
    for (size_t slot = hash >> 20;; ++slot) {
      NodeId& first = slots[slot & (slots.size() - 1)];
      if (first < 0) first = id;
      const Node& other = nodes[first];
      if (other.op == node.op && other.value == node.value &&
          (leaf || (firsts_[other.left] == left && firsts_[other.right] == right))) {
        firsts_[id] = first;
        break;
      }
    }
  }
}

Linear Normalizer::step(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return constant(node.value);
    case Op::kDimension:
    case Op::kRange:
    case Op::kRuntime:
      return variable_form(forms_, variable_atom(map_, node.op, node.value));
    case Op::kAdd:
      return plus(forms_, done_[first(node.left)], done_[first(node.right)]);
    case Op::kMul:
      return product(forms_, done_[first(node.left)], done_[first(node.right)]);
    case Op::kFloorDiv:
      return floor_division(forms_, done_[first(node.left)], done_[first(node.right)].constant);
    case Op::kCeilDiv:
      return ceil_division(forms_, done_[first(node.left)], done_[first(node.right)].constant);
    case Op::kMod:
      break;
  }
  return remainder_of(forms_, done_[first(node.left)], done_[first(node.right)].constant);
}

Linear Normalizer::form_of(NodeId root) {
  constexpr size_t kFewNodes = 48;  // not worth the search
  if (map_.nodes.size() > kFewNodes && firsts_.empty()) find_equal_nodes();
  known_.resize(map_.nodes.size(), false);
  done_.resize(map_.nodes.size());
  root = first(root);
  // Operands stand before their use: mark downwards what is needed, then compute upwards.
  constexpr char kNeeded = 2;
  NodeId lowest = root;
  if (known_[root] == 0) known_[root] = kNeeded;
  for (NodeId id = root; id >= lowest; --id) {
    const Node& node = map_.nodes[id];
    if (known_[id] != kNeeded || is_leaf(node.op)) continue;
    for (NodeId operand : {first(node.left), first(node.right)}) {
      if (known_[operand] == 0) known_[operand] = kNeeded;
      if (known_[operand] == kNeeded) lowest = std::min(lowest, operand);
    }
  }
  for (NodeId id = lowest; id <= root; ++id) {
    if (known_[id] != kNeeded) continue;
    done_[id] = step(map_.nodes[id]);
    known_[id] = 1;
    if (forms_.refused) return {};
  }
  return done_[root];
}

}  // namespace tileproof::impl
