// SPDX-License-Identifier: Apache-2.0
// tileproof image: the elements that a map reaches, or the offsets that a layout uses.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/verbs/any_map.h"
#include "impl/access/image.h"
#include "impl/map/linear_bits.h"
#include "impl/map/simplify.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

constexpr size_t kMostRuns = 16;             // that are printed
constexpr int64_t kMostNumbers = 1'000'000;  // that are listed to find runs

// A result, or a digit of one.
struct Part {
  std::string text;  // "result 0", "result 0 floordiv 64"
  int32_t result;
  int64_t low;   // is added to the numbers of the image
  int64_t size;  // the numbers of the image are less
};

// The image, with the results moved so that each is at least 0.
struct Shifted {
  impl::Image image;
  std::vector<Part> parts;

  std::vector<int64_t> sizes() const {
    std::vector<int64_t> sizes;
    for (const Part& part : parts) sizes.push_back(part.size);
    return sizes;
  }
};

// "result 0 floordiv 64", "(result 0 - 5) mod 64", "result 0 mod 64 floordiv 8"
std::string text_of(const impl::ResultDigit& digit, const Part& part) {
  std::string text = part.text;
  if (part.low != 0) {
    const std::string low = absl::StrCat(part.low);
    text = part.low < 0 ? absl::StrCat("(", text, " + ", low.substr(1), ")")
                        : absl::StrCat("(", text, " - ", low, ")");
  }
  if (digit.modulus != 0) absl::StrAppend(&text, " mod ", digit.modulus);
  if (digit.divisor != 1) absl::StrAppend(&text, " floordiv ", digit.divisor);
  return text;
}

// The image of each result's digits, for results that lie in too many pieces to count them.
absl::StatusOr<Shifted> image_in_digits(const IndexingMap& map, const Shifted& whole) {
  const impl::MapInDigits in_digits = impl::in_digits_of_results(map, whole.sizes());
  if (in_digits.digits.size() == map.results.size()) {
    return absl::ResourceExhaustedError("no result has several digits");
  }
  Shifted shifted;
  for (const impl::ResultDigit& digit : in_digits.digits) {
    const Part& part = whole.parts[digit.result];
    const bool is_whole = digit.modulus == 0 && digit.divisor == 1;
    shifted.parts.push_back(is_whole ? part
                                     : Part{text_of(digit, part), digit.result, 0, digit.size});
  }
  shifted.image = TRY(impl::image_of(in_digits.map, shifted.sizes()));
  return shifted;
}

absl::StatusOr<Shifted> image_of(IndexingMap map) {
  // Runtime variables, like ranges, take all values.
  const auto ranges = static_cast<int64_t>(map.ranges.size());
  for (Node& node : map.nodes) {
    if (node.op == Op::kRuntime) node = {.op = Op::kRange, .value = ranges + node.value};
  }
  map.ranges.insert(map.ranges.end(), map.runtime.begin(), map.runtime.end());
  map.runtime.clear();
  for (std::vector<Variable>* variables : {&map.dimensions, &map.ranges}) {
    for (Variable& variable : *variables) variable.name.clear();
  }
  IndexingMap simple = TRY(impl::simplify(map));
  Shifted shifted;
  if (simple.known_empty) {
    shifted.image.empty = true;
    return shifted;
  }
  const std::optional<impl::LinearBits> bits = impl::linear_bits_of(map);
  for (size_t r = 0; r < map.results.size(); ++r) {
    Interval bounds = TRY(impl::range_of(simple, simple.results[r]));
    if (bits) {
      const int64_t most = (int64_t{1} << bits->results[r].size()) - 1;
      bounds = {std::max<int64_t>(bounds.low, 0), std::min(bounds.high, most)};
    }
    int64_t last, size;
    if (__builtin_sub_overflow(bounds.high, bounds.low, &last) ||
        __builtin_add_overflow(last, int64_t{1}, &size) || bounds.low == INT64_MIN) {
      return absl::ResourceExhaustedError("expected results whose span fits 64 bits");
    }
    const size_t number = shifted.parts.size();
    shifted.parts.push_back(
        {absl::StrCat("result ", number), static_cast<int32_t>(number), bounds.low, size});
    if (bounds.low == 0) continue;
    for (IndexingMap* moved : {&map, &simple}) {
      const NodeId by = add_constant(moved->nodes, -bounds.low);
      moved->results[r] = add_operation(moved->nodes, Op::kAdd, moved->results[r], by);
    }
  }
  absl::StatusOr<impl::Image> image = impl::image_of(map, shifted.sizes());
  if (absl::IsResourceExhausted(image.status())) {
    absl::StatusOr<Shifted> digits = image_in_digits(simple, shifted);
    if (digits.ok()) return digits;
  }
  shifted.image = TRY(std::move(image));
  return shifted;
}

