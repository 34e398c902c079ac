// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/indexing_compare.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "impl/hlo/device_maps.h"
#include "impl/hlo/merge_maps.h"
#include "impl/hlo/offsets/runtime_terms.h"
#include "spec/hlo/access_relation.h"
#include "spec/hlo/device_provenance.h"
#include "spec/hlo/provenance_inverse.h"
#include "spec/hlo/runtime_value.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/reached_limit.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/map/map_text.h"
#include "spec/map/map_evaluation.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;
using Kind = IndexingComparison::Kind;

// An int64, faster than spec::Exact. If a number wraps on the way to it, the value is meaningless.
struct Word {
  int64_t value = 0;
  bool wrapped = false;
};

Word operator+(Word a, Word b) {
  Word sum{0, a.wrapped || b.wrapped};
  sum.wrapped |= __builtin_add_overflow(a.value, b.value, &sum.value);
  return sum;
}
Word operator*(Word a, Word b) {
  Word product{0, a.wrapped || b.wrapped};
  product.wrapped |= __builtin_mul_overflow(a.value, b.value, &product.value);
  return product;
}
Word operator-(Word a) { return a * Word{-1}; }
Word floordiv(Word a, Word b) {
  if (b.value == 0 || (b.value == -1 && a.value == INT64_MIN)) return {0, true};
  const bool rounded_up = a.value % b.value != 0 && (a.value < 0) != (b.value < 0);
  return {a.value / b.value - (rounded_up ? 1 : 0), a.wrapped || b.wrapped};
}
Word mod(Word a, Word b) { return a + -(b * floordiv(a, b)); }

// Evaluates the nodes of a map at one point. If a number wraps, the caller asks the reference.
class Evaluator {
 public:
  explicit Evaluator(const IndexingMap& map) : map_(map), values_(map.nodes.size()) {}

  void at(const Index& dims, const Index& ranges, const Index& runtime) {
    for (size_t i = 0; i < values_.size(); ++i) {
      const Node& node = map_.nodes[i];
      if (!is_leaf(node.op)) {
        values_[i] = spec::apply(node.op, values_[node.left], values_[node.right]);
        continue;
      }
      const Index& given = node.op == Op::kDimension ? dims
                           : node.op == Op::kRange   ? ranges
                                                     : runtime;
      const bool is_given = node.value < std::ssize(given);  // else it is not needed
      values_[i].value = node.op == Op::kConstant ? node.value : is_given ? given[node.value] : 0;
    }
  }

  int64_t value(NodeId node) const { return values_[node].value; }
  bool wrapped() const { return std::ranges::any_of(values_, &Word::wrapped); }

  bool in_domain() const {
    return std::ranges::all_of(map_.constraints, [&](const Constraint& c) {
      return c.interval.low <= value(c.expr) && value(c.expr) <= c.interval.high;
    });
  }

 private:
  const IndexingMap& map_;
  std::vector<Word> values_;
};

bool within(const std::vector<Variable>& variables, const Index& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Interval& bounds = variables[i].bounds;
    if (values[i] < bounds.low || values[i] > bounds.high) return false;
  }
  return true;
}

bool has_no_values(const std::vector<Variable>& variables) {
  return std::ranges::any_of(variables,
                             [](const Variable& v) { return v.bounds.low > v.bounds.high; });
}

constexpr int64_t kMargin = 3;            // points outside of the array, on each side
constexpr int64_t kMarginWork = 100'000;  // points of the margin of one map

// The box of the map's dimensions that is inside of the margin around an array of sizes `dims`. If
// the bounds are wholly beyond the margin, their end that is nearest to it.
std::vector<Interval> around(const IndexingMap& map, const spec::Dims& dims) {
  std::vector<Interval> box;
  for (size_t d = 0; d < dims.size() && d < map.dimensions.size(); ++d) {
    const Interval& bounds = map.dimensions[d].bounds;
    const int64_t least = -kMargin, most = dims[d] - 1 + kMargin;
    if (bounds.low > bounds.high) return {};
    if (bounds.low > most) {
      box.push_back({bounds.low, bounds.low});
    } else if (bounds.high < least) {
      box.push_back({bounds.high, bounds.high});
    } else {
      box.push_back({std::max(bounds.low, least), std::min(bounds.high, most)});
    }
  }
  return box;
}

