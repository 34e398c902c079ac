// SPDX-License-Identifier: Apache-2.0
// Answers the protocol with isl's piecewise affine functions: tileproof conform -- isl_peer
//
//     map.evaluate    the image of a point
//     map.simplify    gist by the domain, then coalesce; the domain stays unchanged. Unsupported if
//                     the result has several pieces
//     map.equal       isl_map_is_equal, and a sample of the difference
//
// isl's integers have any size.
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conform/peers/isl_text.h"
#include "conform/peers/peer_program.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::peers {
namespace {

// Owns an isl object.
template <class T, T* (*free_it)(T*)>
struct Free {
  void operator()(T* it) const { free_it(it); }
};
using Set = std::unique_ptr<isl_set, Free<isl_set, isl_set_free>>;
using Map = std::unique_ptr<isl_map, Free<isl_map, isl_map_free>>;
using Point = std::unique_ptr<isl_point, Free<isl_point, isl_point_free>>;
using Function = std::unique_ptr<isl_pw_multi_aff, Free<isl_pw_multi_aff, isl_pw_multi_aff_free>>;
using Aff = std::unique_ptr<isl_aff, Free<isl_aff, isl_aff_free>>;

absl::Status gave_up() { return unsupported("isl gave up"); }

// The only context. It limits the operations of each request.
isl_ctx* context() {
  static isl_ctx* it = [] {
    isl_ctx* made = isl_ctx_alloc();
    isl_options_set_on_error(made, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(made, 10'000'000);
    return made;
  }();
  return it;
}

absl::StatusOr<IndexingMap> map_in(const Json& request, absl::string_view key) {
  const auto* text = find_as<std::string>(request, key);
  absl::StatusOr<IndexingMap> map = parse_map(text == nullptr ? "" : *text);
  if (map.ok() && map->known_empty) {
    return absl::InvalidArgumentError("expected a map, found KNOWN EMPTY");
  }
  return map;
}

absl::StatusOr<Map> read_map(const IndexingMap& map) {
  const std::optional<std::string> text = isl_text(map, false);
  if (!text) return unsupported("a product of variables, or a divisor below 1");
  Map read(isl_map_read_from_str(context(), text->c_str()));
  if (read == nullptr) return gave_up();
  return read;
}

std::optional<int64_t> number(isl_val* value) {
  char* text = isl_val_to_str(value);
  isl_val_free(value);
  int64_t result;
  const bool fits = text != nullptr && absl::SimpleAtoi(text, &result);
  std::free(text);
  return fits ? std::optional(result) : std::nullopt;
}

// A point of a set with `count` coordinates; no value if the set is empty.
absl::StatusOr<std::optional<std::vector<int64_t>>> sample(Set set, size_t count) {
  const isl_bool empty = isl_set_is_empty(set.get());
  if (empty == isl_bool_error) return gave_up();
  if (empty == isl_bool_true) return std::nullopt;
  const Point point(isl_set_sample_point(set.release()));
  if (point == nullptr) return gave_up();
  std::vector<int64_t> result;
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> value =
        number(isl_point_get_coordinate_val(point.get(), isl_dim_set, static_cast<int>(i)));
    if (!value) return absl::OutOfRangeError("a value beyond 64 bits");
    result.push_back(*value);
  }
  return std::optional(result);
}

absl::StatusOr<std::optional<std::vector<int64_t>>> image(const Map& map, size_t results,
                                                          const std::vector<int64_t>& at) {
  const std::string text = absl::StrCat("{ [", absl::StrJoin(at, ", "), "] }");
  Set point(isl_set_read_from_str(context(), text.c_str()));
  return sample(Set(isl_set_apply(point.release(), isl_map_copy(map.get()))), results);
}

absl::StatusOr<Json> evaluate(const Json& request) {
  const IndexingMap map = TRY(map_in(request, "map"));
  std::vector<int64_t> at;
  for (const auto& [key, kind] :
       {std::pair("dims", Op::kDimension), {"ranges", Op::kRange}, {"runtime", Op::kRuntime}}) {
    const auto* array = find_as<Json::Array>(request, key);
    if ((array == nullptr ? 0 : array->size()) != variables_of(map, kind).size()) {
      return absl::InvalidArgumentError(absl::StrCat("wrong number of ", key));
    }
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const int64_t* value = (*array)[i].as<int64_t>();
      if (value == nullptr) return absl::InvalidArgumentError("a value beyond 64 bits");
      at.push_back(*value);
    }
  }
  const Map read = TRY(read_map(map));
  const auto results = TRY(image(read, map.results.size(), at));
  return results.has_value() ? Json(*results) : Json();
}

// isl's variable x<i> as a variable of the map.
NodeId variable(const IndexingMap& map, int64_t i, ExprTable& table) {
  for (Op kind : kVariableKinds) {
    const int64_t count = std::ssize(variables_of(map, kind));
    if (i < count) return add_variable(table, kind, i);
    i -= count;
  }
  return add_constant(table, 0);
}

