// SPDX-License-Identifier: Apache-2.0
#include "conform/suites/layout_suites.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/layout_ops.h"
#include "conform/protocol/big_uint.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

constexpr int64_t kMaxListed = limits::kListed.most;

// Moves the members in one by one, because an initializer list would copy them.
Json request_about(absl::string_view op, absl::string_view shape) {
  Json::Object members;
  members.reserve(3);
  members.push_back({"op", op});
  members.push_back({"shape", shape});
  return members;
}

Json physical(absl::string_view shape) { return request_about("layout.physical", shape); }

Json linearize(absl::string_view shape, absl::string_view key, Json value) {
  Json request = request_about("layout.linearize", shape);
  set(request, key, std::move(value));
  return request;
}

Json delinearize(absl::string_view shape, absl::string_view key, Json value) {
  Json request = request_about("layout.delinearize", shape);
  set(request, key, std::move(value));
  return request;
}

// The first kMaxListed indices of an array, in row-major order.
Json::Array first_indices(const Index& dims) {
  Json::Array result;
  int64_t count = 1;
  for (int64_t size : dims) {
    count = size == 0 ? 0 : std::min(kMaxListed, count * std::min(size, kMaxListed));
  }
  Index index(dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    result.push_back(index);
    next_index(dims, index);
  }
  return result;
}

Json::Array first_offsets(int64_t elements) {
  Json::Array result;
  for (int64_t offset = 0; offset < std::min(elements, kMaxListed); ++offset) {
    result.push_back(offset);
  }
  return result;
}

Index last_index(const Index& dims) {
  Index last;
  for (int64_t size : dims) last.push_back(size - 1);
  return last;
}

bool has_elements(const Index& dims) {
  return std::find(dims.begin(), dims.end(), 0) == dims.end();
}

// All questions about one shape: its sizes, and its first and last indices and offsets.
void append_all(const std::string& shape, std::vector<Json>& requests) {
  requests.push_back(physical(shape));
  const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(shape);
  if (!layout.ok()) return;
  const Index& dims = layout->logical();
  if (has_elements(dims)) {
    requests.push_back(linearize(shape, "index", last_index(dims)));
    requests.push_back(linearize(shape, "indices", first_indices(dims)));
  }
  if (layout->elements() > 0) {
    requests.push_back(delinearize(shape, "offset", layout->elements() - 1));
    requests.push_back(delinearize(shape, "offsets", first_offsets(layout->elements())));
  }
}

// Shapes of the documentation and of real programs, scalars, empty arrays, tails, all kinds of
// combined dimensions, and the largest sizes.
constexpr absl::string_view kShapes[] = {
    "f32[3,5]{1,0:T(2,2)}",
    "bf16[4,8]{1,0:T(2,4)(2,1)}",
    "f32[2,3]{0,1}",
    "f32[2,3]{1,0}",
    "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}",
    "f32[7,130]{1,0:T(8,128)}",
    "bf16[7,130]{1,0:T(8,128)(2,1)}",
    "s8[33,130]{1,0:T(8,128)(4,1)}",
    "bf16[1000]{0:T(1024)(128)(2,1)}",
    "s4[70,130]{1,0:T(64,128)(8,1)E(4)}",
    "u32[]{:T(128)}",
    "bf16[]{:T(512)(2,1)}",
    "f32[]",
    "pred[5]{0}",
    "f32[5]{0:T(8,128)}",
    "f32[0]{0}",
    "f32[0,64]{1,0:T(8,128)}",
    "f32[64,0]{1,0:T(8,128)}",
    "f32[1,1,1]{0,1,2}",
    "f32[2,3,4]{0,2,1:T(3,2)}",
    "f32[4,6]{1,0:T(*,8)}",
    "f32[2,16]{1,0:T(2,4)(*,3,2)}",
    "f32[5,7]{1,0:T(4,4)(3)}",
    "f32[5,7]{0,1:T(2,3)(3,2)}",
    "f32[10]{0:L(16)}",
    "f32[3,5]{1,0:T(2,2)L(5)}",
    "f32[<=6,5]{1,0:T(4,4)}",
    "s1[17]{0:E(1)}",
    "s4[3,5]{1,0}",
    "s4[3,5]{1,0:E(4)}",
    "u4[7]{0:T(4)L(3)}",
    "f32[3]{0:E(65537)}",
    "pred[3,5]{1,0:T(2,2)E(32)S(1)SC(1:2)M(64)}",
    "c128[3]{0}",
    "f8e4m3fn[9,9]{1,0:T(8,8)(4,1)}",
    "s32[8388608,8,4]{2,1,0:T(8,128)}",
    "s8[4611686018427387904]{0}",
    "s8[9223372036854775807]{0}",
    "s8[9223372036854775807]{0:T(2)}",
    "s8[4611686018427387905]{0:L(4611686018427387904)}",
    "f32[0,4611686018427387904]{1,0:T(8,3)}",
};

