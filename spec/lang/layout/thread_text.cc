// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/layout/thread_notations.h"
#include "spec/lang/layout/ttg_text.h"

namespace tileproof {
namespace {

constexpr int64_t kMostOfAxis = int64_t{1} << 30;  // of a size, a basis, and of each coordinate
constexpr int64_t kMostOfList = int64_t{1} << 20;  // the product of a list of sizes
constexpr size_t kMostBases = 30;

// The product, or a number above kMostOfAxis.
int64_t capped_product(int64_t a, int64_t b) {
  return a > kMostOfAxis || b > kMostOfAxis ? kMostOfAxis + 1 : a * b;
}

bool is_power(int64_t x) { return x >= 1 && x <= kMostOfAxis && (x & (x - 1)) == 0; }

class EncodingReader {
 public:
  EncodingReader(const TtgAttribute& attribute, absl::string_view text)
      : name_(attribute.name), text_(text), fields_(attribute, text) {}

  absl::StatusOr<ThreadEncoding> read() {
    ThreadEncoding encoding = TRY(read_kind());
    TRY(fields_.expect_none_left());
    return encoding;
  }

 private:
  absl::StatusOr<ThreadEncoding> read_kind() {
    if (name_ == "linear" || name_ == "generic_linear") return read_linear();
    if (name_ == "blocked") return read_blocked();
    if (name_ == "nvidia_mma") return read_mma();
    if (name_ == "amd_mfma") return read_mfma();
    if (name_ == "amd_wmma") return read_wmma();
    if (name_ == "slice") return read_slice();
    if (name_ == "dot_op") return read_dot();
    return fields_.error(
        "expected one of #ttg.linear, blocked, slice, nvidia_mma, amd_mfma, amd_wmma and dot_op");
  }

  absl::StatusOr<ThreadEncoding> read_linear() {
    LinearEncoding linear;
    std::optional<size_t> rank;
    for (size_t i = 0; i < kPlaceNames.size(); ++i) {
      if (kPlaceNames[i] == "block" && !fields_.has("block")) continue;
      linear.bases[i] = TRY(fields_.rows(kPlaceNames[i]));
      for (const Dims& basis : linear.bases[i]) {
        if (rank.value_or(basis.size()) != basis.size() || basis.empty())
          return fields_.error("expected bases of one number for each dimension");
        rank = basis.size();
        if (std::ranges::any_of(basis, [](int64_t x) { return x >= kMostOfAxis; }))
          return fields_.error("expected bases below 2^30");
      }
      if (linear.bases[i].size() > kMostBases) return fields_.error("expected at most 30 bases");
    }
    if (!rank) return fields_.error("expected a basis");
    return ThreadEncoding{std::move(linear)};
  }

  absl::StatusOr<ThreadEncoding> read_blocked() {
    BlockedEncoding blocked;
    blocked.size_per_thread = TRY(powers("sizePerThread", std::nullopt));
    const size_t rank = blocked.size_per_thread.size();
    blocked.threads_per_warp = TRY(powers("threadsPerWarp", rank));
    blocked.warps_per_cta = TRY(powers("warpsPerCTA", rank));
    blocked.order = TRY(fields_.order("order", rank, "dimension"));
    blocked.block = TRY(read_block(rank));
    return ThreadEncoding{std::move(blocked)};
  }

