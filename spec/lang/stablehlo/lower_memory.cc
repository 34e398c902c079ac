// SPDX-License-Identifier: Apache-2.0
// Memrefs as values, and loops and branches: memref, affine, scf.for, scf.if, vector.transfer_read.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/interval.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/memref_text.h"
#include "spec/lang/stablehlo/lowering.h"
#include "spec/lang/stablehlo/op_text.h"

namespace tileproof::stablehlo {
namespace {

// A memref that is not a view: its array, and the name of the value that it has now.
struct Root {
  Type type;
  std::string first, now;
};

// A loop around: its index, as an expression of the dimension of that number.
struct Loop {
  std::string index, text;
  int64_t count = 0;
};

class Memory {
 public:
  absl::StatusOr<Region> function(const Region& body) {
    Region result;
    for (const Argument& argument : body.arguments) {
      result.arguments.push_back(argument);
      if (argument.type.memref.empty()) continue;
      TRY(add_root(argument.name, argument.type));
      result.arguments.back().type = roots_[argument.name].type;
    }
    std::set<std::string> touched;
    find_undefined(body, touched);
    for (const Op& op : body.ops) {
      if (undefined_.contains(op.results.empty() ? "" : op.results[0].name)) {
        TRY(add_root(op.results[0].name, op.types[0], true));
        result.arguments.push_back({op.results[0].name, roots_[op.results[0].name].type});
      } else if (op.name == "return" || absl::EndsWith(op.name, ".return")) {
        for (Op& access : accesses_) result.ops.push_back(std::move(access));
        at_ = &op;
        out_ = &result.ops;
        TRY(returned(op, body));
      } else {
        TRY(lower(op, result.ops));
      }
    }
    return result;
  }

 private:
  // ---- Names and scalars ----

  std::string fresh(absl::string_view base) { return absl::StrCat(base, "~m", ++made_); }

  // A new name for a result of the operation that is lowered.
  std::string fresh_result() {
    return fresh(at_->results.empty() ? "store" : at_->results[0].name);
  }

  // The new operation, whose result has the name.
  void add_as(std::string result, std::string name, const std::vector<std::string>& operands,
              Attributes attributes, Type type) {
    out_->push_back(op_at(*at_, std::move(name), operands_of(operands), std::move(attributes),
                          {std::move(type)}, {{std::move(result)}}));
  }

  std::string add(std::string name, const std::vector<std::string>& operands, Attributes attributes,
                  Type type) {
    std::string result = fresh_result();
    add_as(result, std::move(name), operands, std::move(attributes), std::move(type));
    return result;
  }

  static Type index_type() { return tensor_of(ElementType::kS64, {}); }

  std::string number(int64_t value) {
    return add("arith.constant", {}, {{"value", absl::StrCat(value)}}, index_type());
  }

  // The results of a map as scalars.
  std::vector<std::string> scalars(const IndexingMap& map, const std::vector<std::string>& values) {
    std::vector<std::string> nodes;
    for (const Node& node : map.nodes) {
      if (node.op == MapOp::kConstant) {
        nodes.push_back(number(node.value));
        continue;
      }
      if (is_leaf(node.op)) {
        const size_t first = node.op == MapOp::kRange ? map.dimensions.size() : 0;
        nodes.push_back(values[first + static_cast<size_t>(node.value)]);
        continue;
      }
      const std::vector<std::string> pair = {nodes[node.left], nodes[node.right]};
      const char* name = node.op == MapOp::kAdd       ? "arith.addi"
                         : node.op == MapOp::kMul     ? "arith.muli"
                         : node.op == MapOp::kCeilDiv ? "arith.ceildivsi"
                                                      : "arith.floordivsi";
      std::string one = add(name, pair, {}, index_type());
      if (node.op == MapOp::kMod) {
        one = add("arith.muli", {one, pair[1]}, {}, index_type());
        one = add("arith.subi", {pair[0], one}, {}, index_type());
      }
      nodes.push_back(one);
    }
    std::vector<std::string> results;
    for (const NodeId result : map.results) results.push_back(nodes[result]);
    return results;
  }

  // ---- Memrefs ----

  static bool is_alloc(const Op& op) {
    return (op.name == "memref.alloc" || op.name == "memref.alloca") && op.results.size() == 1 &&
           op.types.size() == 1 && !op.types[0].memref.empty();
  }

  // Memory that is loaded from before anything can have stored into it: what it has is an argument.
  void find_undefined(const Region& region, std::set<std::string>& touched) {
    for (const Op& op : region.ops) {
      const bool loads = absl::EndsWith(op.name, ".load") && !op.operands.empty();
      if (is_alloc(op)) allocated_.insert(op.results[0].name);
      for (const Operand& operand : op.operands) {
        const bool is_first = touched.insert(operand.name).second;
        if (is_first && loads && &operand == op.operands.data() &&
            allocated_.contains(operand.name))
          undefined_.insert(operand.name);
      }
      for (const Region& inner : op.regions) find_undefined(inner, touched);
    }
  }

