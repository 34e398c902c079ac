// SPDX-License-Identifier: Apache-2.0
#include "python/native/tiled_copy.h"

#include <algorithm>
#include <cstring>

#include "absl/types/span.h"
#include "spec/lang/base/try.h"

namespace tileproof::python {
namespace {

// The offsets of so many elements are computed at once, so that they stay in the cache.
constexpr int64_t kChunk = 4096;

template <size_t kBytes>
void copy_row(bool to_memory, char* row, int64_t stride, char* memory,
              absl::Span<const int64_t> offsets) {
  for (const int64_t offset : offsets) {
    char* place = memory + offset * static_cast<int64_t>(kBytes);
    if (to_memory) {
      std::memcpy(place, row, kBytes);
    } else {
      std::memcpy(row, place, kBytes);
    }
    row += stride;
  }
}

using CopyRow = void (*)(bool, char*, int64_t, char*, absl::Span<const int64_t>);

CopyRow copy_row_of(size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return copy_row<1>;
    case 2:
      return copy_row<2>;
    case 4:
      return copy_row<4>;
    case 8:
      return copy_row<8>;
    default:
      return copy_row<16>;
  }
}

// Calls visit(begin, sizes, offsets) for boxes that cut the array into parts of about kChunk
// elements, each a run of whole rows or a part of one row.
template <class Visit>
absl::Status for_each_box(const CompiledLayout& layout, Visit visit) {
  const std::vector<int64_t>& dims = layout.dims();
  for (const int64_t d : dims) {
    if (d == 0) return absl::OkStatus();
  }
  std::vector<int64_t> begin(dims.size(), 0), sizes = dims, offsets;
  // The box is whole in the most minor dimensions, one index wide in the most major ones, and a
  // part of dimension `cut` between them.
  int64_t inner = 1;
  size_t cut = dims.size();
  while (cut > 0 && inner * dims[cut - 1] <= kChunk) inner *= dims[--cut];
  if (cut > 0) --cut;
  for (size_t d = 0; d < cut; ++d) sizes[d] = 1;
  const int64_t part = dims.empty() ? 1 : std::max<int64_t>(1, std::min(dims[cut], kChunk / inner));
  for (;;) {
    int64_t count = 1;
    if (!dims.empty()) sizes[cut] = std::min(part, dims[cut] - begin[cut]);
    for (const int64_t n : sizes) count *= n;
    offsets.resize(static_cast<size_t>(count));
    TRY(layout.offsets(begin, sizes, absl::MakeSpan(offsets)));
    visit(begin, sizes, offsets);
    if (dims.empty()) return absl::OkStatus();
    size_t d = cut;
    for (begin[d] += sizes[d]; begin[d] == dims[d]; ++begin[d]) {
      begin[d] = 0;
      if (d-- == 0) return absl::OkStatus();
    }
  }
}

absl::Status copy(bool to_memory, const CompiledLayout& layout, const StridedArray& array,
                  char* memory) {
  const CopyRow copy_elements = copy_row_of(array.element_bytes);
  const size_t rank = layout.dims().size();
  return for_each_box(
      layout, [&](const std::vector<int64_t>& begin, const std::vector<int64_t>& sizes,
                  absl::Span<const int64_t> offsets) {
        const size_t row = rank == 0 ? 1 : static_cast<size_t>(sizes[rank - 1]);
        const int64_t stride = rank == 0 ? 0 : array.strides[rank - 1];
        std::vector<int64_t> index = begin;
        for (size_t done = 0; done < offsets.size(); done += row) {
          char* data = array.data;
          for (size_t d = 0; d < rank; ++d) data += index[d] * array.strides[d];
          copy_elements(to_memory, data, stride, memory, offsets.subspan(done, row));
          for (size_t d = rank == 0 ? 0 : rank - 1; d-- > 0;) {  // the next row of the box
            if (++index[d] < begin[d] + sizes[d]) break;
            index[d] = begin[d];
          }
        }
      });
}

}  // namespace

absl::Status tile(const CompiledLayout& layout, const StridedArray& array, char* memory) {
  return copy(true, layout, array, memory);
}

absl::Status untile(const CompiledLayout& layout, const StridedArray& array, const char* memory) {
  return copy(false, layout, array, const_cast<char*>(memory));
}

}  // namespace tileproof::python