// "0 to 38 step 2", "3", "0 to 1, 4 to 5, .. (40 runs)", "0 to 9000000, 2000000 of them"
std::string text_of(const impl::NumberSet& set, int64_t low) {
  const Interval hull = set.hull();
  if (set.size() == 1) return absl::StrCat(hull.low + low);
  if (const std::optional<int64_t> stride = set.progression()) {
    return absl::StrCat(hull.low + low, " to ", hull.high + low,
                        *stride == 1 ? "" : absl::StrCat(" step ", *stride));
  }
  if (set.size() > kMostNumbers) {
    return absl::StrCat(hull.low + low, " to ", hull.high + low, ", ", set.size(), " of them");
  }
  std::vector<std::string> runs;
  const std::vector<int64_t> numbers = set.numbers();
  size_t count = 0;
  for (size_t i = 0; i < numbers.size(); ++count) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (count < kMostRuns) {
      const std::string first = absl::StrCat(numbers[i] + low);
      runs.push_back(end == i + 1 ? first : absl::StrCat(first, " to ", numbers[end - 1] + low));
    }
    i = end;
  }
  return absl::StrCat(absl::StrJoin(runs, ", "),
                      count > kMostRuns ? absl::StrCat(", .. (", count, " runs)") : "");
}

// "results 0, 1"; with digits "result 0 floordiv 64, result 1"
std::string names_of(const std::vector<Part>& parts) {
  const auto is_whole = [](const Part& part) {
    return part.text == absl::StrCat("result ", part.result);
  };
  const bool all = std::ranges::all_of(parts, is_whole);
  return absl::StrCat(all ? "results " : "",
                      absl::StrJoin(parts, ", ", [all](std::string* out, const Part& part) {
                        absl::StrAppend(out, all ? absl::StrCat(part.result) : part.text);
                      }));
}

// The results of a block and their values: "result 0: 0 to 38 step 2". Several results are given by
// their row-major numbers.
std::string text_of(const Shifted& shifted, const impl::Image::Block& block) {
  std::vector<Part> parts;
  for (const int32_t number : block.results) parts.push_back(shifted.parts[number]);
  if (parts.size() == 1) {
    return absl::StrCat(parts[0].text, ": ", text_of(block.numbers, parts[0].low));
  }
  const auto joined = [&parts](absl::string_view separator, int64_t Part::*number) {
    return absl::StrJoin(parts, separator, [number](std::string* out, const Part& part) {
      absl::StrAppend(out, part.*number);
    });
  };
  return absl::StrCat(names_of(parts), ": ", block.numbers.size(), " tuples of the box of ",
                      joined("x", &Part::size), " from (", joined(", ", &Part::low),
                      "); row-major numbers: ", text_of(block.numbers, 0));
}

Json to_json(const Shifted& shifted, const impl::Image::Block& block) {
  std::vector<int64_t> results;
  for (const int32_t number : block.results) results.push_back(shifted.parts[number].result);
  Json json = json_object(
      {{"results", results}, {"count", block.numbers.size()}, {"text", text_of(shifted, block)}});
  if (block.results.size() == 1) {
    const int64_t low = shifted.parts[block.results[0]].low;
    const Interval hull = block.numbers.hull();
    set(json, "low", hull.low + low);
    set(json, "high", hull.high + low);
    const std::optional<int64_t> stride = block.numbers.progression();
    set(json, "step", stride ? Json(*stride) : Json());
  }
  return json;
}

absl::StatusOr<int64_t> count_of(const Shifted& shifted) {
  if (shifted.image.empty) return 0;
  return impl::union_size({&shifted.image, 1}, shifted.sizes());
}

}  // namespace

absl::StatusOr<Answer> image_command(const Command& given) {
  const std::string text = TRY(read_argument(given.text("MAP")));
  const AnyMap map = TRY(about("", parse_any_map(text), text));
  const Shifted shifted = TRY(image_of(map.map));
  const int64_t count = TRY(count_of(shifted));
  const int64_t slots = map.layout ? map.layout->elements.value_or(-1) : -1;  // -1: not known
  std::string said = absl::StrCat(count, map.layout ? " offsets" : " elements");
  if (slots >= 0) {
    absl::StrAppend(&said, " of ", slots, " slots; ", slots - count, " hold no element");
  }
  said += "\n";
  Json::Array blocks;
  for (const impl::Image::Block& block : shifted.image.blocks) {
    blocks.push_back(to_json(shifted, block));
    absl::StrAppend(&said, "  ", text_of(shifted, block), "\n");
  }
  Json json = json_object({{"count", count}, {"blocks", Json(std::move(blocks))}});
  if (slots >= 0) set(json, "slots", slots);
  return Answer{{std::move(json)}, std::move(said)};
}

}  // namespace tileproof::cli