// Invalid requests of every kind, among them missing keys and numbers that wrap in 64 bits. Also
// valid corner cases: an unknown key, empty lists, an index of rank 0.
std::vector<Json> edge_requests() {
  const absl::string_view small = "f32[3,5]{1,0:T(2,2)}";
  Json with_note = linearize(small, "index", Index{2, 3});
  set(with_note, "note", "a key that nobody knows is ignored");
  return {with_note,
          linearize(small, "index", Index{3, 0}),
          linearize(small, "index", Index{0, 5}),
          linearize(small, "index", Index{-1, 0}),
          linearize(small, "index", Index{2}),
          linearize(small, "index", Index{0, 2, 3}),
          linearize(small, "index", Json::Array{Json::Number{"18446744073709551616"}, Json(0)}),
          linearize(small, "indices", Json::Array{Index{2, 3}, Index{2, 5}}),
          linearize(small, "indices", Json::Array{}),
          json_object({{"op", "layout.linearize"}, {"shape", small}}),
          linearize("f32[0]{0}", "index", Index{0}),
          linearize("f32[]", "index", Index{}),
          linearize("f32[]", "index", Index{0}),
          delinearize(small, "offset", 24),
          delinearize(small, "offset", -1),
          delinearize(small, "offset", Json::Number{"18446744073709551616"}),
          delinearize(small, "offsets", Json::Array{}),
          delinearize(small, "offsets", Json::Array{Json(0), Json(24)}),
          json_object({{"op", "layout.delinearize"}, {"shape", small}}),
          json_object({{"op", "layout.physical"}}),
          physical("f32[?,5]{1,0}"),
          physical("token[]"),
          physical("(f32[3]{0}, f32[3]{0})"),
          physical("b(f32[3]{0})"),
          physical("f32[-1]{0}"),
          physical("f32[8,8]{1,0:T(-8,128)}"),
          physical("f32[8,8]{1,0:T(0,128)}"),
          linearize("f32[8,8]{1,0:T(8,0)}", "index", Index{1, 1}),
          physical("f32[8,8]{1,0:T()}"),
          physical("f32[8,8]{1,0:T(8,*)}"),
          physical("f32[8,8]{1,0:L(0)}"),
          physical("f32[8,8]{0}"),
          physical("f32[8,8]{0,0}"),
          physical("f32[8,8]{2,0}"),
          physical("s8[4294967296,4294967296]{1,0}")};
}

// ---- Random requests ----

int64_t random_magnitude(Choose& choose, const Limits& limits) {
  const int64_t bits = std::clamp<int64_t>(limits.bits.value_or(64), 8, 64);
  const int64_t most = std::max<int64_t>(4, bits - 6);
  return int64_t{1} << std::min(most, choose.pick<int64_t>({8, 14, 30, 58}));
}

