// SPDX-License-Identifier: Apache-2.0
// tileproof compose: one map after another. tileproof inverse: a map turned around.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "cli/verbs/compose_notes.h"
#include "cli/verbs/kept_tiles.h"
#include "cli/verbs/layout_index.h"
#include "impl/map/compose.h"
#include "impl/map/divisors/variable_divisors.h"
#include "impl/map/invert.h"
#include "spec/lang/base/try.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/variable_divisors.h"

namespace tileproof::cli {
namespace {

struct ComposeOptions {
  std::string first, second;
  std::optional<std::string> keep;
  bool unsimplified = false;
  bool json = false;
};

using Parse = absl::StatusOr<AnyMap> (*)(absl::string_view);

absl::StatusOr<AnyMap> parse_side(const char* name, const std::string& argument, Parse parse) {
  const absl::StatusOr<std::string> text = read_argument(argument);
  absl::StatusOr<AnyMap> map = text.ok() ? parse(*text) : text.status();
  if (map.ok()) return map;
  return absl::Status(map.status().code(),
                      absl::StrCat(name, ": ", std::string(map.status().message())));
}

// A map, and a note about it or "".
struct Answer {
  IndexingMap map;
  std::string note;
};

absl::StatusOr<Answer> composed(const ComposeOptions& options) {
  const std::optional<impl::TileSizes> keep = TRY(kept_tiles(options.keep));
  const auto first = TRY(parse_side("FIRST", options.first, parse_any_divided_map)).map;
  const auto second = TRY(parse_side("SECOND", options.second, parse_any_divided_map)).map;
  IndexingMap map = has_variable_divisors(first) || has_variable_divisors(second)
                        ? TRY(impl::compose_with_variable_divisors(first, second))
                        : TRY(impl::compose(first, second));
  if (!options.unsimplified) map = TRY(simplified(map, keep));
  std::string note = left_out_note(first, second, map);
  return Answer{std::move(map), std::move(note)};
}

absl::StatusOr<Answer> inverted(const ComposeOptions& options) {
  const AnyMap map = TRY(parse_side("MAP", options.first, parse_any_map));
  IndexingMap inverse = TRY(map.layout ? inverse_of(*map.layout) : impl::invert(map.map));
  const bool is_tiled =  // and so one-to-one
      map.layout && std::holds_alternative<spec::TiledLayout>(map.layout->meaning);
  std::string note = is_tiled ? "" : one_to_one_note(map.map, inverse);
  return Answer{std::move(inverse), std::move(note)};
}

int print(const char* command, const absl::StatusOr<Answer>& answer, bool json) {
  if (!answer.ok()) return complain(command, answer.status());
  if (!answer->note.empty()) std::cerr << "tileproof: note: " << answer->note << "\n";
  const std::string text = to_text(answer->map);
  std::cout << (json ? json_line(json_object({{"map", text}})) : text + "\n");
  return kHolds;
}

constexpr char kMapOrLayout[] = "a map, or a layout (from an index to its offset); @FILE; -";

}  // namespace

void add_compose_command(Program& program) {
  auto options = std::make_shared<ComposeOptions>();
  Command command =
      program.command("compose", "Compose two maps or layouts: SECOND of the results of FIRST");
  command.example(
      "tileproof compose '(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]' "
      "'f32[4,8]{0,1}'",
      "the offset of element d0 of a reshaped array");
  command.option("FIRST", options->first, kMapOrLayout).required();
  command
      .option("SECOND", options->second,
              "a map or layout with one dimension for each result of FIRST")
      .required();
  Option keep = command.option("--keep", options->keep, kKeepWhat).such_as({"tiles"});
  command
      .flag("--unsimplified", options->unsimplified,
            "print the composition as it is defined, with all constraints")
      .excludes(keep);
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return print("compose", composed(*options), options->json); });
}

void add_inverse_command(Program& program) {
  auto options = std::make_shared<ComposeOptions>();
  Command command = program.command(
      "inverse", "Print the inverse of a map or layout: from its results to the index");
  command.example("tileproof inverse '(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]'",
                  "from the results back to d0");
  command.example("tileproof inverse 'f32[3,5]{1,0:T(2,2)}'",
                  "the element at each offset; padding is outside the domain");
  command.option("MAP", options->first, kMapOrLayout).required();
  command.flag("--json", options->json, "print JSON");
  command.run([options] { return print("inverse", inverted(*options), options->json); });
}

}  // namespace tileproof::cli
