// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/format_suite.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_swizzled.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/layout_function.h"

namespace tileproof::conform {
namespace {

Json offset_of(std::string layout, std::vector<int64_t> index) {
  return json_object(
      {{"op", "layout.offset"}, {"layout", std::move(layout)}, {"index", std::move(index)}});
}

// A layout and an index: bits that move down and up, a start that carries into the swizzled bits,
// bits that are not contiguous, bytes, tiles that do not divide, strides that overlap, scalars.
struct Offset {
  const char* layout;
  std::vector<int64_t> index;
};
std::vector<Offset> offsets() {
  return {
      {"Sw<1,0,1> o 0 o (2,2):(2,1)", {1, 0}},
      {"Sw<1,0,1> o 0 o (2,2):(2,1)", {1, 1}},
      {"Sw<3,3,3> o 0 o (8,64):(64,1)", {5, 9}},
      {"Sw<3,4,3> o 0 o (8,64):(64,1)", {7, 63}},
      {"Sw<2,0,-3> o 0 o (4,8):(8,1)", {0, 3}},
      {"Sw<2,0,-3> o 0 o (4,8):(8,1)", {3, 7}},
      {"Sw<2,0,3> o 5 o (4,8):(8,1)", {1, 2}},
      {"Sw<2,0,3> o 1 o (4,8):(8,1)", {0, 7}},
      {"Sw<2,1,2> o 0 o ((2,4),8):((8,16),1)", {5, 3}},
      {"Sw<0,4,3> o 0 o (4,8):(8,1)", {3, 7}},
      {"Sw<1,0,1> o 0 o 4:1", {2}},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", {1, 0}},
      {"Sw<3,4,3> o smem_ptr[32b](unset) o (8,32):(32,1)", {7, 31}},
      {"Sw<3,4,3> o smem_ptr[4b](unset) o (8,256):(256,1)", {3, 37}},
      {"Sw<2,0,-3> o smem_ptr[16b](unset) o (4,8):(8,1)", {3, 7}},
      {"memref<4x8xf32>", {2, 3}},
      {"memref<4x8xf32, strided<[1, 4]>>", {2, 3}},
      {"memref<4x8xf32, strided<[16, 2], offset: 3>>", {2, 3}},
      {"memref<4x8xf32, strided<[0, 1]>>", {3, 5}},
      {"memref<16x8xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>>", {13, 5}},
      {"memref<3x5xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod "
       "2)>>",
       {2, 4}},
      {"memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, 3>", {1, 2}},
      {"memref<f32>", {}},
      {"dnnl:nChw16c:f32[2,20,5,3]", {1, 17, 4, 2}},
      {"dnnl:BA16a16b:f16[64,96]", {17, 33}},
      {"dnnl:ba:f32[3,5]", {2, 1}},
      {"zN:f16[64,96]", {17, 33}},
      {"nZ:s8[33,65]", {32, 64}},
      {"((16,4),(16,6)):((16,256),(1,1024))", {17, 33}},
      {"f32[3,5]{1,0:T(2,2)}", {2, 3}},
      {"bf16[16,256]{1,0:T(8,128)(2,1)}", {9, 130}},
      {"f32[3,5]{0,1}", {2, 3}},
      // Invalid.
      {"Sw<1,0,1> o 0 o (2,2):(2,1)", {2, 0}},
      {"Sw<1,0,1> o 0 o (2,2):(2,1)", {-1, 0}},
      {"Sw<1,0,1> o 0 o (2,2):(2,1)", {1}},
      {"Sw<2,0,1> o 0 o (2,2):(2,1)", {1, 0}},
      {"Sw<1,-1,1> o 0 o (2,2):(2,1)", {1, 0}},
      {"Sw<1,0,1> o -1 o (2,2):(2,1)", {1, 0}},
      {"Sw<1,1,1> o smem_ptr[32b](unset) o (2,2):(2,1)", {1, 0}},
      {"Sw<1,4,1> o smem_ptr[6b](unset) o (2,2):(2,1)", {1, 0}},
      {"memref<4x8xf32, strided<[16, 2], offset: 3>>", {4, 0}},
      {"memref<4x8xf32, strided<[16]>>", {2, 3}},
      {"memref<?x8xf32>", {2, 3}},
      {"dnnl:nChw16c:f32[2,20,5]", {0, 0, 0}},
      {"zN:f16[64]", {0}},
      {"", {0}},
  };
}

// Both limits leave room for sums of the sizes times the strides.
int64_t magnitude_of(Choose& choose, const Limits& limits) {
  const int64_t bits = std::min<int64_t>(limits.bits.value_or(64), 64);
  return int64_t{1} << choose.between(2, std::clamp<int64_t>(bits / 4, 2, 12));
}

AnyLayout random_layout(Choose& choose, int64_t magnitude) {
  switch (choose(6)) {
    case 0:
    case 1:
      return random_swizzled_layout(choose, magnitude);
    case 2:
    case 3:
      return random_memref(choose, magnitude);
    case 4:
      return random_blocked_shape(choose, magnitude);
    default:
      return random_any_layout(choose, magnitude);
  }
}

}  // namespace

std::vector<Json> format_fixed() {
  std::vector<Json> requests;
  for (const auto& [layout, index] : offsets()) requests.push_back(offset_of(layout, index));
  requests.push_back(json_object({{"op", "layout.offset"}, {"index", Json::Array{1}}}));
  requests.push_back(json_object({{"op", "layout.offset"}, {"layout", "4:1"}}));
  requests.push_back(
      json_object({{"op", "layout.offset"}, {"layout", "4:1"}, {"index", Json("1")}}));
  return requests;
}

Json make_format_request(Choose& choose, const Limits& limits) {
  const AnyLayout layout = random_layout(choose, magnitude_of(choose, limits));
  const auto function = spec::layout_function(layout);
  const bool has_elements =
      function.ok() && std::count(function->dims.begin(), function->dims.end(), 0) == 0;
  if (!has_elements) return offset_of(to_text(layout), {});
  std::vector<int64_t> index;
  for (const int64_t size : function->dims) {
    index.push_back(choose.chance(1, 3) ? size - 1 : choose(size));
  }
  if (!index.empty() && choose.chance(1, 32)) {  // outside
    const auto d = static_cast<size_t>(choose(std::ssize(index)));
    index[d] = choose.chance(1, 2) ? function->dims[d] : -1;
  }
  return offset_of(to_text(layout), std::move(index));
}

}  // namespace tileproof::conform