  // `is_flat`: as the array of all offsets, even if it is row-major.
  absl::Status add_root(const std::string& name, const Type& type, bool is_flat = false) {
    const MemRef memref = TRY(parse_memref(type.memref));
    View view{name, type.dims, {}, {}};
    Root root{tensor_of(*type.element, type.dims), name, name};
    view.map = TRY(identity_map(type.dims.size()));
    if (is_flat || absl::StrContains(type.memref, ",")) {  // a layout: the array of all offsets
      int64_t last = 0;
      if (const auto interval = interval_of(memref.map, memref.map.results[0]))
        last = interval->high;
      const auto size = checked_add(last, 1);
      if (!size || *size < 1) return invalid("expected offsets of at least 0, within 64 bits");
      root.type = tensor_of(*type.element, {*size});
      view.map = memref.map;
      for (Variable& variable : view.map.dimensions) variable = {{INT64_MIN, INT64_MAX}, ""};
    }
    roots_[name] = std::move(root);
    views_[name] = std::move(view);
    return absl::OkStatus();
  }

  absl::StatusOr<const View*> view_named(const Op& op, size_t k) const {
    const auto found = k < op.operands.size() ? views_.find(op.operands[k].name) : views_.end();
    if (found == views_.end()) return not_read(op, "its memref");
    return &found->second;
  }

  // The index of the root, as scalars.
  absl::StatusOr<std::vector<std::string>> root_index(const View& view, const Applied& index) {
    if (index.map.results.size() != view.dims.size())
      return invalid(absl::StrCat("expected ", view.dims.size(), " indices"));
    std::vector<std::string> values = scalars(index.map, index.values);
    values.insert(values.end(), view.values.begin(), view.values.end());
    return scalars(view.map, values);
  }

  // Values as expressions of the iterations of the loops around.
  std::optional<std::vector<std::string>> texts_of(const std::vector<std::string>& names) const {
    std::vector<std::string> texts;
    for (const std::string& name : names) {
      const auto loop = std::ranges::find(loops_, name, &Loop::index);
      const auto known = known_.integer(name);
      if (loop != loops_.end() && !loop->text.empty()) {
        texts.push_back(loop->text);
      } else if (known) {
        texts.push_back(absl::StrCat(*known));
      } else {
        return std::nullopt;
      }
    }
    return texts;
  }

  // A read over all iterations of the loops around, if the index is a map of theirs.
  void list_access(const View& view, const Applied& index) {
    if (loops_.empty() || branches_ > 0) return;
    const auto values = texts_of(index.values), offsets = texts_of(view.values);
    auto logical = values && offsets ? applied_map(index.map, *values) : std::nullopt;
    if (logical) logical->insert(logical->end(), offsets->begin(), offsets->end());
    const auto physical = logical ? applied_map(view.map, *logical) : std::nullopt;
    if (!physical) return;
    Ints counts;
    for (const Loop& loop : loops_) {
      if (loop.text.empty()) return;
      counts.push_back(loop.count);
    }
    const Root& root = roots_[view.root];
    accesses_.push_back(op_at(*at_, "tileproof.read", {root.first},
                              {{"map", map_text(counts.size(), *physical)}},
                              {tensor_of(*root.type.element, counts)}, {{fresh_result()}}));
  }

  absl::Status load(const Op& op) {
    if (op.results.size() != 1) return not_read(op);
    const View& view = *TRY(view_named(op, 0));
    const Applied index = TRY(index_of(op, 1));
    const Root& root = roots_[view.root];
    list_access(view, index);
    if (index.map.results.size() != view.dims.size())
      return invalid(absl::StrCat("expected ", view.dims.size(), " indices"));
    // In a root without a layout, the index of the root, as a store has it; else that of the view.
    const bool is_direct = is_identity(views_.at(view.root).map);
    std::vector<std::string> operands =
        is_direct ? TRY(root_index(view, index)) : scalars(index.map, index.values);
    const Ints ones(operands.size(), 1);
    const Type scalar = tensor_of(*root.type.element, {});
    std::string from = is_direct ? root.now : TRY(contents(view));
    if (!ones.empty()) {
      operands.insert(operands.begin(), {from});
      from = add("stablehlo.dynamic_slice", operands, {{"slice_sizes", list_text(ones)}},
                 tensor_of(*root.type.element, ones));
    }
    add_as(op.results[0].name, "stablehlo.reshape", {from}, {}, scalar);
    return absl::OkStatus();
  }

  absl::Status store(const Op& op) {
    const View& view = *TRY(view_named(op, 1));
    const Applied index = TRY(index_of(op, 2));
    Root& root = roots_[view.root];
    list_access(view, index);
    std::vector<std::string> operands = TRY(root_index(view, index));
    const Ints ones(operands.size(), 1);
    const std::string value =
        add("stablehlo.reshape", {op.operands[0].name}, {}, tensor_of(*root.type.element, ones));
    operands.insert(operands.begin(), {root.now, value});
    root.now =
        ones.empty() ? value : add("stablehlo.dynamic_update_slice", operands, {}, root.type);
    stored_.insert(view.root);
    return absl::OkStatus();
  }

