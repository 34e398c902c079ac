// SPDX-License-Identifier: Apache-2.0
// tileproof._native.IndexingMap, and the generators of layouts, maps and modules.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_shape.h"
#include "generate/map/generate_map.h"
#include "impl/map/compose.h"
#include "impl/map/evaluate.h"
#include "impl/map/simplify.h"
#include "impl/map/tile_digits/simplify_keeping.h"
#include "python/native/array.h"
#include "python/native/bindings.h"
#include "python/native/errors.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"

namespace tileproof::python {
namespace {

namespace nb = nanobind;
using Numbers = std::vector<int64_t>;

size_t variables(const IndexingMap& map) {
  return map.dimensions.size() + map.ranges.size() + map.runtime.size();
}

impl::PointValues point_of(const IndexingMap& map, const int64_t* values) {
  const int64_t* ranges = values + map.dimensions.size();
  return {absl::MakeConstSpan(values, map.dimensions.size()),
          absl::MakeConstSpan(ranges, map.ranges.size()),
          absl::MakeConstSpan(ranges + map.ranges.size(), map.runtime.size())};
}

// Calls `work` while other Python threads run.
template <class Work>
auto unlocked(Work work) {
  nb::gil_scoped_release release;
  return work();
}

void expect_values(const IndexingMap& map, size_t count) {
  if (count == variables(map)) return;
  raise(absl::InvalidArgumentError(
      absl::StrCat("expected ", variables(map), " values of variables, found ", count)));
}

// The results at a point, or nothing outside of the domain.
std::optional<Numbers> results_at(const IndexingMap& map, const Numbers& values) {
  expect_values(map, values.size());
  return value_or_raise(impl::evaluate(map, point_of(map, values.data())));
}

std::optional<Numbers> evaluate_at(const IndexingMap& map, nb::handle values) {
  return results_at(map, to_int64s(values, variables(map) + 1));
}

std::string outside_text(const Numbers& point) {
  return absl::StrCat("the point (", absl::StrJoin(point, ", "), ") is not in the domain");
}

// The call of a map: integers are answered here, arrays by IndexingMap._results_of_arrays.
nb::object call(const IndexingMap& map, const nb::args& args) {
  expect_values(map, args.size());
  Numbers values;
  for (const nb::handle value : args) {
    if (!is_integer(value)) return nb::find(map).attr("_results_of_arrays")(*args);
    values.push_back(to_int64(value));
  }
  const std::optional<Numbers> results = results_at(map, values);
  if (!results) raise_index_error(outside_text(values));
  nb::object tuple = nb::steal(PyTuple_New(std::ssize(*results)));
  for (Py_ssize_t i = 0; i < std::ssize(*results); ++i)
    PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong((*results)[static_cast<size_t>(i)]));
  return tuple;
}

// The results at many points: result 0 of all points, then the next. `arrays` has the values of each
// variable, all of one shape.
nb::object results_of(const IndexingMap& map, nb::handle arrays) {
  const Integers values = integers_of(arrays, variables(map));
  std::vector<int64_t> shape = values.shape;
  shape.insert(shape.begin(), std::ssize(map.results));
  const nb::object array = new_array(shape, nb::str("int64"));
  auto* results = reinterpret_cast<int64_t*>(array_of(array, "out").data);
  Numbers point(values.numbers.size());
  absl::StatusOr<std::optional<Numbers>> found = Numbers();
  {
    nb::gil_scoped_release release;
    for (int64_t number = 0; number < values.size; ++number) {
      for (size_t v = 0; v < point.size(); ++v) point[v] = values.numbers[v][number];
      found = impl::evaluate(map, point_of(map, point.data()));
      if (!found.ok() || !found->has_value()) break;
      for (size_t r = 0; r < map.results.size(); ++r)
        results[static_cast<int64_t>(r) * values.size + number] = (**found)[r];
    }
  }
  if (!value_or_raise(std::move(found))) raise_index_error(outside_text(point));
  return array;
}

std::string kept_text(const IndexingMap& map, nb::handle kept, bool all) {
  const Numbers sizes = to_int64s(kept, 1000);
  for (const int64_t size : sizes) {
    if (size >= 2) continue;
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected sizes of at least 2 to keep, found ", size)));
  }
  return to_text(value_or_raise(
      unlocked([&] { return impl::simplify_keeping(map, {.all = all, .sizes = sizes}); })));
}

std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> variables_with_bounds(
    const IndexingMap& map, Op kind) {
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> result;
  const std::vector<Variable>& variables = variables_of(map, kind);
  for (size_t i = 0; i < variables.size(); ++i) {
    const Interval bounds = variables[i].bounds;
    result.push_back({name_of(map, kind, static_cast<int64_t>(i)), {bounds.low, bounds.high}});
  }
  return result;
}

std::string generated(const std::string& kind, const nb::bytes& choices) {
  Choose choose(Choose::Bytes{
      absl::MakeConstSpan(static_cast<const uint8_t*>(choices.data()), choices.size())});
  if (kind == "shape") return to_text(random_shape(choose, 4096));
  if (kind == "layout") return to_text(random_any_layout(choose, 4096));
  if (kind == "map") return to_text(generate_map(choose));
  if (kind == "module") return generate_computation(choose).text;
  raise(absl::InvalidArgumentError("expected shape, layout, map or module"));
}

}  // namespace

void bind_map(nb::module_& module) {
  nb::class_<IndexingMap>(module, "IndexingMap")
      .def(
          "__init__",
          [](IndexingMap* self, const std::string& text, const IndexingMap* like) {
            new (self) IndexingMap(value_or_raise(
                like != nullptr ? parse_answer(text, *like) : parse_map(text), text));
          },
          nb::arg("text"), nb::arg("like").none() = nb::none())
      .def_prop_ro("text", [](const IndexingMap& self) { return to_text(self); })
      .def_prop_ro("is_empty", [](const IndexingMap& self) { return self.known_empty; })
      .def_prop_ro("results", [](const IndexingMap& self) { return self.results.size(); })
      .def_prop_ro(
          "dimensions",
          [](const IndexingMap& self) { return variables_with_bounds(self, Op::kDimension); })
      .def_prop_ro("ranges",
                   [](const IndexingMap& self) { return variables_with_bounds(self, Op::kRange); })
      .def_prop_ro(
          "runtime",
          [](const IndexingMap& self) { return variables_with_bounds(self, Op::kRuntime); })
      .def("evaluate_at", &evaluate_at)
      .def("__call__", &call)
      .def("_results_of", &results_of)
      .def("_simplified_text",
           [](const IndexingMap& self) {
             return to_text(value_or_raise(unlocked([&self] { return impl::simplify(self); })));
           })
      .def("_kept_text", &kept_text)
      .def("_trace_text",
           [](const IndexingMap& self) {
             return value_or_raise(unlocked([&self] { return impl::simplify_with_trace(self); }))
                 .trace;
           })
      .def("_composed_text", [](const IndexingMap& first, const IndexingMap& second) {
        return to_text(value_or_raise(impl::compose(first, second)));
      });
}

void bind_generators(nb::module_& module) { module.def("_generated", &generated); }

}  // namespace tileproof::python