// An affine function as an expression: a constant plus factors times variables and floors, divided
// by a denominator. No value if a factor does not fit 64 bits.
std::optional<NodeId> expression(isl_aff* aff, const IndexingMap& map, ExprTable& table) {
  const std::optional<int64_t> denominator = number(isl_aff_get_denominator_val(aff));
  if (!denominator) return std::nullopt;
  const auto times = [&](isl_val* value) {
    return number(isl_val_mul_ui(value, static_cast<unsigned long>(*denominator)));
  };
  const std::optional<int64_t> constant = times(isl_aff_get_constant_val(aff));
  if (!constant) return std::nullopt;
  NodeId sum = add_constant(table, *constant);
  for (const isl_dim_type type : {isl_dim_in, isl_dim_div}) {
    for (int i = 0; i < isl_aff_dim(aff, type); ++i) {
      const std::optional<int64_t> factor = times(isl_aff_get_coefficient_val(aff, type, i));
      if (!factor) return std::nullopt;
      if (*factor == 0) continue;
      std::optional<NodeId> term;
      if (type == isl_dim_in) {
        term = variable(map, i, table);
      } else {
        const Aff inner(isl_aff_get_div(aff, i));  // the argument of the floor
        term = expression(inner.get(), map, table);
      }
      if (!term) return std::nullopt;
      sum = add_operation(table, Op::kAdd, sum,
                          add_operation(table, Op::kMul, *term, add_constant(table, *factor)));
    }
  }
  if (*denominator == 1) return sum;
  return add_operation(table, Op::kFloorDiv, sum, add_constant(table, *denominator));
}

absl::StatusOr<Json> simplify(const Json& request) {
  const IndexingMap map = TRY(map_in(request, "map"));
  const std::optional<std::string> text = isl_text(map, false), domain = isl_text(map, true);
  if (!text || !domain) return unsupported("a product of variables, or a divisor below 1");
  Set box(isl_set_read_from_str(context(), domain->c_str()));
  if (box != nullptr && isl_set_is_empty(box.get()) == isl_bool_true) return Json("KNOWN EMPTY");
  Function whole(isl_pw_multi_aff_read_from_str(context(), text->c_str()));
  if (whole == nullptr || box == nullptr) return gave_up();
  const Function simplified(
      isl_pw_multi_aff_coalesce(isl_pw_multi_aff_gist(whole.release(), box.release())));
  if (simplified == nullptr) return gave_up();
  if (isl_pw_multi_aff_n_piece(simplified.get()) != 1) return unsupported("a result in pieces");
  isl_multi_aff* function = isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(simplified.get()));
  if (function == nullptr) return unsupported("a result with conditions of its own");
  IndexingMap result = map;
  bool fits = true;
  for (size_t i = 0; i < result.results.size() && fits; ++i) {
    const Aff aff(isl_multi_aff_get_aff(function, static_cast<int>(i)));
    const std::optional<NodeId> root = expression(aff.get(), map, result.nodes);
    fits = root.has_value();
    if (fits) result.results[i] = *root;
  }
  isl_multi_aff_free(function);
  if (!fits) return unsupported("a factor beyond 64 bits");
  return Json(to_text(result));
}

absl::StatusOr<Json> equal(const Json& request) {
  const IndexingMap left = TRY(map_in(request, "left")), right = TRY(map_in(request, "right"));
  Json::Array sizes;
  for (Op kind : kVariableKinds) {
    if (variables_of(left, kind).size() != variables_of(right, kind).size()) {
      return absl::InvalidArgumentError("the numbers of variables differ");
    }
    sizes.push_back(std::ssize(variables_of(left, kind)));
  }
  if (left.results.size() != right.results.size()) {
    return absl::InvalidArgumentError("the numbers of results differ");
  }
  const Map l = TRY(read_map(left)), r = TRY(read_map(right));
  const isl_bool same = isl_map_is_equal(l.get(), r.get());
  if (same == isl_bool_error) return conform::json_object({{"equal", Json()}});
  if (same == isl_bool_true) return conform::json_object({{"equal", true}});
  isl_map* difference =
      isl_map_union(isl_map_subtract(isl_map_copy(l.get()), isl_map_copy(r.get())),
                    isl_map_subtract(isl_map_copy(r.get()), isl_map_copy(l.get())));
  size_t variables = 0;
  for (const Json& size : sizes) variables += static_cast<size_t>(*size.as<int64_t>());
  const auto at = sample(Set(isl_map_domain(difference)), variables);
  if (!at.ok() || !at->has_value()) return gave_up();
  const auto a = TRY(image(l, left.results.size(), **at)),
             b = TRY(image(r, right.results.size(), **at));
  Json point = Json::Object();
  auto next = (*at)->begin();
  size_t kind = 0;
  for (const char* key : {"dims", "ranges", "runtime"}) {
    const int64_t count = *sizes[kind++].as<int64_t>();
    set(point, key, std::vector<int64_t>(next, next + count));
    next += count;
  }
  return conform::json_object({{"equal", false},
                               {"at", std::move(point)},
                               {"left", a.has_value() ? Json(*a) : Json()},
                               {"right", b.has_value() ? Json(*b) : Json()}});
}

absl::StatusOr<Json> answer(const conform::Request& request) {
  isl_ctx_reset_operations(context());
  isl_ctx_reset_error(context());
  if (request.op == "map.simplify") return simplify(request.fields);
  if (request.op == "map.evaluate") return evaluate(request.fields);
  if (request.op == "map.equal") return equal(request.fields);
  return unsupported(request.op);
}

}  // namespace
}  // namespace tileproof::peers

int main() {
  return tileproof::peers::run_peer("isl", 0, {"map.simplify", "map.evaluate", "map.equal"},
                                    tileproof::peers::answer);
}