  // The array of a view as it is now.
  absl::StatusOr<std::string> contents(const View& view) {
    const Root& root = roots_[view.root];
    if (is_identity(view.map)) return root.now;
    std::string from = root.now;
    std::vector<std::string> index = dimensions(view.dims.size());
    index.resize(view.map.dimensions.size(), "0");
    std::vector<std::string> at = applied_map(view.map, index).value_or(std::vector<std::string>());
    if (!view.values.empty()) from = TRY(box_of(view, at));
    return add("tileproof.read", {from}, {{"map", map_text(view.dims.size(), at)}},
               tensor_of(*root.type.element, view.dims));
  }

  // What lies around a view whose offsets are values: from the first element on. `at` becomes the index
  // in it.
  absl::StatusOr<std::string> box_of(const View& view, std::vector<std::string>& at) {
    IndexingMap inside = TRY(parse_map(map_text(view.dims.size(), at)));
    for (size_t d = 0; d < view.dims.size(); ++d)
      inside.dimensions[d].bounds = {0, std::max<int64_t>(view.dims[d], 1) - 1};
    const bool is_sum = std::ranges::all_of(view.map.nodes, [](const Node& node) {
      return is_leaf(node.op) || node.op == MapOp::kConstant || node.op == MapOp::kAdd ||
             node.op == MapOp::kMul;
    });
    std::vector<std::string> operands(view.dims.size());
    for (std::string& first : operands) first = number(0);
    operands.insert(operands.end(), view.values.begin(), view.values.end());
    operands = scalars(view.map, operands);
    Ints sizes;
    for (size_t r = 0; r < at.size(); ++r) {
      const auto reached = interval_of(inside, inside.results[r]);
      const auto first = value_at(inside, inside.results[r], Ints(view.dims.size(), 0));
      const auto span = reached ? checked_sub(reached->high, reached->low) : std::nullopt;
      const auto back = first ? checked_sub(0, *first) : std::nullopt;
      if (!is_sum || !back || !span || *span == INT64_MAX || reached->low != *first)
        return invalid("expected a view from its first element on, at offsets that are values");
      sizes.push_back(*span + 1);
      at[r] = combined(at[r], MapOp::kAdd, absl::StrCat(*back));
    }
    const Root& root = roots_[view.root];
    for (size_t r = 0; r < sizes.size(); ++r) {
      if (sizes[r] > root.type.dims[r]) return invalid("expected a view inside of its memref");
    }
    operands.insert(operands.begin(), root.now);
    return add("stablehlo.dynamic_slice", operands, {{"slice_sizes", list_text(sizes)}},
               tensor_of(*root.type.element, sizes));
  }

  absl::Status view(const Op& op) {
    if (op.results.size() != 1 || op.types.size() != 1 || op.types[0].memref.empty())
      return invalid("expected one result, a memref");
    const View& from = *TRY(view_named(op, 0));
    View made = TRY(viewed(op, from, roots_[from.root].type.dims, known_));
    views_[op.results[0].name] = std::move(made);
    return absl::OkStatus();
  }

  // ---- Loops ----

  // Whether it replaces the memref that is operand k.
  static bool is_written(const Op& op, size_t k) {
    if (op.name == "memref.copy" || op.name == "vector.transfer_write") return k == 1;
    const absl::StatusOr<Ints> segments = segments_of(op);
    const bool has_outs =
        absl::StartsWith(op.name, "linalg.") && segments.ok() && !segments->empty();
    return has_outs && static_cast<int64_t>(k) >= (*segments)[0];
  }

  // The roots that a region stores into.
  void stores_in(const Region& region, std::set<std::string>& found) const {
    for (const Op& op : region.ops) {
      const bool is_store = absl::EndsWith(op.name, ".store");
      for (size_t k = is_store ? 1 : 0; k < op.operands.size(); ++k) {
        const auto view = views_.find(op.operands[k].name);
        const bool writes = is_store ? k == 1 : is_written(op, k);
        if (writes && view != views_.end()) found.insert(view->second.root);
      }
      for (const Region& inner : op.regions) stores_in(inner, found);
    }
  }

  absl::StatusOr<std::string> bound(const Op& op, absl::string_view name, bool is_lower,
                                    std::optional<int64_t>& known) {
    const std::string* text = find_attribute(op.attributes, name);
    const Applied applied = TRY(applied_of(text == nullptr ? "1" : *text));
    std::vector<std::string> values = scalars(applied.map, applied.values);
    if (values.empty()) return invalid("expected a bound");
    Ints numbers;
    for (const std::string& value : applied.values) {
      if (const auto number = known_.integer(value)) numbers.push_back(*number);
    }
    for (const NodeId result : applied.map.results) {
      if (numbers.size() != applied.values.size() || !applied.map.ranges.empty()) break;
      const auto one = value_at(applied.map, result, numbers);
      known = known && one
                  ? std::optional(is_lower ? std::max(*known, *one) : std::min(*known, *one))
                  : one;
    }
    return extreme(values, is_lower);
  }

