// SPDX-License-Identifier: Apache-2.0
#include "fuzz/raw/raw_parsers.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conform/oracle/hlo_access.h"
#include "conform/oracle/oracle.h"
#include "conform/protocol/protocol.h"
#include "conform/report/merge.h"
#include "conform/report/report.h"
#include "corpus/paths.h"
#include "generate/choose/choose.h"
#include "generate/hlo/generate_hlo.h"
#include "impl/access/tile_text.h"
#include "spec/lang/hlo/hlo_text.h"
#include "spec/lang/hlo/sharding.h"
#include "spec/lang/layout/blocked_text.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/layout/shape_text.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/lang/map/mlir_text.h"
#include "spec/lang/map/variable_divisors.h"
#include "verify/compare/trace_compare.h"
#include "verify/golden/golden.h"

namespace tileproof::verify {
namespace {

std::string error_of(const absl::Status& status, absl::string_view position) {
  const absl::string_view message = status.message();
  if (message.empty() || absl::StrContains(message, '\n')) return "an error that is not one line";
  return absl::StrContains(message, position) ? "" : "an error that names no position";
}

// Checks that an accepted text prints and that the printed text parses as the same value.
template <class Value, class Parse>
std::string read_back(const std::string& text, bool& read, const Parse& parse) {
  const absl::StatusOr<Value> value = parse(text);
  if (!value.ok()) return error_of(value.status(), "column ");
  read = true;
  const std::string printed = to_text(*value);
  const absl::StatusOr<Value> again = parse(printed);
  const bool same = again.ok() && *again == *value && to_text(*again) == printed;
  return same ? "" : "the printed text parses as another value or not at all";
}

std::vector<std::string> lines_of(const std::string& name, size_t most_bytes) {
  std::vector<std::string> lines;
  std::ifstream file(project_path(absl::StrCat("corpus/", name)));
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.size() > most_bytes || absl::StartsWith(line, "# ")) continue;
    lines.push_back(line);
  }
  return lines;
}

RawParser shape_parser() {
  return {"shape",
          lines_of("layouts/real.txt", 200),
          {"f32",  "[",    "]", "{", "}", "T(",     "*",     "<=", "?", ":",     "S(1)", "E(4)",
           "L(8)", "M(1)", "(", ")", ",", "D(D,C)", "/* */", "//", "#", "tuple", "pred", "\n"},
          1'000'000,
          [](const std::string& text, bool& read) {
            return read_back<Shape>(text, read,
                                    [](const std::string& t) { return parse_shape(t); });
          }};
}

RawParser map_parser() {
  std::vector<std::string> texts;
  for (const char* name : {"maps/regressions.txt", "maps/documents.txt"}) {
    for (const std::string& line : lines_of(name, 400)) {
      const std::string text = absl::StartsWith(line, "=> ") ? line.substr(3) : line;
      if (parse_map(text).ok()) texts.push_back(text);
    }
  }
  return {"map",
          std::move(texts),
          {"d0",          "s0",
           "rt0",         " floordiv ",
           " mod ",       " ceildiv ",
           " + ",         " * ",
           "-",           "(",
           ")",           "[",
           "]",           "{",
           "}",           " -> ",
           ", domain: ",  " in [0, 9]",
           "KNOWN EMPTY", " xor ",
           " | ",         " & ",
           "min(",        "max(",
           "affine_map<", "#xla.indexing_map<\"",
           ">",           "\n",
           "hlo:",        "is_simplified: true"},
          1'000'000,
          [](const std::string& text, bool& read) {
            return read_back<IndexingMap>(text, read,
                                          [](const std::string& t) { return parse_map(t); });
          }};
}