// Enumerates one map of an answer, point after point.
class MapAt {
 public:
  explicit MapAt(const impl::IndexedMap& indexed) : indexed_(indexed), map_(indexed.map) {
    needed_ = impl::runtime_used(indexed.map);
    for (size_t i = 0; i < indexed.runtime.size(); ++i) {
      const impl::RuntimeSource& source = indexed.runtime[i];
      sources_.emplace_back(source.map);
      const std::vector<bool> used = impl::runtime_used(source.map);
      for (size_t before = 0; before < used.size() && before < i; ++before) {
        if (used[before]) needed_[before] = true;
      }
    }
    for (const Variable& range : indexed.map.ranges) lowest_.push_back(range.bounds.low);
    varying_ = std::ranges::any_of(indexed.runtime, [](const impl::RuntimeSource& source) {
      return std::ranges::any_of(source.map.nodes,
                                 [](const Node& node) { return node.op == Op::kRange; });
    });
  }

  // Calls visit(index) for each index that the map reaches from `dims`; an index that exceeds 64
  // bits counts as out of bounds. Returns false if the work is used up or a value exceeds 127 bits.
  template <class Visit>
  bool for_each(const Index& dims, OffsetValues& values, int64_t& work, const Visit& visit) {
    const IndexingMap& map = indexed_.map;
    if (map.known_empty || !within(map.dimensions, dims)) return true;
    if (has_no_values(map.ranges) || has_no_values(map.runtime)) return true;
    Index ranges = lowest_, runtime, index;
    bool first = true;
    do {
      if (--work < 0) return false;
      if (first || varying_) {
        runtime = runtime_at(dims, ranges, values);
        work -= std::ssize(sources_);  // each of them is a map that is evaluated
      }
      if (std::ranges::any_of(sources_, &Evaluator::wrapped)) return false;
      first = false;
      map_.at(dims, ranges, runtime);
      if (map_.wrapped()) {
        const absl::StatusOr<bool> inside = spec::in_domain(map, {dims, ranges, runtime});
        if (!inside.ok()) return false;
        if (!*inside) continue;
        const auto results = spec::evaluate(map, {dims, ranges, runtime});
        visit(results.ok() ? **results : kNowhere);
        continue;
      }
      if (!map_.in_domain()) continue;
      index.clear();
      for (NodeId result : map.results) index.push_back(map_.value(result));
      visit(index);
    } while (next_point(map.ranges, ranges, &Variable::bounds));
    return true;
  }

 private:
  Index runtime_at(const Index& dims, const Index& ranges, OffsetValues& values) {
    Index runtime;
    for (size_t i = 0; i < sources_.size(); ++i) {
      const impl::RuntimeSource& source = indexed_.runtime[i];
      const Interval& clamp = indexed_.map.runtime[i].bounds;
      if (!needed_[i]) {  // the answer need not name its source
        runtime.push_back(clamp.low);
        continue;
      }
      sources_[i].at(dims, ranges, runtime);
      Index element;
      for (NodeId result : source.map.results) element.push_back(sources_[i].value(result));
      const int64_t value = values.of(source.position, std::move(element));
      runtime.push_back(std::clamp(value, clamp.low, clamp.high));
    }
    return runtime;
  }

  static inline const Index kNowhere = {INT64_MIN};

  const impl::IndexedMap& indexed_;
  Evaluator map_;
  std::vector<Evaluator> sources_;
  std::vector<bool> needed_;  // by runtime variable
  Index lowest_;
  bool varying_ = false;
};

