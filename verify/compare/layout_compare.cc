// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/layout_compare.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/tiled_layout.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;

std::string show(const std::optional<Index>& index) {
  return index ? dims_text(*index) : "padding";
}

struct Pair {
  Shape shape;
  spec::TiledLayout reference;
  impl::TiledLayout closed;

  absl::Status differ(absl::string_view question, absl::string_view by_reference,
                      absl::string_view by_closed) const {
    return absl::InternalError(absl::StrCat(to_text(shape), " ", question, "  reference: ",
                                            by_reference, "  closed form: ", by_closed));
  }

  absl::Status sizes() const {
    if (reference.physical() != closed.physical()) {
      return differ("physical dimensions", absl::StrJoin(reference.physical(), ","),
                    absl::StrJoin(closed.physical(), ","));
    }
    if (reference.elements() != closed.elements()) {
      return differ("elements", absl::StrCat(reference.elements()),
                    absl::StrCat(closed.elements()));
    }
    if (reference.bytes != closed.bytes()) {
      return differ("bytes", absl::StrCat(reference.bytes), absl::StrCat(closed.bytes()));
    }
    return absl::OkStatus();
  }

  absl::Status offset_of(const Index& index, int64_t by_reference) const {
    const int64_t by_closed = closed.linearize_unchecked(index);
    if (by_closed == by_reference) return absl::OkStatus();
    return differ(absl::StrCat("--index ", absl::StrJoin(index, ",")), absl::StrCat(by_reference),
                  absl::StrCat(by_closed));
  }

  absl::Status index_at(int64_t offset, const std::optional<Index>& by_reference) const {
    std::optional<Index> by_closed = Index(closed.logical().size());
    if (!closed.delinearize_unchecked(offset, absl::MakeSpan(*by_closed))) by_closed.reset();
    if (by_closed == by_reference) return absl::OkStatus();
    return differ(absl::StrCat("--offset ", offset), show(by_reference), show(by_closed));
  }
};

bool has_no_elements(const Shape& shape) {
  for (const Dimension& d : shape.dimensions) {
    if (d.size == 0 && d.kind != Dimension::Kind::kUnbounded) return true;
  }
  return false;
}

// Returns both layouts, or nothing if both refuse the shape. For an array without elements one side
// may refuse an intermediate size.
absl::StatusOr<std::optional<Pair>> both(const Shape& shape) {
  absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(shape);
  absl::StatusOr<impl::TiledLayout> closed = impl::TiledLayout::create(shape);
  if (reference.ok() && closed.ok()) {
    return std::optional(Pair{shape, *std::move(reference), *std::move(closed)});
  }
  if (reference.ok() != closed.ok() && !has_no_elements(shape)) {
    return absl::InternalError(absl::StrCat(to_text(shape),
                                            "  reference: ", reference.status().ToString(),
                                            "  closed form: ", closed.status().ToString()));
  }
  return std::optional<Pair>();
}

absl::Status compare_positions(const Pair& pair, CaseCounts& tally) {
  const std::vector<int64_t> buffer = spec::buffer(pair.reference);
  const int64_t padding = std::ranges::count(buffer, spec::Array::kPadding);
  tally["padding"] += padding;
  tally["indices"] += std::ssize(buffer) - padding;
  for (int64_t offset = 0; offset < std::ssize(buffer); ++offset) {
    std::optional<Index> index;
    if (buffer[offset] != spec::Array::kPadding) {
      index = spec::element_index(pair.reference.logical(), buffer[offset]);
      TRY(pair.offset_of(*index, offset));
    }
    TRY(pair.index_at(offset, index));
  }
  return absl::OkStatus();
}

absl::Status compare_points(const Pair& pair, int64_t samples, Choose& choose, CaseCounts& tally) {
  if (pair.reference.elements() == 0) return absl::OkStatus();
  for (int64_t i = 0; i < samples; ++i) {
    if (!has_no_elements(pair.shape)) {
      const Index index = random_index(choose, pair.reference.logical());
      const int64_t offset = *spec::linearize(pair.reference, index);
      TRY(pair.offset_of(index, offset));
      TRY(pair.index_at(offset, index));
      ++tally["indices"];
    }
    const int64_t offset = random_index(choose, {pair.reference.elements()})[0];
    const std::optional<Index> index = *spec::delinearize(pair.reference, offset);
    TRY(pair.index_at(offset, index));
    if (index) TRY(pair.offset_of(*index, offset));
    ++tally[index ? "indices" : "padding"];
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status compare_whole(const Shape& shape, int64_t max_positions, int64_t samples,
                           Choose& choose, CaseCounts& tally) {
  const std::optional<Pair> pair = TRY(both(shape));
  ++tally[pair ? "layouts" : "refused"];
  if (!pair) return absl::OkStatus();
  TRY(pair->sizes());
  const bool whole = pair->reference.elements() <= max_positions &&
                     element_count(pair->reference.logical()) <= max_positions;
  return whole ? compare_positions(*pair, tally) : compare_points(*pair, samples, choose, tally);
}

absl::Status compare_sampled(const Shape& shape, int64_t samples, Choose& choose,
                             CaseCounts& tally) {
  return compare_whole(shape, -1, samples, choose, tally);
}

}  // namespace tileproof::verify