RawParser hlo_parser() {
  std::vector<std::string> texts;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choose choose(Choose::Random{seed});
    texts.push_back(generate_operation(choose).text);
  }
  return {"hlo",
          std::move(texts),
          {"ROOT ",
           "ENTRY ",
           "HloModule m",
           "%",
           " = ",
           "f32[2,3]{1,0}",
           "(",
           ")",
           "{",
           "}",
           ",",
           "to_apply=",
           "dimensions={0}",
           "parameter(0)",
           "constant(1)",
           "add(",
           "/*",
           "*/",
           "//",
           "\"",
           "\\",
           "\n",
           "// -----\n",
           "metadata={op_name=\"a\"}",
           "->",
           "calls="},
          200'000,
          [](const std::string& text, bool& read) {
            return read_back<std::vector<HloModule>>(
                text, read, [](const std::string& t) { return parse_hlo_modules(t); });
          }};
}

std::vector<std::string> requests() { return lines_of("protocol/requests.txt", 400); }

const std::vector<std::string>& json_words() {
  static const std::vector<std::string> words = {"{",
                                                 "}",
                                                 "[",
                                                 "]",
                                                 ",",
                                                 ":",
                                                 "\"",
                                                 "\\u0041",
                                                 "\\ud800",
                                                 "null",
                                                 "true",
                                                 "1e9",
                                                 "1.5",
                                                 "\\",
                                                 "\xc3\xa9",
                                                 "\xff",
                                                 "\t",
                                                 "\"id\":",
                                                 "\"op\": \"tla.offset\"",
                                                 "-0",
                                                 "\"index\": [1]",
                                                 " "};
  return words;
}

RawParser json_parser() {
  return {"json", requests(), json_words(), 1'000'000, [](const std::string& text, bool& read) {
            const absl::StatusOr<conform::JsonText> value = conform::read_json(text);
            if (!value.ok()) return error_of(value.status(), "column ");
            read = true;
            const std::string printed = conform::to_text(value->value);
            const absl::StatusOr<conform::JsonText> again = conform::read_json(printed);
            const bool same = again.ok() && again->value == value->value;
            return std::string(same || value->duplicate ? "" : "the printed text is another value");
          }};
}

// The answer to any line must be one valid line.
RawParser protocol_parser() {
  return {"protocol", requests(), json_words(), 200'000, [](const std::string& text, bool& read) {
            const std::string line = conform::answer_line(text, conform::Engine::kImpl);
            const absl::StatusOr<conform::Answer> answer = conform::read_answer(line);
            if (!answer.ok() || absl::StrContains(line, '\n')) {
              return absl::StrCat("not a valid answer: ", line);
            }
            read = answer->kind == conform::Answer::Kind::kResult;
            return std::string();
          }};
}

// The greeting of a program: an accepted greeting must have limits in range.
RawParser hello_parser() {
  std::vector<std::string> words = json_words();
  words.insert(words.end(), {"\"name\":", "\"limits\":{", "\"window\":", "\"integers\":",
                             "\"string\"", "\"ops\":[", "\"parsed\":", "\"bits\":"});
  return {
      "hello",
      {R"({"id":0,"result":{"name":"mine","version":"1.2","window":16,"parsed":true}})",
       R"({"id":"0","result":{"limits":{"rank":4,"tiles":2,"bits":32},"ops":["map.equal"]}})",
       R"({"id":0,"result":{"integers":"string","window":"64","limits":{"rank":"9"}}})",
       R"({"id":0,"result":{}})", R"({"id":0,"error":"what?"})"},
      std::move(words),
      1'000'000,
      [](const std::string& text, bool& read) {
        const absl::StatusOr<conform::Answer> answer = conform::read_answer(text);
        if (!answer.ok()) return error_of(answer.status(), "");
        const absl::StatusOr<conform::Hello> hello = conform::read_hello(*answer);
        if (!hello.ok()) return error_of(hello.status(), "expected ");
        read = true;
        const conform::Limits& limits = hello->limits;
        const int64_t least =
            std::min({limits.rank.value_or(0), limits.tiles.value_or(0), limits.bits.value_or(0)});
        const bool kept = least >= 0 && hello->window >= 1 && hello->window <= conform::kMaxWindow;
        return std::string(kept ? "" : "accepted a limit out of range");
      }};
}