  // The largest of the values, or the smallest.
  std::string extreme(const std::vector<std::string>& values, bool is_largest) {
    std::string result = values[0];
    for (size_t i = 1; i < values.size(); ++i)
      result =
          add(is_largest ? "arith.maxsi" : "arith.minsi", {result, values[i]}, {}, index_type());
    return result;
  }

  // The roots as further values that a loop carries.
  void carry(const std::set<std::string>& carried, std::vector<Operand>& start,
             std::vector<Argument>& state) {
    for (const std::string& name : carried) {
      Root& root = roots_[name];
      start.emplace_back(root.now);
      state.push_back({fresh(name), root.type});
      root.now = state.back().name;
    }
  }

  absl::Status loop(const Op& op) {
    if (op.regions.size() != 1 || op.regions[0].arguments.size() != op.types.size() + 1 ||
        op.operands.size() < op.types.size())
      return not_read(op);
    const Region& region = op.regions[0];
    std::optional<int64_t> least, limit, step;
    const std::string from = TRY(bound(op, "lower", true, least));
    const std::string to = TRY(bound(op, "upper", false, limit));
    const std::string by = TRY(bound(op, "step", true, step));
    std::set<std::string> carried;
    stores_in(region, carried);
    const size_t own = op.types.size();
    std::vector<Argument> state = region.arguments;
    state[0].type = index_type();
    std::vector<Operand> start = {from};
    start.insert(start.end(), op.operands.begin(), op.operands.begin() + std::ssize(op.types));
    carry(carried, start, state);
    Loop here{region.arguments[0].name, "", 0};
    if (least && limit && step && *step > 0) {
      const auto span = checked_sub(*limit, *least);
      here.count = span && *span > 0 ? (*span - 1) / *step + 1 : 0;
      here.text = linear(absl::StrCat("d", loops_.size()), *step, *least);
    }
    loops_.push_back(std::move(here));
    Region condition{state, {}}, body{state, {}};
    const std::string less = fresh("less");
    condition.ops = {op_at(op, "stablehlo.compare", {state[0].name, to}, {},
                           {tensor_of(ElementType::kPred, {})}, {{less}}),
                     op_at(op, "stablehlo.return", {less})};
    condition.ops[0].words = {"LT"};
    std::vector<Operand> next = TRY(lowered_region(region, body.ops));
    if (next.size() != own) return invalid("expected a loop that yields what it carries");
    const std::string counted = fresh_result();
    body.ops.push_back(
        op_at(op, "arith.addi", {state[0].name, by}, {}, {index_type()}, {{counted}}));
    next.insert(next.begin(), counted);
    for (const std::string& name : carried) next.emplace_back(roots_[name].now);
    body.ops.push_back(op_at(op, "stablehlo.return", next));
    loops_.pop_back();
    add_loop(op, start, std::move(condition), std::move(body));
    std::vector<size_t> own_results(own);
    std::iota(own_results.begin(), own_results.end(), 1);
    take_results(op, own_results, carried, own + 1);
    return absl::OkStatus();
  }

  // A while from the values of `start`, whose state is what the arguments of its regions are.
  void add_loop(const Op& op, const std::vector<Operand>& start, Region condition, Region body) {
    std::vector<Type> types;
    for (const Argument& argument : body.arguments) types.push_back(argument.type);
    const int64_t count = std::ssize(types);
    out_->push_back(op_at(op, "stablehlo.while", start, {}, types, {{fresh("loop"), count}}));
    out_->back().regions = {std::move(condition), std::move(body)};
  }

  // The results of the loop that was added last: elements of its state, of which those from `first` on
  // are the roots that it carries.
  void take_results(const Op& op, const std::vector<size_t>& own,
                    const std::set<std::string>& carried, size_t first) {
    const Op added = out_->back();
    const auto part = [&](std::vector<Results> names, const std::vector<size_t>& elements) {
      std::vector<Operand> values;
      std::vector<Type> types;
      for (const size_t i : elements) {
        values.emplace_back(result_name(added.results[0].name, static_cast<int64_t>(i)));
        types.push_back(added.types[i]);
      }
      out_->push_back(op_at(op, "", values, {}, std::move(types), std::move(names)));
    };
    if (!own.empty() && !op.results.empty()) part(op.results, own);
    for (const std::string& name : carried) {
      roots_[name].now = fresh(name);
      part({{roots_[name].now}}, {first++});
    }
  }

