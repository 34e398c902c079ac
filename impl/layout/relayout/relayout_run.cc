// SPDX-License-Identifier: Apache-2.0
// Runs a plan.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

#include "absl/container/inlined_vector.h"
#include "impl/layout/relayout/copy_kernels.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/base/odometer.h"

namespace tileproof::impl {
namespace {

// Larger destinations do not fit the cache: they are written past it.
constexpr int64_t kStreamedBytes = int64_t{1} << 22;

int64_t packed_bytes(int64_t elements, int bits) {
  return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

// The swizzle moves `count` groups, each of so many bytes that the compiler knows.
template <size_t kBytes>
void swizzle_groups(const SwizzleWords& words, int64_t group, int64_t count, const char* from,
                    char* to) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t place = swizzled_word(words, i * group) / group;
    if (place >= count) continue;  // no element is there, nor here
    std::memcpy(to + static_cast<size_t>(place) * kBytes, from + static_cast<size_t>(i) * kBytes,
                kBytes);
  }
}

// Moves each element to its place by the swizzle, or back, which is the same. Elements whose
// positions differ in the low bits alone, which the swizzle neither reads nor changes, go together.
void swizzle_memory(const SwizzleWords& words, int64_t elements, int64_t bytes, const char* from,
                    char* to) {
  const auto mask = static_cast<uint64_t>(words.mask);
  const uint64_t bits = mask << words.left | mask << words.right;  // changed, or read
  const int64_t most = std::max<int64_t>(64 / bytes, 1);
  const int64_t group = std::min(int64_t{1} << std::countr_zero(bits), most);
  const int64_t count = elements / group, whole = count * group;
  // Memory of no whole groups ends below all bits that the swizzle reads.
  std::memcpy(to + whole * bytes, from + whole * bytes,
              static_cast<size_t>((elements - whole) * bytes));
  switch (group * bytes) {
    case 1:
      return swizzle_groups<1>(words, group, count, from, to);
    case 2:
      return swizzle_groups<2>(words, group, count, from, to);
    case 4:
      return swizzle_groups<4>(words, group, count, from, to);
    case 8:
      return swizzle_groups<8>(words, group, count, from, to);
    case 16:
      return swizzle_groups<16>(words, group, count, from, to);
    case 32:
      return swizzle_groups<32>(words, group, count, from, to);
    default:
      return swizzle_groups<64>(words, group, count, from, to);
  }
}

}  // namespace

// Walks the loops. An interval bounds what is left of the index of an inexact dimension.
class RelayoutPlan::Run {
 public:
  Run(const RelayoutPlan& plan, int64_t element_bytes, bool streams)
      : plan_(plan),
        bytes_(element_bytes),
        streams_(streams),
        outer_(plan.loops_.size() - plan.inner_),
        left_(plan.box_.begin(), plan.box_.end()),
        copy_(copy_kernels_of(static_cast<size_t>(element_bytes))) {
    find_whole_runs();
  }

  // Part `part` of `parts` of the outermost loop.
  void run(const char* source, char* destination, int64_t part, int64_t parts) {
    if (outer_ == 0) {
      if (part == 0) copy_kernel(source, destination);
      return;
    }
    const RelayoutLoop& loop = plan_.loops_[0];
    const auto [first, end] = range(loop);
    const int64_t count = end - first;
    walk(0, source, destination, first + count * part / parts, first + count * (part + 1) / parts);
  }

 private:
  struct Range {
    int64_t first, end;
  };

  // The last outer loops around a run, as far as nothing in them depends on what is left of an index.
  void find_whole_runs() {
    const std::vector<RelayoutLoop>& loops = plan_.loops_;
    const auto is_exact = [&](size_t i) { return plan_.is_exact_[loops[i].dimension]; };
    whole_ = outer_;
    if (plan_.kernel_ != Kernel::kRun || !is_exact(outer_)) return;
    while (whole_ > 0 && is_exact(whole_ - 1)) --whole_;
    for (size_t i = whole_; i < outer_; ++i) {
      whole_loops_.push_back(
          {loops[i].size, loops[i].source_stride * bytes_, loops[i].destination_stride * bytes_});
    }
    for (size_t i = outer_; i < loops.size(); ++i) run_bytes_ *= loops[i].size;
  }

