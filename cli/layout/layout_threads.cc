// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/layout/layout_parts.h"
#include "cli/verbs/layout_index.h"
#include "impl/layout/thread_digits.h"
#include "spec/lang/base/dims.h"
#include "spec/lang/base/element_type.h"
#include "spec/lang/base/nearest.h"
#include "spec/lang/base/odometer.h"
#include "spec/lang/base/try.h"
#include "spec/lang/layout/nested_text.h"
#include "spec/lang/map/map_text.h"
#include "spec/layout/thread_layout.h"

namespace tileproof::cli {
namespace {

constexpr int64_t kMostPlaces = 1 << 20;      // of an answer
constexpr int64_t kMostCells = 1024;          // of a table
constexpr size_t kMostCopies = 8;             // that are named
constexpr size_t kWidestTable = 200;          // in characters
constexpr int64_t kMostPlacesOfTable = 4096;  // several may be in a cell

absl::StatusOr<std::vector<int64_t>> index_of(const Threads& threads, const std::string& text) {
  const std::vector<int64_t> index = leaves(TRY(parse_coordinate(text)));
  TRY(expect_index(threads.layout.dims, index));
  return index;
}

// The places with the given coordinates, in order.
absl::StatusOr<std::vector<Place>> places_with(const Threads& threads,
                                               const std::array<std::optional<int64_t>, 4>& given) {
  std::vector<Place> places = {{}};
  for (size_t i = 0; i < given.size(); ++i) {
    const int64_t size = threads.sizes[i];
    if (given[i] && (*given[i] < 0 || *given[i] >= size)) {
      return invalid(std::string(kPlaceNames[i]), " ", *given[i], " is outside of [0, ", size, ")");
    }
    const int64_t low = given[i].value_or(0), high = given[i].value_or(size - 1);
    if (std::ssize(places) * (high - low + 1) > kMostPlaces)
      return invalid("expected more coordinates: too many places");
    std::vector<Place> more;
    for (const Place& place : places) {
      for (int64_t x = low; x <= high; ++x) {
        more.push_back(place);
        more.back()[i] = x;
      }
    }
    places = std::move(more);
  }
  return places;
}

// "warp = 1" for the coordinates that are not 0.
std::string step_text(const Place& place) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < place.size(); ++i) {
    if (place[i] != 0) parts.push_back(absl::StrCat(std::string(kPlaceNames[i]), " ", place[i]));
  }
  return absl::StrJoin(parts, ", ");
}

// How many places hold an element, and an element that nobody holds.
struct Held {
  int64_t least = 0, most = 0;  // of the elements that somebody holds; 0: too many to count
  std::vector<Place> copies;    // places that hold what the first place holds; of bases, those that
                                // give all others
  std::optional<Dims> missing;
};

absl::StatusOr<Held> count_held(const Threads& threads) {
  Held held;
  if (threads.form) {
    held.copies = impl::copies(*threads.form);
    held.least = held.most = int64_t{1} << held.copies.size();
    held.missing = impl::not_held(*threads.form);
    return held;
  }
  std::map<Dims, int64_t> times;
  const std::vector<Place> places = TRY(places_with(threads, {}));
  const Dims first = held_at(threads, {});
  for (const Place& place : places) {
    const Dims index = held_at(threads, place);
    ++times[index];
    if (index == first && place != Place{}) held.copies.push_back(place);
  }
  held.least = INT64_MAX;
  for (const auto& [index, count] : times) {
    held.least = std::min(held.least, count);
    held.most = std::max(held.most, count);
  }
  Dims index(threads.layout.dims.size(), 0);
  if (*element_count(threads.layout.dims) == std::ssize(times)) return held;
  while (times.contains(index)) next_index(threads.layout.dims, index);
  held.missing = index;
  return held;
}

