// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/waste.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/named_format.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::cli {
namespace {

using enum HloOpcode;

constexpr int64_t kMostOrders = 5040;

void add_arrays(const Shape& shape, std::vector<const Shape*>& arrays) {
  if (shape.kind == Shape::Kind::kArray) arrays.push_back(&shape);
  for (const Shape& part : shape.parts) add_arrays(part, arrays);
}

// Whether the result of the instruction is an array that another instruction stores.
bool names_other_buffers(HloOpcode opcode) {
  switch (opcode) {
    case kAddDependency:
    case kAfterAll:
    case kAllGatherStart:
    case kAllReduceStart:
    case kAsyncStart:
    case kAsyncUpdate:
    case kBitcast:
    case kCall:
    case kCollectivePermuteStart:
    case kConditional:
    case kCopyStart:
    case kDomain:
    case kGetTupleElement:
    case kOptBarrier:
    case kTuple:
    case kWhile:
      return true;
    default:
      return false;
  }
}

// Whether the operation stores the results of the computations that it calls.
bool runs_its_callees(HloOpcode opcode) {
  return opcode == kCall || opcode == kWhile || opcode == kConditional || opcode == kAsyncStart ||
         opcode == kCustomCall;
}

// The computations whose instructions store their results.
std::vector<bool> storing_computations(const HloModule& module) {
  std::vector<bool> stores(module.computations.size(), true);
  for (const HloComputation& computation : module.computations) {
    for (const HloInstruction& instruction : computation.instructions) {
      if (runs_its_callees(instruction.opcode)) continue;
      for (const HloCall& call : instruction.calls) {
        if (call.computation >= 0) stores[call.computation] = false;
      }
    }
  }
  // What is called from inside a fusion does not store either. Callees come before their callers.
  for (size_t c = module.computations.size(); c-- > 0;) {
    if (stores[c]) continue;
    for (const HloInstruction& instruction : module.computations[c].instructions) {
      for (const HloCall& call : instruction.calls) {
        if (call.computation >= 0) stores[call.computation] = false;
      }
    }
  }
  return stores;
}

// The most minor dimensions that decide the size: as many as the largest tile has. All of them if a
// tile combines dimensions.
int64_t deciding_dimensions(const Layout& layout, int64_t rank) {
  int64_t most = 0;
  for (const Tile& tile : layout.tiles) {
    most = std::max(most, static_cast<int64_t>(tile.dims.size()));
    if (std::ranges::find(tile.dims, Tile::kCombine) != tile.dims.end()) return rank;
  }
  return std::min(most, rank);
}

// Calls `visit` with each minor-to-major order, up to the order of the dimensions after the first
// `count`.
template <class Visit>
void for_each_order(int64_t rank, int64_t count, const Visit& visit) {
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  int64_t orders = 1;
  for (int64_t i = 0; i < count; ++i) {
    orders *= rank - i;
    if (orders > kMostOrders) return;
  }
  std::vector<int64_t> chosen;
  std::vector<bool> used(rank, false);
  const auto extend = [&](const auto& self) -> void {
    if (std::ssize(chosen) == count) {
      std::vector<int64_t> whole = chosen;
      for (const int64_t d : order) {
        if (!used[d]) whole.push_back(d);
      }
      visit(whole);
      return;
    }
    for (const int64_t d : order) {
      if (used[d]) continue;
      used[d] = true;
      chosen.push_back(d);
      self(self);
      chosen.pop_back();
      used[d] = false;
    }
  };
  extend(extend);
}

}  // namespace

std::vector<const Shape*> arrays_of(const Shape& shape) {
  std::vector<const Shape*> arrays;
  add_arrays(shape, arrays);
  return arrays;
}

std::vector<Buffer> buffers_of(const HloModule& module) {
  std::vector<Buffer> buffers;
  const std::vector<bool> stores = storing_computations(module);
  for (size_t c = 0; c < module.computations.size(); ++c) {
    if (!stores[c]) continue;
    const HloComputation& computation = module.computations[c];
    for (const HloInstruction& instruction : computation.instructions) {
      const bool passed_in = instruction.opcode == kParameter && !computation.is_entry;
      if (passed_in || names_other_buffers(instruction.opcode) || !instruction.shape) continue;
      const std::vector<const Shape*> arrays = arrays_of(*instruction.shape);
      for (size_t leaf = 0; leaf < arrays.size(); ++leaf) {
        if (!has_elements(arrays[leaf]->element_type)) continue;
        buffers.push_back({computation.name, instruction.name, static_cast<int32_t>(leaf),
                           arrays.size() > 1, arrays[leaf]});
      }
    }
  }
  return buffers;
}

std::vector<ReportedBuffer> buffers_of_report(absl::string_view text) {
  std::vector<ReportedBuffer> buffers;
  std::string size;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    const size_t number = line.find(". Size: ");
    if (number != line.npos) size = std::string(line.substr(number + 8));
    if (absl::ConsumePrefix(&line, "Shape: ")) {
      absl::StatusOr<Shape> shape = parse_shape(line);
      if (!shape.ok()) continue;
      buffers.push_back({absl::StrCat("buffer ", buffers.size() + 1), *std::move(shape), size});
    } else if (absl::ConsumePrefix(&line, "XLA label: ") && !buffers.empty()) {
      buffers.back().name = std::string(absl::StripPrefix(line.substr(0, line.find(' ')), "%"));
    }
  }
  return buffers;
}

absl::StatusOr<Bytes> bytes_of(const Shape& array) {
  const impl::TiledLayout layout = TRY(impl::TiledLayout::create(array));
  const int64_t elements = layout.elements() - layout.padding(),
                bits = spec::bits_of_element(array);
  int64_t used_bits;
  if (__builtin_mul_overflow(elements, bits, &used_bits)) {
    return absl::OutOfRangeError("expected bytes that fit 64 bits");
  }
  return Bytes{used_bits / 8 + (used_bits % 8 == 0 ? 0 : 1), layout.bytes()};
}

std::optional<Smaller> smaller_layout(const Shape& array) {
  const absl::StatusOr<Bytes> own = bytes_of(array);
  if (!own.ok() || own->padding() == 0) return std::nullopt;
  std::optional<Smaller> best;
  const auto consider = [&](const Shape& shape, bool tpu) {
    const absl::StatusOr<Bytes> bytes = bytes_of(shape);
    if (!bytes.ok() || bytes->allocated >= (best ? best->allocated : own->allocated)) return;
    best = Smaller{shape, bytes->allocated, tpu};
  };
  const Layout layout = layout_of(array);
  Shape other = array;
  for_each_order(array.rank(), deciding_dimensions(layout, array.rank()),
                 [&](const std::vector<int64_t>& order) {
                   other.layout = layout;
                   other.layout->minor_to_major = order;
                   consider(other, false);
                 });
  for_each_order(array.rank(), std::min<int64_t>(2, array.rank()),
                 [&](const std::vector<int64_t>& order) {
                   other.layout = layout;
                   other.layout->minor_to_major = order;
                   const auto chosen = spec::chosen_layout("tpu", other);
                   if (chosen.ok()) consider(chosen->shape, true);
                 });
  return best;
}

}  // namespace tileproof::cli
