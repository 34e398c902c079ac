// SPDX-License-Identifier: Apache-2.0
#include "impl/layout/relayout/copy_kernels.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tileproof::impl {
namespace {

// A part of a matrix is transposed into this many bytes, then copied to its rows.
struct Buffer {
  alignas(64) std::array<char, size_t{1} << 14> bytes;
};

struct Bytes16 {
  uint64_t low, high;
};

template <class T>
T load(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}
template <class T>
void store(char* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

// ---- Shuffles in registers ----

// A register of 16 bytes.
template <class T>
struct Register {
  typedef T type __attribute__((vector_size(16)));
  static constexpr size_t kLanes = 16 / sizeof(T);
};

// Lane i of a0 b0 a1 b1 .., the interleaved lower (or upper) halves of two registers a and b of n
// lanes: as a lane of both, one after the other.
template <size_t n, bool kUpper, size_t i>
constexpr int kInterleavedLane = static_cast<int>(i / 2 + i % 2 * n + kUpper * (n / 2));

template <class T, bool kUpper, size_t... kLane>
typename Register<T>::type interleaved(typename Register<T>::type a, typename Register<T>::type b,
                                       std::index_sequence<kLane...>) {
  return __builtin_shufflevector(a, b, kInterleavedLane<sizeof...(kLane), kUpper, kLane>...);
}

// The elements of k registers, one after the other, have numbers of log2(k * lanes) bits. A round
// rotates these bits by one: it interleaves the first half of all elements with the second. So with
// n lanes
//
//     log2(k) rounds interleave k rows          row-major [k][n] -> [n][k]
//     log2(n) rounds are the inverse            [n][k] -> [k][n]; a transpose if k = n
template <class T, size_t k>
using Registers = std::array<typename Register<T>::type, k>;

template <class T, size_t k, size_t kRounds>
void shuffle(Registers<T, k>& rows) {
  constexpr auto lanes = std::make_index_sequence<Register<T>::kLanes>();
  for (size_t round = 1; round < kRounds; round *= 2) {
    Registers<T, k> next;
    for (size_t i = 0; i < k / 2; ++i) {
      next[2 * i] = interleaved<T, false>(rows[i], rows[i + k / 2], lanes);
      next[2 * i + 1] = interleaved<T, true>(rows[i], rows[i + k / 2], lanes);
    }
    rows = next;
  }
}

// Stores 16 bytes, past the cache if the place is aligned.
template <class Vector>
void stream(char* place, Vector value) {
#ifdef __SSE2__
  _mm_stream_si128(reinterpret_cast<__m128i*>(place),
                   load<__m128i>(reinterpret_cast<char*>(&value)));
#else
  store(place, value);
#endif
}

// Loads k registers, shuffles them, and stores them.
template <class T, size_t k, size_t kRounds, bool kStreams>
void move_registers(const char* source, int64_t source_stride, char* destination,
                    int64_t destination_stride) {
  Registers<T, k> rows;
  for (size_t i = 0; i < k; ++i) {
    rows[i] = load<typename Register<T>::type>(source + static_cast<int64_t>(i) * source_stride);
  }
  shuffle<T, k, kRounds>(rows);
  for (size_t i = 0; i < k; ++i) {
    char* place = destination + static_cast<int64_t>(i) * destination_stride;
    if constexpr (kStreams) {
      stream(place, rows[i]);
    } else {
      store(place, rows[i]);
    }
  }
}

template <class T>
void transpose_elements(int64_t a, int64_t b, const char* source, int64_t source_stride,
                        char* destination, int64_t destination_stride) {
  for (int64_t j = 0; j < b; ++j) {
    for (int64_t i = 0; i < a; ++i) {
      store(destination + j * destination_stride + i * static_cast<int64_t>(sizeof(T)),
            load<T>(source + i * source_stride + j * static_cast<int64_t>(sizeof(T))));
    }
  }
}

// Strides in bytes from here on.
template <class T>
void transpose_block(int64_t a, int64_t b, const char* source, int64_t source_stride,
                     char* destination, int64_t destination_stride) {
  constexpr int64_t width = sizeof(T), n = 16 / width;
  int64_t whole_a = 0, whole_b = 0;
  if constexpr (n > 1) {
    whole_a = a / n * n;
    whole_b = b / n * n;
    for (int64_t i = 0; i < whole_a; i += n) {
      for (int64_t j = 0; j < whole_b; j += n) {
        move_registers<T, n, n, false>(source + i * source_stride + j * width, source_stride,
                                       destination + j * destination_stride + i * width,
                                       destination_stride);
      }
    }
  }
  transpose_elements<T>(a - whole_a, b, source + whole_a * source_stride, source_stride,
                        destination + whole_a * width, destination_stride);
  transpose_elements<T>(whole_a, b - whole_b, source + whole_b * width, source_stride,
                        destination + whole_b * destination_stride, destination_stride);
}

// ---- Few columns or few rows ----

// Asks for a line of the source ahead of time, into the second cache.
void prefetch([[maybe_unused]] const char* place) {
#ifdef __SSE2__
  _mm_prefetch(place, _MM_HINT_T1);
#endif
}

void prefetch_lines(const char* first, int64_t count, int64_t stride) {
  for (int64_t i = 0; i < count; ++i) prefetch(first + i * stride);  // speed only
}

bool is_aligned(const char* place, int64_t stride) {
  return (reinterpret_cast<uintptr_t>(place) | static_cast<uintptr_t>(stride)) % 16 == 0;
}

// destination[b][0..kA) = source[0..kA)[b]: kA rows become one.
template <class T, size_t kA, bool kStreams>
void zip(int64_t b, const char* source, int64_t source_stride, char* destination) {
  constexpr int64_t width = sizeof(T), n = 16 / width;
  int64_t j = 0;
  for (; j + n <= b; j += n) {
    if (kStreams && j * width % 64 == 0) {            // speed only
      const char* ahead = source + j * width + 1024;  // speed only
      prefetch_lines(ahead, static_cast<int64_t>(kA), source_stride);
    }
    move_registers<T, kA, kA, kStreams>(source + j * width, source_stride,
                                        destination + j * static_cast<int64_t>(kA) * width, 16);
  }
  transpose_elements<T>(kA, b - j, source + j * width, source_stride,
                        destination + j * static_cast<int64_t>(kA) * width,
                        static_cast<int64_t>(kA) * width);
}

// destination[0..kB)[a] = source[a][0..kB): one row becomes kB.
template <class T, size_t kB, bool kStreams>
void unzip(int64_t a, const char* source, char* destination, int64_t destination_stride) {
  constexpr int64_t width = sizeof(T), n = 16 / width;
  int64_t i = 0;
  for (; i + n <= a; i += n) {
    move_registers<T, kB, static_cast<size_t>(n), kStreams>(
        source + i * static_cast<int64_t>(kB) * width, 16, destination + i * width,
        destination_stride);
  }
  transpose_elements<T>(
      a - i, static_cast<int64_t>(kB), source + i * static_cast<int64_t>(kB) * width,
      static_cast<int64_t>(kB) * width, destination + i * width, destination_stride);
}

// ---- Any matrix ----

// A part of a matrix that fits the buffer.
template <class T>
void transpose_part(const MatrixCopy& copy, int64_t a, int64_t b, const char* source,
                    char* destination, bool streams) {
  constexpr int64_t width = sizeof(T);
  const int64_t source_stride = copy.source_stride * width;
  const int64_t destination_stride = copy.destination_stride * width;
  if (a * width < 64 || destination_stride < 1024) {  // speed only
    return transpose_block<T>(a, b, source, source_stride, destination, destination_stride);
  }
  Buffer buffer;
  transpose_block<T>(a, b, source, source_stride, buffer.bytes.data(), a * width);
  for (int64_t row = 0; row < b; ++row) {
    copy_run(buffer.bytes.data() + row * a * width, destination + row * destination_stride,
             static_cast<size_t>(a * width), streams);
  }
}

// Parts of 128 columns and a cache line of each. 256 rows at a time touch few enough pages for the
// table of recent addresses.
template <class T>
void transpose_in_parts(const MatrixCopy& copy, const char* source, char* destination,
                        bool streams) {
  constexpr int64_t width = sizeof(T), part = 128, large = 256, line = 64;
  const int64_t source_stride = copy.source_stride * width;
  for (int64_t large_j = 0; large_j < copy.b; large_j += large) {
    const int64_t end_j = std::min(large_j + large, copy.b);
    for (int64_t i = 0; i < copy.a; i += part) {
      const int64_t a = std::min(part, copy.a - i);
      for (int64_t j = large_j; j < end_j; j += line / width) {
        const int64_t b = std::min(line / width, end_j - j);
        const char* from = source + i * source_stride + j * width;
        if (streams && j + 2 * b < end_j)                     // speed only
          prefetch_lines(from + 2 * line, a, source_stride);  // speed only
        transpose_part<T>(copy, a, b, from, destination + (j * copy.destination_stride + i) * width,
                          streams);
      }
    }
  }
}

// Interleaves a few rows, or takes a few interleaved rows apart. False if the matrix is another one.
template <class T, size_t kFew>
bool copy_few(const MatrixCopy& copy, const char* source, char* destination, bool streams) {
  constexpr int64_t few = kFew, width = sizeof(T);
  if (copy.a == few && copy.destination_stride == few) {
    const auto work =
        streams && is_aligned(destination, 0) ? zip<T, kFew, true> : zip<T, kFew, false>;
    work(copy.b, source, copy.source_stride * width, destination);
    return true;
  }
  if (copy.b == few && copy.source_stride == few) {
    const int64_t stride = copy.destination_stride * width;
    const auto work =
        streams && is_aligned(destination, stride) ? unzip<T, kFew, true> : unzip<T, kFew, false>;
    work(copy.a, source, destination, stride);
    return true;
  }
  return false;
}

template <class T>
void copy_matrix(const MatrixCopy& copy, const char* source, char* destination, bool streams) {
  if constexpr (sizeof(T) < 16) {
    if (copy_few<T, 2>(copy, source, destination, streams)) return;
    if (copy_few<T, 4>(copy, source, destination, streams)) return;
  }
  transpose_in_parts<T>(copy, source, destination, streams);
}

template <class T>
void copy_strided(int64_t count, int64_t source_stride, int64_t destination_stride,
                  const char* source, char* destination) {
  for (int64_t i = 0; i < count; ++i) {
    store(destination + i * destination_stride * static_cast<int64_t>(sizeof(T)),
          load<T>(source + i * source_stride * static_cast<int64_t>(sizeof(T))));
  }
}

}  // namespace

void copy_run(const char* source, char* destination, size_t bytes, bool streams) {
#ifdef __SSE2__
  if (streams && bytes >= 64) {
    const size_t head = -reinterpret_cast<uintptr_t>(destination) % 16;
    std::memcpy(destination, source, head);
    const size_t end = head + (bytes - head) / 16 * 16;
    for (size_t i = head; i < end; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(destination + i), load<__m128i>(source + i));
    }
    std::memcpy(destination + end, source + end, bytes - end);
    return;
  }
#endif
  std::memcpy(destination, source, bytes);
}