std::string element_text(const spec::Dims& dims, int64_t element) {
  return absl::StrCat("(", absl::StrJoin(spec::element_index(dims, element), ", "), ")");
}

// Compares one list of the answer with the sources in that operand's leaf.
struct ListComparison {
  const impl::LeafMaps& list;
  const spec::Provenance& provenance;
  impl::Direction direction;
  int32_t operand;
  int32_t leaf;
  OffsetValues& values;
  int64_t& work;
};

std::string where(const ListComparison& c, int64_t element) {
  const std::string index = element_text(c.provenance.dims, element);
  if (c.direction == impl::Direction::kInputToOutput) {
    return absl::StrCat("result ", c.leaf, ", input element ", index);
  }
  return absl::StrCat("operand ", c.operand, c.leaf == 0 ? "" : absl::StrCat("#", c.leaf),
                      ", result element ", index);
}

std::string maps_text(const ListComparison& c) {
  std::string text;
  for (const impl::IndexedMap& one : c.list.maps) absl::StrAppend(&text, "; ", to_text(one.map));
  return text;
}

// A point of the margin at which a map reaches anything.
std::optional<Index> point_outside(const ListComparison& c, MapAt& map, const IndexingMap& text) {
  const spec::Dims& dims = c.provenance.dims;
  const std::vector<Interval> box = around(text, dims);
  const bool beyond = std::ranges::any_of(box, [&, d = 0](const Interval& bounds) mutable {
    return bounds.low < 0 || bounds.high >= dims[d++];
  });
  if (text.known_empty || !beyond || box.size() != dims.size()) return std::nullopt;
  Index point;
  for (const Interval& bounds : box) point.push_back(bounds.low);
  int64_t work = kMarginWork;
  bool reached = false;
  do {
    if (is_inside(dims, point)) continue;
    map.for_each(point, c.values, work, [&](const Index&) { reached = true; });
    if (reached) return point;
  } while (work > 0 && next_point(box, point, std::identity()));
  return std::nullopt;
}

