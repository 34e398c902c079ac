// SPDX-License-Identifier: Apache-2.0
// The number of elements in a union of images.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "impl/access/image.h"
#include "impl/access/not_counted.h"
#include "impl/map/groups.h"
#include "impl/map/normal_form/linear.h"

namespace tileproof::impl {
namespace {

// Groups of results that share a block: the smallest groups that contain the blocks of all images.
std::vector<std::vector<int32_t>> common_blocks(absl::Span<const Image> images, size_t rank) {
  Groups groups(rank);
  for (const Image& image : images) {
    for (const Image::Block& block : image.blocks) {
      for (const int32_t r : block.results) groups.tie(r, block.results[0]);
    }
  }
  std::map<int64_t, std::vector<int32_t>> blocks;
  for (int32_t r = 0; r < static_cast<int32_t>(rank); ++r) blocks[groups.of(r)].push_back(r);
  std::vector<std::vector<int32_t>> result;
  for (auto& [root, members] : blocks) result.push_back(std::move(members));
  return result;
}

// The numbers of a block as parts of the numbers of a larger block.
std::optional<NumberSet> placed(const Image::Block& block, const std::vector<int32_t>& larger,
                                absl::Span<const int64_t> sizes) {
  std::map<int32_t, int64_t> strides;
  Wide stride = 1;
  for (size_t i = larger.size(); i-- > 0;) {
    strides[larger[i]] = static_cast<int64_t>(stride);
    stride *= std::max<int64_t>(sizes[larger[i]], 1);
    if (stride > INT64_MAX) return std::nullopt;
  }
  if (block.results.size() == 1) return block.numbers.times(strides[block.results[0]]);
  if (block.results == larger) return block.numbers;
  if (block.numbers.size() > kMaxPoints) return std::nullopt;
  std::vector<int64_t> moved;
  for (int64_t number : block.numbers.numbers()) {
    int64_t position = 0;
    for (size_t i = block.results.size(); i-- > 0;) {
      const int32_t result = block.results[i];
      position += number % sizes[result] * strides[result];
      number /= sizes[result];
    }
    moved.push_back(position);
  }
  return NumberSet::of(std::move(moved));
}

std::optional<NumberSet> block_of(const Image& image, const std::vector<int32_t>& results,
                                  absl::Span<const int64_t> sizes) {
  std::vector<NumberSet> parts;
  for (const Image::Block& block : image.blocks) {
    if (!std::ranges::binary_search(results, block.results[0])) continue;
    std::optional<NumberSet> part = placed(block, results, sizes);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  std::ranges::stable_sort(parts, {}, &NumberSet::stride);
  std::optional<NumberSet> all = NumberSet::interval({0, 0});
  for (const NumberSet& part : parts) {
    if (all) all = sum(*all, part);
  }
  return all;
}

// Counts the elements with a given prefix that is in the images of the mask.
class UnionCounter {
 public:
  UnionCounter(std::vector<std::vector<Membership>> blocks, int64_t max_steps)
      : blocks_(std::move(blocks)), known_(blocks_.size()), max_steps_(max_steps) {}

  Wide from(size_t block, uint64_t mask) {
    if (block == blocks_.size()) return 1;
    const auto [known, is_new] = known_[block].try_emplace(mask, 0);
    if (!is_new) return known->second;
    Wide count = 0;
    for (const Membership& members : blocks_[block]) {
      if ((members.sets & mask) == 0) continue;
      ++steps_;
      if (!finished()) break;
      count += members.numbers * from(block + 1, members.sets & mask);
    }
    return known_[block][mask] = count;
  }

  bool finished() const { return steps_ <= max_steps_; }

 private:
  std::vector<std::vector<Membership>> blocks_;
  std::vector<absl::flat_hash_map<uint64_t, Wide>> known_;
  int64_t max_steps_;
  int64_t steps_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> union_size(absl::Span<const Image> images, absl::Span<const int64_t> sizes,
                                   int64_t max_steps) {
  std::vector<Image> distinct;
  for (const Image& image : images) {
    if (!image.empty && std::ranges::find(distinct, image) == distinct.end())
      distinct.push_back(image);
  }
  if (distinct.empty()) return 0;
  if (distinct.size() > kMaxImages) return not_counted("a union of many maps");
  std::vector<std::vector<Membership>> blocks;
  for (const std::vector<int32_t>& results : common_blocks(distinct, sizes.size())) {
    std::vector<NumberSet> sets;
    for (const Image& image : distinct) {
      std::optional<NumberSet> set = block_of(image, results, sizes);
      if (!set) return not_counted("the elements lie in too many pieces");
      sets.push_back(*std::move(set));
    }
    auto members = memberships(sets);
    if (!members) return not_counted("the elements lie in too many pieces");
    blocks.push_back(*std::move(members));
  }
  UnionCounter counter(std::move(blocks), max_steps);
  const Wide count = counter.from(0, ~uint64_t{0});
  if (!counter.finished() || count > INT64_MAX) return not_counted("a union of many maps");
  return static_cast<int64_t>(count);
}

}  // namespace tileproof::impl