std::string held_text(const Held& held) {
  if (held.most == 1) return "each in one place";
  std::string text = absl::StrCat("each in ", held.least);
  if (held.most != held.least) absl::StrAppend(&text, " to ", held.most);
  std::vector<std::string> parts;
  for (const Place& step : held.copies) {
    if (parts.size() < kMostCopies) parts.push_back(step_text(step));
  }
  if (held.copies.size() > parts.size()) parts.emplace_back("..");
  return absl::StrCat(text, " places: what register 0 of thread 0 holds is also at ",
                      parts.empty() ? "no other" : absl::StrJoin(parts, "; "));
}

// Which thread, counted through all warps of a block, holds an element as which register: T3:1.
std::string cell_text(const Threads& threads, const Place& place) {
  const std::string block = threads.sizes[3] > 1 ? absl::StrCat("B", place[3], ":") : "";
  return absl::StrCat(block, "T", place[2] * threads.sizes[1] + place[1], ":", place[0]);
}

// The places of each element; "" if the table does not fit a screen.
std::string table_of(const Threads& threads) {
  const Dims& dims = threads.layout.dims;
  const std::optional<int64_t> elements = element_count(dims);
  if (dims.empty() || dims.size() > 2 || !elements || *elements > kMostCells) return "";
  const auto places = places_with(threads, {});
  if (!places.ok() || std::ssize(*places) > kMostPlacesOfTable) return "";
  std::vector<std::string> cells(*elements);
  for (const Place& place : *places) {
    const Dims index = held_at(threads, place);
    std::string& cell = cells[dims.size() == 2 ? index[0] * dims[1] + index[1] : index[0]];
    absl::StrAppend(&cell, cell.empty() ? "" : "|", cell_text(threads, place));
  }
  size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  const int64_t columns = dims.back();
  if ((width + 2) * columns > kWidestTable) return "";
  std::string text = "thread:register of each element\n";
  for (int64_t i = 0; i < *elements; ++i) {
    if (cells[i].empty()) cells[i] = "-";  // nobody holds it
    const bool ends = (i + 1) % columns == 0;
    absl::StrAppend(&text, i % columns == 0 ? "  " : "", cells[i],
                    ends ? "\n" : std::string(width + 2 - cells[i].size(), ' '));
  }
  return text;
}

Json bases_json(const Threads& threads) {
  if (!threads.form) return Json();
  Json json = json_object({});
  for (size_t i = 0; i < 4; ++i) {
    Json::Array bases;
    Place place = {};
    for (place[i] = 1; place[i] < threads.sizes[i]; place[i] *= 2)
      bases.push_back(Json(held_at(threads, place)));
    set(json, kPlaceNames[i], Json(std::move(bases)));
  }
  return json;
}

absl::StatusOr<Answer> owners(const Threads& threads, const std::string& asked) {
  const auto index = TRY(about("--index", index_of(threads, asked), asked));
  const auto holders = TRY(about("--index", impl::holders_of(threads, index, kMostPlaces)));
  Json::Array list;
  std::string text = holders.empty() ? "nobody holds it\n" : "";
  for (const Place& place : holders) {
    list.push_back(place_json(place));
    absl::StrAppend(&text, place_text(place), "\n");
  }
  return Answer{
      {json_object(
          {{"layout", threads.layout.text}, {"index", index}, {"owners", Json(std::move(list))}})},
      std::move(text)};
}

absl::StatusOr<Answer> elements(const Threads& threads, const ThreadQuestions& questions) {
  const std::vector<Place> places = TRY(places_with(threads, questions.place));
  Json::Array list;
  std::string text;
  for (const Place& place : places) {
    const Dims index = held_at(threads, place);
    list.push_back(place_json(place));
    set(list.back(), "index", Json(index));
    if (places.size() > 1) absl::StrAppend(&text, place_text(place), "  ");
    absl::StrAppend(&text, dims_text(index), "\n");
  }
  return Answer{
      {json_object({{"layout", threads.layout.text}, {"elements", Json(std::move(list))}})},
      std::move(text)};
}

