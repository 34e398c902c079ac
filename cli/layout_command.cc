// tileproof layout: explains a layout.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "impl/tiled_layout.h"
#include "nlohmann/json.hpp"
#include "spec/lang/differences.h"
#include "spec/lang/shape_text.h"
#include "spec/tiled_layout.h"

namespace tileproof::cli {
namespace {

struct Options {
  std::string shape;
  std::optional<std::vector<int64_t>> index;
  std::optional<int64_t> offset;
  bool json = false;
  bool differences = false;
};

constexpr int64_t kMostDrawn = 1024;  // elements of a drawing
constexpr int64_t kMostWide = 32;

void print_differences() {
  for (const Difference& entry : differences()) {
    std::cout << entry.name
              << (entry.kind == Difference::Kind::kRejected ? "  (rejected)"
                                                            : "  (sizes and offsets)")
              << "\n  example:   " << entry.example << "\n  XLA:       " << entry.xla
              << "\n  Tileproof: " << entry.tileproof << "\n";
  }
}

std::string cell(std::optional<int64_t> value, int64_t width) {
  const std::string text = value ? absl::StrCat(*value) : ".";
  return absl::StrCat(std::string(std::max<int64_t>(0, width - std::ssize(text)), ' '), text);
}

// The array as rows and columns, each element by its offset; the memory by rows of its last
// physical dimension, each place by its element (row-major number), padding as '.'.
void draw(const impl::TiledLayout& layout) {
  const std::vector<int64_t>& dims = layout.logical();
  if (dims.empty() || dims.size() > 2 || layout.elements() == 0 || layout.elements() > kMostDrawn)
    return;
  const int64_t rows = dims.size() == 2 ? dims[0] : 1;
  const int64_t columns = dims.back();
  const int64_t width = std::ssize(absl::StrCat(layout.elements())) + 1;
  const int64_t wide = layout.physical().empty() ? 1 : layout.physical().back();
  if (columns > kMostWide || wide > 4 * kMostWide) return;
  std::cout << "offset of each element\n";
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const std::vector<int64_t> index =
          dims.size() == 2 ? std::vector{row, column} : std::vector{column};
      std::cout << cell(layout.linearize_unchecked(index), width);
    }
    std::cout << "\n";
  }
  std::cout << "element at each offset, '.' is padding\n";
  std::vector<int64_t> index(dims.size());
  const int64_t line =
      std::max<int64_t>(wide, std::min<int64_t>(wide * 8, kMostWide) / wide * wide);
  for (int64_t offset = 0; offset < layout.elements(); ++offset) {
    const bool exists = layout.delinearize_unchecked(offset, absl::MakeSpan(index));
    const int64_t id = dims.size() == 2 ? index[0] * dims[1] + index[1] : index[0];
    std::cout << cell(exists ? std::optional(id) : std::nullopt, width);
    if ((offset + 1) % line == 0 || offset + 1 == layout.elements()) {
      std::cout << "\n";
    } else if ((offset + 1) % wide == 0) {
      std::cout << " |";
    }
  }
}

int explain(const Options& options) {
  const absl::StatusOr<std::string> text = read_argument(options.shape);
  if (!text.ok()) return complain("layout", text.status());
  const absl::StatusOr<Shape> shape = parse_shape(*text);
  if (!shape.ok()) return complain("layout", shape.status());
  const absl::StatusOr<impl::TiledLayout> layout = impl::TiledLayout::create(*shape);
  if (!layout.ok()) return complain(to_text(*shape), layout.status());

  absl::StatusOr<int64_t> offset;
  absl::StatusOr<std::optional<std::vector<int64_t>>> index;
  if (options.index && !(offset = layout->linearize(*options.index)).ok()) {
    return complain(to_text(*shape), offset.status());
  }
  if (options.offset && !(index = layout->delinearize(*options.offset)).ok()) {
    return complain(to_text(*shape), index.status());
  }
  const bool asked = options.index || options.offset;
  if (options.json) {
    nlohmann::json json = {{"shape", to_text(*shape)},
                           {"dims", layout->physical()},
                           {"elements", layout->elements()},
                           {"bytes", layout->bytes()},
                           {"formula", layout->formula()}};
    if (options.index) json["offset"] = *offset;
    if (options.offset)
      json["index"] = index->has_value() ? nlohmann::json(**index) : nlohmann::json(nullptr);
    std::cout << json.dump() << "\n";
    return kHolds;
  }
  if (options.index) std::cout << *offset << "\n";
  if (options.offset) {
    std::cout << (index->has_value() ? absl::StrCat("[", absl::StrJoin(**index, ","), "]")
                                     : "padding")
              << "\n";
  }
  if (asked) return kHolds;

  const absl::StatusOr<spec::TiledLayout> reference = spec::tiled_layout(*shape);
  if (!reference.ok()) return complain(to_text(*shape), reference.status());
  std::cout << to_text(*shape) << "\n"
            << "logical dimensions   [" << absl::StrJoin(layout->logical(), ",") << "], "
            << layout->elements() - layout->padding() << " elements\n"
            << "physical dimensions  [" << absl::StrJoin(layout->physical(), ",") << "], "
            << layout->elements() << " places, " << layout->padding() << " of them padding\n"
            << "bytes                " << layout->bytes() << "\n"
            << "offset               " << layout->formula() << "\n"
            << "steps\n";
  for (size_t i = 0; i < reference->steps.size(); ++i) {
    std::cout << "  [" << absl::StrJoin(reference->dims[i + 1], ",") << "]  "
              << spec::to_text(reference->steps[i]) << "\n";
  }
  draw(*layout);
  return kHolds;
}

}  // namespace

void add_layout_command(CLI::App& app, int* status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "layout",
      "Explain a layout: physical dimensions, padding, bytes, the closed form, the picture");
  command->add_option("SHAPE", options->shape,
                      "a shape as HLO writes it; @FILE; - for standard input");
  command->add_option("--index", options->index, "print the offset of the element at I,J,..")
      ->delimiter(',');
  command->add_option("--offset", options->offset,
                      "print the index of the element at this offset, or 'padding'");
  command->add_flag("--json", options->json, "for machines");
  command->add_flag("--differences", options->differences,
                    "print where Tileproof knowingly differs from XLA");
  command->callback([options, status, command] {
    if (options->differences) return print_differences();
    if (options->shape.empty()) throw CLI::RequiredError("SHAPE");
    *status = explain(*options);
  });
}

}  // namespace tileproof::cli
