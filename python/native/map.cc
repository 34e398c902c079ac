// SPDX-License-Identifier: Apache-2.0
// tileproof._native.IndexingMap, and the generators of layouts, maps and modules.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "absl/strings/str_cat.h"
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
using Int64Array = nb::ndarray<int64_t, nb::c_contig, nb::device::cpu>;
using ConstInt64Array = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

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

// The results at a point, or nothing outside of the domain.
std::optional<Numbers> evaluate_at(const IndexingMap& map, const Numbers& values) {
  if (values.size() != variables(map)) {
    raise(absl::InvalidArgumentError(
        absl::StrCat("expected ", variables(map), " values of variables, found ", values.size())));
  }
  return value_or_raise(impl::evaluate(map, point_of(map, values.data())));
}

// The call of a map: integers are answered here, arrays by IndexingMap._results_of_arrays.
nb::object results_at(nb::handle self, const nb::args& args) {
  Numbers values;
  for (const nb::handle value : args) {
    if (!is_integer(value)) return self.attr("_results_of_arrays")(*args);
    values.push_back(to_int64(value));
  }
  const std::optional<Numbers> results = evaluate_at(nb::cast<const IndexingMap&>(self), values);
  if (!results) return nb::none();
  nb::object tuple = nb::steal(PyTuple_New(std::ssize(*results)));
  for (Py_ssize_t i = 0; i < std::ssize(*results); ++i)
    PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong((*results)[static_cast<size_t>(i)]));
  return tuple;
}

// Each row of `points` is a point. Writes its results to a row of `out`, and whether it is in the
// domain to `inside`.
void evaluate_all(const IndexingMap& map, const ConstInt64Array& points, const Int64Array& out,
                  const Mask& inside) {
  const size_t count = points.shape(0), width = points.shape(1), results = map.results.size();
  absl::Status status;
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < count && status.ok(); ++i) {
      const auto values = impl::evaluate(map, point_of(map, points.data() + i * width));
      status = values.status();
      inside.data()[i] = values.ok() && values->has_value();
      for (size_t r = 0; r < results; ++r)
        out.data()[i * results + r] = inside.data()[i] ? (**values)[r] : 0;
    }
  }
  if (!status.ok()) raise(status);
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
  return generate_computation(choose).text;
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
      .def("__call__", &results_at)
      .def("evaluate_all", &evaluate_all)
      .def("simplified_text",
           [](const IndexingMap& self) {
             return to_text(value_or_raise(unlocked([&self] { return impl::simplify(self); })));
           })
      .def("kept_text",
           [](const IndexingMap& self, const std::vector<int64_t>& sizes, bool all) {
             return to_text(value_or_raise(unlocked(
                 [&] { return impl::simplify_keeping(self, {.all = all, .sizes = sizes}); })));
           })
      .def("trace_text",
           [](const IndexingMap& self) {
             return value_or_raise(unlocked([&self] { return impl::simplify_with_trace(self); }))
                 .trace;
           })
      .def("composed_text", [](const IndexingMap& first, const IndexingMap& second) {
        return to_text(value_or_raise(impl::compose(first, second)));
      });
}

void bind_generators(nb::module_& module) { module.def("generated", &generated); }

}  // namespace tileproof::python
