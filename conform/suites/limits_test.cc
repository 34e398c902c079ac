// SPDX-License-Identifier: Apache-2.0
// A program that is wrong only beyond a limit is noticed (generate/choose/limits.h).
//
// The programs here answer like the closed forms, but give another answer to requests that are
// larger than the usual ones. The default run of the judge (1000 cases of each suite) must notice
// each of them.
#include "generate/choose/limits.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "conform/judge/judge.h"
#include "conform/oracle/hlo_ops.h"
#include "conform/oracle/oracle.h"
#include "conform/suites/suites.h"
#include "conform/zoo/zoo.h"
#include "generate/layout/generate_blocked.h"
#include "gtest/gtest.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::conform {
namespace {

using namespace limits;

constexpr int64_t kCases = 1000;  // of each suite, as of `tileproof conform`

// ---- How large a request is ----

using Sizes = std::map<const Limit*, int64_t>;

void note(Sizes& sizes, const Limit& limit, int64_t size) {
  const auto [at, is_new] = sizes.try_emplace(&limit, size);
  if (!is_new) at->second = std::max(at->second, size);
}

template <class Operation>
void measure(const Operation&, Sizes&) {}

void measure(const op::Broadcast& b, Sizes& s) {
  note(s, kNewDimensions, std::ssize(b.result) - std::ssize(b.operand));
  for (int64_t d = 0; d < std::ssize(b.result); ++d) {
    if (std::ranges::count(b.dimensions, d) == 0) note(s, kNewSize, b.result[d]);
  }
}

void measure(const op::Concatenate& c, Sizes& s) {
  note(s, kConcatenateOperands, std::ssize(c.operands));
  for (const Dims& dims : c.operands) note(s, kConcatenateSize, dims[c.dimension]);
}

void measure(const op::Pad& pad, Sizes& s) {
  for (const PadLimits& at : pad.limits) {
    note(s, kPadInterior, at.interior);
    note(s, kPadEdge, std::max(std::abs(at.low), std::abs(at.high)));
  }
}

void measure(const op::Slice& slice, Sizes& s) {
  for (const SliceLimits& at : slice.limits) note(s, kStride, at.stride);
}

void measure(const op::Bitcast& bitcast, Sizes& s) {
  for (const Tile& tile : layout_of(*bitcast.operand_shape).tiles) {
    note(s, kBitcastTileRank, std::ssize(tile.dims));
    for (int64_t size : tile.dims) note(s, kBitcastTile, size);
  }
}

void measure(const op::Dot& dot, Sizes& s) { note(s, kFreeDimensions, std::ssize(dot.rhs_free)); }
void measure(const op::Sort& sort, Sizes& s) { note(s, kVariadic, sort.operands); }
void measure(const op::Reduce& reduce, Sizes& s) { note(s, kVariadic, reduce.inputs); }

void measure(const std::vector<WindowDimension>& window, Sizes& s) {
  for (const WindowDimension& at : window) {
    note(s, kWindow, at.size);
    note(s, kWindowPad, std::max(std::abs(at.pad_low), std::abs(at.pad_high)));
    note(s, kDilation, std::max(at.lhs_dilate, at.rhs_dilate));
  }
}

void measure(const op::ReduceWindow& w, Sizes& s) { measure(w.window, s); }

void measure(const op::Convolution& c, Sizes& s) {
  note(s, kFeatures,
       c.kernel[c.numbers.kernel_output_feature] / (c.feature_groups * c.batch_groups));
}

void measure(const op::IndexedWindows& table, Sizes& s) {
  note(s, kBatchingPairs, std::ssize(table.array_batching));
  note(s, kBatchDimensions, std::ssize(table.batch_dims) - std::ssize(table.array_batching));
  for (int64_t d : table.batch_dims) note(s, kBatchSize, table.windows[d]);
  for (int64_t d : table.kept) note(s, kGatherWindow, table.window_sizes[d]);
}

void measure(const op::Gather& gather, Sizes& s) { measure(gather.table, s); }

void measure(const op::Scatter& scatter, Sizes& s) {
  measure(scatter.table, s);
  note(s, kScatterInputs, scatter.inputs);
}

void measure(const op::AllGather& gather, Sizes& s) {
  for (const op::CollectivePart& part : gather.parts) {
    const int64_t chunk = part.operand[gather.dimension];
    if (chunk > 0) note(s, kReplicas, part.result[gather.dimension] / chunk);
  }
}

// What is asked about in a request of hlo.index.
struct Asked {
  HloQuestion question;