// Adds the tab-separated fields of a table that `parse` accepts.
template <class Parse>
void add_fields(const std::string& name, const Parse& parse, std::vector<std::string>& texts) {
  for (const std::string& line : lines_of(name, 400)) {
    for (const absl::string_view field : absl::StrSplit(line, '\t'))
      if (parse(field).ok()) texts.emplace_back(field);
  }
}

// Layouts of TLA and CuTe, tags on arrays, tuples, coordinates. Each text goes to every parser.
RawParser nested_parser() {
  std::vector<std::string> texts = {"Int<4>:_1", "((Int<2>,_3),4):((_1, 2), /* a */ 6)", "1,5",
                                    "(1,0),5"};
  const auto layout = [](absl::string_view t) { return parse_nested_layout(t); };
  const auto tagged = [](absl::string_view t) { return parse_tagged_shape(t); };
  const auto tuple = [](absl::string_view t) { return parse_int_tuple(t); };
  const auto coordinate = [](absl::string_view t) { return parse_coordinate(t); };
  for (const char* name : {"nested/regressions.txt", "nested/catlass.tsv"}) {
    add_fields(name, layout, texts);
    add_fields(name, tagged, texts);
  }
  return {"nested",
          std::move(texts),
          {"(",   ")",  ",",        ":",       "_",  "_4", "Int<",  ">",           "()",    "-",
           "zN:", "nZ", "RowMajor", "L0C:f32", "[",  "]",  "f16[8", "s4",          "/* */", "//",
           "\n",  " ",  "((1,2))",  ":(1,0)",  "((", "))", "dnnl:", "VectorLayout"},
          1'000'000,
          [=](const std::string& text, bool& read) {
            std::string wrong = read_back<NestedLayout>(text, read, layout);
            if (wrong.empty()) wrong = read_back<TaggedShape>(text, read, tagged);
            if (wrong.empty()) wrong = read_back<IntTuple>(text, read, tuple);
            if (wrong.empty()) wrong = read_back<Coordinate>(text, read, coordinate);
            return wrong;
          }};
}

// Formats of oneDNN, alone and on arrays.
RawParser blocked_parser() {
  std::vector<std::string> texts = {"nChw16c", "OIhw8i16o2i", "acdb", "a"};
  const auto format = [](absl::string_view t) { return parse_blocked_format(t); };
  const auto shape = [](absl::string_view t) { return parse_blocked_shape(t); };
  add_fields("layouts/onednn.tsv", shape, texts);
  return {
      "blocked",
      std::move(texts),
      {"dnnl:", ":", "a",     "b",  "C",       "16c", "8i16o2i", "nchw", "gOIdhw", "ldigo",
       "[",     "]", ",",     "-",  "f32[2,3", "s8",  "4a",      "A",    "z",      "abcdefghijkl",
       "\n",    " ", "/* */", "//", "any",     "x"},
      1'000'000,
      [=](const std::string& text, bool& read) {
        const std::string wrong = read_back<BlockedFormat>(text, read, format);
        return wrong.empty() ? read_back<BlockedShape>(text, read, shape) : wrong;
      }};
}

