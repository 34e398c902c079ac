// SPDX-License-Identifier: Apache-2.0
#include "verify/prove/hlo/coverage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "verify/prove/hlo/integer_box.h"

namespace tileproof::verify {
namespace {

using Products = std::vector<std::unique_ptr<ProductOfSets>>;

// Indices of the result (or of the operand, input to output) times disjuncts.
constexpr int64_t kMostStarts = 1 << 16;

// Of disjuncts that have a pair at all.
Products products_of(const std::vector<Disjunct>& disjuncts, const spec::Dims& result) {
  Products products;
  for (const Disjunct& disjunct : disjuncts) {
    if (is_empty(disjunct.ranges()) || is_empty(disjunct.reads())) continue;
    products.push_back(std::make_unique<ProductOfSets>(disjunct, result));
  }
  return products;
}

// Whether the disjuncts have as many points as there are indices to reach from each index.
bool are_enough(const std::vector<Disjunct>& disjuncts, const Along& along,
                const spec::Dims& result, const spec::Dims& operand) {
  const bool inverse = disjuncts[0].is_inverse();
  const spec::Dims& to = inverse ? result : operand;
  double wanted = 1, points = 0;
  for (size_t d = 0; d < to.size(); ++d) {
    const bool is_kept =
        inverse ? std::ranges::count(along, static_cast<int64_t>(d)) > 0 : along[d] >= 0;
    if (!is_kept) wanted *= static_cast<double>(to[d]);
  }
  for (const Disjunct& disjunct : disjuncts) {
    double own = 1;
    for (size_t r = disjunct.index_variables(); r < disjunct.ranges().size(); ++r) {
      own *= static_cast<double>(disjunct.ranges()[r].high - disjunct.ranges()[r].low) + 1;
    }
    points += own;
  }
  return points >= wanted * 0.999;
}

// Whether the products together reach every index from here.
bool cover_from(const Products& products, const std::vector<int64_t>& start) {
  std::vector<std::vector<bool>> met;  // by coordinate, of products that have all of the others
  for (const auto& product : products) {
    const auto covered = product->covered(start);
    if (!covered) continue;
    const auto parts = std::ranges::count(*covered, false, &Covered::all);
    if (parts == 0) return true;
    if (parts > 1) continue;
    met.resize(covered->size());
    const size_t d = std::ranges::find(*covered, false, &Covered::all) - covered->begin();
    std::vector<bool>& all = met[d];
    all.resize((*covered)[d].met.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || (*covered)[d].met[i];
    if (std::ranges::count(all, false) == 0) return true;
  }
  return false;
}

// What all products see of an index; nothing if that is not known.
std::optional<std::vector<Wide>> seen_from(const Products& products,
                                           const std::vector<int64_t>& start) {
  std::vector<Wide> all;
  for (const auto& product : products) {
    const auto one = product->sees(start);
    if (!one) return std::nullopt;
    all.insert(all.end(), one->begin(), one->end());
  }
  return all;
}

// Whether the products together reach every index from each index of these dimensions.
bool cover_from_everywhere(const Products& products, const spec::Dims& dims) {
  std::set<size_t> looks_at;
  for (const auto& product : products) {
    looks_at.insert(product->looks_at().begin(), product->looks_at().end());
  }
  std::vector<Interval> box;
  int64_t starts = std::ssize(products);
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool matters = looks_at.contains(d);
    box.push_back({0, matters ? dims[d] - 1 : 0});
    if (matters && (dims[d] > kMostStarts || (starts *= dims[d]) > kMostStarts)) return false;
  }
  std::vector<int64_t> start(dims.size(), 0);
  std::set<std::vector<Wide>> known;
  do {
    auto seen = seen_from(products, start);
    const bool is_new = !seen || known.insert(*std::move(seen)).second;
    if (is_new && !cover_from(products, start)) return false;
  } while (next_point(box, start));
  return true;
}

}  // namespace

std::optional<Along> all_pairs_along(const std::vector<Disjunct>& disjuncts,
                                     const spec::Dims& result, const spec::Dims& operand) {
  if (!has_elements(result) || !has_elements(operand)) return std::nullopt;
  if (std::ranges::adjacent_find(disjuncts, std::not_equal_to{}, &Disjunct::is_inverse) !=
      disjuncts.end()) {
    return std::nullopt;
  }
  Products products = products_of(disjuncts, result);
  if (products.empty()) return std::nullopt;
  Along along(operand.size(), -1);
  for (size_t d = 0; d < operand.size(); ++d) {
    for (size_t v = 0; v < result.size() && operand[d] > 1 && along[d] < 0; ++v) {
      const auto keeps = [&](const auto& product) { return product->keeps(d, v); };
      if (result[v] == operand[d] && std::ranges::all_of(products, keeps)) {
        along[d] = static_cast<int64_t>(v);
      }
    }
  }
  if (!are_enough(disjuncts, along, result, operand)) return std::nullopt;
  std::erase_if(products,
                [&](const auto& product) { return !product->begin(along, result, operand); });
  const bool inverse = !disjuncts.empty() && disjuncts[0].is_inverse();
  if (products.empty() || !cover_from_everywhere(products, inverse ? operand : result)) {
    return std::nullopt;
  }
  return along;
}

bool have_all_pairs(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                    const spec::Dims& operand) {
  const auto along = all_pairs_along(disjuncts, result, operand);
  return along && is_any_index(*along);
}

bool keep(const std::vector<Disjunct>& disjuncts, const Along& along, const spec::Dims& result) {
  if (is_any_index(along)) return true;
  const auto products = products_of(disjuncts, result);
  return std::ranges::all_of(products, [&](const auto& product) {
    for (size_t d = 0; d < along.size(); ++d) {
      if (along[d] >= 0 && !product->keeps(d, static_cast<size_t>(along[d]))) return false;
    }
    return true;
  });
}

bool stay_inside(const std::vector<Disjunct>& disjuncts, const spec::Dims& result,
                 const spec::Dims& operand) {
  if (!has_elements(result)) return true;
  const auto products = products_of(disjuncts, result);
  return std::ranges::all_of(
      products, [&](const auto& product) { return product->is_inside(result, operand); });
}

}  // namespace tileproof::verify
