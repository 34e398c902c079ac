// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "conform/oracle/operations.h"
#include "conform/protocol/memo.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/nested_layout.h"
#include "impl/layout/swizzled_layout.h"
#include "impl/layout/thread_map.h"
#include "impl/layout/tiled_layout.h"
#include "impl/map/evaluate.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/thread_layout.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;
using Compiled = std::variant<const spec::TiledLayout*, impl::TiledLayout>;

absl::StatusOr<Shape> shape_of_text(absl::string_view text) { return parse_shape(text); }

absl::StatusOr<Compiled> compile(const Json& request, Engine engine) {
  if (engine == Engine::kSpec) {
    const absl::string_view text = TRY(required_text(request, "shape"));
    const absl::StatusOr<spec::TiledLayout>& layout = reference_layout(text);
    if (!layout.ok()) return layout.status();
    return Compiled(&*layout);
  }
  const Shape shape = TRY(parsed_field(request, "shape", shape_of_text));
  impl::TiledLayout layout = TRY(impl::TiledLayout::create(shape));
  return Compiled(std::move(layout));
}

absl::StatusOr<Index> index_of(const Json& json) {
  const auto* array = json.as<Json::Array>();
  if (array == nullptr) {
    return invalid("expected an index, an array of integers, found ", shown(to_text(json), 60));
  }
  Index index;
  for (const Json& item : *array) {
    index.push_back(TRY(integer_in(item, "index")));
  }
  return index;
}

// Answers the value under the key `one`, or each item of the array under the key `many`.
template <class Ask>
absl::StatusOr<Json> ask_each(const Json& request, absl::string_view one, absl::string_view many,
                              Ask ask) {
  const Json* single = find(request, one);
  const Json* list = find(request, many);
  if ((single == nullptr) == (list == nullptr)) {
    return invalid("expected one of the keys \"", one, "\" and \"", many, "\"");
  }
  if (single != nullptr) return ask(*single);
  const auto* array = list->as<Json::Array>();
  if (array == nullptr) return invalid("expected ", many, " to be an array");
  Json::Array results;
  for (const Json& item : *array) {
    results.push_back(TRY(prefixed(absl::StrCat(many, "[", results.size(), "]"), ask(item))));
  }
  return Json(std::move(results));
}

absl::StatusOr<int64_t> offset_in(const spec::TiledLayout* layout, const Index& index) {
  return spec::linearize(*layout, index);
}
absl::StatusOr<int64_t> offset_in(const impl::TiledLayout& layout, const Index& index) {
  return layout.linearize(index);
}
absl::StatusOr<std::optional<Index>> index_in(const spec::TiledLayout* layout, int64_t offset) {
  return spec::delinearize(*layout, offset);
}
absl::StatusOr<std::optional<Index>> index_in(const impl::TiledLayout& layout, int64_t offset) {
  return layout.delinearize(offset);
}

Json sizes(const Index& dims, int64_t elements, int64_t bytes) {
  return json_object({{"dims", dims}, {"elements", elements}, {"bytes", bytes}});
}
Json sizes_of(const spec::TiledLayout* layout) {
  return sizes(layout->physical(), layout->elements(), layout->bytes);
}
Json sizes_of(const impl::TiledLayout& layout) {
  return sizes(layout.physical(), layout.elements(), layout.bytes());
}

// ---- Beyond 64 bits ----

Json number(const BigUint& n) {
  if (const std::optional<int64_t> small = to_int64(n)) return *small;
  return Json::Number{to_text(n)};
}

// The layout of the request in the integers, where it has one.
std::optional<ExactLayout> exact(const Json& request) {
  const absl::StatusOr<Shape> shape = parsed_field(request, "shape", parse_shape_of_any_size);
  if (!shape.ok()) return std::nullopt;
  absl::StatusOr<ExactLayout> layout = exact_layout(*shape);
  if (!layout.ok()) return std::nullopt;
  return *std::move(layout);
}

absl::StatusOr<Json> exact_offset(const ExactLayout& layout, const Json& json) {
  const Index index = TRY(index_of(json));
  if (index.size() != layout.logical().size()) return invalid("another rank");
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || !(BigUint(index[d]) < layout.logical()[d]))
      return invalid("outside the array");
  }
  // A result outside int64 is an error.
  const std::optional<int64_t> offset = to_int64(linearize(layout, index));
  if (!offset) return absl::OutOfRangeError("the offset does not fit");
  return Json(*offset);
}

absl::StatusOr<Json> exact_index(const ExactLayout& layout, const Json& json) {
  const int64_t offset = TRY(integer_in(json, "offset"));
  if (offset < 0 || !(BigUint(offset) < layout.elements())) return invalid("outside the elements");
  const std::optional<Index> index = delinearize(layout, offset);
  return index ? Json(*index) : Json();
}

template <class Ask>
Exact exactly(const Json& request, Ask ask) {
  const std::optional<ExactLayout> layout = exact(request);
  if (!layout) return {};
  const absl::StatusOr<Json> result = ask(*layout);
  return {layout->may_overflow, result.ok() ? std::optional(*result) : std::nullopt};
}

struct Question {
  spec::LayoutFunction function;
  std::vector<int64_t> index;
};

