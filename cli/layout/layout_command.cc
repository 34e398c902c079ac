// SPDX-License-Identifier: Apache-2.0
// tileproof layout: explains a layout.
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/layout/layout_parts.h"
#include "cli/picture_file.h"
#include "cli/text.h"
#include "cli/verbs/layout_index.h"
#include "cli/verbs/waste.h"
#include "impl/layout/digit_layout.h"
#include "impl/layout/tiled_layout.h"
#include "picture/layout_svg.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/any_layout.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/layout/thread_layout.h"
#include "spec/lang/layout/ttg_text.h"
#include "spec/lang/layout/xla_differences.h"
#include "spec/lang/map/memref_text.h"
#include "spec/layout/explain_index.h"
#include "spec/layout/layout_function.h"
#include "spec/layout/tiled_layout.h"
#include "verify/prove/layout/layout_convert.h"

namespace tileproof::cli {
namespace {

std::string differences_text() {
  std::string text;
  for (const Difference& entry : differences()) {
    absl::StrAppend(&text, entry.name,
                    entry.kind == Difference::Kind::kRejected   ? "  (rejected)"
                    : entry.kind == Difference::Kind::kAccepted ? "  (accepted)"
                                                                : "  (sizes and offsets)",
                    "\n  example:   ", entry.example, "\n  XLA:       ", entry.xla,
                    "\n  Tileproof: ", entry.tileproof, "\n");
  }
  return text;
}

// "2,3"
absl::StatusOr<std::vector<int64_t>> index_option(const std::string& text) {
  Coordinate coordinate = TRY(parse_coordinate(text));
  if (depth(coordinate) > 1) {
    return invalid("expected one integer for each dimension, found a tuple");
  }
  return leaves(coordinate);
}

std::string steps_text(const spec::TiledLayout& reference) {
  std::string text = "steps\n";
  for (size_t i = 0; i < reference.physical_position; ++i) {
    if (spec::moves_nothing(reference.steps[i])) continue;
    absl::StrAppend(&text, "  [", absl::StrJoin(reference.dims[i + 1], ","), "]  ",
                    spec::to_text(reference.steps[i], reference.dims[i + 1]), "\n");
  }
  const bool pads = std::holds_alternative<spec::Pad>(reference.steps.back());
  return absl::StrCat(text, "  [", reference.elements(), "]  combine all dimensions",
                      pads ? ", pad the tail" : "", "\n");
}

// A blocked format is explained as a tiled layout.
absl::StatusOr<Shape> blocked_as_tiled(const BlockedShape& blocked) {
  verify::ProofSession session;
  const verify::Converted tiled =
      TRY(verify::convert(blocked, verify::LayoutSystem::kXla, blocked.element_type, session));
  if (!tiled.layout) return absl::FailedPreconditionError(tiled.reason);
  return std::get<Shape>(*tiled.layout);
}

absl::StatusOr<std::string> explanation(const Shape& shape, const impl::TiledLayout& layout) {
  const spec::TiledLayout reference = TRY(spec::tiled_layout(shape));
  const std::string picture = text_picture(layout);
  return absl::StrCat(to_text(shape), "\nlogical dimensions   [",
                      absl::StrJoin(layout.logical(), ","), "], ",
                      layout.elements() - layout.padding(), " elements\nphysical dimensions  [",
                      absl::StrJoin(layout.physical(), ","), "], ", layout.elements(), " slots, ",
                      layout.padding(), " of them padding\nbytes                ", layout.bytes(),
                      "\noffset               ", layout.formula(), "\n", steps_text(reference),
                      picture.empty() && layout.elements() > 0 ? part_of_offsets(layout) : picture);
}

absl::StatusOr<Answer> explain_shape(const Shape& shape, const AskedElement& asked) {
  const std::string name = to_text(shape);
  std::optional<std::vector<int64_t>> index;
  if (asked.index) index = TRY(about("--index", index_option(*asked.index), *asked.index));
  const impl::TiledLayout layout = TRY(about(name, impl::TiledLayout::create(shape)));
  FoundElement found;
  if (asked.offset) {
    TRY(about(name, expect_slot(*asked.offset, layout.elements())));
    const auto element = TRY(about(name, layout.delinearize(*asked.offset)));
    found.index = {element ? Json(*element) : Json(), element ? dims_text(*element) : "padding"};
  }
  if (index) found.offset = TRY(about(name, layout.linearize(*index)));
  return element_answer(json_object({{"shape", name},
                                     {"dims", layout.physical()},
                                     {"elements", layout.elements()},
                                     {"bytes", layout.bytes()},
                                     {"formula", layout.formula()}}),
                        asked.any() ? "" : TRY(about(name, explanation(shape, layout))), found);
}

// Writes the picture to its file or to standard output.
absl::Status draw(absl::string_view text, const Command& given) {
  const std::string &file = given.text("--svg"), &other = given.text("--beside");
  if (has_thread_layout(text)) {
    return write_picture(TRY(picture::threads_svg(TRY(parse_thread_layout(text)))), file);
  }
  picture::LayoutPicture picture{.path = given.flag("--path")};
  picture.coloring = TRY(picture::parse_coloring(given.text("--color")));
  if (given.has("--type"))
    picture.element_bits = tla_bits(TRY(element_type_argument(given.text("--type"))));
  const AnyLayout layout = TRY(parse_any_layout(text));
  picture.formula = impl::formula_of(layout);
  if (given.has("--index"))
    picture.chosen = TRY(layout_index(TRY(spec::layout_function(layout)), given.text("--index")));
  std::string svg;
  if (other.empty()) {
    svg = TRY(picture::layout_svg(layout, picture));
  } else {
    const AnyLayout beside = TRY(parse_any_layout(TRY(read_argument(other))));
    svg = TRY(picture::compared_svg(layout, beside, picture));
  }
  return write_picture(svg, file);
}

// Whether the argument names an HLO file, or is the text of one.
bool is_module(const std::string& argument) {
  const bool is_named_so = absl::EndsWith(argument, ".hlo") || absl::EndsWith(argument, ".pb") ||
                           absl::EndsWith(argument, ".pbtxt") || absl::EndsWith(argument, ".mlir");
  if (!is_named_so) return absl::StartsWith(argument, "HloModule");
  std::error_code no_file;
  return absl::StartsWith(argument, "@") || std::filesystem::exists(argument, no_file);
}

// The layout whose offsets are what CuTe's `layout(coord)` returns.
absl::StatusOr<std::string> without_pointer(absl::string_view text) {
  SwizzledLayout layout = TRY(parse_swizzled_layout(text));
  layout.pointer_bits.reset();
  return to_text(layout);
}

absl::StatusOr<Answer> explain(const Command& given) {
  if (is_module(given.text("LAYOUT"))) return list_layouts(given.text("LAYOUT"));
  std::string text = TRY(read_argument(given.text("LAYOUT")));
  if (given.flag("--as-printed")) text = TRY(without_pointer(text));
  const std::optional<std::string> system = given.text_if("--as");
  ThreadQuestions of_threads{given.text_if("--index"), {}, system};
  for (size_t i = 0; i < kPlaceNames.size(); ++i) {
    of_threads.place[i] = given.number_if(absl::StrCat("--", std::string(kPlaceNames[i])));
  }
  const AskedElement asked{given.text_if("--index"), given.number_if("--offset")};
  const bool is_threads = has_thread_layout(text);
  if (is_threads && (given.has("--offset") || given.has("--format") || given.has("--sharding") ||
                     given.flag("--path") || !given.text("--beside").empty())) {
    return invalid(
        "expected --index, --register, --lane, --warp, --block, --as or --svg for a layout of "
        "threads");
  }
  if (!is_threads && of_threads.asks_place()) {
    return invalid("expected a layout of threads with --register, --lane, --warp and --block");
  }
  if (given.has("--sharding")) {
    return explain_sharding(text, given.text("--sharding"),
                            {given.number_if("--devices"), system, given.text("--svg")});
  }
  const std::string& svg = given.text("--svg");
  if (given.has("--type") && !system && svg.empty()) {
    return invalid("--type requires --as or --svg");
  }
  if (!svg.empty()) {
    TRY(about("layout --svg", draw(text, given)));
    if (svg == "-") return Answer{};
  }
  if (is_threads) return explain_threads(text, of_threads);
  if (system) return convert_layout(text, *system, given.text_if("--type").value_or("f32"));
  if (given.has("--format")) return choose_layout(given.text("--format"), text);
  if (looks_like_memref(text)) return explain_by_map(text, asked);
  const AnyLayout any = TRY(about("", parse_any_layout(text), text));
  if (const auto* shape = std::get_if<Shape>(&any)) return explain_shape(*shape, asked);
  if (const auto* blocked = std::get_if<BlockedShape>(&any)) {
    return explain_shape(TRY(blocked_as_tiled(*blocked)), asked);
  }
  if (std::holds_alternative<SwizzledLayout>(any) || std::holds_alternative<MemRef>(any)) {
    return explain_by_map(text, asked);
  }
  return explain_nested(to_text(any), asked);
}

}  // namespace

absl::StatusOr<Answer> layout_command(const Command& given) {
  if (given.flag("--differences")) return Answer{{}, differences_text()};
  if (!given.text("LAYOUT").empty()) return explain(given);
  return invalid("expected a LAYOUT");
}

}  // namespace tileproof::cli