IndexingComparison compare(const ListComparison& c) {
  IndexingComparison result;
  const spec::Dims& dims = c.provenance.sources[c.operand][c.leaf];
  std::vector<MapAt> maps(c.list.maps.begin(), c.list.maps.end());
  for (size_t i = 0; i < maps.size(); ++i) {
    if (const auto point = point_outside(c, maps[i], c.list.maps[i].map)) {
      return {Kind::kDifferent,
              absl::StrCat("the map has the point (", absl::StrJoin(*point, ", "),
                           "), which is outside of the array", maps_text(c)),
              true, 0};
    }
  }
  for (int64_t e = 0; e < std::ssize(c.provenance.elements); ++e) {
    const Index o = spec::element_index(c.provenance.dims, e);
    std::vector<int64_t> found;
    bool outside = false;
    for (MapAt& map : maps) {
      const bool done = map.for_each(o, c.values, c.work, [&](const Index& index) {
        if (!is_inside(dims, index)) {
          outside = true;
        } else {
          found.push_back(spec::element_number(dims, index));
        }
      });
      if (!done) return {Kind::kTooLarge, "", false, e};
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<int64_t> expected;
    for (const spec::Source& source : *c.provenance.elements[e]) {
      if (source.operand == c.operand && source.leaf == c.leaf) expected.push_back(source.element);
    }
    if (outside) {
      return {Kind::kDifferent,
              absl::StrCat(where(c, e), ": expected indices inside the array", maps_text(c)), true,
              e};
    }
    if (found == expected) continue;
    if (c.list.inexact && std::ranges::includes(found, expected)) {
      result.kind = Kind::kSuperset;
      continue;
    }
    return {Kind::kDifferent,
            absl::StrCat(where(c, e), ": expected {", absl::StrJoin(expected, ","), "}, found {",
                         absl::StrJoin(found, ","), "}", maps_text(c)),
            false, e};
  }
  return result;
}

absl::string_view text_of(Kind kind) {
  constexpr absl::string_view kNames[] = {"equal", "supersets", "refused", "too large",
                                          "different"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace

IndexingComparison compare_answer(const HloModule& module, int32_t computation, Scope scope,
                                  impl::Direction direction, const spec::Provenance& provenance,
                                  const impl::Indexing& answer, RuntimeChoice choice,
                                  int64_t work) {
  OffsetValues values(module, computation, scope, provenance, choice);
  IndexingComparison whole;
  whole.elements = std::ssize(provenance.elements);
  whole.conservative = !provenance.conservative.empty();
  if (element_count(provenance.dims) != whole.elements) {
    return {Kind::kDifferent, "the reference has not as many elements as its array", false, 0};
  }
  for (int32_t k = 0; k < std::ssize(answer); ++k) {
    for (int32_t l = 0; l < std::ssize(answer[k]); ++l) {
      IndexingComparison one = compare({answer[k][l], provenance, direction, k, l, values, work});
      one.conservative = whole.conservative;
      if (one.kind == Kind::kDifferent || one.kind == Kind::kTooLarge) return one;
      if (one.kind == Kind::kSuperset) whole.kind = Kind::kSuperset;
    }
  }
  return whole;
}

std::string to_text(const IndexingQuestion& question) {
  return absl::StrCat(question.direction == impl::Direction::kOutputToInput ? "leaf " : "input ",
                      question.array, ", scope ",
                      question.scope == Scope::kInstruction ? "instruction" : "computation");
}

std::vector<IndexingQuestion> questions_about(const HloModule& module, int32_t computation,
                                              int32_t instruction, int64_t most_arrays) {
  const SharedShape& shape = module.computations[computation].instructions[instruction].shape;
  int64_t leaves = 1;
  if (shape) {
    if (const auto found = leaves_of(*shape); found.ok()) leaves = std::ssize(*found);
  }
  std::vector<IndexingQuestion> questions;
  for (const Scope scope : {Scope::kInstruction, Scope::kComputation}) {
    const auto inputs = spec::input_count(module, computation, instruction, scope);
    const auto ask = [&](int64_t arrays, impl::Direction direction) {
      for (int32_t array = 0; array < std::min(arrays, most_arrays); ++array) {
        questions.push_back({computation, instruction, array, scope, direction});
      }
    };
    ask(leaves, impl::Direction::kOutputToInput);
    ask(inputs.value_or(1), impl::Direction::kInputToOutput);
  }
  return questions;
}

absl::StatusOr<impl::Indexing> analyzed(const HloModule& module, const IndexingQuestion& q) {
  impl::IndexingAnalysis analysis(module);
  if (q.direction == impl::Direction::kOutputToInput) {
    return analysis.reads(q.computation, q.instruction, q.array, q.scope);
  }
  auto outputs = TRY(analysis.reached(q.computation, q.instruction, q.array, q.scope));
  return impl::Indexing{std::move(outputs)};
}

namespace {

// The answer as `tileproof map` prints it, read back from its text.
absl::StatusOr<impl::Indexing> printed(impl::Indexing answer) {
  for (std::vector<impl::LeafMaps>& operand : answer) {
    for (impl::LeafMaps& list : operand) {
      impl::merge_maps(list.maps);
      for (impl::IndexedMap& one : list.maps) {
        one.map = TRY(parse_map(to_text(one.map)));
        for (size_t i = 0; i < one.runtime.size(); ++i) {
          one.runtime[i].feasible = one.map.runtime[i].bounds;
        }
      }
    }
  }
  return answer;
}

}  // namespace

IndexingComparison compare_indexing(const HloModule& module, const IndexingQuestion& q,
                                    RuntimeChoice choice, const spec::Limits& limits) {
  const auto value = [&](const spec::HloElement& position) { return value_of(position, choice); };
  const auto provenance =
      (q.direction == impl::Direction::kOutputToInput ? spec::provenance
                                                      : spec::inverse_provenance)(
          module, q.computation, q.instruction, q.array, q.scope, value, limits);
  const auto answer = analyzed(module, q);
  if (reached_limit(provenance.status())) return {Kind::kTooLarge, ""};
  if (!provenance.ok() && !answer.ok()) return {Kind::kRefused, ""};
  if (!provenance.ok() || !answer.ok()) {
    const std::string message(provenance.ok() ? answer.status().message()
                                              : provenance.status().message());
    return {Kind::kDifferent,
            absl::StrCat("refused by the ", provenance.ok() ? "analysis" : "reference",
                         " only: ", message)};
  }
  const auto compared = [&](const impl::Indexing& maps) {
    return compare_answer(module, q.computation, q.scope, q.direction, *provenance, maps, choice,
                          std::min(kMaxWork, limits.work));
  };
  IndexingComparison result = compared(*answer);
  if (result.kind == Kind::kDifferent || result.kind == Kind::kTooLarge) return result;
  const auto shown = printed(*answer);
  if (!shown.ok()) return {Kind::kDifferent, std::string(shown.status().message())};
  if (*shown == *answer) return result;
  IndexingComparison again = compared(*shown);
  if (again.kind != Kind::kDifferent) return result;
  again.difference = absl::StrCat("printed maps: ", again.difference);
  return again;
}

std::string indexing_difference(const HloModule& module, int32_t instruction, RuntimeChoice choice,
                                const RootLimits& limits, CaseCounts& tally) {
  const absl::string_view opcode =
      name_of(module.computations[module.entry].instructions[instruction].opcode);
  const auto questions = questions_about(module, module.entry, instruction, limits.arrays);
  spec::Limits of_each = limits.reference;
  of_each.work /= std::max<int64_t>(std::ssize(questions), 1);
  for (const IndexingQuestion& question : questions) {
    const IndexingComparison found = compare_indexing(module, question, choice, of_each);
    ++tally[std::string(text_of(found.kind))];
    tally["elements"] += found.elements;
    if (found.kind == Kind::kSuperset) ++tally[absl::StrCat("superset: ", opcode)];
    if (found.kind != Kind::kDifferent && !(limits.exact && found.kind == Kind::kSuperset))
      continue;
    return absl::StrCat(
        opcode, question.scope == Scope::kComputation ? " with what it reads" : "",
        question.direction == impl::Direction::kInputToOutput ? ", inputs to outputs" : "",
        found.kind == Kind::kSuperset ? " has a superset at " : " is indexed wrongly at ",
        to_text(question), ": ", found.difference);
  }
  return "";
}

namespace {

// The operand element that the element at this index of the leaf is a copy of. Nothing if it is no
// copy.
std::optional<OperandElement<std::vector<int64_t>>> moved_from(const HloModule& module,
                                                               int32_t computation,
                                                               const HloPosition& position,
                                                               const std::vector<int64_t>& index) {
  const auto relation = spec::relation_of_move(module, computation, position);
  if (!relation) return std::nullopt;
  for (const spec::Dependence& dependence : relation->dependences) {
    spec::AccessedElement<int64_t> reached =
        spec::reach(dependence, spec::IterationPoint<int64_t>{index, {}, {}});
    if (!reached.in_domain) continue;
    return OperandElement<std::vector<int64_t>>{dependence.operand, dependence.leaf,
                                                std::move(reached.index)};
  }
  return std::nullopt;
}

}  // namespace

int64_t value_of(const spec::HloElement& position, const RuntimeChoice& choice) {
  return choice.all ? *choice.all : spec::arbitrary_value(position, choice.seed, choice.near);
}

OffsetValues::OffsetValues(const HloModule& module, int32_t computation, Scope scope,
                           const spec::Provenance& provenance, RuntimeChoice choice)
    : module_(module), computation_(computation), scope_(scope), choice_(choice) {
  for (const spec::RuntimeRead& read : provenance.reads) known_[read.source] = read.value;
}

int64_t OffsetValues::of(const HloPosition& position, std::vector<int64_t> index) {
  const auto [entry, is_new] = followed_.try_emplace(
      {computation_, position.instruction, position.leaf, std::move(index), position.calls}, 0);
  if (is_new) entry->second = followed(position, entry->first.index);
  return entry->second;
}

int64_t OffsetValues::followed(const HloPosition& position, std::vector<int64_t> index) const {
  using At = ElementAt<std::vector<int64_t>>;
  const FollowRegion region{module_, computation_,
                            scope_ == Scope::kInstruction ? FollowRegion::UpTo::kOperands
                                                          : FollowRegion::UpTo::kParameters};
  const auto computation_of = [&](const HloPosition& at) {
    return computation_at(module_, computation_, at.calls);
  };
  const auto move = [&](const At& at) {
    return moved_from(module_, computation_of(at.position), at.position, at.index);
  };
  int64_t steps = spec::Limits().work;  // of the reference, which found a value within them
  const auto found = follow_source(region, At{position, std::move(index)}, move, steps);
  if (!found) return 0;
  const spec::HloElement at{computation_of(found->position), found->position.instruction,
                            found->position.leaf, found->index, found->position.calls};
  const auto known = known_.find(at);
  return known != known_.end() ? known->second : value_of(at, choice_);
}

namespace {

struct Asked {
  const HloModule& module;
  int32_t computation, instruction, leaf;
};

// The part of the provenance that is about one device.
spec::Provenance of_one(const spec::Provenance& all, int64_t device) {
  spec::Provenance one = all;
  one.dims.erase(one.dims.begin());
  const int64_t count = element_count(one.dims).value_or(0);
  const auto first = all.elements.begin() + device * count;
  one.elements.assign(first, first + count);
  return one;
}

// On one device, or on all.
std::string difference(const Asked& a, const spec::Provenance& provenance,
                       std::optional<int64_t> device) {
  const auto maps = impl::device_maps(a.module, a.computation, a.instruction, a.leaf, device);
  if (!maps.ok()) return absl::StrCat("refused by the analysis only: ", maps.status().message());
  const IndexingComparison found =
      compare_answer(a.module, a.computation, Scope::kInstruction, impl::Direction::kOutputToInput,
                     provenance, *maps, RuntimeChoice());
  if (found.kind == IndexingComparison::Kind::kEqual) return "";
  return found.difference.empty() ? "not compared" : found.difference;
}

std::string leaf_difference(const Asked& a, CaseCounts& tally) {
  const auto provenance = spec::device_provenance(a.module, a.computation, a.instruction, a.leaf);
  const auto maps = impl::device_maps(a.module, a.computation, a.instruction, a.leaf);
  if (!provenance.ok() && !maps.ok()) {
    ++tally["refused"];
    return "";
  }
  if (!provenance.ok()) {
    return absl::StrCat("refused by the reference only: ", provenance.status().message());
  }
  std::string found = difference(a, *provenance, std::nullopt);
  tally["equal"] += found.empty() ? 1 : 0;
  for (int64_t v = 0; found.empty() && v < provenance->dims[0]; ++v) {
    found = difference(a, of_one(*provenance, v), v);
    if (!found.empty()) return absl::StrCat(found, " on device ", v, " alone");
    ++tally["on one device"];
  }
  return found;
}

}  // namespace

std::string device_maps_difference(const HloModule& module, int32_t computation,
                                   int32_t instruction, CaseCounts& tally) {
  const HloInstruction& i = module.computations[computation].instructions[instruction];
  const auto leaves = leaves_of(*i.shape);
  if (!leaves.ok()) return "";
  for (int32_t leaf = 0; leaf < std::ssize(*leaves); ++leaf) {
    const std::string found = leaf_difference({module, computation, instruction, leaf}, tally);
    if (!found.empty()) {
      return absl::StrCat(i.opcode_text, " is indexed wrongly at leaf ", leaf, ": ", found);
    }
  }
  return "";
}

}  // namespace tileproof::verify
