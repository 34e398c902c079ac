// SPDX-License-Identifier: Apache-2.0
#include "conform/oracle/layout_ops.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conform/oracle/exact_layout.h"
#include "conform/oracle/fields.h"
#include "conform/protocol/memo.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {
namespace {

using Index = std::vector<int64_t>;
using Compiled = std::variant<const spec::TiledLayout*, impl::TiledLayout>;

absl::Status in(absl::string_view position, const absl::Status& status) {
  const absl::string_view message = status.message();
  return absl::Status(status.code(), absl::StrCat(position, ": ", message));
}

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
    return absl::InvalidArgumentError(
        absl::StrCat("expected an index, an array of integers, found ", shown(to_text(json), 60)));
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
    return absl::InvalidArgumentError(
        absl::StrCat("expected one of the keys \"", one, "\" and \"", many, "\""));
  }
  if (single != nullptr) return ask(*single);
  const auto* array = list->as<Json::Array>();
  if (array == nullptr)
    return absl::InvalidArgumentError(absl::StrCat("expected ", many, " to be an array"));
  Json::Array results;
  for (const Json& item : *array) {
    absl::StatusOr<Json> result = ask(item);
    if (!result.ok()) return in(absl::StrCat(many, "[", results.size(), "]"), result.status());
    results.push_back(*std::move(result));
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
  if (index.size() != layout.logical().size()) return absl::InvalidArgumentError("another rank");
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || !(BigUint(index[d]) < layout.logical()[d]))
      return absl::InvalidArgumentError("outside the array");
  }
  // A result outside int64 is an error (INTERFACE, section 2).
  const std::optional<int64_t> offset = to_int64(linearize(layout, index));
  if (!offset) return absl::OutOfRangeError("the offset does not fit");
  return Json(*offset);
}

absl::StatusOr<Json> exact_index(const ExactLayout& layout, const Json& json) {
  const int64_t offset = TRY(integer_in(json, "offset"));
  if (offset < 0 || !(BigUint(offset) < layout.elements()))
    return absl::InvalidArgumentError("outside the elements");
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

absl::StatusOr<spec::TiledLayout> layout_of_text(absl::string_view text) {
  const absl::StatusOr<Shape> shape = parse_shape(text);
  if (!shape.ok()) return in("shape", shape.status());
  return spec::tiled_layout_of_valid(*shape);
}

Memo<absl::StatusOr<spec::TiledLayout>>& layout_memo() {
  thread_local Memo<absl::StatusOr<spec::TiledLayout>> layouts;
  return layouts;
}

}  // namespace

const absl::StatusOr<spec::TiledLayout>& reference_layout(absl::string_view text) {
  return layout_memo().get(text, layout_of_text);
}

const absl::StatusOr<spec::TiledLayout>& reference_layout(const Shape& shape,
                                                          absl::string_view text) {
  return layout_memo().get(
      text, [&shape](absl::string_view) { return spec::tiled_layout_of_valid(shape); });
}

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

}  // namespace tileproof::conform