  void copy_whole_runs(const char* source, char* destination, int64_t first, int64_t end) {
    RunLoop& loop = whole_loops_[0];
    loop.count = end - first;
    copy_runs(whole_loops_, source + first * loop.source_stride,
              destination + first * loop.destination_stride, static_cast<size_t>(run_bytes_),
              streams_);
  }

  // The values of a loop's counter. What is left is never empty: outer counters are within its bounds.
  Range range(const RelayoutLoop& loop) const {
    if (plan_.is_exact_[loop.dimension]) return {0, loop.size};
    const Interval left = left_[loop.dimension];
    if (loop.weight == 1) return {left.low, left.high};  // speed only
    return {left.low / loop.weight, (left.high - 1) / loop.weight + 1};
  }

  void walk(size_t level, const char* source, char* destination, int64_t first, int64_t end) {
    if (level == whole_) return copy_whole_runs(source, destination, first, end);
    const RelayoutLoop& loop = plan_.loops_[level];
    const bool is_exact = plan_.is_exact_[loop.dimension];
    Interval& left = left_[loop.dimension];
    const Interval before = left;
    for (int64_t k = first; k < end; ++k) {
      if (!is_exact) {
        left.low = std::max<int64_t>(before.low - k * loop.weight, 0);
        left.high = std::min(before.high - k * loop.weight, loop.weight);
      }
      const char* from = source + k * loop.source_stride * bytes_;
      char* to = destination + k * loop.destination_stride * bytes_;
      if (level + 1 == outer_) {
        copy_kernel(from, to);
      } else {
        const auto [inner_first, inner_end] = range(plan_.loops_[level + 1]);
        walk(level + 1, from, to, inner_first, inner_end);
      }
    }
    left = before;
  }

  void copy_kernel(const char* source, char* destination) {
    const std::vector<RelayoutLoop>& loops = plan_.loops_;
    if (outer_ == loops.size()) {  // one element
      copy_.strided(1, 0, 0, source, destination);
      return;
    }
    const auto [first, end] = range(loops[outer_]);
    const int64_t count = end - first;
    if (count <= 0) return;
    source += first * loops[outer_].source_stride * bytes_;
    destination += first * loops[outer_].destination_stride * bytes_;
    if (plan_.kernel_ == Kernel::kRun) {
      int64_t length = count;  // of an exact dimension if there are several loops
      for (size_t i = outer_ + 1; i < loops.size(); ++i) length *= loops[i].size;
      copy_run(source, destination, static_cast<size_t>(length * bytes_), streams_);
    } else if (plan_.kernel_ == Kernel::kMatrix) {
      copy_matrix(count, source, destination);
    } else {
      copy_.strided(count, loops[outer_].source_stride, loops[outer_].destination_stride, source,
                    destination);
    }
  }

  void copy_matrix(int64_t a_count, const char* source, char* destination) {
    const RelayoutLoop &a = plan_.loops_[outer_], &b = plan_.loops_[outer_ + 1];
    const auto [first, end] = range(b);
    if (first >= end) return;
    copy_.matrix({.a = a_count,
                  .b = end - first,
                  .source_stride = a.source_stride,
                  .destination_stride = b.destination_stride},
                 source + first * b.source_stride * bytes_,
                 destination + first * b.destination_stride * bytes_, streams_);
  }

  const RelayoutPlan& plan_;
  int64_t bytes_;
  bool streams_;
  size_t outer_;
  absl::InlinedVector<Interval, 8> left_;
  size_t whole_ = 0;  // from this level on, all loops are whole_loops_ around runs of run_bytes_
  absl::InlinedVector<RunLoop, 8> whole_loops_;
  int64_t run_bytes_ = bytes_;
  CopyKernels copy_;
};

int64_t RelayoutPlan::source_bytes() const {
  return options_.element_bits >= 8  ? source_elements_ * (options_.element_bits / 8)
         : options_.source_is_packed ? packed_bytes(source_elements_, options_.element_bits)
                                     : source_elements_;
}

int64_t RelayoutPlan::destination_bytes() const {
  return options_.element_bits >= 8 ? destination_elements_ * (options_.element_bits / 8)
         : options_.destination_is_packed
             ? packed_bytes(destination_elements_, options_.element_bits)
             : destination_elements_;
}

