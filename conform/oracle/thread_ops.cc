// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/thread_ops.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conform/oracle/fields.h"
#include "impl/layout/thread_map.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::conform {
namespace {

constexpr int64_t kMostAskedPlaces = 1 << 20;

}  // namespace

Json json_of_places(const std::vector<Place>& places) {
  Json::Array list;
  for (const Place& place : places) {
    Json json = json_object({});
    for (size_t i = 0; i < place.size(); ++i) set(json, kPlaceNames[i], place[i]);
    list.push_back(std::move(json));
  }
  return Json(std::move(list));
}

absl::StatusOr<Result> layout_owner(const Json& request, Engine engine) {
  const ThreadLayout layout = TRY(parsed_field(request, "layout", parse_thread_layout));
  const std::optional<Dims> index = integers(*TRY(required(request, "index")));
  if (!index) return absl::InvalidArgumentError("expected index to be an array of integers");
  if (engine == Engine::kSpec)  // looks at each place, if they are few
    return Result(json_of_places(TRY(spec::holders_of(layout, *index, kMostAskedPlaces))));
  TRY(spec::place_sizes(layout));  // both engines refuse the same layouts and indices
  TRY(expect_index(layout.dims, *index));
  const impl::ThreadMap threads = TRY(impl::thread_map(layout));
  return Result(json_of_places(TRY(impl::holders_of(threads, *index, kMostAskedPlaces))));
}

absl::StatusOr<Result> layout_element(const Json& request, Engine engine) {
  const ThreadLayout layout = TRY(parsed_field(request, "layout", parse_thread_layout));
  Place place = {};
  for (size_t i = 0; i < place.size(); ++i) place[i] = TRY(integer_under(request, kPlaceNames[i]));
  // Both engines: is the place one of the layout's?
  const Dims defined = TRY(spec::held_at(layout, place));
  if (engine == Engine::kSpec) return Result(Json(defined));
  return Result(Json(impl::held_at(TRY(impl::thread_map(layout)), place)));
}

}  // namespace tileproof::conform