// Operands of the layout algebra besides layouts. Each text goes to every parser.
RawParser algebra_parser() {
  const auto tiler = [](absl::string_view t) { return parse_tiler(t); };
  const auto slicer = [](absl::string_view t) { return parse_slicer(t); };
  const auto swizzle = [](absl::string_view t) { return parse_swizzle(t); };
  const auto swizzled = [](absl::string_view t) { return parse_swizzled_layout(t); };
  return {
      "algebra",
      {"<4:1,(2,3):(8,16)>", "(4,8)", "<>", "(2,2):(1,4)", "(_,3)", "((_,1),_,())", "_", "7",
       "Sw<3,4,3>", "Swizzle<2,0,-3>", "Sw<31,0,31>",
       "Sw<3,3,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"<", ">", "(", ")", ",", "_", "_4", ":", "4:1", "Sw<", "-", " ", "/* */", "\n", "Int<2>"},
      20'000'000,
      [=](const std::string& text, bool& read) {
        std::string wrong = read_back<Tiler>(text, read, tiler);
        if (wrong.empty()) wrong = read_back<Slicer>(text, read, slicer);
        if (wrong.empty()) wrong = read_back<Swizzle>(text, read, swizzle);
        if (wrong.empty()) wrong = read_back<SwizzledLayout>(text, read, swizzled);
        return wrong;
      }};
}

// Traces of simplifications. An accepted trace must be correct by the reference.
RawParser trace_parser() {
  std::vector<std::string> texts;
  const auto entries = read_golden(project_path("corpus/golden/traces.txt"));
  for (const GoldenAnswer& entry : entries.value_or(std::vector<GoldenAnswer>{}))
    if (absl::StartsWith(entry.question, "trace ")) texts.push_back(entry.answer);
  return {"trace",
          std::move(texts),
          {"map ",        "let f1 = (",    ") floordiv ",  "becomes ",
           "KNOWN EMPTY", " by known",     " given 1",     " from 1 2",
           " using 1",    "1: ",           "2: ",          "\n",
           "result 0",    "new ",          "constraint 0", " is ",
           " in [0, 1]",  " = ",           "d0",           "s0",
           "f1",          " * ",           " + ",          "-",
           "sum(1)",      "contradiction", "constraint-",  "range-point("},
          500'000,
          [](const std::string& text, bool& read) {
            const TraceJudgment judged = judge_trace(text, 20'000);
            read = judged.accepted;
            return judged.wrong;
          }};
}

// The argument of --tile.
RawParser tile_parser() {
  return {"tile",
          {"4:4,0:8:2", "0:1", "", "3:5:1,0:128,7:9:3", "0:1,2:3,4:5:6,7:8:9,10:11",
           "16:16,0:9223372036854775807:9223372036854775807", "0:1:1,0:1:1,0:1:1,0:1:1,0:1:1"},
          {":", ",", "-", "0:1", ",0:8:2", "::", " ", "+", "\n", "0x1"},
          20'000'000,
          [](const std::string& text, bool& read) {
            const absl::StatusOr<impl::Tile> tile = impl::parse_tile(text);
            read = tile.ok();
            return read ? "" : error_of(tile.status(), "--tile: ");
          }};
}

// The file of --expect.
RawParser expectation_parser() {
  return {"expect",
          {"15e8dd9403184cca  # only the first tile is done\n\n# known\nlayout.physical # later\n",
           "map.simplify", "0123456789abcdef"},
          {"#", "\n", " ", "tla.make", "hello", "0123456789abcdef", "\t", "\r\n"},
          20'000'000,
          [](const std::string& text, bool& read) {
            const auto expected = conform::parse_expectations(text);
            read = expected.ok();
            return read ? "" : error_of(expected.status(), "line ");
          }};
}

// Reports of shards, which `judge --merge` reads. A merged report must print and have a text.
RawParser report_parser() {
  std::vector<std::string> words = json_words();
  words.insert(words.end(), {"\"shard\":0", "\"shards\":2", "\"ops\":{", "\"pass\":1",
                             "\"failures\":[", "\"stray\":[1]", "\"notes\":["});
  return {
      "report", lines_of("protocol/reports.txt", 5000), std::move(words), 1'000'000,
      [](const std::string& text, bool& read) {
        const absl::StatusOr<conform::Json> merged = conform::merge_reports({{"shard.json", text}});
        if (!merged.ok()) return error_of(merged.status(), "shard");
        read = true;
        const absl::StatusOr<conform::JsonText> again =
            conform::read_json(conform::to_text(*merged));
        if (!again.ok() || !(again->value == *merged))
          return std::string("the merged report does not parse as itself");
        return std::string(conform::merged_text(*merged).empty() ? "the merged report has no text"
                                                                 : "");
      }};
}

RawParser mlir_parser() {
  return {"mlir",
          lines_of("maps/mlir.txt", 100),
          {"#map = ",    "affine_map<", "memref<", "#xla.indexing_map<\"",
           "(d0)",       "[s0]",        " -> ",    ">",
           "\"",         "4x",          "xf32",    ", strided<[",
           "]",          ", offset: ",  "?",       "#map",
           "// CHECK: ", "//",          "\n",      "#[[",
           ":.*]]",      " = ",         "\\",      "<",
           ", 1 : i32"},
          1'000'000,
          [](const std::string& text, bool& read) -> std::string {
            const absl::StatusOr<std::vector<MlirItem>> items = find_mlir(text);
            if (!items.ok()) return error_of(items.status(), "column ");
            read = !items->empty();
            for (const MlirItem& item : *items) {
              if (item.is_dynamic) continue;
              // A valid map has constant divisors; the text below has the others, too.
              if (!has_variable_divisors(item.map) && !validate(item.map).ok())
                return "an invalid map";
              if (item.kind == MlirKind::kMemRef) continue;
              const absl::StatusOr<IndexingMap> again = parse_map_with_variable_divisors(item.text);
              if (!again.ok() || *again != item.map) return "the text of an item is another map";
            }
            return "";
          }};
}

// Shardings of two arrays over four devices.
RawParser sharding_parser() {
  return {"sharding",
          {"{devices=[2,2]0,2,1,3}", "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
           "{devices=[2,2]<=[2,2]T(1,0)}", "{replicated}", "{maximal device=1}", "{manual}",
           "{mesh['x'=2,'y'=2], [{'y'}, {'x'}]}",
           "{mesh['x'=4], [{'x':(1)2}, {}], replicated={'x':(2)2}}",
           "{{replicated}, {devices=[4]<=[4]}}", "{devices=[4,1]<=[4], metadata={op_name=\"a\"}}",
           "{mesh['x'=4], device_ids=(0,2,1,3), [{'x'}, {}]}"},
          {"{",
           "}",
           "[",
           "]",
           "(",
           ")",
           ",",
           "=",
           "<=",
           "devices=",
           "mesh",
           "'x'",
           "'y'",
           ":",
           "T(1,0)",
           "replicated",
           "maximal",
           "device=",
           "last_tile_dim_replicate",
           "last_tile_dims=",
           "unreduced",
           "manual",
           "metadata={",
           "device_ids="},
          1'000'000,
          [](const std::string& text, bool& read) -> std::string {
            constexpr int64_t kDevices = 4, kRanks[] = {2, 2};
            const auto shardings = read_shardings(text, kRanks, kDevices);
            if (!shardings.ok()) return error_of(shardings.status(), "");
            read = true;
            if (shardings->size() != std::size(kRanks)) return "not one sharding for each array";
            for (const Sharding& sharding : *shardings) {
              int64_t parts = 1;
              for (const int64_t along : sharding.parts) parts *= along;
              const auto exists = [&](int64_t part) { return -1 <= part && part < parts; };
              if (std::ssize(sharding.part_of) != kDevices) return "not one part for each device";
              if (!std::ranges::all_of(sharding.part_of, exists)) return "a part that is not there";
            }
            return "";
          }};
}

}  // namespace

std::vector<RawParser> raw_parsers() {
  return {mlir_parser(),        shape_parser(),    map_parser(),     hlo_parser(),
          json_parser(),        protocol_parser(), hello_parser(),   nested_parser(),
          algebra_parser(),     blocked_parser(),  trace_parser(),   tile_parser(),
          expectation_parser(), report_parser(),   sharding_parser()};
}

const std::vector<std::string>& numbers_at_limits() {
  static const std::vector<std::string> limits = {"0",
                                                  "-1",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "9223372036854775808",
                                                  "-9223372036854775809",
                                                  "4294967296",
                                                  "99999999999999999999999999",
                                                  "007"};
  return limits;
}

}  // namespace tileproof::verify