absl::StatusOr<Question> question_in(const Json& request) {
  const AnyLayout layout = TRY(parsed_field(request, "layout", parse_any_layout));
  if (find(request, "index") == nullptr)
    return invalid("expected the key \"index\", an array of integers");
  const std::optional<std::vector<int64_t>> numbers = find_integers(request, "index");
  if (!numbers) return invalid("expected index to be an array of integers within 64 bits");
  return Question{TRY(spec::layout_function(layout)), *numbers};
}

Coordinate coordinate_of(const std::vector<int64_t>& index) {
  Coordinate coordinate = make_tuple({});
  for (const int64_t i : index) coordinate.elements.push_back(make_integer(i));
  return coordinate;
}

// A layout of one mode that is no tuple has integers as coordinates.
Coordinate coordinate_of(const NestedLayout& layout, const std::vector<int64_t>& index) {
  return layout.shape.is_tuple ? coordinate_of(index) : make_integer(index[0]);
}

// The closed forms, at an index inside.
struct ClosedForm {
  const std::vector<int64_t>& index;

  absl::StatusOr<int64_t> operator()(const Shape& shape) const {
    return TRY(impl::TiledLayout::create(shape)).linearize(index);
  }
  absl::StatusOr<int64_t> operator()(const NestedLayout& layout) const {
    return TRY(impl::NestedLayout::create(layout)).offset(coordinate_of(layout, index));
  }
  absl::StatusOr<int64_t> operator()(const TaggedShape& tagged) const {
    return (*this)(TRY(impl::make_layout(tagged)));
  }
  absl::StatusOr<int64_t> operator()(const BlockedShape& shape) const {
    return impl::offset_of(TRY(impl::digits_of(shape)), index.data());
  }
  absl::StatusOr<int64_t> operator()(const SwizzledLayout& layout) const {
    return TRY(impl::SwizzledLayout::create(layout)).offset(coordinate_of(layout.layout, index));
  }
  absl::StatusOr<int64_t> operator()(const MemRef& memref) const {
    const std::optional<std::vector<int64_t>> results =
        TRY(impl::evaluate(memref.map, {index, {}, {}}));
    if (!results) return absl::InternalError("the index is outside of the map of a memref");
    return (*results)[0];
  }
};

constexpr int64_t kMostAskedPlaces = 1 << 20;

}  // namespace

absl::StatusOr<Result> layout_physical(const Json& request, Engine engine) {
  const Compiled compiled = TRY(compile(request, engine));
  return Result(std::visit([](const auto& layout) { return sizes_of(layout); }, compiled));
}

absl::StatusOr<Result> layout_linearize(const Json& request, Engine engine) {
  const Compiled compiled = TRY(compile(request, engine));
  const auto ask = [&compiled](const Json& json) -> absl::StatusOr<Json> {
    const Index index = TRY(index_of(json));
    const int64_t offset = TRY(
        std::visit([&index](const auto& layout) { return offset_in(layout, index); }, compiled));
    return Json(offset);
  };
  return ask_each(request, "index", "indices", ask);
}

absl::StatusOr<Result> layout_delinearize(const Json& request, Engine engine) {
  const Compiled compiled = TRY(compile(request, engine));
  const auto ask = [&compiled](const Json& json) -> absl::StatusOr<Json> {
    const int64_t offset = TRY(integer_in(json, "offset"));
    const std::optional<Index> index = TRY(
        std::visit([&offset](const auto& layout) { return index_in(layout, offset); }, compiled));
    return index.has_value() ? Json(*index) : Json();
  };
  return ask_each(request, "offset", "offsets", ask);
}

Exact exact_physical(const Json& request) {
  return exactly(request, [](const ExactLayout& layout) -> absl::StatusOr<Json> {
    Json::Array dims;
    for (const BigUint& d : layout.physical()) dims.push_back(number(d));
    return json_object({{"dims", std::move(dims)},
                        {"elements", number(layout.elements())},
                        {"bytes", number(layout.bytes)}});
  });
}

Exact exact_linearize(const Json& request) {
  return exactly(request, [&request](const ExactLayout& layout) {
    return ask_each(request, "index", "indices",
                    [&layout](const Json& json) { return exact_offset(layout, json); });
  });
}

Exact exact_delinearize(const Json& request) {
  return exactly(request, [&request](const ExactLayout& layout) {
    return ask_each(request, "offset", "offsets",
                    [&layout](const Json& json) { return exact_index(layout, json); });
  });
}

absl::StatusOr<Result> layout_offset(const Json& request, Engine engine) {
  const Question question = TRY(question_in(request));
  // Both engines: is the index inside?
  const int64_t defined = TRY(spec::offset_at(question.function, question.index));
  if (engine == Engine::kSpec) return Result(defined);
  return Result(TRY(std::visit(ClosedForm{question.index}, question.function.layout)));
}

absl::StatusOr<Result> layout_owner(const Json& request, Engine engine) {
  const ThreadLayout layout = TRY(parsed_field(request, "layout", parse_thread_layout));
  const std::optional<Dims> index = integers(*TRY(required(request, "index")));
  if (!index) return invalid("expected index to be an array of integers");
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