// An invalid request about a valid shape. `index` is a valid index of the shape.
Json make_invalid(Choose& choose, const std::string& shape, const Index& dims, Index index,
                  int64_t elements) {
  const int64_t d = index.empty() ? 0 : choose(std::ssize(index));
  switch (choose(6)) {
    case 0:
      return delinearize(shape, "offset", elements);
    case 1:
      return delinearize(shape, "offset", -1 - choose(2));
    case 2:
      index.push_back(0);
      break;
    case 3:
      if (index.empty()) return delinearize(shape, "offsets", Json::Array{Json(elements)});
      index[d] = -1;
      break;
    case 4: {  // a coordinate that is valid only modulo 2^64
      Json::Array list(index.begin(), index.end());
      if (list.empty()) return delinearize(shape, "offset", Json::Number{"18446744073709551616"});
      const BigUint wraps = BigUint(int64_t{1} << 32) * BigUint(int64_t{1} << 32);
      list[d] = Json::Number{to_text(BigUint(index[d]) + wraps)};
      return linearize(shape, "index", std::move(list));
    }
    default:
      if (index.empty()) return delinearize(shape, "offset", elements);
      index[d] = dims[d];
      break;
  }
  return linearize(shape, "index", index);
}

Json make_list(Choose& choose, const std::string& shape, const Index& dims, int64_t elements,
               bool offsets) {
  Json::Array list;
  const int64_t count = choose_within(choose, limits::kListLength);
  for (int64_t i = 0; i < count; ++i) {
    list.push_back(offsets ? Json(random_index(choose, {elements})[0])
                           : Json(random_index(choose, dims)));
  }
  return offsets ? delinearize(shape, "offsets", std::move(list))
                 : linearize(shape, "indices", std::move(list));
}

// Every index, in row-major order.
Json::Array all_indices(const Index& dims) {
  Json::Array all;
  Index index(dims.size(), 0);
  for (bool more = has_elements(dims); more;) {
    all.push_back(index);
    more = next_index(dims, index);
  }
  return all;
}

// All questions about a small shape.
std::vector<Json> whole_shape(const Shape& shape) {
  const std::string text = to_text(shape);
  std::vector<Json> requests = {physical(text)};
  const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(shape, text);
  if (!layout.ok()) return requests;
  Json::Array offsets;
  for (int64_t offset = 0; offset < layout->elements(); ++offset) offsets.push_back(offset);
  requests.push_back(linearize(text, "indices", all_indices(layout->logical())));
  requests.push_back(delinearize(text, "offsets", std::move(offsets)));
  return requests;
}

}  // namespace

std::vector<Json> layout_fixed() {
  std::vector<Json> requests;
  for (absl::string_view shape : kShapes) append_all(std::string(shape), requests);
  for (const Difference& entry : differences()) {
    if (entry.kind == Difference::Kind::kSize) append_all(std::string(entry.example), requests);
  }
  for (Json& request : edge_requests()) requests.push_back(std::move(request));
  return requests;
}

Json make_layout_request(Choose& choose, const Limits& limits) {
  const int64_t question = choose(12);
  const Shape shape = random_shape(choose, random_magnitude(choose, limits));
  const std::string text = to_text(shape);
  const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(shape, text);
  Index dims;
  for (const Dimension& d : shape.dimensions) dims.push_back(d.size);
  // 0 if the array has no elements, or if its layout does not fit 64 bits.
  const int64_t elements = layout.ok() ? layout->elements() : 0;
  const bool some = has_elements(dims);
  if (question <= 2 || (!some && elements == 0)) return physical(text);
  if (question <= 5 && some) return linearize(text, "index", random_index(choose, dims));
  if (question <= 7 && elements > 0) {
    return delinearize(text, "offset", random_index(choose, {elements})[0]);
  }
  if (question == 8 && some) return make_list(choose, text, dims, elements, false);
  if (question == 9 && elements > 0) return make_list(choose, text, dims, elements, true);
  return make_invalid(choose, text, dims, some ? random_index(choose, dims) : dims, elements);
}

Family layout_family() {
  std::vector<ShapeFamily> families = small_families();
  const size_t count = families.size();
  return family_of(count, [families = std::move(families)](size_t i, Choose& choose) {
    return whole_shape(bounded_shape(choose, families[i]));
  });
}

std::string layout_family_text() {
  return absl::StrCat(
      "every layout, index and offset of: ",
      absl::StrJoin(small_families(), "; ", [](std::string* out, const ShapeFamily& family) {
        out->append(to_text(family));
      }));
}

}  // namespace tileproof::conform
