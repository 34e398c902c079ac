// SPDX-License-Identifier: Apache-2.0
// Checks of layouts: sizes, offsets, the printed formula, physical indices, and rejected arguments.
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/paths.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/tiled_layout.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/layout_compare.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {
namespace {

using Index = std::vector<int64_t>;

std::string wrong(const Shape& shape, absl::string_view what, const Index& index) {
  return absl::StrCat(to_text(shape), ": ", what, " at ", absl::StrJoin(index, ","));
}

// Returns the multi-dimensional index of a row-major position.
Index row_major(int64_t number, const Index& sizes) {
  Index index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d]) index[d] = number % sizes[d];
  return index;
}

// Parses the printed formula as a map of the coordinates.
absl::StatusOr<IndexingMap> formula_map(const impl::TiledLayout& layout) {
  std::vector<std::string> names, bounds;
  for (int64_t size : layout.logical()) {
    names.push_back(absl::StrCat("d", names.size()));
    bounds.push_back(absl::StrCat(names.back(), " in [0, ", size - 1, "]"));
  }
  return parse_map(absl::StrCat("(", absl::StrJoin(names, ", "), ") -> (", layout.formula(), ")",
                                bounds.empty() ? "" : ", domain: ", absl::StrJoin(bounds, ", ")));
}

// Asks about a few random indices, and about indices just out of bounds.
std::string ask(const Shape& shape, const spec::TiledLayout& reference,
                const impl::TiledLayout& layout, Choose& choose) {
  const absl::StatusOr<IndexingMap> formula = formula_map(layout);
  if (!formula.ok()) return absl::StrCat(to_text(shape), ": formula ", layout.formula());
  const absl::StatusOr<impl::ClosedForm> positions = impl::physical_index(shape);
  if (!positions.ok()) return absl::StrCat(to_text(shape), ": physical index refused");
  for (int i = 0; i < 4; ++i) {
    const Index index = random_index(choose, reference.logical());
    const int64_t offset = *spec::linearize(reference, index);
    const auto shown = spec::evaluate(*formula, {index, {}, {}});
    if (!shown.ok() || !*shown || (**shown)[0] != offset) return wrong(shape, "formula", index);
    Index position(reference.physical().size());
    impl::evaluate(*positions, index, absl::MakeSpan(position));
    if (position != row_major(offset, reference.physical())) {
      return wrong(shape, "physical index", index);
    }
    if (layout.linearize(index) != absl::StatusOr<int64_t>(offset)) {
      return wrong(shape, "offset", index);
    }
    if (index.empty()) continue;
    Index outside = index;
    const size_t d = static_cast<size_t>(choose(std::ssize(index)));
    outside[d] = choose.chance(1, 2) ? -1 : reference.logical()[d];
    if (layout.linearize(outside).ok()) return wrong(shape, "an index outside", outside);
    outside = index;
    choose.chance(1, 2) ? outside.pop_back() : outside.push_back(0);
    if (layout.linearize(outside).ok()) return wrong(shape, "an index of another rank", outside);
  }
  return "";
}

int64_t product(const Index& sizes) {
  int64_t result = 1;  // of an array in memory
  for (int64_t size : sizes) result *= size;
  return result;
}

std::string check_shape(const Shape& shape, Choose& choose) {
  const absl::StatusOr<verify::LayoutComparison> compared =
      verify::compare_whole(shape, 2000, 20, choose);
  if (!compared.ok()) return std::string(compared.status().message());
  const absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(shape);
  const absl::StatusOr<impl::TiledLayout> layout = impl::TiledLayout::create(shape);
  if (!reference.ok() || !layout.ok()) {
    return reference.ok() == impl::physical_index(shape).ok() || !layout.ok()
               ? ""
               : absl::StrCat(to_text(shape), ": a physical index without a layout");
  }
  for (int64_t offset : {int64_t{-1}, reference->elements()}) {
    if (layout->delinearize(offset).ok()) return wrong(shape, "an offset outside", {offset});
  }
  if (reference->elements() > 0) {
    const int64_t last = reference->elements() - 1;
    if (*layout->delinearize(last) != *spec::delinearize(*reference, last)) {
      return wrong(shape, "the last offset", {last});
    }
  }
  bool empty = false;
  for (int64_t size : reference->logical()) empty |= size == 0;
  const int64_t stored = empty ? 0 : product(reference->logical());
  if (layout->padding() != reference->elements() - stored) return wrong(shape, "padding", {});
  return empty ? "" : ask(shape, *reference, *layout, choose);
}

Shape any_shape(int64_t number, Choose& choose) {
  static const std::vector<ShapeFamily> families = small_families();
  if (number % 2 == 0) {
    return bounded_shape(choose, families[static_cast<size_t>(choose(std::ssize(families)))]);
  }
  return random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 14, 30, 62}));
}

std::vector<Shape> shapes_of_corpus() {
  std::vector<Shape> shapes;
  for (const char* name : {"regressions.txt", "forms.txt", "real.txt"}) {
    std::ifstream file(project_path(absl::StrCat("corpus/layouts/", name)));
    for (std::string line; std::getline(file, line);) {
      const absl::StatusOr<Shape> shape = parse_shape(line.substr(0, line.find("  ")));
      if (shape.ok() && shape->kind == Shape::Kind::kArray) shapes.push_back(*shape);
    }
  }
  return shapes;
}

}  // namespace

Check layout_check() {
  // Every fourth case is from the corpus, in an order that mixes files and sizes.
  return {"layout", always(6000), true, [](int64_t i) {
            static const std::vector<Shape> corpus = shapes_of_corpus();
            Choose choose(Choose::Random{static_cast<uint64_t>(i)});
            if (i % 4 != 0) return check_shape(any_shape(i, choose), choose);
            return check_shape(corpus[static_cast<size_t>(i * 17 % std::ssize(corpus))], choose);
          }};
}

}  // namespace tileproof::mutants