  // `scf.while (%i = %a, ..) {.. scf.condition(%c) %i, ..} do {..}`, whose condition hands on what it is
  // given.
  absl::Status while_loop(const Op& op) {
    if (op.regions.size() != 2 || op.regions[0].ops.empty()) return not_read(op);
    const Op& last = op.regions[0].ops.back();
    std::vector<Argument> state = op.regions[0].arguments;
    const std::vector<Argument>& given = op.regions[1].arguments;
    if (last.name != "scf.condition" || last.operands.size() != given.size() + 1 ||
        op.types.size() != given.size() || op.operands.size() != state.size())
      return not_read(op);
    std::vector<size_t> handed_on;
    for (size_t j = 0; j < given.size(); ++j) {
      const auto one = std::ranges::find(state, last.operands[j + 1].name, &Argument::name);
      if (one == state.end()) return not_read(op, "a value that its condition computes");
      handed_on.push_back(one - state.begin());
    }
    std::set<std::string> carried, early;
    stores_in(op.regions[0], early);
    if (!early.empty()) return not_read(op, "stores in its condition");
    stores_in(op.regions[1], carried);
    std::vector<Operand> start = op.operands;
    const size_t own = state.size();
    carry(carried, start, state);
    loops_.push_back({"", "", 0});
    Region condition{state, {}}, body{state, {}};
    for (size_t i = 0; i + 1 < op.regions[0].ops.size(); ++i)
      TRY(lower(op.regions[0].ops[i], condition.ops));
    condition.ops.push_back(op_at(op, "stablehlo.return", {last.operands[0]}));
    for (size_t i = 0; i < own; ++i)  // both regions may use one name
      body.arguments[i].name = fresh("state");
    for (size_t j = 0; j < given.size(); ++j) {
      body.ops.push_back(op_at(op, "stablehlo.reshape", {body.arguments[handed_on[j]].name}, {},
                               {given[j].type}, {{given[j].name}}));
    }
    std::vector<Operand> next = TRY(lowered_region(op.regions[1], body.ops));
    if (next.size() != own) return invalid("expected a loop that yields what it carries");
    for (const std::string& name : carried) next.emplace_back(roots_[name].now);
    body.ops.push_back(op_at(op, "stablehlo.return", next));
    loops_.pop_back();
    add_loop(op, start, std::move(condition), std::move(body));
    take_results(op, handed_on, carried, own);
    return absl::OkStatus();
  }

  // The operations of a region. Returns what it yields.
  absl::StatusOr<std::vector<Operand>> lowered_region(const Region& region, std::vector<Op>& out) {
    std::vector<Operand> yielded;
    for (const Op& one : region.ops) {
      if (one.name == "scf.reduce" && one.operands.empty()) continue;
      if (!absl::EndsWith(one.name, ".yield")) {
        TRY(lower(one, out));
        continue;
      }
      yielded.insert(yielded.end(), one.operands.begin(), one.operands.end());
    }
    return yielded;
  }

  // Values and roots that both regions give.
  absl::Status branch(const Op& op, const std::string& condition) {
    std::set<std::string> carried;
    for (const Region& region : op.regions) stores_in(region, carried);
    Op whole = op_at(op, "stablehlo.if", {condition}, {}, op.types, op.results);
    std::vector<std::string> before;
    for (const std::string& name : carried) before.push_back(roots_[name].now);
    ++branches_;
    for (size_t r = 0; r < 2; ++r) {
      Region region;
      std::vector<Operand> given;
      if (r < op.regions.size()) given = TRY(lowered_region(op.regions[r], region.ops));
      if (given.size() != op.types.size()) return invalid("expected a value for each result");
      size_t at = 0;
      for (const std::string& name : carried)
        given.emplace_back(std::exchange(roots_[name].now, before[at++]));
      region.ops.push_back(op_at(op, "stablehlo.return", given));
      whole.regions.push_back(std::move(region));
    }
    --branches_;
    if (carried.empty() && op.types.empty()) return absl::OkStatus();
    for (const std::string& name : carried) {
      Root& root = roots_[name];
      root.now = fresh(name);
      whole.types.push_back(root.type);
      whole.results.push_back({root.now});
    }
    out_->push_back(std::move(whole));
    return absl::OkStatus();
  }

  // `affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 2)>(%i)[%n]`
  absl::StatusOr<std::string> holds(const Op& op) {
    const std::string* text = find_attribute(op.attributes, "condition");
    if (text == nullptr && !op.words.empty()) text = &op.words[0];
    const size_t colon = text == nullptr ? std::string::npos : text->find(" : (");
    if (colon == std::string::npos || !absl::StartsWith(*text, "affine_set<"))
      return not_read(op, "its condition");
    std::string list = text->substr(colon + 4, text->rfind(')') - colon - 4);
    std::vector<std::string> differences, directions;
    for (const absl::string_view one : absl::StrSplit(list, ", ")) {
      const bool is_equal = absl::StrContains(one, "==");
      const std::pair<absl::string_view, absl::string_view> sides =
          absl::StrSplit(one, absl::MaxSplits(is_equal ? "==" : ">=", 1));
      differences.push_back(absl::StrCat(sides.first, " - (", sides.second, ")"));
      directions.emplace_back(is_equal ? "EQ" : "GE");
    }
    const Applied all =
        TRY(on_operands(op, 0,
                        absl::StrCat("affine_map<", text->substr(11, colon - 11), " -> (",
                                     absl::StrJoin(differences, ", "), ")>")));
    TRY(expect_each(all, "set"));
    if (all.map.results.size() != directions.size()) return not_read(op, "its condition");
    const std::vector<std::string> values = scalars(all.map, all.values);
    const Type bit = tensor_of(ElementType::kPred, {});
    std::string condition;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string zero = number(0);
      const std::string one = add("stablehlo.compare", {values[i], zero}, {}, bit);
      out_->back().words = {directions[i]};
      condition = i == 0 ? one : add("stablehlo.and", {condition, one}, {}, bit);
    }
    return condition;
  }

