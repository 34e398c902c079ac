// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/oracle/layout_ops.h"
#include "conform/protocol/big_uint.h"
#include "conform/suites/makers.h"
#include "generate/choose/limits.h"
#include "generate/layout/generate_shape.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;

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

bool has_elements(const Index& dims) {
  return std::find(dims.begin(), dims.end(), 0) == dims.end();
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

// The suite `parse`: spellings that HLO text allows, and texts that it does not allow.

namespace {

constexpr const char* kSpaces[] = {" ", "  ", "\t", "\n", "/* */", " /*index=1*/ "};

// Inserts white space and comments between tokens, not within words and numbers.
std::string respelled(Choose& choose, const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = absl::string_view("{}[](),:*").find(text[i]) != absl::string_view::npos;
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
    out += text[i];
    if (between && choose.chance(1, 6)) out += kSpaces[choose(std::ssize(kSpaces))];
  }
  return out;
}

}  // namespace

Json make_parse_request(Choose& choose, const Limits&) {
  if (choose.chance(1, 2)) return physical(random_shape_text(choose));
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({6, 14, 30});
  return physical(respelled(choose, to_text(random_shape(choose, magnitude))));
}

}  // namespace tileproof::conform
