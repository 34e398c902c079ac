// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/relayout_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/checked_arithmetic.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/map/interval.h"

namespace tileproof::impl {
namespace {

using Loops = std::vector<RelayoutLoop>;

absl::Status invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

// ---- Sides ----

// One more than the greatest offset. Nothing if it exceeds int64 or a stride is negative.
std::optional<int64_t> cosize_of(const DigitLayout& layout) {
  if (std::count(layout.dims.begin(), layout.dims.end(), 0) > 0) return 0;
  std::optional<int64_t> most = 1;
  for (const LayoutDigit& digit : layout.digits) {
    if (digit.stride < 0) return std::nullopt;
    const std::optional<int64_t> part = checked_mul(digit.size - 1, digit.stride);
    most = most && part ? checked_add(*most, *part) : std::nullopt;
  }
  return most;
}

RelayoutSide side_of(decltype(RelayoutSide::layout) layout, int64_t elements) {
  RelayoutSide side;
  side.layout = std::move(layout);
  side.elements = elements;
  return side;
}

absl::StatusOr<RelayoutSide> digit_side(DigitLayout digits) {
  const std::optional<int64_t> cosize = cosize_of(digits);
  if (!cosize) return absl::OutOfRangeError("expected strides of at least 0, and int64 offsets");
  return side_of(std::move(digits), *cosize);
}

// The side of a layout that allocates nothing: offsets of none of its `coordinates` are gaps.
absl::StatusOr<RelayoutSide> digit_side(DigitLayout digits, int64_t coordinates) {
  RelayoutSide side = TRY(digit_side(std::move(digits)));
  side.has_gaps = side.elements > coordinates;
  return side;
}

// The side, its offsets plus `start` and then swizzled.
absl::StatusOr<RelayoutSide> moved(RelayoutSide side, int64_t start, const SwizzleWords& words) {
  if (side.elements == 0) return side;
  const std::optional<int64_t> greatest = checked_add(side.elements - 1, start);
  if (start < 0 || !greatest) {
    return absl::OutOfRangeError("expected a first offset of at least 0, and int64 offsets");
  }
  const int64_t positions = TRY(swizzled_positions(words, *greatest));
  side.has_gaps = side.has_gaps || positions > side.elements;
  side.elements = positions;
  side.start = start;
  side.words = words;
  return side;
}

// The number of elements; at most 2^63 - 1.
int64_t product(const std::vector<int64_t>& sizes) {
  return element_count(sizes).value_or(INT64_MAX);
}

constexpr int64_t kMostOfTable = int64_t{1} << 20;

// Evaluates the map of the memref at each of its `count` indices. No number leaves int64 (MemRef::map).
absl::StatusOr<RelayoutSide> table_side(const MemRef& memref, int64_t count) {
  OffsetTable table{memref.dims, {}};
  std::vector<int64_t> index(memref.dims.size(), 0), values(memref.map.nodes.size());
  int64_t greatest = 0;
  for (int64_t i = 0; i < count; ++i) {
    for (size_t id = 0; id < values.size(); ++id) {
      const Node& node = memref.map.nodes[id];
      values[id] = node.op == Op::kConstant ? node.value
                   : node.op == Op::kDimension
                       ? index[node.value]
                       : value_of(node.op, values[node.left], values[node.right]).value_or(0);
    }
    table.offsets.push_back(values[memref.map.results[0]]);
    if (table.offsets.back() < 0) return absl::OutOfRangeError("expected offsets of at least 0");
    greatest = std::max(greatest, table.offsets.back());
    for (size_t d = index.size(); d-- > 0 && ++index[d] == memref.dims[d];) index[d] = 0;
  }
  RelayoutSide side = side_of(std::move(table), count == 0 ? 0 : greatest + 1);
  side.has_gaps = side.elements > count;
  return side;
}

absl::StatusOr<RelayoutSide> side_with(const AnyLayout& layout, const std::vector<int64_t>* dims) {
  absl::StatusOr<DigitsFrom> digits = digits_from(layout, dims);
  const bool has_none = absl::IsFailedPrecondition(digits.status());
  if (const auto* shape = std::get_if<Shape>(&layout);
      shape != nullptr && (digits.ok() || has_none)) {
    TiledLayout tiled = TRY(TiledLayout::create(*shape));
    const int64_t elements = tiled.elements();
    if (has_none) return side_of(std::move(tiled), elements);
    return side_of(std::move(digits->layout), elements);
  }
  const auto* memref = std::get_if<MemRef>(&layout);
  if (memref != nullptr && has_none && product(memref->dims) <= kMostOfTable)
    return table_side(*memref, product(memref->dims));
  if (!digits.ok()) return digits.status();
  const auto* swizzled = std::get_if<tileproof::SwizzledLayout>(&layout);
  const auto* nested =
      swizzled != nullptr ? &swizzled->layout : std::get_if<tileproof::NestedLayout>(&layout);
  if (nested == nullptr && memref == nullptr) return digit_side(std::move(digits->layout));
  const int64_t coordinates = product(nested == nullptr ? memref->dims : leaves(nested->shape));
  RelayoutSide side = TRY(digit_side(std::move(digits->layout), coordinates));
  return moved(std::move(side), digits->start, digits->words);
}

// Strides such as [2, 3] need all offsets to tell.
absl::Status check_destination(const RelayoutSide& side) {
  const auto* layout = std::get_if<DigitLayout>(&side.layout);
  if (layout == nullptr ? std::holds_alternative<TiledLayout>(side.layout)
                        : are_digits_nested(*layout))
    return absl::OkStatus();
  if (product(side.dims()) > kMostOfTable || (layout != nullptr && !cosize_of(*layout))) {
    return invalid(
        "expected a destination whose strides show that no two elements share an offset");
  }
  if (product(side.dims()) == 0) return absl::OkStatus();
  std::vector<int64_t> offsets, index(side.dims().size(), 0);
  do {
    offsets.push_back(offset_at(side, index));
  } while (next_index(side.dims(), index));
  std::ranges::sort(offsets);
  if (std::ranges::adjacent_find(offsets) != offsets.end()) {
    return invalid("expected a destination in which no two elements share an offset");
  }
  return absl::OkStatus();
}

// ---- Loops ----

// The stride of a step of `weight` in dimension d.
int64_t stride_of(const DigitLayout& layout, int64_t d, int64_t weight) {
  const LayoutDigit* found = nullptr;
  for (const LayoutDigit& digit : layout.digits) {
    if (digit.dimension != d || digit.divisor > weight) continue;
    if (found == nullptr || digit.divisor > found->divisor) found = &digit;
  }
  return found == nullptr ? 0 : found->stride * (weight / found->divisor);
}

// The common refinement of the digits of dimension d, minor first; nothing if the divisors of both
// layouts do not divide each other.
std::optional<Loops> loops_of(const DigitLayout& from, const DigitLayout& to, int64_t d) {
  std::set<int64_t> weights = {1};
  for (const DigitLayout* layout : {&from, &to}) {
    for (const LayoutDigit& digit : layout->digits) {
      if (digit.dimension == d) weights.insert(digit.divisor);  // less than the size: simplest()
    }
  }
  Loops loops;
  for (auto weight = weights.begin(); weight != weights.end(); ++weight) {
    const auto next = std::next(weight);
    if (next != weights.end() && *next % *weight != 0) return std::nullopt;
    const int64_t size = next == weights.end() ? ceil_div(from.dims[d], *weight) : *next / *weight;
    const RelayoutLoop loop = {d, *weight, size, stride_of(from, d, *weight),
                               stride_of(to, d, *weight)};
    RelayoutLoop* last = loops.empty() ? nullptr : &loops.back();
    if (last != nullptr && loop.source_stride == last->source_stride * last->size &&
        loop.destination_stride == last->destination_stride * last->size) {
      last->size *= loop.size;  // goes on where the last one ends
    } else if (loop.size > 1) {
      loops.push_back(loop);
    }
  }
  return loops;
}

const RelayoutLoop* loop_where(const Loops& loops, int64_t RelayoutLoop::*stride) {
  for (const RelayoutLoop& loop : loops) {
    if (loop.*stride == 1) return &loop;
  }
  return nullptr;
}

Loops without(Loops loops, const Loops& taken) {
  std::erase_if(loops, [&](const RelayoutLoop& loop) {
    return std::find(taken.begin(), taken.end(), loop) != taken.end();
  });
  return loops;
}

}  // namespace

int64_t OffsetTable::at(absl::Span<const int64_t> index) const {
  int64_t number = 0;
  for (size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + index[d];
  return offsets[number];
}

const std::vector<int64_t>& RelayoutSide::dims() const {
  if (const auto* digits = std::get_if<DigitLayout>(&layout)) return digits->dims;
  if (const auto* table = std::get_if<OffsetTable>(&layout)) return table->dims;
  return std::get<TiledLayout>(layout).logical();
}

int64_t offset_at(const RelayoutSide& side, absl::Span<const int64_t> index) {
  if (const auto* tiled = std::get_if<TiledLayout>(&side.layout))
    return tiled->linearize_unchecked(index);
  if (const auto* table = std::get_if<OffsetTable>(&side.layout)) return table->at(index);
  const int64_t digits = offset_of(std::get<DigitLayout>(side.layout), index.data());
  return swizzled_word(side.words, side.start + digits);
}

absl::StatusOr<RelayoutSide> relayout_side(const AnyLayout& layout,
                                           const std::vector<int64_t>& dims) {
  return side_with(layout, &dims);
}

absl::StatusOr<RelayoutSide> relayout_side(const AnyLayout& layout) {
  return side_with(layout, nullptr);
}

RelayoutSide strided_side(std::vector<int64_t> dims, absl::Span<const int64_t> strides) {
  RelayoutSide side;
  int64_t most = 1;
  DigitLayout layout{std::move(dims), {}};
  for (size_t d = 0; d < strides.size(); ++d) {
    layout.digits.push_back({static_cast<int64_t>(d), 1, layout.dims[d], strides[d]});
    if (strides[d] > 0) most += (layout.dims[d] - 1) * strides[d];
  }
  side.elements = std::count(layout.dims.begin(), layout.dims.end(), 0) > 0 ? 0 : most;
  side.layout = std::move(layout);
  return side;
}

absl::Status RelayoutPlan::set_box(const RelayoutOptions& options) {
  const bool all = options.begin.empty() && options.sizes.empty();
  if (!all && (options.begin.size() != dims_.size() || options.sizes.size() != dims_.size())) {
    return invalid(absl::StrCat("expected a box of ", dims_.size(), " dimensions"));
  }
  for (size_t d = 0; d < dims_.size(); ++d) {
    const Interval interval =
        all ? Interval{0, dims_[d]} : Interval{options.begin[d], options.sizes[d]};
    if (interval.low < 0 || interval.high < 0 || interval.low > dims_[d] - interval.high) {
      return invalid(absl::StrCat("expected a box in the array [", absl::StrJoin(dims_, ","), "]"));
    }
    box_.push_back({interval.low, all ? interval.high : interval.low + interval.high});
    is_empty_ = is_empty_ || box_.back().low == box_.back().high;
  }
  if (!all && options.padding != RelayoutOptions::Padding::kKeep) {
    return invalid("expected to keep the padding of a box");
  }
  return absl::OkStatus();
}

absl::StatusOr<RelayoutPlan> RelayoutPlan::create(const RelayoutSide& from, const RelayoutSide& to,
                                                  const RelayoutOptions& options) {
  const std::set<int> widths = {1, 2, 4, 8, 16, 32, 64, 128};
  if (!widths.contains(options.element_bits)) {
    return invalid("expected elements of 1, 2, 4, 8, 16, 32, 64 or 128 bits");
  }
  if (options.element_bits >= 8 && (options.source_is_packed || options.destination_is_packed)) {
    return invalid("expected packed elements of 1, 2 or 4 bits");
  }
  if (options.threads < 1 || options.threads > RelayoutOptions::kMaxThreads) {
    return invalid(absl::StrCat("expected 1 to ", RelayoutOptions::kMaxThreads, " threads, found ",
                                options.threads));
  }
  if (from.dims() != to.dims()) {
    return invalid(absl::StrCat("expected layouts of one array, found [",
                                absl::StrJoin(from.dims(), ","), "] and [",
                                absl::StrJoin(to.dims(), ","), "]"));
  }
  TRY(check_destination(to));
  for (const RelayoutSide* side : {&from, &to}) {
    if (!checked_mul(side->elements, std::max(options.element_bits / 8, 1))) {
      return absl::OutOfRangeError("expected buffers of less than 2^63 bytes");
    }
  }
  RelayoutPlan plan;
  plan.options_ = options;
  plan.dims_ = from.dims();
  plan.source_elements_ = from.elements;
  plan.destination_elements_ = to.elements;
  TRY(plan.set_box(options));
  if (plan.is_empty_) return plan;
  plan.has_padding_ = to.elements > product(plan.dims_);
  const auto* source = std::get_if<DigitLayout>(&from.layout);
  const auto* destination = std::get_if<DigitLayout>(&to.layout);
  const bool is_swizzled = from.words.mask != 0 || to.words.mask != 0;
  if (source != nullptr && destination != nullptr && !is_swizzled) {
    plan.source_start_ = from.start;
    plan.destination_start_ = to.start;
    plan.choose_loops(simplest(*source), simplest(*destination));
  } else {
    plan.kernel_ = Kernel::kElements;
  }
  if (plan.kernel_ == Kernel::kElements) {
    plan.from_ = std::make_shared<const RelayoutSide>(from);
    plan.to_ = std::make_shared<const RelayoutSide>(to);
  }
  if (source != nullptr && destination != nullptr && is_swizzled && options.begin.empty()) {
    RelayoutSide plain_from = from, plain_to = to;
    plain_from.words = plain_to.words = {};
    RelayoutOptions plain = options;
    plain.source_is_packed = plain.destination_is_packed = false;
    plan.plain_ = std::make_shared<const RelayoutPlan>(TRY(create(plain_from, plain_to, plain)));
  }
  return plan;
}

void RelayoutPlan::choose_loops(const DigitLayout& from, const DigitLayout& to) {
  Loops all;
  for (int64_t d = 0; d < std::ssize(dims_); ++d) {
    std::optional<Loops> loops = loops_of(from, to, d);
    if (!loops) {
      kernel_ = Kernel::kElements;
      return;
    }
    int64_t covered = 1;
    for (const RelayoutLoop& loop : *loops) covered *= loop.size;
    is_exact_.push_back(box_[d].low == 0 && box_[d].high == covered);
    all.insert(all.end(), loops->begin(), loops->end());
  }
  choose_kernel(std::move(all));
}

// Whether the loop may be inside of all others: the loops of an inexact dimension run from major to
// minor, as each bounds those below it.
bool RelayoutPlan::is_minor_most(const RelayoutLoop& loop, const Loops& loops) const {
  if (is_exact_[loop.dimension]) return true;
  return std::none_of(loops.begin(), loops.end(), [&](const RelayoutLoop& other) {
    return other.dimension == loop.dimension && other.weight < loop.weight;
  });
}

void RelayoutPlan::choose_kernel(Loops loops) {
  const RelayoutLoop* a = loop_where(loops, &RelayoutLoop::destination_stride);
  const RelayoutLoop* b = loop_where(loops, &RelayoutLoop::source_stride);
  const auto usable = [&](const RelayoutLoop* loop) {
    return loop != nullptr && is_minor_most(*loop, loops);
  };
  if (usable(a) && a == b) {
    kernel_ = Kernel::kRun;
    Loops inner = {*a};
    // A whole run may go on with a loop of another dimension.
    for (size_t i = 0; i < loops.size() && is_exact_[a->dimension]; ++i) {
      const RelayoutLoop& loop = loops[i];
      int64_t length = 1;
      for (const RelayoutLoop& taken : inner) length *= taken.size;
      if (loop.source_stride != length || loop.destination_stride != length ||
          !is_exact_[loop.dimension]) {
        continue;
      }
      inner.insert(inner.begin(), loop);
      i = static_cast<size_t>(-1);  // from the first loop again
    }
    return order_outer(without(loops, inner), inner);
  }
  if (usable(a) && usable(b) && (a->dimension != b->dimension || is_exact_[a->dimension])) {
    kernel_ = Kernel::kMatrix;
    return order_outer(without(loops, {*a, *b}), {*a, *b});
  }
  kernel_ = Kernel::kStrided;
  const RelayoutLoop* best = nullptr;
  for (const RelayoutLoop& loop : loops) {
    if (!usable(&loop)) continue;
    if (best == nullptr || loop.destination_stride < best->destination_stride) best = &loop;
  }
  Loops inner;
  if (best != nullptr) inner.push_back(*best);
  order_outer(without(loops, inner), inner);
}

// The outer loops go through the source from its beginning to its end, as far as the order of an
// inexact dimension's loops allows: reads wait for memory, writes do not.
void RelayoutPlan::order_outer(Loops outer, Loops inner) {
  while (!outer.empty()) {
    const RelayoutLoop* next = nullptr;
    for (const RelayoutLoop& loop : outer) {
      const bool waits = !is_exact_[loop.dimension] &&
                         std::any_of(outer.begin(), outer.end(), [&](const RelayoutLoop& other) {
                           return other.dimension == loop.dimension && other.weight > loop.weight;
                         });
      if (waits) continue;
      if (next == nullptr || loop.source_stride > next->source_stride) next = &loop;
    }
    loops_.push_back(*next);
    outer = without(outer, {loops_.back()});
  }
  loops_.insert(loops_.end(), inner.begin(), inner.end());
  inner_ = inner.size();
}

// ---- What a plan says ----

namespace {

std::string digit_text(const RelayoutLoop& loop, int64_t dim) {
  const int64_t modulus = loop.weight * loop.size >= dim ? Digit::kWhole : loop.size;
  return impl::to_text({1, {0, loop.weight, modulus}}, absl::StrCat("d", loop.dimension));
}

absl::string_view kernel_text(RelayoutPlan::Kernel kernel) {
  switch (kernel) {
    case RelayoutPlan::Kernel::kNothing:
      return "copy nothing";
    case RelayoutPlan::Kernel::kRun:
      return "copy a run";
    case RelayoutPlan::Kernel::kMatrix:
      return "transpose a matrix";
    case RelayoutPlan::Kernel::kStrided:
      return "copy element by element";
    case RelayoutPlan::Kernel::kElements:
      return "compute the offsets of each element";
  }
  return "";
}

}  // namespace

std::vector<tileproof::Interval> RelayoutPlan::bounds() const {
  std::vector<tileproof::Interval> bounds;
  for (const Interval& interval : box_) bounds.push_back({interval.low, interval.high - 1});
  return bounds;
}

bool RelayoutPlan::fills() const {
  return has_padding_ && options_.padding != RelayoutOptions::Padding::kKeep;
}

int64_t RelayoutPlan::run_length() const {
  int64_t length = 1;
  for (size_t i = loops_.size() - inner_; kernel_ == Kernel::kRun && i < loops_.size(); ++i)
    length *= loops_[i].size;
  return length;
}

int64_t RelayoutPlan::moves() const {
  int64_t moves = is_empty_ ? 0 : 1;
  for (const Interval& interval : box_) moves *= is_empty_ ? 0 : interval.high - interval.low;
  return moves;
}

// ", where d1 in [0, 4]" for the last loop of a dimension whose loops reach beyond the box.
std::string RelayoutPlan::guard(size_t i) const {
  const int64_t d = loops_[i].dimension;
  const auto is_same = [d](const RelayoutLoop& loop) { return loop.dimension == d; };
  if (is_exact_[d] ||
      std::any_of(loops_.begin() + static_cast<int64_t>(i) + 1, loops_.end(), is_same))
    return "";
  return absl::StrCat(", where d", d, " in [", box_[d].low, ", ", box_[d].high - 1, "]");
}

std::string RelayoutPlan::to_text() const {
  std::string text;
  if (fills()) absl::StrAppend(&text, "fill the destination\n");
  if (source_start_ != 0 || destination_start_ != 0) {
    absl::StrAppend(&text, "begin at source + ", source_start_, ", destination + ",
                    destination_start_, "\n");
  }
  std::string indent;
  const size_t outer = loops_.size() - inner_;
  const auto line = [&](size_t i) {
    const RelayoutLoop& loop = loops_[i];
    return absl::StrCat(digit_text(loop, dims_[loop.dimension]), " in [0, ", loop.size - 1,
                        "]: source + ", loop.source_stride, ", destination + ",
                        loop.destination_stride, guard(i), "\n");
  };
  for (size_t i = 0; i < outer; ++i) {
    absl::StrAppend(&text, indent, "for ", line(i));
    indent += "  ";
  }
  if (kernel_ == Kernel::kRun) {
    return absl::StrCat(text, indent, "copy runs of ", run_length(), " elements", guard(outer),
                        "\n");
  }
  absl::StrAppend(&text, indent, kernel_text(kernel_), "\n");
  for (size_t i = outer; i < loops_.size(); ++i) absl::StrAppend(&text, indent, "  ", line(i));
  return text;
}

RelayoutPlan::Maps RelayoutPlan::maps() const {
  IndexingMap empty;
  for (const RelayoutLoop& loop : loops_) empty.dimensions.push_back({{0, loop.size - 1}, ""});
  const auto sum = [this](IndexingMap& map, int64_t start, auto&& factor_of) {
    NodeId result = add_constant(map.nodes, start);
    for (size_t i = 0; i < loops_.size(); ++i) {
      const int64_t factor = factor_of(loops_[i]);
      if (factor == 0) continue;
      const NodeId variable = add_variable(map.nodes, Op::kDimension, static_cast<int64_t>(i));
      const NodeId constant = add_constant(map.nodes, factor);
      const NodeId term = add_operation(map.nodes, Op::kMul, variable, constant);
      result = add_operation(map.nodes, Op::kAdd, result, term);
    }
    return result;
  };
  Maps maps{empty, empty, empty};
  for (IndexingMap* map : {&maps.index, &maps.source, &maps.destination}) {
    for (int64_t d = 0; d < std::ssize(dims_); ++d) {
      const NodeId index = sum(
          *map, 0, [d](const RelayoutLoop& loop) { return loop.dimension == d ? loop.weight : 0; });
      if (map == &maps.index) map->results.push_back(index);
      map->constraints.push_back({index, {box_[d].low, box_[d].high - 1}});
    }
  }
  maps.source.results = {
      sum(maps.source, source_start_, [](const RelayoutLoop& loop) { return loop.source_stride; })};
  maps.destination.results = {
      sum(maps.destination, destination_start_,
          [](const RelayoutLoop& loop) { return loop.destination_stride; })};
  return maps;
}

}  // namespace tileproof::impl
