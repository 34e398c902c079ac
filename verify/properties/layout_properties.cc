// SPDX-License-Identifier: Apache-2.0
// Properties of layouts: sizes, offsets, the printed formula, physical indices, and rejected
// arguments; nested layouts, tags and the layout algebra; accesses of banks.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "corpus/files.h"
#include "generate/layout/generate_blocked.h"
#include "generate/layout/generate_nested.h"
#include "generate/layout/generate_shape.h"
#include "impl/layout/tiled_layout.h"
#include "spec/hlo/provenance.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/nested_layout.h"
#include "spec/layout/tiled_layout.h"
#include "spec/map/map_evaluation.h"
#include "verify/compare/algebra_laws.h"
#include "verify/compare/banks_compare.h"
#include "verify/compare/layout_compare.h"
#include "verify/properties/property.h"

namespace tileproof::verify {
namespace {

using Index = std::vector<int64_t>;

std::string wrong(const Shape& shape, absl::string_view what, const Index& index) {
  return absl::StrCat(to_text(shape), ": ", what, " at ", absl::StrJoin(index, ","));
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
    if (position != spec::element_index(reference.physical(), offset)) {
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

std::string check_shape(const Shape& shape, Choose& choose, CaseCounts& tally) {
  const absl::Status compared = compare_whole(shape, 2000, 20, choose, tally);
  if (!compared.ok()) return std::string(compared.message());
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
  const int64_t stored = *element_count(reference->logical());
  if (layout->padding() != reference->elements() - stored) return wrong(shape, "padding", {});
  return stored == 0 ? "" : ask(shape, *reference, *layout, choose);
}

Shape any_shape(Choose& choose) {
  static const std::vector<ShapeFamily> families = small_families();
  if (choose.chance(1, 2)) return bounded_shape(choose, choose.pick(families));
  return random_shape(choose, int64_t{1} << choose.pick<int64_t>({8, 14, 30, 62}));
}

std::vector<Shape> shapes_of_corpus() {
  std::vector<Shape> shapes;
  for (const char* name : {"regressions.txt", "forms.txt", "real.txt"}) {
    for (const std::string& line : project_lines(absl::StrCat("corpus/layouts/", name))) {
      const absl::StatusOr<Shape> shape = parse_shape(line.substr(0, line.find("  ")));
      if (shape.ok() && shape->kind == Shape::Kind::kArray) shapes.push_back(*shape);
    }
  }
  return shapes;
}

// Every fourth is from the corpus.
std::string check_layout(Choose& choose, CaseCounts& tally) {
  static const std::vector<Shape> corpus = shapes_of_corpus();
  return check_shape(choose.chance(1, 4) ? choose.pick(corpus) : any_shape(choose), choose, tally);
}

std::string check_nested(Choose& choose, CaseCounts& tally) {
  const int64_t magnitude = int64_t{1} << choose.pick<int64_t>({8, choose(12), 20, 62});
  const NestedLayout layout = choose.chance(1, 4)
                                  ? *spec::make_layout(random_tagged_shape(choose, 1 << 20))
                                  : random_nested_layout(choose, magnitude);
  const absl::Status compared = compare_nested(layout, 64, 8, choose, tally);
  if (!compared.ok()) return std::string(compared.message());
  std::vector<int64_t> tile;
  for (int64_t k = 0; k < rank(layout.shape); ++k) tile.push_back(choose(300));
  if (choose.chance(1, 20)) tile.push_back(-1);
  if (!tile.empty() && choose.chance(1, 20)) tile[0] = -1;
  ++tally[spec::make_layout_tile(layout, tile).ok() ? "tiles" : "tiles that both refuse"];
  return std::string(compare_tile(layout, tile).message());
}

std::string check_tag(Choose& choose, CaseCounts&) {
  const Tag tag = tags()[static_cast<size_t>(choose(std::ssize(tags())))].tag;
  const int64_t bits = int64_t{1} << choose(10);
  const int64_t most = int64_t{1} << choose.pick<int64_t>({4, 8, 62});
  return std::string(compare_make(tag, bits, choose(most), choose(most)).message());
}

// Each law holds often enough.
std::vector<Ratio> laws_that_hold() {
  std::vector<Ratio> ratios;
  for (const Law& law : algebra_laws()) ratios.push_back({absl::StrCat(law.name, " held"), 0.1});
  return ratios;
}

}  // namespace

std::vector<Property> layout_properties() {
  return {of_choices("layout", 6000, check_layout, 2),
          of_choices("nested", 3000, check_nested, 4),
          of_choices("tags", 2000, check_tag),
          of_choices(
              "algebra", 2000,
              [](Choose& choose, CaseCounts& tally) {
                return broken_law(random_algebra_case(choose), tally);
              },
              2, laws_that_hold()),
          of_choices("banks", 1000,
                     [](Choose& choose, CaseCounts& tally) {
                       return banks_difference(random_banks_question(choose), tally);
                     },
                     100, {{"counted", 0.6}, {"with conflicts", 0.3}}),
          of_choices("threads", 40,
                     [](Choose& choose, CaseCounts& tally) {
                       return threads_difference(random_thread_layout(choose), tally);
                     },
                     16, {{"layouts", 0.6}})};
}

}  // namespace tileproof::verify
