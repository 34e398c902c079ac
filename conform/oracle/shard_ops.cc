// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/shard_ops.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/sharding_json.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/layout/any_layout.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostListed = 65'536;
constexpr int64_t kMostElements = 1'000'000;  // of the reference

absl::StatusOr<int64_t> number_between(const Json& request, absl::string_view key, int64_t low,
                                       int64_t high) {
  const int64_t number = TRY(integer_under(request, key));
  if (number >= low && number <= high) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(key, ": expected from ", low, " to ", high, ", found ", number));
}

absl::StatusOr<Sharding> asked_sharding(const Json& request, int64_t rank) {
  const Json& written = *TRY(required(request, "sharding"));
  const auto* text = written.as<std::string>();
  absl::StatusOr<Sharding> found = absl::InvalidArgumentError("expected a text or an object");
  if (text == nullptr && written.as<Json::Object>() != nullptr) {
    found = read_array_sharding(written);
  } else if (text != nullptr) {
    const bool says = find(request, "devices") != nullptr;
    const absl::StatusOr<int64_t> devices =
        says ? number_between(request, "devices", 1, kMostListed) : devices_named(*text);
    if (devices.ok() && *devices > kMostListed) {
      return absl::ResourceExhaustedError("sharding: more devices than can be listed");
    }
    const auto all = devices.ok() ? read_shardings(*text, {&rank, 1}, *devices) : devices.status();
    found = all.ok() ? absl::StatusOr<Sharding>((*all)[0]) : all.status();
  }
  if (!found.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("sharding: ", found.status().message()));
  }
  const auto parts = static_cast<int64_t>(found->parts.size());
  if (parts == 0 || parts == rank) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("sharding: expected parts along ", rank, " dimensions, found ", parts));
}

// The element of the array that is this one of the device's part.
std::optional<std::vector<int64_t>> by_enumeration(const AskedPart& asked) {
  const Dims sizes = part_dims(asked.sharding, asked.dims);
  std::vector<int64_t> element(asked.dims.size(), 0);
  do {
    int64_t part = 0;
    bool is_it = true;
    for (size_t d = 0; d < element.size(); ++d) {
      const int64_t parts = asked.sharding.parts.empty() ? 1 : asked.sharding.parts[d];
      part = part * parts + element[d] / sizes[d];
      is_it = is_it && element[d] % sizes[d] == asked.index[d];
    }
    if (is_it && part == asked.sharding.part_of[asked.device]) return element;
  } while (next_index(asked.dims, element));
  return std::nullopt;
}

}  // namespace

absl::StatusOr<AskedPart> asked_part(const Json& request) {
  AskedPart asked;
  const Shape shape = TRY(parsed_field(request, "shape", parse_array_shape));
  if (shape.kind != Shape::Kind::kArray) {
    return absl::InvalidArgumentError("shape: expected the shape of an array");
  }
  asked.dims = TRY(leaves_of(shape))[0].dims;
  asked.sharding = TRY(asked_sharding(request, shape.rank()));
  asked.device = TRY(number_between(request, "device", 0, std::ssize(asked.sharding.part_of) - 1));
  const auto index = integers(*TRY(required(request, "index")));
  const Dims part = part_dims(asked.sharding, asked.dims);
  if (!index || !is_inside(part, *index)) {
    return absl::InvalidArgumentError(
        absl::StrCat("index: expected an index of the part, ", dims_text(part)));
  }
  asked.index = *index;
  return asked;
}

absl::StatusOr<Result> shard_index(const Json& request, Engine engine) {
  const AskedPart asked = TRY(asked_part(request));
  if (engine == Engine::kSpec &&
      element_count(asked.dims).value_or(kMostElements + 1) > kMostElements) {
    return absl::ResourceExhaustedError("more elements than the reference looks at");
  }
  const auto global = engine == Engine::kSpec
                          ? by_enumeration(asked)
                          : global_index(asked.sharding, asked.dims, asked.device, asked.index);
  return Result(global ? Json(*global) : Json());
}

}  // namespace tileproof::conform