  absl::StatusOr<ThreadEncoding> read_mma() {
    MmaEncoding mma;
    mma.version = TRY(fields_.number("versionMajor"));
    TRY(fields_.number("versionMinor", 0));
    if (mma.version != 2 && mma.version != 3)
      return fields_.error(
          absl::StrCat("versionMajor = ", mma.version, " is not supported, expected 2 or 3"));
    mma.warps_per_cta = TRY(powers("warpsPerCTA", std::nullopt));
    const size_t rank = mma.warps_per_cta.size();
    if (rank < 2) return fields_.error("expected warpsPerCTA of at least two dimensions");
    mma.instruction =
        TRY(powers("instrShape", mma.version == 2 ? std::optional(rank) : std::nullopt));
    if (mma.version == 3) {  // m, n, k
      if (rank != 2 || mma.instruction.size() < 2)
        return fields_.error("expected two dimensions, and instrShape = [m, n, k]");
      mma.instruction.resize(2);
    }
    const int64_t m = mma.instruction[rank - 2], n = mma.instruction[rank - 1];
    if (m != 16 || n < 8 || (mma.version == 2 && n != 8))
      return fields_.error(absl::StrCat("instrShape of ", m, "x", n,
                                        " is not supported, expected 16x8, or 16xN of version 3"));
    mma.block = TRY(read_block(rank));
    return ThreadEncoding{std::move(mma)};
  }

  absl::StatusOr<ThreadEncoding> read_mfma() {
    MfmaEncoding mfma;
    TRY(fields_.number(fields_.has("versionMajor") ? "versionMajor" : "version"));
    TRY(fields_.number("versionMinor", 0));
    if (TRY(fields_.number("elementBitWidth", 32)) != 32)
      return fields_.error("elementBitWidth other than 32 is not supported");
    mfma.warps_per_cta = TRY(powers("warpsPerCTA", 2));
    const Dims instruction = TRY(powers("instrShape", std::nullopt));
    mfma.is_transposed = TRY(fields_.number("isTransposed")) != 0;
    if (fields_.has("tilesPerWarp")) mfma.tiles_per_warp = TRY(powers("tilesPerWarp", 2));
    if (instruction.size() < 2 || instruction[0] != instruction[1] ||
        (instruction[0] != 32 && instruction[0] != 16))
      return fields_.error("expected instrShape of 32x32 or 16x16");
    mfma.size = instruction[0];
    mfma.block = TRY(read_block(2));
    return ThreadEncoding{std::move(mfma)};
  }

  // Version 1 has every second row in a lane, versions 2 and 3 eight rows below each other.
  absl::StatusOr<ThreadEncoding> read_wmma() {
    MfmaEncoding wmma;
    wmma.size = 16;
    wmma.lanes = 32;
    const int64_t version = TRY(fields_.number("version"));
    if (version < 1 || version > 3) return fields_.error("expected version = 1, 2 or 3");
    wmma.rows = version == 1 ? 1 : 8;
    wmma.warps_per_cta = TRY(powers("warpsPerCTA", 2));
    wmma.is_transposed = TRY(fields_.number("isTranspose", 0)) != 0;
    if (TRY(fields_.number("isTransposed", 0)) != 0) wmma.is_transposed = true;
    if (fields_.has("instrShape")) {
      const Dims instruction = TRY(powers("instrShape", 3));
      if (instruction[0] != 16 || instruction[1] != 16)
        return fields_.error("expected instrShape of 16x16");
    }
    wmma.block = TRY(read_block(2));
    return ThreadEncoding{std::move(wmma)};
  }

  absl::StatusOr<std::shared_ptr<const ThreadEncoding>> read_parent() {
    const TtgAttribute* parent = TRY(fields_.attribute("parent"));
    return std::make_shared<const ThreadEncoding>(TRY(EncodingReader(*parent, text_).read()));
  }

  absl::StatusOr<ThreadEncoding> read_slice() {
    SliceEncoding slice;
    slice.dimension = TRY(fields_.number("dim"));
    slice.parent = TRY(read_parent());
    if (slice.dimension >= rank(*slice.parent) || rank(*slice.parent) < 2)
      return fields_.error("expected dim to be one of at least two dimensions of the parent");
    return ThreadEncoding{std::move(slice)};
  }

