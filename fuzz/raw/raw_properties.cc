// SPDX-License-Identifier: Apache-2.0
#include "fuzz/raw/raw_properties.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conform/protocol/protocol.h"
#include "conform/report/merge.h"
#include "conform/report/report.h"
#include "corpus/paths.h"
#include "fuzz/campaign/target.h"
#include "fuzz/targets/request_inputs.h"
#include "generate/choose/choose.h"
#include "impl/access/tile.h"
#include "spec/lang/base/try.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/map_text.h"
#include "verify/compare/text_compare.h"

namespace tileproof::verify {
namespace {

constexpr size_t kLongest = 2000;  // of a text to start from

using Texts = std::vector<std::string>;
using Check = std::function<std::string(const std::string& text, CaseCounts& tally)>;

// What the texts of a parser are made of.
struct Material {
  Texts texts;  // to start from
  Texts words;  // to insert
};

// The cells behind a name and a kind in the table of words, texts and files, with the words that @NAME
// names.
Texts in_table(absl::string_view name, absl::string_view kind) {
  static const Texts lines = campaign::texts_in(project_path("corpus"), "raw/parsers.tsv");
  Texts cells;
  for (const std::string& line : lines) {
    const std::vector<absl::string_view> all = absl::StrSplit(line, '\t');
    if (all[0] != name || all[1] != kind) continue;
    for (size_t k = 2; k < all.size(); ++k) {
      if (absl::StartsWith(all[k], "@")) {
        cells = in_table(all[k].substr(1), kind);
      } else {
        absl::CUnescape(all[k], &cells.emplace_back());
      }
    }
  }
  return cells;
}

const Texts& numbers_at_limits() {
  static const Texts limits = in_table("numbers", "words");
  return limits;
}

// Makes one edit of the text.
void change(Choose& choose, const Material& material, std::string& text) {
  const auto position = static_cast<size_t>(choose(std::ssize(text) + 1));
  const auto length = static_cast<size_t>(choose.between(1, 8));
  switch (choose(8)) {
    case 0:
      if (position < text.size()) text[position] = static_cast<char>(choose(256));
      return;
    case 1:
      text.erase(position, length);
      return;
    case 2:
      text.insert(position, text.substr(static_cast<size_t>(choose(std::ssize(text) + 1)), length));
      return;
    case 3:
      text.insert(position, choose.pick(material.words));
      return;
    case 4: {  // replace a number
      size_t digit = text.find_first_of("0123456789", position);
      if (digit == std::string::npos) digit = text.size();
      const size_t end = text.find_first_not_of("0123456789", digit);
      text.replace(digit, end == std::string::npos ? end : end - digit,
                   choose.pick(numbers_at_limits()));
      return;
    }
    case 5:
      text.erase(position);
      return;
    case 6: {
      const std::string& other = choose.pick(material.texts);
      text = text.substr(0, position) +
             other.substr(static_cast<size_t>(choose(std::ssize(other) + 1)));
      return;
    }
    default:
      if (choose.chance(15, 16)) {
        text.insert(position, 1, static_cast<char>(choose(256)));
      } else {  // deep nesting
        text.insert(position, static_cast<size_t>(choose(1200)),
                    choose.pick<char>({'(', '[', '{', '-'}));
      }
  }
}

std::string damaged(Choose& choose, const Material& material) {
  std::string text = choose.pick(material.texts);
  for (int64_t edits = choose.between(0, 5); edits > 0; --edits) change(choose, material, text);
  return text;
}

// Returns the texts of the table, and those fields of its files that the check reads.
Texts texts_of(absl::string_view name, const Check& check) {
  Texts texts = in_table(name, "texts");
  for (const std::string& file : in_table(name, "files")) {
    for (const std::string& text : campaign::texts_in(project_path("corpus"), file)) {
      for (const absl::string_view field : absl::StrSplit(text, '\t')) {
        CaseCounts tally;
        if (field.size() > kLongest) continue;
        check(std::string(field), tally);
        if (tally["read"] > 0) texts.emplace_back(field);
      }
    }
  }
  return texts;
}

Property parser(absl::string_view name, Check check) {
  const Material material{texts_of(name, check), in_table(name, "words")};
  return of_texts(absl::StrCat("texts-", name), 8000,
                  [material](Choose& choose) { return damaged(choose, material); },
                  std::move(check), {{"read", 0.001}, {"cases", 1.01, "read"}});
}

// A text goes to every parser.
template <class... Value>
Check each_read_back(absl::StatusOr<Value> (*... parse)(absl::string_view)) {
  return [=](const std::string& text, CaseCounts& tally) {
    std::string wrong;
    ((wrong = wrong.empty() ? read_back_difference(parse(text), parse, tally) : wrong), ...);
    return wrong;
  };
}

std::string check_modules(const std::string& text, CaseCounts& tally) {
  const auto parse = [](absl::string_view t) { return parse_hlo_modules(t); };
  return read_back_difference(parse(text), parse, tally);
}

std::string check_json(const std::string& text, CaseCounts& tally) {
  const absl::StatusOr<conform::JsonText> value = conform::read_json(text);
  if (!value.ok()) return error_difference(value.status(), "column ");
  ++tally["read"];
  const std::string printed = conform::to_text(value->value);
  const absl::StatusOr<conform::JsonText> again = conform::read_json(printed);
  const bool same = again.ok() && again->value == value->value;
  return std::string(same || value->duplicate ? "" : "the printed text is another value");
}

// The greeting of a program: an accepted greeting must have limits in range.
std::string check_hello(const std::string& text, CaseCounts& tally) {
  const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
  if (!answer.ok()) return error_difference(answer.status(), "");
  const absl::StatusOr<conform::Hello> hello = conform::read_hello(*answer);
  if (!hello.ok()) return error_difference(hello.status(), "expected ");
  ++tally["read"];
  const conform::Limits& limits = hello->limits;
  const int64_t least =
      std::min({limits.rank.value_or(0), limits.tiles.value_or(0), limits.bits.value_or(0)});
  const bool kept = least >= 0 && hello->window >= 1 && hello->window <= conform::kMaxWindow;
  return std::string(kept ? "" : "accepted a limit out of range");
}

// Traces of simplifications. An accepted trace must be correct by the reference.
std::string check_trace(const std::string& text, CaseCounts& tally) {
  return trace_difference(text, 20'000, tally);
}

// The argument of --tile.
std::string check_tile(const std::string& text, CaseCounts& tally) {
  const absl::StatusOr<impl::Tile> tile = impl::parse_tile(text);
  if (!tile.ok()) return error_difference(tile.status(), "--tile: ");
  ++tally["read"];
  return "";
}

// The file of --expect.
std::string check_expectations(const std::string& text, CaseCounts& tally) {
  const auto expected = conform::parse_expectations(text);
  if (!expected.ok()) return error_difference(expected.status(), "line ");
  ++tally["read"];
  return "";
}

// Reports of shards, which `judge --merge` reads. A merged report must print and have a text.
std::string check_report(const std::string& text, CaseCounts& tally) {
  const absl::StatusOr<conform::Json> merged = conform::merge_reports({{"shard.json", text}});
  if (!merged.ok()) return error_difference(merged.status(), "shard");
  ++tally["read"];
  const absl::StatusOr<conform::JsonText> again = conform::read_json(conform::to_text(*merged));
  if (!again.ok() || !(again->value == *merged))
    return std::string("the merged report does not parse as itself");
  return std::string(conform::merged_text(*merged).empty() ? "the merged report has no text" : "");
}

// Shardings of Shardy, on a mesh of four devices.
absl::StatusOr<std::vector<Sharding>> shardings_of_shardy(const std::string& text,
                                                          int64_t devices) {
  const Meshes meshes = TRY(read_meshes(R"({mesh = #sdy.mesh<["x"=2, "y"=2]>})"));
  std::vector<Sharding> shardings;
  for (const MeshCut& cut : TRY(read_shardings_of_shardy(text, meshes)))
    shardings.push_back(TRY(sharding_on(cut.mesh, cut.dimensions, devices)));
  return shardings;
}

// Shardings of two arrays over four devices, or those of Shardy, or its meshes.
std::string check_sharding(const std::string& text, CaseCounts& tally) {
  constexpr int64_t kDevices = 4, kRanks[] = {2, 2};
  const bool is_of_shardy = absl::StartsWith(text, "#sdy");
  if (const auto meshes = read_meshes(text); meshes.ok()) ++tally["meshes"];
  const auto shardings =
      is_of_shardy ? shardings_of_shardy(text, kDevices) : read_shardings(text, kRanks, kDevices);
  if (!shardings.ok()) return is_of_shardy ? "" : error_difference(shardings.status(), "");
  ++tally["read"];
  if (!is_of_shardy && shardings->size() != std::size(kRanks))
    return "not one sharding for each array";
  for (const Sharding& sharding : *shardings) {
    int64_t parts = 1;
    for (const int64_t along : sharding.parts) parts *= along;
    const auto exists = [&](int64_t part) { return -1 <= part && part < parts; };
    if (std::ssize(sharding.part_of) != kDevices) return "not one part for each device";
    if (!std::ranges::all_of(sharding.part_of, exists)) return "a part that is not there";
  }
  return "";
}

}  // namespace

std::vector<Property> raw_properties() {
  return {parser("mlir", mlir_difference),
          parser("shape", each_read_back(parse_shape)),
          parser("map", each_read_back(parse_map)),
          parser("hlo", check_modules),
          parser("json", check_json),
          parser("protocol", answers_difference),
          parser("hello", check_hello),
          parser("nested", each_read_back(parse_nested_layout, parse_tagged_shape, parse_int_tuple,
                                          parse_coordinate)),
          parser("algebra",
                 each_read_back(parse_tiler, parse_slicer, parse_swizzle, parse_swizzled_layout)),
          parser("blocked", each_read_back(parse_blocked_format, parse_blocked_shape)),
          parser("trace", check_trace),
          parser("tile", check_tile),
          parser("expect", check_expectations),
          parser("report", check_report),
          parser("sharding", check_sharding)};
}

}  // namespace tileproof::verify