namespace {

// ---- Loops around runs ----

// Longer runs are left to memcpy, which knows the processor.
constexpr size_t kShortRun = 2048;

// A run of so many bytes.
template <size_t kBytes>
struct FixedRun {
  void operator()(const char* source, char* destination) const {
    std::memcpy(destination, source, kBytes);
  }
};

// A run of at least 16 bytes. The last 16 may overlap those before.
struct ShortRun {
  size_t bytes;

  void operator()(const char* source, char* destination) const {
    constexpr FixedRun<16> copy;
    size_t i = 0;
    for (; i + 64 <= bytes; i += 64) FixedRun<64>()(source + i, destination + i);
    for (; i + 16 <= bytes; i += 16) copy(source + i, destination + i);
    if (i < bytes) copy(source + bytes - 16, destination + bytes - 16);
  }
};

struct AnyRun {
  size_t bytes;
  bool streams;

  void operator()(const char* source, char* destination) const {
    copy_run(source, destination, bytes, streams);
  }
};

template <class Copy>
void for_each_run(absl::Span<const RunLoop> loops, const char* source, char* destination,
                  const Copy& copy) {
  if (loops.empty()) return copy(source, destination);
  const auto [count, source_stride, destination_stride] = loops[0];
  if (loops.size() == 1) {
    for (int64_t k = 0; k < count; ++k)
      copy(source + k * source_stride, destination + k * destination_stride);
    return;
  }
  for (int64_t k = 0; k < count; ++k) {
    for_each_run(loops.subspan(1), source + k * source_stride, destination + k * destination_stride,
                 copy);
  }
}

}  // namespace