  absl::StatusOr<ThreadEncoding> read_dot() {
    DotEncoding dot;
    dot.operand = TRY(fields_.number("opIdx"));
    dot.k_width = TRY(fields_.number("kWidth", 0));
    dot.parent = TRY(read_parent());
    if (dot.operand > 1) return fields_.error("expected opIdx = 0 or 1");
    if (const auto* blocked = std::get_if<BlockedEncoding>(&dot.parent->kind)) {
      if (blocked->order.size() < 2) return fields_.error("expected a parent of two dimensions");
      return ThreadEncoding{std::move(dot)};
    }
    const auto* mma = std::get_if<MmaEncoding>(&dot.parent->kind);
    const auto* mfma = std::get_if<MfmaEncoding>(&dot.parent->kind);
    if (mma == nullptr && (mfma == nullptr || mfma->lanes != 64))
      return fields_.error(
          "expected a parent #ttg.blocked, nvidia_mma or amd_mfma: others are not supported");
    if (dot.operand == 1 && mma != nullptr && mma->version == 3)
      return fields_.error(
          "opIdx = 1 of version 3 is not supported: wgmma takes it from shared memory");
    if (mfma != nullptr && mfma->tiles_per_warp != Dims{1, 1})
      return fields_.error("a parent with tilesPerWarp other than [1, 1] is not supported");
    if (!is_power(dot.k_width)) return fields_.error("expected kWidth to be a power of two");
    return ThreadEncoding{std::move(dot)};
  }

  absl::StatusOr<Dims> powers(absl::string_view key, std::optional<size_t> rank) {
    Dims sizes = TRY(fields_.numbers(key));
    if (rank.value_or(sizes.size()) != sizes.size() || sizes.empty())
      return fields_.error(absl::StrCat("expected a number for each dimension in ", key));
    if (!std::ranges::all_of(sizes, is_power))
      return fields_.error(absl::StrCat("expected powers of two in ", key));
    int64_t product = 1;
    for (const int64_t size : sizes) product = std::min(product * size, 2 * kMostOfList);
    if (product > kMostOfList)
      return fields_.error(absl::StrCat("expected a product of at most 2^20 in ", key));
    return sizes;
  }

  // CGALayout, or the three lists of before: CTAsPerCGA blocks in each dimension, of which
  // CTASplitNum hold different parts, numbered by CTAOrder.
  absl::StatusOr<Bases> read_block(size_t rank) {
    Bases bases;
    if (fields_.has("CGALayout")) {
      bases = TRY(fields_.rows("CGALayout"));
      for (const Dims& basis : bases) {
        if (basis.size() != rank ||
            !std::ranges::all_of(basis, [](int64_t x) { return x == 0 || is_power(x); }))
          return fields_.error("expected powers of two or 0 for each dimension in CGALayout");
      }
      if (bases.size() > kMostBases) return fields_.error("expected at most 30 bases");
      return bases;
    }
    if (!fields_.has("CTAsPerCGA")) return bases;
    const Dims blocks = TRY(powers("CTAsPerCGA", rank)), split = TRY(powers("CTASplitNum", rank));
    for (const int64_t d : TRY(fields_.order("CTAOrder", rank, "dimension"))) {
      if (split[d] > blocks[d]) return fields_.error("expected CTASplitNum of at most CTAsPerCGA");
      for (int64_t part = 1; part < blocks[d]; part *= 2) {
        bases.emplace_back(rank, 0);
        if (part < split[d]) bases.back()[d] = part;
      }
    }
    return bases;
  }

  std::string name_;
  absl::string_view text_;
  TtgFields fields_;
};

// The parts into which blocks divide each dimension.
void multiply_parts(const Bases& block, Dims& dims) {
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t bits = 0;
    for (const Dims& basis : block) bits |= basis[d];
    dims[d] = capped_product(dims[d],
                             static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bits) + 1)));
  }
}