  const HloComputation& computation() const {
    return question.module.computations[question.computation];
  }
  const HloInstruction& instruction() const {
    return computation().instructions[question.instruction];
  }
};

std::optional<Asked> asked(const Json& request) {
  if (find(request, "hlo") == nullptr || *find(request, "op") != Json("hlo.index"))
    return std::nullopt;
  absl::StatusOr<HloQuestion> question = read_hlo_question(request);
  if (!question.ok()) return std::nullopt;
  return Asked{*std::move(question)};
}

void measure(const Asked& asked, Sizes& s) {
  const auto checked = checked_op(asked.question.module, asked.computation(), asked.instruction());
  if (!checked.ok()) return;
  std::visit([&](const auto& operation) { measure(operation, s); }, checked->operation);
  const int64_t operands = std::ssize(asked.instruction().operands);
  if (checked->opcode == HloOpcode::kTuple) note(s, kTupleParts, operands);
  if (checked->opcode == HloOpcode::kCustomCall) note(s, kCallOperands, operands);
  for (const Leaf& leaf : checked->result) {
    note(s, kRank, std::ssize(leaf.dims));
    for (int64_t size : leaf.dims) note(s, kSize, size);
  }
}

void measure(const Shape& shape, Sizes& s) {
  if (shape.kind != Shape::Kind::kArray) return;
  const Layout layout = layout_of(shape);
  note(s, kShapeRank, shape.rank());
  note(s, kTiles, std::ssize(layout.tiles));
  note(s, kTail, layout.tail_padding_alignment);
  for (const Tile& tile : layout.tiles) {
    note(s, kTileRank, std::ssize(tile.dims));
    for (int64_t size : tile.dims) note(s, kTileSize, size);
  }
}

void measure(const IndexingMap& map, Sizes& s) {
  note(s, kMapDimensions, std::ssize(map.dimensions));
  note(s, kRelatedDimensions, std::ssize(map.dimensions));
  note(s, kMapRanges, std::ssize(map.ranges));
  note(s, kMapRuntime, std::ssize(map.runtime));
  note(s, kMapResults, std::ssize(map.results));
  note(s, kRelatedResults, std::ssize(map.results));
  note(s, kRuleShapedResults, std::ssize(map.results));
  note(s, kMapConstraints, std::ssize(map.constraints));
  for (const Variable& variable : map.dimensions) {
    const Interval& bounds = variable.bounds;
    if (bounds.low >= 0 && bounds.low <= bounds.high) note(s, kMapSize, bounds.high - bounds.low);
  }
  for (NodeId result : map.results) note(s, kMapDepth, tree_depth(map.nodes, result));
}

int64_t parts_deep(const IntTuple& tuple, Sizes& s) {
  int64_t deepest = 0;
  for (const IntTuple& part : tuple.elements) deepest = std::max(deepest, parts_deep(part, s));
  return deepest + (tuple.is_tuple ? 1 : 0);
}

void measure(const NestedLayout& layout, Sizes& s) {
  note(s, kNestedLeaves, std::ssize(leaves(layout.shape)));
  note(s, kNestedDepth, parts_deep(layout.shape, s));
}

// Reads the text under a key.
template <class Value>
std::optional<Value> read(const Json& request, const char* key,
                          absl::StatusOr<Value> (*parse)(absl::string_view)) {
  const auto* text = find_as<std::string>(request, key);
  if (text == nullptr) return std::nullopt;
  absl::StatusOr<Value> value = parse(*text);
  return value.ok() ? std::optional(*std::move(value)) : std::nullopt;
}

Sizes sizes_of(const Json& request) {
  Sizes sizes;
  if (const auto about = asked(request)) measure(*about, sizes);
  if (const auto shape = read<Shape>(request, "shape", parse_shape)) measure(*shape, sizes);
  for (const char* key : {"map", "first", "second", "left", "right"}) {
    if (const auto map = read<IndexingMap>(request, key, parse_map)) measure(*map, sizes);
  }
  if (const auto layout = read<NestedLayout>(request, "layout", parse_nested_layout))
    measure(*layout, sizes);
  for (const char* key : {"indices", "offsets"}) {
    const auto* array = find_as<Json::Array>(request, key);
    if (array != nullptr) note(sizes, kListLength, std::ssize(*array));
  }
  const bool nested = find(request, "layout") != nullptr;
  const Json* tile = find(request, "tile");
  const auto numbers = tile == nullptr ? std::nullopt : integers(*tile);
  if (nested && numbers) {
    for (int64_t size : *numbers) note(sizes, kAskedTile, size);
  }
  const auto* parts = tile == nullptr || nested ? nullptr : tile->as<Json::Array>();
  for (size_t d = 0; parts != nullptr && d < parts->size(); ++d) {
    const auto part = integers((*parts)[d]);  // offset, size, stride
    if (part && part->size() == 3) note(sizes, kAskedTileStride, (*part)[2]);
  }
  return sizes;
}

// ---- Wrong answers ----

// Another answer than this one: a number, a map, a digit or a truth value in it is changed. Nothing if it
// has none.
std::optional<Json> changed(const Json& result) {
  if (const auto* number = result.as<int64_t>()) return Json(*number == 0 ? 1 : *number - 1);
  if (const auto* truth = result.as<bool>()) return Json(!*truth);
  if (const auto* text = result.as<std::string>()) {
    absl::StatusOr<IndexingMap> map = parse_map(*text);
    if (!map.ok()) {
      std::string other = *text;
      const size_t digit = other.find_last_of("0123456789");
      if (digit == std::string::npos) return std::nullopt;
      other[digit] = other[digit] == '9' ? '1' : static_cast<char>(other[digit] + 1);
      return Json(std::move(other));
    }
    if (map->results.empty()) return std::nullopt;
    const NodeId one = add_constant(map->nodes, 1);
    map->results.back() = add_operation(map->nodes, Op::kAdd, map->results.back(), one);
    return Json(to_text(*map));
  }
  if (const auto* array = result.as<Json::Array>()) {
    for (size_t i = array->size(); i-- > 0;) {
      std::optional<Json> other = changed((*array)[i]);
      if (!other) continue;
      Json::Array copy = *array;
      copy[i] = *std::move(other);
      return Json(std::move(copy));
    }
  }
  if (const auto* object = result.as<Json::Object>()) {
    for (const Member& member : *object) {
      std::optional<Json> other = changed(member.value);
      if (!other) continue;
      Json copy = result;
      set(copy, member.key, *std::move(other));
      return copy;
    }
  }
  return std::nullopt;
}

Answer right(const Json& request) {
  return answer({1, *find(request, "op")->as<std::string>(), request}, Engine::kImpl);
}

// ---- The run ----

// Entries of the zoo that are wrong beyond a limit.
constexpr const char* kFaults[] = {"LIMIT-SCATTER", "LIMIT-CONCATENATE", "LIMIT-SORT",
                                   "LIMIT-OFFSETS", "LIMIT-BATCHING",    "LIMIT-CONVERT"};

// Limits that no request shows, and limits of what other programs than the judge ask about.
const std::set<const Limit*> kUnseen = {
    &kBlockedRank, &kBlocks,     // no operation of the protocol takes blocked formats
    &kChainSteps,  &kChainRank,  // a map does not say which operations made it
    &kChainStride,
};

// The old limit of batching dimensions was one pair.
int64_t known_before(const Limit& limit) { return &limit == &kBatchingPairs ? 1 : limit.usual; }

TEST(Limits, TheDefaultRunNoticesAFaultBeyondEachOfThem) {
  std::map<std::string, int64_t> noticed;  // by name, the case
  std::set<std::string> open;
  for (const Limit* limit : all_limits()) {
    if (limit->usual < limit->most && kUnseen.count(limit) == 0)
      open.insert(std::string(limit->what));
  }
  for (const char* fault : kFaults) open.insert(fault);
  int64_t asked_cases = 0;
  const auto notice = [&](const std::string& name, Verdict verdict) {
    if (verdict != Verdict::kWrong && verdict != Verdict::kError) return;
    noticed[name] = asked_cases;
    open.erase(name);
  };
  for (const Suite& suite : suites()) {
    if (suite.by_default != ByDefault::kAsked) continue;
    Cases cases(suite, 1, {});
    for (asked_cases = 0; asked_cases < kCases && !open.empty(); ++asked_cases) {
      const std::optional<Case> next = cases.next();
      if (!next) break;
      const Json& request = next->request;
      for (const auto& [limit, size] : sizes_of(request)) {
        const std::string name(limit->what);
        if (size <= known_before(*limit) || open.count(name) == 0) continue;
        Answer wrong = right(request);
        std::optional<Json> other = changed(wrong.result);
        if (wrong.kind != Answer::Kind::kResult || !other) continue;
        wrong.result = *std::move(other);
        notice(name, judge(request, wrong).verdict);
      }
      for (const char* fault : kFaults) {
        const zoo::Entry& entry = *zoo::entry_named(fault);
        const bool is_asked = *find(request, "op") == Json(entry.operation);
        if (is_asked && open.count(fault) > 0) notice(fault, zoo::verdict_on(entry, request));
      }
    }
  }
  for (const auto& [name, at] : noticed) std::cout << at << "  " << name << "\n";
  for (const std::string& name : open) ADD_FAILURE() << "not noticed: " << name;
}

TEST(Limits, EachIsInTheListOnceAndInOrder) {
  std::set<std::string> names;
  for (const Limit* limit : all_limits()) {
    EXPECT_TRUE(names.insert(std::string(limit->what)).second) << limit->what;
    EXPECT_LE(limit->least, limit->usual) << limit->what;
    EXPECT_LE(limit->usual, limit->most) << limit->what;
    EXPECT_FALSE(limit->why.empty()) << limit->what;
  }
}

TEST(Limits, RareBlockedFormatsAreLarge) {
  int64_t high = 0, deep = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Choose choose(Choose::Random{seed});
    const BlockedShape shape = random_blocked_shape(choose, 1 << 20);
    high += std::ssize(shape.dims) > kBlockedRank.usual ? 1 : 0;
    deep += std::ssize(shape.format.blocks) > kBlocks.usual ? 1 : 0;
  }
  EXPECT_GT(high, 20);
  EXPECT_GT(deep, 20);
}

}  // namespace
}  // namespace tileproof::conform