  // ---- Vectors ----

  // `%a[%i, %j], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d1)>}`: the
  // dimension of the vector along each dimension of the array, or -1.
  struct Transfer {
    std::vector<std::string> start;
    Ints along, sizes;  // the window of the array
  };

  absl::StatusOr<Transfer> transfer_of(const Op& op, size_t first, const Ints& array,
                                       const Ints& vector) {
    Transfer transfer;
    for (size_t k = first; k < op.operands.size() && k < first + array.size(); ++k)
      transfer.start.push_back(op.operands[k].name);
    transfer.along.assign(array.size(), -1);
    transfer.sizes.assign(array.size(), 1);
    std::vector<std::string> last;
    for (size_t j = 0; j < vector.size() && vector.size() <= array.size(); ++j)
      last.push_back(absl::StrCat("d", array.size() - vector.size() + j));
    const std::string* text = find_attribute(op.attributes, "permutation_map");
    const IndexingMap map = TRY(parse_map(text == nullptr ? map_text(array.size(), last) : *text));
    if (map.results.size() != vector.size() || map.dimensions.size() != array.size() ||
        transfer.start.size() != array.size())
      return invalid("expected an index, and a map from the array to the vector");
    for (size_t j = 0; j < map.results.size(); ++j) {
      const Node& node = map.nodes[map.results[j]];
      if (node.op != MapOp::kDimension) continue;
      transfer.along[static_cast<size_t>(node.value)] = static_cast<int64_t>(j);
      transfer.sizes[static_cast<size_t>(node.value)] = vector[j];
    }
    const std::string* bounds = find_attribute(op.attributes, "in_bounds");
    const bool is_inside = bounds != nullptr && absl::StrContains(*bounds, "true") &&
                           !absl::StrContains(*bounds, "false");
    for (size_t d = 0; d < array.size(); ++d) {
      const auto at = known_.integer(transfer.start[d]);
      const bool fits =
          at && *at >= 0 && transfer.sizes[d] <= array[d] && *at <= array[d] - transfer.sizes[d];
      if (!is_inside && !fits) return not_read(op, "what may be out of bounds");
    }
    return transfer;
  }

  // The array of an operand, and what it is.
  absl::StatusOr<std::pair<std::string, Type>> array_of(const Op& op, size_t k) {
    if (k >= op.operands.size()) return invalid("expected an array");
    const auto view = views_.find(op.operands[k].name);
    if (view != views_.end()) {
      const Type& root = roots_[view->second.root].type;
      return std::pair(TRY(contents(view->second)), tensor_of(*root.element, view->second.dims));
    }
    if (k >= op.operand_types.size() || !op.operand_types[k].element ||
        !op.operand_types[k].memref.empty())
      return not_read(op);
    return std::pair(op.operands[k].name, op.operand_types[k]);
  }

  absl::Status transfer_read(const Op& op) {
    if (op.results.size() != 1 || op.types.size() != 1) return not_read(op);
    const auto [array, type] = TRY(array_of(op, 0));
    const Transfer transfer = TRY(transfer_of(op, 1, type.dims, op.types[0].dims));
    std::vector<std::string> operands = transfer.start, index;
    operands.insert(operands.begin(), {array});
    for (const int64_t j : transfer.along) index.push_back(j < 0 ? "0" : absl::StrCat("d", j));
    const std::string window =
        add("stablehlo.dynamic_slice", operands, {{"slice_sizes", list_text(transfer.sizes)}},
            tensor_of(*type.element, transfer.sizes));
    add_as(op.results[0].name, "tileproof.read", {window},
           {{"map", map_text(op.types[0].dims.size(), index)}}, op.types[0]);
    return absl::OkStatus();
  }