// The shape that the threads hold without repeating.
absl::StatusOr<Dims> own_shape(const ThreadEncoding& encoding) {
  Dims dims(rank(encoding), 1);
  if (const auto* linear = std::get_if<LinearEncoding>(&encoding.kind)) {
    Bases all;
    for (const Bases& bases : linear->bases) all.insert(all.end(), bases.begin(), bases.end());
    multiply_parts(all, dims);
  } else if (const auto* blocked = std::get_if<BlockedEncoding>(&encoding.kind)) {
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t of_warp =
          capped_product(blocked->size_per_thread[d], blocked->threads_per_warp[d]);
      dims[d] = capped_product(of_warp, blocked->warps_per_cta[d]);
    }
    multiply_parts(blocked->block, dims);
  } else if (const auto* mma = std::get_if<MmaEncoding>(&encoding.kind)) {
    for (size_t d = 0; d < dims.size(); ++d) {
      dims[d] = capped_product(mma->instruction[d], mma->warps_per_cta[d]);
    }
    multiply_parts(mma->block, dims);
  } else if (const auto* mfma = std::get_if<MfmaEncoding>(&encoding.kind)) {
    for (size_t d = 0; d < 2; ++d)
      dims[d] = mfma->size * capped_product(mfma->tiles_per_warp[d], mfma->warps_per_cta[d]);
    multiply_parts(mfma->block, dims);
  } else {
    return absl::InvalidArgumentError(
        "expected a tensor around the layout: tensor<16x32xf16, #ttg..>");
  }
  return dims;
}

}  // namespace

int64_t rank(const ThreadEncoding& encoding) {
  if (const auto* slice = std::get_if<SliceEncoding>(&encoding.kind))
    return rank(*slice->parent) - 1;
  if (const auto* dot = std::get_if<DotEncoding>(&encoding.kind)) return rank(*dot->parent);
  if (const auto* blocked = std::get_if<BlockedEncoding>(&encoding.kind))
    return std::ssize(blocked->order);
  if (const auto* mma = std::get_if<MmaEncoding>(&encoding.kind))
    return std::ssize(mma->warps_per_cta);
  if (const auto* linear = std::get_if<LinearEncoding>(&encoding.kind)) {
    for (const Bases& bases : linear->bases) {
      if (!bases.empty()) return std::ssize(bases[0]);
    }
  }
  return 2;
}

bool has_thread_layout(absl::string_view text) {
  return looks_like_thread_values(text) || looks_like_tiled_layout(text) ||
         looks_like_fragment(text) || (has_ttg_layout(text) && !has_shared_layout(text));
}

absl::StatusOr<ThreadLayout> parse_thread_layout(absl::string_view text) {
  if (looks_like_thread_values(text)) return parse_thread_values(text);
  if (looks_like_tiled_layout(text)) return parse_tiled_layout(text);
  if (looks_like_fragment(text)) return parse_fragment(text);
  const TtgType type = TRY(parse_ttg_type(text));
  ThreadLayout layout;
  layout.encoding = TRY(EncodingReader(type.layout, text).read());
  layout.text = std::string(text);
  absl::RemoveExtraAsciiWhitespace(&layout.text);
  const Cursor cursor(text);
  if (type.array) {
    layout.dims = type.array->dims;
    layout.element_type = type.array->element_type;
  } else {
    absl::StatusOr<Dims> own = own_shape(layout.encoding);
    if (!own.ok()) return cursor.error_at(type.layout.position, own.status().message());
    layout.dims = *std::move(own);
  }
  const size_t expected = rank(layout.encoding);
  if (layout.dims.size() != expected) {
    return cursor.error_at(type.layout.position,
                           absl::StrCat("expected a tensor of ", expected,
                                        " dimensions for this layout, found ", layout.dims.size()));
  }
  int64_t elements = 1;
  for (const int64_t size : layout.dims) {
    if (!is_power(size) || (elements *= size) > kMostOfAxis) {
      return cursor.error_at(
          0,
          absl::StrCat("expected sizes that are powers of two, and at most 2^30 elements, found [",
                       absl::StrJoin(layout.dims, ","), "]"));
    }
  }
  return layout;
}

}  // namespace tileproof
