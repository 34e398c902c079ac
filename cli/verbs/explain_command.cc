// SPDX-License-Identifier: Apache-2.0
// tileproof explain: where a layout puts an element, step by step.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/layout_index.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/layout/explain_index.h"

namespace tileproof::cli {
namespace {

using Numbers = std::vector<int64_t>;
using spec::Explanation;
using spec::LayoutFunction;

struct ExplainOptions {
  std::string layout;
  std::vector<std::string> indices = {}, offsets = {};
  std::optional<int64_t> bits;  // of an element
  bool json = false;
};

// ---- Text ----

std::string list(const Numbers& numbers) { return dims_text(numbers); }

void print(const Explanation& e, std::optional<int64_t> bits) {
  std::cout << "element " << list(e.index) << "\n";
  for (const spec::ExplainedStep& place : e.steps) {
    if (!place.moves) continue;
    std::cout << "  " << place.step << ", now " << list(place.dims) << ": at " << list(place.index)
              << "\n";
  }
  for (const spec::ExplainedMode& d : e.modes) {
    std::cout << "  mode " << d.mode << ": " << e.index[d.mode] << " has the digits ("
              << absl::StrJoin(d.digits, ",") << ") of (" << absl::StrJoin(d.extents, ",")
              << "), strides (" << absl::StrJoin(d.strides, ",") << ")\n";
  }
  if (e.unswizzled) std::cout << "  before swizzle  " << *e.unswizzled << "\n";
  if (!e.physical.empty()) std::cout << "  physical index  " << list(e.physical) << "\n";
  if (!e.position.empty()) {
    std::cout << "  tile            " << list(e.tile) << " of " << list(e.tiles) << ", position "
              << list(e.position) << " of " << list(e.tile_dims) << " in it\n";
  }
  std::cout << "  offset          " << e.offset << " elements\n";
  if (e.bit) {
    std::cout << "  byte            " << *e.bit / 8 << ", bit " << *e.bit % 8 << " of it; " << *bits
              << " bits from bit " << *e.bit << "\n";
  }
}

Json to_json(const Explanation& e) {
  Json json = json_object({{"index", e.index}, {"offset", e.offset}});
  Json::Array steps;
  for (const spec::ExplainedStep& place : e.steps) {
    steps.push_back(
        json_object({{"step", place.step}, {"dims", place.dims}, {"index", place.index}}));
  }
  for (const spec::ExplainedMode& d : e.modes) {
    steps.push_back(json_object(
        {{"mode", d.mode}, {"digits", d.digits}, {"extents", d.extents}, {"strides", d.strides}}));
  }
  set(json, "steps", Json(std::move(steps)));
  if (e.unswizzled) set(json, "unswizzled", *e.unswizzled);
  if (!e.physical.empty()) set(json, "physical", e.physical);
  if (!e.position.empty()) {
    set(json, "tile", e.tile);
    set(json, "position", e.position);
  }
  if (e.bit) {
    set(json, "byte", *e.bit / 8);
    set(json, "bit", *e.bit);
  }
  return json;
}

// What was asked: the element of an index, or of an offset.
struct Asked {
  std::optional<int64_t> offset;
  std::optional<Explanation> element;  // none in padding
};

absl::StatusOr<std::vector<Asked>> answer(const LayoutFunction& function,
                                          const ExplainOptions& options,
                                          std::optional<int64_t> bits) {
  std::vector<Asked> answers;
  for (const std::string& text : options.indices) {
    Numbers index = TRY(layout_index(function, text));
    answers.push_back({std::nullopt, explain_index(function, std::move(index), bits)});
  }
  for (const std::string& text : options.offsets) {
    Cursor cursor(text);
    const int64_t offset = TRY(cursor.take_integer("an offset"));
    TRY(cursor.expect_end());
    std::optional<Numbers> index = TRY(element_at(function, offset));
    Asked asked{offset, std::nullopt};
    if (index) asked.element = explain_index(function, *std::move(index), bits);
    answers.push_back(std::move(asked));
  }
  return answers;
}

int explain(const ExplainOptions& options) {
  const absl::StatusOr<std::string> text = read_argument(options.layout);
  if (!text.ok()) return complain("explain", text.status());
  const absl::StatusOr<AnyLayout> layout = parse_any_layout(*text);
  if (!layout.ok()) return complain("explain", layout.status(), *text);
  const absl::StatusOr<LayoutFunction> function = spec::layout_function(*layout);
  if (!function.ok()) return complain("explain", function.status());
  if (options.indices.empty() && options.offsets.empty()) {
    return complain("explain", absl::InvalidArgumentError("expected --index or --offset"));
  }
  const std::optional<int64_t> bits = options.bits ? options.bits : function->element_bits;
  const absl::StatusOr<std::vector<Asked>> answers = answer(*function, options, bits);
  if (!answers.ok()) return complain("explain", answers.status());
  if (options.json) {
    Json::Array elements;
    for (const Asked& asked : *answers) {
      elements.push_back(asked.element
                             ? to_json(*asked.element)
                             : json_object({{"offset", *asked.offset}, {"index", Json()}}));
    }
    std::cout << json_line(
        json_object({{"layout", to_text(*layout)}, {"elements", Json(std::move(elements))}}));
    return kHolds;
  }
  std::cout << to_text(*layout) << "\n";
  for (const Asked& asked : *answers) {
    if (asked.element) {
      print(*asked.element, bits);
    } else {
      std::cout << "offset " << *asked.offset << " holds padding\n";
    }
  }
  return kHolds;
}

}  // namespace

void add_explain_command(Program& program) {
  auto options = std::make_shared<ExplainOptions>();
  Command command = program.command(
      "explain", "Explain step by step where a layout puts an element: tile, offset, byte, bit");
  command.example("tileproof explain 'bf16[16,256]{1,0:T(8,128)(2,1)}' --index 3,130",
                  "the steps, the tile, the offset and the address of one element");
  command.example("tileproof explain 'f32[3,5]{1,0:T(2,2)}' --offset 17 --offset 23",
                  "which elements are at these offsets");
  command
      .option("LAYOUT", options->layout,
              "an HLO shape, a nested layout, or a tag or oneDNN format with a shape; @FILE; - for "
              "standard input")
      .required();
  command
      .option("--index", options->indices,
              "explain this element: 2,3 or [2,3], also nested like the layout; repeatable")
      .one_value_each();
  command.option("--offset", options->offsets, "explain the element at this offset; repeatable")
      .one_value_each();
  command
      .option("--bits", options->bits,
              "the bits of an element; default: those of the element type, if there is one")
      .in_range(1, 1 << 20);
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return explain(*options); });
}

}  // namespace tileproof::cli