  absl::Status transfer_write(const Op& op) {
    if (op.operand_types.empty()) return not_read(op);
    const Type& vector = op.operand_types[0];
    const auto view = op.operands.size() > 1 ? views_.find(op.operands[1].name) : views_.end();
    if (view != views_.end() && !is_identity(view->second.map))
      return not_read(op, "into a part of a memref");
    const auto [array, type] = TRY(array_of(op, 1));
    const Transfer transfer = TRY(transfer_of(op, 2, type.dims, vector.dims));
    std::vector<std::string> index(vector.dims.size());
    for (size_t d = 0; d < transfer.along.size(); ++d) {
      if (transfer.along[d] >= 0)
        index[static_cast<size_t>(transfer.along[d])] = absl::StrCat("d", d);
    }
    if (std::ranges::count(index, "") > 0) return not_read(op, "a dimension that is not written");
    const std::string window =
        add("tileproof.read", {op.operands[0].name}, {{"map", map_text(type.dims.size(), index)}},
            tensor_of(*type.element, transfer.sizes));
    std::vector<std::string> operands = transfer.start;
    operands.insert(operands.begin(), {array, window});
    const std::string written = add("stablehlo.dynamic_update_slice", operands, {}, type);
    if (view == views_.end()) {
      out_->back().results = op.results;
      return absl::OkStatus();
    }
    roots_[view->second.root].now = written;
    stored_.insert(view->second.root);
    return absl::OkStatus();
  }

  // ---- Operations ----

  // The operation, or itself without operands if it cannot be expressed.
  absl::Status lower(const Op& op, std::vector<Op>& out) {
    if (++nesting_ > 200) return invalid("expected loops nested at most 200");
    std::vector<Op> made;
    const Op* const outer = std::exchange(at_, &op);
    std::vector<Op>* const behind = std::exchange(out_, &made);
    const absl::Status done = written(op);
    at_ = outer;
    out_ = behind;
    --nesting_;
    if (done.ok()) {
      std::move(made.begin(), made.end(), std::back_inserter(out));
      return absl::OkStatus();
    }
    Op unread = op;
    unread.regions.clear();
    unread.operands.clear();
    unread.attributes = {{std::string(kReason), std::string(done.message())}};
    out.push_back(std::move(unread));
    return absl::OkStatus();
  }

  absl::Status written(const Op& op) {
    const absl::string_view name = op.name;
    if (name == "affine.load" || name == "memref.load") return load(op);
    if (name == "affine.store" || name == "memref.store") return store(op);
    if (name == "affine.for" || name == "scf.for") return loop(op);
    if (name == "scf.while") return while_loop(op);
    if (is_alloc(op)) {
      TRY(add_root(op.results[0].name, op.types[0]));
      add_as(op.results[0].name, "stablehlo.custom_call", {},
             {{"call_target_name", absl::StrCat("\"memref.alloc ", made_, "\"")}},
             roots_[op.results[0].name].type);
      return absl::OkStatus();
    }
    if (name == "memref.dealloc") return absl::OkStatus();
    if (name == "memref.copy") return copy(op);
    for (const char* one : {"memref.subview", "memref.transpose", "memref.expand_shape",
                            "memref.collapse_shape", "memref.reinterpret_cast", "memref.cast"}) {
      if (name == one) return view(op);
    }
    if (name == "affine.if") return branch(op, TRY(holds(op)));
    if (name == "scf.if" && !op.operands.empty()) return branch(op, op.operands[0].name);
    if (name == "vector.transfer_read") return transfer_read(op);
    if (name == "vector.transfer_write") return transfer_write(op);
    if (name == "affine.apply" || name == "affine.min" || name == "affine.max") return apply(op);
    if (name == "affine.linearize_index" || name == "affine.delinearize_index")
      return linearize(op);
    if (name == "arith.constant") {
      const std::string* value = find_attribute(op.attributes, "value");
      int64_t number;
      if (value != nullptr && absl::SimpleAtoi(*value, &number) && op.results.size() == 1)
        known_.integers[op.results[0].name] = number;
    }
    Op other = TRY(with_contents(op));
    for (const char* dialect : {"memref.", "affine.", "scf.", "vector."}) {
      if (absl::StartsWith(name, dialect) && !is_lowered(name)) return not_read(op);
    }
    const bool writes = op.results.empty() && absl::StartsWith(name, "linalg.");
    if (writes) return into_outs(op, std::move(other));
    out_->push_back(std::move(other));
    return absl::OkStatus();
  }

  // Operations that read memrefs read what they have now.
  absl::StatusOr<Op> with_contents(Op op) {
    for (Operand& operand : op.operands) {
      const auto found = views_.find(operand.name);
      if (found != views_.end()) operand.name = TRY(contents(found->second));
    }
    return op;
  }

  absl::Status copy(const Op& op) {
    const View& from = *TRY(view_named(op, 0));
    const View& to = *TRY(view_named(op, 1));
    if (!is_identity(to.map)) return not_read(op, "into a part of a memref");
    roots_[to.root].now = TRY(contents(from));
    stored_.insert(to.root);
    return absl::OkStatus();
  }

  // linalg's operations on memrefs replace their outs.
  absl::Status into_outs(const Op& op, Op other) {
    const Ints segments = TRY(segments_of(op));
    if (segments.size() != 2) return not_read(op);
    const auto inputs = static_cast<size_t>(segments[0]);
    std::vector<const View*> outs;
    for (size_t k = inputs; k < op.operands.size(); ++k) {
      outs.push_back(TRY(view_named(op, k)));
      if (!is_identity(outs.back()->map)) return not_read(op, "into a part of a memref");
    }
    for (const View* view : outs) {
      Root& root = roots_[view->root];
      root.now = fresh(view->root);
      stored_.insert(view->root);
      other.results.push_back({root.now});
      other.types.push_back(root.type);
    }
    out_->push_back(std::move(other));
    return absl::OkStatus();
  }

