// SPDX-License-Identifier: Apache-2.0
// Answers of provers against enumeration.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "generate/hlo/generate_partitioned.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_shape.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"
#include "verify/compare/grid_compare.h"
#include "verify/properties/property.h"
#include "verify/prove/hlo/modules/module_values.h"
#include "verify/prove/layout/convert_compare.h"
#include "verify/prove/layout/is_bitcast_proof.h"

namespace tileproof::verify {
namespace {

// The solver decides small questions in less time.
constexpr unsigned kMilliseconds = 1'000;

std::string check_conversions(Choose& choose, CaseCounts& tally) {
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({4, 8, 10, 30, 40});
  ProofSession session;
  session.milliseconds_per_question = kMilliseconds;
  return std::string(
      compare_conversions(random_any_layout(choose, magnitude), 300, session, tally).message());
}

// ---- Whether a reshape, transpose or bitcast is free ----

using Kind = Move::Kind;

bool is_free(const spec::TiledLayout& in, const spec::TiledLayout& out, const Move& move) {
  const std::vector<int64_t> from = spec::buffer(in), to = spec::buffer(out);
  if (move.kind == Kind::kBitcast) {
    const auto is_element = [](const std::vector<int64_t>& buffer, size_t position) {
      return position < buffer.size() && buffer[position] != spec::Array::kPadding;
    };
    for (size_t position = 0; position < std::max(from.size(), to.size()); ++position) {
      if (is_element(from, position) != is_element(to, position)) return false;
    }
    return true;
  }
  for (size_t position = 0; position < to.size(); ++position) {
    if (to[position] == spec::Array::kPadding) continue;
    std::vector<int64_t> index;
    if (move.kind == Kind::kReshape) {
      index = spec::element_index(in.logical(), to[position]);
    } else {
      const std::vector<int64_t> o = spec::element_index(out.logical(), to[position]);
      index.resize(o.size());
      for (size_t d = 0; d < o.size(); ++d) index[move.dimensions[d]] = o[d];
    }
    const int64_t number = spec::element_number(in.logical(), index);
    if (position >= from.size() || from[position] != number) return false;
  }
  return true;
}

// Returns a layout with these dimensions, with small tiles or none.
Shape random_layout(Choose& choose, const std::vector<int64_t>& dims) {
  if (dims.empty()) return make_array(ElementType::kF32, dims);
  Layout layout = default_layout(std::ssize(dims));
  if (choose.chance(1, 2)) layout.minor_to_major = permutation(choose, std::ssize(dims));
  for (int64_t tiles = choose(3); tiles > 0; --tiles) {
    Tile tile;
    for (int64_t k = choose.between(1, std::min<int64_t>(2, std::ssize(dims))); k > 0; --k) {
      tile.dims.push_back(choose.pick<int64_t>({2, 4, 1, 3}));
    }
    layout.tiles.push_back(tile);
  }
  return make_array(ElementType::kF32, dims, layout);
}

std::vector<int64_t> random_factors(Choose& choose, int64_t elements) {
  std::vector<int64_t> dims;
  while (elements > 1) {
    std::vector<int64_t> divisors;
    for (int64_t d = 2; d <= elements; ++d) {
      if (elements % d == 0) divisors.push_back(d);
    }
    dims.push_back(choose.pick(divisors));
    elements /= dims.back();
  }
  if (choose.chance(1, 6)) dims.push_back(1);
  return dims;
}

std::string text_of(const Move& move) {
  if (move.kind == Kind::kReshape) return "--reshape";
  if (move.kind == Kind::kBitcast) return "--bitcast";
  return absl::StrCat("--transpose ", absl::StrJoin(move.dimensions, ","));
}

// Chooses an operation and two layouts of at most 48 elements. Without a verdict the proof is wrong.
std::string check_moves(Choose& choose, CaseCounts& tally) {
  const int64_t elements = choose.pick<int64_t>({4, 8, 12, 16, 24, 32, 48, 36, 1, 6});
  Move move;
  move.kind = choose.pick<Kind>({Kind::kReshape, Kind::kTranspose, Kind::kBitcast});
  const std::vector<int64_t> dims = random_factors(choose, elements);
  std::vector<int64_t> to = dims;
  if (move.kind == Kind::kTranspose) {
    move.dimensions = permutation(choose, std::ssize(dims));
    for (size_t d = 0; d < dims.size(); ++d) to[d] = dims[move.dimensions[d]];
  } else {
    to = random_factors(choose, elements);
  }
  const Shape in = random_layout(choose, dims), out = random_layout(choose, to);
  const auto a = spec::tiled_layout(in), b = spec::tiled_layout(out);
  const auto left = spec::layout_function(in), right = spec::layout_function(out);
  const bool are_layouts = a.ok() && b.ok() && left.ok() && right.ok();
  const auto proof = are_layouts ? prove_is_bitcast(*left, *right, move)
                                 : absl::InvalidArgumentError("expected two layouts");
  if (!proof.ok()) return absl::StrCat(to_text(in), " ", to_text(out), ": refused");
  const bool expected = is_free(*a, *b, move);
  ++tally[expected ? "free" : "not free"];
  if (proof->verdict == (expected ? Verdict::kProven : Verdict::kRefuted)) return "";
  return absl::StrCat("equiv ", text_of(move), " '", to_text(in), "' '", to_text(out),
                      "': ", expected ? "free" : "not free", ", but ", proof->counterexample,
                      proof->open);
}

// ---- Modules of several devices ----

std::string check_partitioned(Choose& choose, CaseCounts& tally) {
  const PartitionedHlo made = generate_partitioned(choose);
  ++tally[made.fault.empty() ? "equal" : made.fault];
  const auto whole = parse_hlo_module(made.whole), parts = parse_hlo_module(made.parts);
  absl::Status problem = whole.ok() ? parts.status() : whole.status();
  std::string found;
  if (problem.ok()) {
    const auto results = same_values(*whole, *parts, {});
    problem = results.status();
    const Verdict expected = made.fault.empty() ? Verdict::kProven : Verdict::kRefuted;
    if (results.ok() && (*results)[0].verdict == expected) return "";
    if (results.ok()) {
      const ValueEquality& first = (*results)[0];
      found = absl::StrCat("verdict ", static_cast<int>(first.verdict), ": ", first.detail,
                           " LEFT ", first.left, ", RIGHT ", first.right);
    }
  }
  return absl::StrCat(made.fault.empty() ? "equal by construction" : made.fault, ", found ", found,
                      problem.message(), "; ", made.whole, "; ", made.parts);
}

}  // namespace

std::vector<Property> proof_properties() {
  return {
      of_choices("moves", 1000, check_moves, 12, {{"free", 0.06}, {"not free", 0.06}}),
      // It would mean little if the prover left the facts open.
      of_choices("grid", 600,
                 [](Choose& choose, CaseCounts& tally) {
                   return grid_difference(random_grid(choose), tally);
                 },
                 1, {{"facts that maps decide", 2}, {"facts that maps refute", 0.3}}),
      of_choices("conversions", 700, check_conversions, 1, {{"proven", 2}}),
      of_choices("partitioned", 400, check_partitioned, 1, {{"equal", 0.4}}),
  };
}

}  // namespace tileproof::verify
