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

constexpr int64_t kMostOfAxis = TtgFields::kMostOfAxis;
constexpr size_t kMostDimensions = 64, kMostTileBases = 20;

// The product, or a number above kMostOfAxis.
int64_t capped_product(int64_t a, int64_t b) {
  return a > kMostOfAxis || b > kMostOfAxis ? kMostOfAxis + 1 : a * b;
}

class EncodingReader {
 public:
  EncodingReader(const TtgAttribute& attribute, absl::string_view text, bool is_of_operand = false)
      : name_(attribute.name),
        text_(text),
        fields_(attribute, text),
        is_of_operand_(is_of_operand) {}

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
      if (kPlaceNames[i] != "block" && !fields_.has(kPlaceNames[i]))
        return fields_.error(absl::StrCat("expected the parameter ", std::string(kPlaceNames[i])));
      linear.bases[i] = TRY(read_bases(fields_, kPlaceNames[i], rank));
    }
    if (!rank) return fields_.error("expected a basis");
    return ThreadEncoding{std::move(linear)};
  }

  // None if the parameter is missing. Of `rank` numbers each, which the first basis sets.
  static absl::StatusOr<Bases> read_bases(TtgFields& fields, absl::string_view key,
                                          std::optional<size_t>& rank) {
    if (!fields.has(key)) return Bases{};
    Bases bases = TRY(fields.rows(key));
    for (const Dims& basis : bases) {
      if (rank.value_or(basis.size()) != basis.size() || basis.empty())
        return fields.error("expected bases of one number for each dimension");
      rank = basis.size();
      if (std::ranges::any_of(basis, [](int64_t x) { return x >= kMostOfAxis; }))
        return fields.error("expected bases below 2^30");
    }
    if (bases.size() > TtgFields::kMostBases) return fields.error("expected at most 30 bases");
    return bases;
  }

  absl::StatusOr<ThreadEncoding> read_blocked() {
    BlockedEncoding blocked;
    blocked.size_per_thread = TRY(fields_.powers("sizePerThread", std::nullopt));
    const size_t rank = blocked.size_per_thread.size();
    blocked.threads_per_warp = TRY(fields_.powers("threadsPerWarp", rank));
    blocked.warps_per_cta = TRY(fields_.powers("warpsPerCTA", rank));
    blocked.order = TRY(fields_.order("order", rank, "dimension"));
    blocked.block = TRY(fields_.block_bases(rank));
    return ThreadEncoding{std::move(blocked)};
  }

  absl::StatusOr<ThreadEncoding> read_mma() {
    MmaEncoding mma;
    mma.version = TRY(fields_.number("versionMajor"));
    TRY(fields_.number("versionMinor", 0));
    if (mma.version != 2 && mma.version != 3)
      return fields_.error(
          absl::StrCat("versionMajor = ", mma.version, " is not supported, expected 2 or 3"));
    mma.warps_per_cta = TRY(fields_.powers("warpsPerCTA", std::nullopt));
    const size_t rank = mma.warps_per_cta.size();
    if (rank < 2) return fields_.error("expected warpsPerCTA of at least two dimensions");
    mma.instruction =
        TRY(fields_.powers("instrShape", mma.version == 2 ? std::optional(rank) : std::nullopt));
    if (mma.version == 3) {  // m, n, k
      if (rank != 2 || mma.instruction.size() < 2)
        return fields_.error("expected two dimensions, and instrShape = [m, n, k]");
      mma.instruction.resize(2);
    }
    const int64_t m = mma.instruction[rank - 2], n = mma.instruction[rank - 1];
    if (m != 16 || n < 8 || (mma.version == 2 && n != 8))
      return fields_.error(absl::StrCat("instrShape of ", m, "x", n,
                                        " is not supported, expected 16x8, or 16xN of version 3"));
    mma.block = TRY(fields_.block_bases(rank));
    return ThreadEncoding{std::move(mma)};
  }

  absl::StatusOr<ThreadEncoding> read_mfma() {
    AmdEncoding mfma;
    TRY(fields_.number(fields_.has("versionMajor") ? "versionMajor" : "version"));
    TRY(fields_.number("versionMinor", 0));
    const int64_t bits = TRY(fields_.number("elementBitWidth", 32));
    if (bits != 32 && bits != 64) return fields_.error("expected elementBitWidth = 32 or 64");
    mfma.rows = bits == 64 ? 1 : 4;
    const Dims warps = TRY(fields_.powers("warpsPerCTA", std::nullopt));
    if (warps.size() < 2) return fields_.error("expected warpsPerCTA of at least two dimensions");
    Dims instruction = TRY(fields_.powers("instrShape", std::nullopt));  // m, n, k
    mfma.is_transposed = TRY(fields_.number("isTransposed")) != 0;
    Dims tiles(warps.size(), 1);
    if (fields_.has("tilesPerWarp")) tiles = TRY(fields_.powers("tilesPerWarp", warps.size()));
    instruction.resize(2);
    const bool is_tall = instruction == Dims{64, 4};
    if (instruction != Dims{32, 32} && instruction != Dims{16, 16} && instruction != Dims{4, 64} &&
        !is_tall)
      return fields_.error("expected instrShape of 32x32, 16x16, 4x64 or 64x4");
    if (is_tall && !mfma.is_transposed && !is_of_operand_)
      return fields_.error("expected isTransposed = true for 64x4");
    mfma.tile = Dims(warps.size() - 2, 1);
    mfma.tile.insert(mfma.tile.end(), instruction.begin(), instruction.end());
    mfma.registers = bases_of(tiles, Dims(warps.size(), 1));
    mfma.warps = bases_of(warps, tiles);
    mfma.block = TRY(fields_.block_bases(warps.size()));
    return ThreadEncoding{std::move(mfma)};
  }

  // What bits add that number boxes of these sizes, the last dimension fastest.
  static Bases bases_of(const Dims& sizes, const Dims& units) {
    Bases bases;
    for (size_t d = sizes.size(); d-- > 0;) {
      for (int64_t i = 1; i < sizes[d]; i *= 2) {
        bases.emplace_back(sizes.size(), 0);
        bases.back()[d] = i * units[d];
      }
    }
    return bases;
  }

  // Version 1 has every second row in a lane, and copies of an operand; versions 2 and 3 eight rows
  // below each other. The tiles of registers and warps are warpsPerCTA or, newer, ctaLayout.
  absl::StatusOr<ThreadEncoding> read_wmma() {
    AmdEncoding wmma;
    wmma.lanes = 32;
    const int64_t version = TRY(fields_.number("version"));
    if (version < 1 || version > 3) return fields_.error("expected version = 1, 2 or 3");
    wmma.rows = version == 1 ? 1 : 8;
    wmma.parts = version == 1 ? 1 : 2;
    wmma.is_transposed = TRY(fields_.number("isTranspose", 0)) != 0;
    if (TRY(fields_.number("isTransposed", 0)) != 0) wmma.is_transposed = true;
    Dims instruction = {16, 16, 16};
    if (fields_.has("instrShape")) instruction = TRY(fields_.powers("instrShape", 3));
    if (instruction[0] != 16 || instruction[1] != 16)
      return fields_.error("expected instrShape of 16x16");
    wmma.depth = instruction[2];
    std::optional<size_t> rank;
    if (fields_.has("rank")) rank = TRY(fields_.number("rank"));
    if (fields_.has("warpsPerCTA")) {
      const Dims warps = TRY(fields_.powers("warpsPerCTA", rank));
      wmma.warps = bases_of(warps, Dims(warps.size(), 1));
      rank = warps.size();
    } else {
      TtgFields tiles(*TRY(fields_.attribute("ctaLayout")), text_);
      wmma.registers = TRY(read_bases(tiles, "register", rank));
      wmma.warps = TRY(read_bases(tiles, "warp", rank));
      TRY(tiles.expect_none_left());
    }
    wmma.block = TRY(fields_.block_bases(rank));
    if (!rank) rank = wmma.block.empty() ? 2 : wmma.block[0].size();
    if (*rank < 2 || *rank > kMostDimensions) return fields_.error("expected 2 to 64 dimensions");
    if (std::max(wmma.registers.size(), wmma.warps.size()) > kMostTileBases)
      return fields_.error("expected at most 20 bases in ctaLayout");
    wmma.tile = Dims(*rank - 2, 1);
    wmma.tile.insert(wmma.tile.end(), 2, 16);
    return ThreadEncoding{std::move(wmma)};
  }

  absl::StatusOr<std::shared_ptr<const ThreadEncoding>> read_parent(bool is_of_operand) {
    const TtgAttribute* parent = TRY(fields_.attribute("parent"));
    return std::make_shared<const ThreadEncoding>(
        TRY(EncodingReader(*parent, text_, is_of_operand).read()));
  }

  absl::StatusOr<ThreadEncoding> read_slice() {
    SliceEncoding slice;
    slice.dimension = TRY(fields_.number("dim"));
    slice.parent = TRY(read_parent(false));
    if (slice.dimension >= rank(*slice.parent) || rank(*slice.parent) < 2)
      return fields_.error("expected dim to be one of at least two dimensions of the parent");
    return ThreadEncoding{std::move(slice)};
  }

  absl::StatusOr<ThreadEncoding> read_dot() {
    DotEncoding dot;
    dot.operand = TRY(fields_.number("opIdx"));
    dot.k_width = TRY(fields_.number("kWidth", 0));
    dot.parent = TRY(read_parent(true));
    if (dot.operand > 1) return fields_.error("expected opIdx = 0 or 1");
    if (const auto* blocked = std::get_if<BlockedEncoding>(&dot.parent->kind)) {
      if (blocked->order.size() < 2) return fields_.error("expected a parent of two dimensions");
      return ThreadEncoding{std::move(dot)};
    }
    const auto* mma = std::get_if<MmaEncoding>(&dot.parent->kind);
    const auto* amd = std::get_if<AmdEncoding>(&dot.parent->kind);
    if (mma == nullptr && amd == nullptr)
      return fields_.error("expected a parent #ttg.blocked, nvidia_mma, amd_mfma or amd_wmma");
    if (dot.operand == 1 && mma != nullptr && mma->version == 3)
      return fields_.error(
          "opIdx = 1 of version 3 is not supported: wgmma takes it from shared memory");
    if (!TtgFields::is_power(dot.k_width) || dot.k_width > TtgFields::kMostOfList)
      return fields_.error("expected kWidth to be a power of two");
    if (amd != nullptr && amd->parts == 1 && dot.k_width != 8 && dot.k_width != 16)
      return fields_.error("expected kWidth = 8 or 16 for amd_wmma of version 1");
    return ThreadEncoding{std::move(dot)};
  }

  std::string name_;
  absl::string_view text_;
  TtgFields fields_;
  bool is_of_operand_;
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
  } else if (const auto* amd = std::get_if<AmdEncoding>(&encoding.kind)) {
    dims = amd->tile;
    Bases tiles = amd->registers;
    tiles.insert(tiles.end(), amd->warps.begin(), amd->warps.end());
    multiply_parts(tiles, dims);
    multiply_parts(amd->block, dims);
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
  if (const auto* amd = std::get_if<AmdEncoding>(&encoding.kind)) return std::ssize(amd->tile);
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
    if (!TtgFields::is_power(size) || (elements *= size) > kMostOfAxis) {
      return cursor.error_at(
          0,
          absl::StrCat("expected sizes that are powers of two, and at most 2^30 elements, found [",
                       absl::StrJoin(layout.dims, ","), "]"));
    }
  }
  return layout;
}

}  // namespace tileproof