  absl::Status apply(const Op& op) {
    const std::string* text = find_attribute(op.attributes, "map");
    if (text == nullptr && !op.words.empty()) text = &op.words[0];
    if (text == nullptr || op.results.size() != 1) return not_read(op);
    const Applied one = TRY(on_operands(op, 0, *text));
    TRY(expect_each(one, "map"));
    if (one.map.results.empty())
      return invalid("expected a value for each dimension and symbol of a map");
    const std::vector<std::string> values = scalars(one.map, one.values);
    if (op.name == "affine.apply") return hand_on(op, values);
    return hand_on(op, {extreme(values, op.name == "affine.max")});
  }

  static int64_t count_of(const Op& op) {
    int64_t count = 0;
    for (const Results& results : op.results) count += results.count;
    return count;
  }

  absl::Status hand_on(const Op& op, const std::vector<std::string>& values) {
    if (count_of(op) != std::ssize(values)) return invalid("expected a name for each result");
    out_->push_back(op_at(op, "", operands_of(values), {},
                          std::vector<Type>(values.size(), index_type()), op.results));
    return absl::OkStatus();
  }

  // `affine.linearize_index [%a, %b] by (2, 3)`, `affine.delinearize_index %i into (2, 3)`
  absl::Status linearize(const Op& op) {
    const bool splits = op.name == "affine.delinearize_index";
    const std::string* text = find_attribute(op.attributes, splits ? "into" : "by");
    if (text == nullptr) text = find_attribute(op.attributes, "static_basis");
    if (text == nullptr) return not_read(op, "its basis");
    const std::string list = absl::StartsWith(*text, "(")
                                 ? absl::StrCat("[", text->substr(1, text->size() - 2), "]")
                                 : *text;
    Ints basis = TRY(integers(list));
    std::vector<std::string> values, results;
    for (const Operand& operand : op.operands) values.push_back(operand.name);
    const size_t parts = splits ? static_cast<size_t>(count_of(op)) : values.size();
    if (basis.size() + 1 == parts) basis.insert(basis.begin(), 0);  // the first has no size
    if (basis.size() != parts || (splits && values.size() != 1)) return not_read(op, "its basis");
    int64_t inner = 1;
    std::vector<std::string> terms(parts);
    for (size_t d = parts; d-- > 0;) {
      if (d > 0 && basis[d] < 1) return invalid("expected sizes of at least 1");
      const std::string above = combined("d0", MapOp::kFloorDiv, absl::StrCat(inner));
      terms[d] = !splits  ? linear(absl::StrCat("d", d), inner, 0)
                 : d == 0 ? above
                          : combined(above, MapOp::kMod, absl::StrCat(basis[d]));
      const auto product = checked_mul(inner, std::max<int64_t>(basis[d], 1));
      if (!product) return invalid("expected sizes within 64 bits");
      inner = *product;
    }
    if (!splits) terms = {absl::StrJoin(terms, " + ")};
    const IndexingMap map = TRY(parse_map(map_text(values.size(), terms)));
    return hand_on(op, scalars(map, values));
  }

  // The results, and the arguments that the function stores into.
  absl::Status returned(const Op& op, const Region& body) {
    Op result = TRY(with_contents(op));
    for (const Argument& argument : body.arguments) {
      if (stored_.contains(argument.name)) result.operands.emplace_back(roots_[argument.name].now);
    }
    out_->push_back(std::move(result));
    return absl::OkStatus();
  }

  const Op* at_ = nullptr;          // the operation that is lowered
  std::vector<Op>* out_ = nullptr;  // what it is lowered to
  std::map<std::string, Root> roots_;
  std::map<std::string, View> views_;
  Known known_;
  std::set<std::string> stored_;  // roots
  std::vector<Loop> loops_;       // those around
  std::vector<Op> accesses_;
  std::set<std::string> allocated_, undefined_;
  int64_t made_ = 0;
  int branches_ = 0;  // those around
  int nesting_ = 0;
};

}  // namespace

bool has_memory(const Region& body) {
  const auto is_of_memory = [](const Op& op) {
    return absl::StartsWith(op.name, "memref.") || absl::StartsWith(op.name, "affine.") ||
           absl::StartsWith(op.name, "scf.") || absl::StartsWith(op.name, "vector.transfer");
  };
  return std::ranges::any_of(body.ops, is_of_memory) ||
         std::ranges::any_of(body.arguments, [](const Argument& argument) {
           return !argument.type.memref.empty();
         });
}

absl::StatusOr<Region> lowered_memory(const Region& body) { return Memory().function(body); }

}  // namespace tileproof::stablehlo