void RelayoutPlan::run(const void* source, void* destination) const {
  const char* from = static_cast<const char*>(source);
  char* to = static_cast<char*>(destination);
  // Packed elements are copied as bytes.
  const int bits = options_.element_bits;
  std::vector<uint8_t> unpacked_source, unpacked_destination;
  const absl::Span<uint8_t> packed(reinterpret_cast<uint8_t*>(to),
                                   static_cast<size_t>(destination_bytes()));
  if (options_.source_is_packed) {
    unpacked_source.resize(static_cast<size_t>(source_elements_));
    unpack_bits(absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(from),
                                    static_cast<size_t>(source_bytes())),
                bits, false, absl::MakeSpan(unpacked_source));
    from = reinterpret_cast<const char*>(unpacked_source.data());
  }
  if (options_.destination_is_packed) {
    unpacked_destination.resize(static_cast<size_t>(destination_elements_));
    unpack_bits(packed, bits, false, absl::MakeSpan(unpacked_destination));
    to = reinterpret_cast<char*>(unpacked_destination.data());
  }
  write_padding(to);
  if (!is_empty_) copy_bytes(from, to);
  if (options_.destination_is_packed) pack_bits(unpacked_destination, bits, packed);
}

void RelayoutPlan::write_padding(char* destination) const {
  const int64_t bytes = std::max(options_.element_bits / 8, 1);
  const int64_t size = destination_elements_ * bytes;
  if (!fills()) return;
  if (options_.padding == RelayoutOptions::Padding::kZero) {
    std::memset(destination, 0, static_cast<size_t>(size));
    return;
  }
  for (int64_t i = 0; i < size; i += bytes)
    std::memcpy(destination + i, options_.fill.data(), static_cast<size_t>(bytes));
}

void RelayoutPlan::copy_bytes(const char* source, char* destination) const {
  if (plain_ != nullptr && copy_without_swizzles(source, destination)) return;
  if (kernel_ == Kernel::kElements) return copy_elements(source, destination);
  const int64_t bytes = std::max(options_.element_bits / 8, 1);
  source += source_start_ * bytes;
  destination += destination_start_ * bytes;
  const int64_t parts = options_.threads;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(parts));
  for (int64_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back([=, this] { copy_part(source, destination, part, parts); });
    } catch (const std::system_error&) {  // the system starts no more threads
      copy_part(source, destination, part, parts);
    }
  }
  copy_part(source, destination, 0, parts);
  for (std::thread& thread : threads) thread.join();
}

void RelayoutPlan::copy_part(const char* source, char* destination, int64_t part,
                             int64_t parts) const {
  const int64_t bytes = std::max(options_.element_bits / 8, 1);
  const bool streams = destination_elements_ * bytes >= kStreamedBytes;  // speed only
  Run(*this, bytes, streams).run(source, destination, part, parts);
  if (streams) finish_streams();
}

// Returns false if there is no memory for the arrays without swizzles.
bool RelayoutPlan::copy_without_swizzles(const char* source, char* destination) const {
  const int64_t bytes = std::max(options_.element_bits / 8, 1);
  const auto memory = [bytes](int64_t elements) {
    return std::unique_ptr<char[]>(new (std::nothrow) char[static_cast<size_t>(elements * bytes)]);
  };
  std::unique_ptr<char[]> from, to;
  if (from_->words.mask != 0) {
    from = memory(source_elements_);
    if (from == nullptr) return false;
    swizzle_memory(from_->words, source_elements_, bytes, source, from.get());
    source = from.get();
  }
  if (to_->words.mask == 0) {
    plain_->run(source, destination);
    return true;
  }
  to = memory(destination_elements_);
  if (to == nullptr) return false;
  // Positions without an element keep what the destination has there.
  if (has_padding_) swizzle_memory(to_->words, destination_elements_, bytes, destination, to.get());
  plain_->run(source, to.get());
  swizzle_memory(to_->words, destination_elements_, bytes, to.get(), destination);
  return true;
}

void RelayoutPlan::copy_elements(const char* source, char* destination) const {
  const int64_t bytes = std::max(options_.element_bits / 8, 1);
  const CopyStrided copy = copy_kernels_of(static_cast<size_t>(bytes)).strided;
  const std::vector<tileproof::Interval> box = bounds();
  std::vector<int64_t> index;
  for (const tileproof::Interval& interval : box) index.push_back(interval.low);
  do {
    copy(1, 0, 0, source + offset_at(*from_, index) * bytes,
         destination + offset_at(*to_, index) * bytes);
  } while (next_point(box, index));
}

}  // namespace tileproof::impl