// The text of the layout in another system. FailedPrecondition: it has none there.
absl::StatusOr<std::string> written_as(const Threads& threads, const std::string& system) {
  const ThreadLayout& layout = threads.layout;
  if (system == "map") return to_text(threads.map);
  if (!threads.form) return absl::FailedPreconditionError("the layout is no linear map over bits");
  if (system == "cute") {
    const auto type = element_type_of_mlir(layout.element_type);
    return absl::StrCat("tv:", to_text(TRY(impl::to_thread_values(*threads.form))), ":",
                        std::string(info(type.value_or(ElementType::kF32)).name),
                        dims_text(layout.dims));
  }
  const std::string text = impl::to_linear_text(*threads.form);
  if (layout.element_type.empty()) return text;
  return absl::StrCat("tensor<", absl::StrJoin(layout.dims, "x"), "x", layout.element_type, ", ",
                      text, ">");
}

// Whether each place holds what the definition says, and the text is read as the same layout.
absl::StatusOr<bool> is_proven(const Threads& threads, const std::string& text) {
  if (has_thread_layout(text)) {
    const Threads again = TRY(parse_threads(text));
    if (again.sizes != threads.sizes || again.form->bases != threads.form->bases)
      return absl::InternalError("the text is read as another layout");
  }
  const auto places = places_with(threads, {});
  if (!places.ok()) return false;
  for (const Place& place : *places) {
    if (TRY(spec::held_at(threads.layout, place)) != held_at(threads, place))
      return absl::InternalError("the closed form differs from the definition");
  }
  return true;
}

absl::StatusOr<Answer> rewritten(const Threads& threads, const std::string& system) {
  const std::vector<absl::string_view> systems = {"ttg.linear", "cute", "map"};
  if (std::ranges::find(systems, system) == systems.end()) {
    return about("--as", invalid("expected ttg.linear, cute or map for a layout of threads, found ",
                                 system, did_you_mean(system, systems)));
  }
  const absl::StatusOr<std::string> text = written_as(threads, system);
  if (absl::IsFailedPrecondition(text.status())) {
    return no_layout(system, text.status().message(), /*is_ruled_out=*/true);
  }
  if (!text.ok()) return absl::InternalError(text.status().message());
  return written_answer(*text,
                        TRY(is_proven(threads, *text)) ? "every place holds the same element" : "",
                        "too many places to compare with the definition", {});
}

absl::StatusOr<Answer> everything(const Threads& threads) {
  const Held held = TRY(count_held(threads));
  std::vector<std::string> counts;
  for (size_t i = 0; i < 4; ++i)
    counts.push_back(
        absl::StrCat(threads.sizes[i], " ", kPlaceNames[i], threads.sizes[i] == 1 ? "" : "s"));
  std::string text = absl::StrCat(
      threads.layout.text, "\nshape     ", dims_text(threads.layout.dims), "\nthreads   ",
      absl::StrJoin(counts, ", "), "\nelements  ", held_text(held), "\n");
  if (held.missing) {
    absl::StrAppend(&text, "          nobody holds ", dims_text(*held.missing), "\n");
  }
  if (threads.form) {
    absl::StrAppend(&text, "bases     ", impl::to_linear_text(*threads.form), "\n");
  }
  absl::StrAppend(&text, "map       ", to_text(threads.map), "\n", table_of(threads));
  return Answer{{json_object({{"layout", threads.layout.text},
                              {"dims", threads.layout.dims},
                              {"sizes", place_json(threads.sizes)},
                              {"map", to_text(threads.map)},
                              {"bases", bases_json(threads)},
                              {"copies", held.most},
                              {"missing", held.missing ? Json(*held.missing) : Json()}})},
                std::move(text)};
}

}  // namespace

absl::StatusOr<Answer> explain_threads(const std::string& text, const ThreadQuestions& questions) {
  const Threads threads = TRY(about("", parse_threads(text), text));
  if (questions.system) return rewritten(threads, *questions.system);
  if (questions.index) return owners(threads, *questions.index);
  if (questions.asks_place()) return elements(threads, questions);
  return everything(threads);
}

}  // namespace tileproof::cli