void copy_runs(absl::Span<const RunLoop> loops, const char* source, char* destination, size_t bytes,
               bool streams) {
  const auto each = [&](const auto& copy) { for_each_run(loops, source, destination, copy); };
  switch (bytes) {
    case 1:
      return each(FixedRun<1>());
    case 2:
      return each(FixedRun<2>());
    case 4:
      return each(FixedRun<4>());
    case 8:
      return each(FixedRun<8>());
    case 16:
      return each(FixedRun<16>());
    case 32:
      return each(FixedRun<32>());
    default:
      break;
  }
  const bool is_short = bytes >= 16 && bytes <= kShortRun && !streams;
  return is_short ? each(ShortRun{bytes}) : each(AnyRun{bytes, streams});
}

void finish_streams() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

CopyKernels copy_kernels_of(size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return {copy_matrix<uint8_t>, copy_strided<uint8_t>};
    case 2:
      return {copy_matrix<uint16_t>, copy_strided<uint16_t>};
    case 4:
      return {copy_matrix<uint32_t>, copy_strided<uint32_t>};
    case 8:
      return {copy_matrix<uint64_t>, copy_strided<uint64_t>};
    default:
      return {copy_matrix<Bytes16>, copy_strided<Bytes16>};
  }
}

}  // namespace tileproof::impl

namespace tileproof::impl {

void pack_bits(absl::Span<const uint8_t> elements, int bits, absl::Span<uint8_t> packed) {
  const size_t per_byte = static_cast<size_t>(8 / bits);
  const unsigned mask = (1U << bits) - 1;
  std::fill(packed.begin(), packed.end(), uint8_t{0});
  for (size_t i = 0; i < elements.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits);
    packed[i / per_byte] =
        static_cast<uint8_t>(packed[i / per_byte] | (elements[i] & mask) << shift);
  }
}

void unpack_bits(absl::Span<const uint8_t> packed, int bits, bool is_signed,
                 absl::Span<uint8_t> elements) {
  const size_t per_byte = static_cast<size_t>(8 / bits);
  const unsigned mask = (1U << bits) - 1, sign = 1U << (bits - 1);
  for (size_t i = 0; i < elements.size(); ++i) {
    const unsigned shift = static_cast<unsigned>(i % per_byte) * static_cast<unsigned>(bits);
    const unsigned value = packed[i / per_byte] >> shift & mask;
    elements[i] = static_cast<uint8_t>(is_signed && (value & sign) != 0 ? value | ~mask : value);
  }
}

}  // namespace tileproof::impl
